//! Networks that are fitted point-to-point models.

use std::path::Path;

use anyhow::anyhow;
use clap::Args;
use orrery::model::ModelKind;
use orrery::platform::Topology;
use orrery::request::SimulatedPlatform;

use super::cluster::{self, EagerLimits};
use crate::context::Context;
use crate::refusal;
use crate::verbs::samples;

/// The speed of processors, for networks without a cluster.
#[derive(Debug, Args)]
#[command(next_help_heading = "Speed, for networks without a cluster")]
pub struct SpeedOption {
    /// Speed of every processor in operations per second, if there is no cluster
    #[arg(long, value_name = "FLOPS", allow_negative_numbers = true, value_parser = speed, conflicts_with = "cluster")]
    pub speed: Option<f64>,
}

/// Parses a speed in operations per second.
pub fn speed(text: &str) -> Result<f64, String> {
    let speed = text.parse().ok().filter(|speed: &f64| speed.is_finite() && *speed > 0.0);
    speed.ok_or_else(|| "write operations per second above 0, such as 2e9".to_owned())
}

impl SpeedOption {
    /// The platform of a kind of model.
    pub fn platform(
        &self,
        kind: ModelKind,
        file: Option<&Path>,
        cluster: Option<&Path>,
        limits: EagerLimits,
        context: Context,
    ) -> anyhow::Result<SimulatedPlatform> {
        let path = file.unwrap_or_else(|| unreachable!("required with these networks"));
        let model = samples::model(path)?;
        let speeds = match (self.speed, cluster) {
            (Some(speed), _) => Some(vec![speed; model.processors()]),
            (None, Some(cluster)) => {
                let topology = cluster::hosts(cluster::load(cluster)?, kind.name(), context)?;
                Some(speeds(&model.hosts, &topology, cluster)?)
            }
            (None, None) => None,
        };
        SimulatedPlatform::of_model(model, kind, speeds, limits.given())
            .map_err(|error| refusal::failure(error, path))
    }
}

/// The speeds of processors, from the hosts of a cluster file.
fn speeds(hosts: &[String], topology: &Topology, path: &Path) -> anyhow::Result<Vec<f64>> {
    let speed = |name: &String| {
        let host = topology.host(name).ok_or_else(|| {
            anyhow!(
                "{}: the host {name:?} of the model is missing; add it, or give --speed FLOPS \
                    instead",
                path.display()
            )
        })?;
        Ok(topology.hosts[host.index()].speed)
    };
    hosts.iter().map(speed).collect()
}
