//! Networks that know pairs of processors: models that were fitted.

use std::path::Path;

use anyhow::{Context as _, anyhow};
use clap::Args;
use orrery::model::ModelKind;

use super::cluster;
use super::stage::Stage;
use crate::context::Usage;
use crate::verbs::samples;

/// What the networks lmo, lom, hockney and hockney-mean need.
#[derive(Debug, Args)]
#[command(next_help_heading = "Of the networks lmo, lom, hockney and hockney-mean, and of traces without times")]
pub struct Pairs {
    /// How fast every processor computes, in operations per second, where no cluster says it
    #[arg(long, value_name = "FLOPS", allow_negative_numbers = true, value_parser = speed)]
    pub speed: Option<f64>,
}

fn speed(text: &str) -> Result<f64, String> {
    let speed = text.parse().ok().filter(|speed: &f64| speed.is_finite() && *speed > 0.0);
    speed.ok_or_else(|| "write operations per second above 0, such as 2e9".to_owned())
}

impl Pairs {
    /// The stage of a kind of model.
    pub fn stage(&self, kind: ModelKind, file: Option<&Path>, cluster: Option<&Path>) -> anyhow::Result<Stage> {
        let path = file
            .ok_or_else(|| Usage(format!("--network {kind} needs the model file that holds it: --parameters MODEL")))?;
        let model = samples::model(path)?;
        model.network(kind).with_context(|| path.display().to_string())?;
        let speeds = match (self.speed, cluster) {
            (Some(_), Some(_)) => return Err(Usage("--speed and --cluster both say how fast; give one".into()).into()),
            (Some(speed), None) => Some(vec![speed; model.processors()]),
            (None, Some(cluster)) => Some(speeds(&model.hosts, cluster)?),
            (None, None) => None,
        };
        Ok(Stage::Pairs { model: Box::new(model), kind, speeds })
    }

    /// Refuses a speed where the cluster says it.
    pub fn none(&self, network: &str) -> Result<(), Usage> {
        match self.speed {
            Some(_) => Err(Usage(format!("--speed has no meaning for --network {network}; leave it out"))),
            None => Ok(()),
        }
    }
}

/// The speeds of processors, whose hosts a cluster file knows.
fn speeds(hosts: &[String], path: &Path) -> anyhow::Result<Vec<f64>> {
    let topology = cluster::load(path)?.topology;
    let speed = |name: &String| {
        let host = topology.host(name).ok_or_else(|| {
            anyhow!("{}: there is no host {name:?}, which the model has; give --speed FLOPS instead", path.display())
        })?;
        Ok(topology.hosts[host.index()].speed)
    };
    hosts.iter().map(speed).collect()
}
