use std::path::PathBuf;

use anyhow::Context as _;
use clap::{Args, ValueEnum};
use orrery::model::{Model, file};
use orrery::run::{Filter, Run};
use orrery::sample::Provenance;
use orrery::scaling::{Application, Family, FittedTimes, Region, ScalingOptions, fit_times};

use super::input;
use crate::context::{Context, command_line};
use crate::options;
use crate::verbs::replace;

/// Arguments of `orrery scaling fit`.
#[derive(Debug, Args)]
pub struct Fit {
    /// The runs file; - is stdin
    #[arg(value_name = "RUNS")]
    runs: PathBuf,
    /// The model file to write
    #[arg(short, long, value_name = "MODEL")]
    output: PathBuf,
    /// Only runs that meet these conditions, such as mode=Reality,n<=200000
    #[arg(long = "where", value_name = "CONDITIONS")]
    conditions: Vec<Filter>,
    /// The terms that the time may consist of
    #[arg(long, value_enum, default_value_t)]
    terms: Terms,
    /// The level of the intervals of coefficients, their probability to cover the true value
    #[arg(long, value_name = "LEVEL", default_value_t = 0.95, value_parser = options::level)]
    level: f64,
}

#[derive(Debug, Clone, Copy, Default, ValueEnum)]
enum Terms {
    /// Those that forecast the larger problems best from the smaller ones
    #[default]
    Auto,
    /// High-Performance Linpack on a process grid
    Hpl,
    /// Factorisations of `ScaLAPACK`
    Scalapack,
    /// Products of x^i·log2(x)^j
    General,
}

impl Terms {
    fn family(self) -> Option<Family> {
        match self {
            Self::Auto => None,
            Self::Hpl => Some(Family::Hpl),
            Self::Scalapack => Some(Family::Scalapack),
            Self::General => Some(Family::General),
        }
    }
}

impl Fit {
    pub fn run(self, context: Context) -> anyhow::Result<()> {
        replace::only(&self.output, "model file", "{")?;
        let runs = input::runs(&self.runs, &self.conditions)?;
        let place = || self.runs.display().to_string();
        let options = ScalingOptions { family: self.terms.family(), level: self.level };
        let mut regions = Vec::new();
        for (name, runs) in by_region(&runs.runs) {
            let place = || if name.is_empty() { place() } else { format!("{}: region {name:?}", place()) };
            let fitted = fit_times(runs.iter().copied(), options).with_context(place)?;
            tell(context, name, &fitted);
            regions.push(Region { name: name.to_owned(), times: fitted.model.into() });
        }
        let mut provenance =
            Provenance::new().with("orrery", env!("CARGO_PKG_VERSION")).with("command", command_line());
        runs.provenance.iter().for_each(|(key, value)| {
            if !["orrery", "command"].contains(&key) {
                provenance.set(key, value);
            }
        });
        let model = Model { provenance, application: Some(Application { regions }), ..Model::default() };
        file::write(&self.output, &model)?;
        context.say(format!("wrote {}", self.output.display()));
        Ok(())
    }
}

/// The runs of each region, regions in the order in which they come first.
fn by_region(runs: &[Run]) -> Vec<(&str, Vec<&Run>)> {
    let mut places: std::collections::BTreeMap<&str, usize> = std::collections::BTreeMap::new();
    let mut regions: Vec<(&str, Vec<&Run>)> = Vec::new();
    for run in runs {
        let place = *places.entry(&run.region).or_insert(regions.len());
        if place == regions.len() {
            regions.push((&run.region, Vec::new()));
        }
        regions[place].1.push(run);
    }
    regions
}

/// Says what was fitted: one line, and one for how families did where they competed.
fn tell(context: Context, name: &str, fitted: &FittedTimes) {
    let model = &fitted.model;
    let head = if name.is_empty() { String::new() } else { format!("{name}: ") };
    let formula: Vec<String> = model
        .coefficients
        .iter()
        .map(|c| {
            let of = c.kind.as_ref().map(|kind| format!(" [{kind}]")).unwrap_or_default();
            format!("{:.4e}·{}{of}", c.estimate.value, c.term).replace("·1", "")
        })
        .collect();
    context.say(format!("{head}seconds = {}", formula.join(" + ")));
    context.say(format!("{head}{} runs of {} points, family {}", model.runs, model.points, model.family.word()));
    let errors: Vec<String> = fitted
        .contest
        .iter()
        .filter_map(|(family, error)| Some(format!("{} {:.2} %", family.word(), (*error)? * 100.0)))
        .collect();
    if errors.len() > 1 {
        context.say(format!(
            "{head}mean error in forecasting the larger problems from the smaller: {}",
            errors.join(", ")
        ));
    }
}
