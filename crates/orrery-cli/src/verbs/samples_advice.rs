use std::path::PathBuf;

use anyhow::Context as _;
use clap::Args;
use clap::builder::RangedU64ValueParser;
use orrery::collective::measured::{
    Advice, CollectiveReadings, Design, Implementation, MAX_ADVICE, MeasuredModel, PredictedTime,
    Selection, advise,
};
use orrery::sample::Experiment;
use orrery::schedule::CollectiveKind;
use orrery_report::tables::measured_advice;

use super::samples;
use crate::context::{Context, Usage};
use crate::output::{self, Format};

/// Arguments of `orrery samples advise`.
#[derive(Debug, Args)]
pub struct Advise {
    /// Samples file with collective operations by algorithm
    #[arg(value_name = "SAMPLES")]
    samples: PathBuf,
    /// Maximum number of measurements to advise, up to 100
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = budget())]
    budget: usize,
    /// Operations, separated by commas [default: all in the file]
    #[arg(long, value_name = "LIST", value_delimiter = ',')]
    operation: Vec<CollectiveKind>,
    /// Further algorithms to consider, by the names of their experiments:
    /// bcast/pipeline,native/bcast/ompi/chain-4
    #[arg(long, value_name = "LIST", value_delimiter = ',', value_parser = experiment)]
    also: Vec<Experiment>,
    /// Number of processors whose operations are compared, if the file has several
    #[arg(long, value_name = "N")]
    procs: Option<usize>,
    /// Output format
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

/// Parses the name of a collective operation with its algorithm.
fn experiment(text: &str) -> Result<Experiment, String> {
    Experiment::collective_template(text.trim()).ok_or_else(|| {
        "write operation/algorithm or native/operation/library/algorithm, such as \
            bcast/pipeline"
            .to_owned()
    })
}

/// The parser of a number of rows.
fn budget() -> RangedU64ValueParser<usize> {
    RangedU64ValueParser::new().range(1..=MAX_ADVICE as u64)
}

impl Advise {
    /// Prints the rows to measure next.
    pub fn run(self, context: Context) -> anyhow::Result<()> {
        let samples = samples::read(context, std::slice::from_ref(&self.samples))?;
        let place = || self.samples.display().to_string();
        let selection =
            Selection { operations: self.operation.clone(), procs: self.procs, root: None };
        let readings = CollectiveReadings::of(&samples, &selection).with_context(place)?;
        let design = Design::of(&readings, self.further(&readings)?).with_context(place)?;
        let model = MeasuredModel::of(&design, &readings).with_context(place)?;
        let advised = advise(&model, self.budget);
        if advised.is_empty() {
            context.say("no further row of these algorithms is expected to improve a choice");
        }
        output::print(&measured_advice(readings.procs, &with_times(&model, advised)), self.format)
    }

    /// The further algorithms, each of an operation in the samples.
    fn further(
        &self,
        readings: &CollectiveReadings,
    ) -> Result<Vec<(CollectiveKind, Implementation)>, Usage> {
        let wrong = |experiment: &Experiment, why: &str| {
            Usage(format!("--also {}: {why}", experiment.name()))
        };
        let of = |experiment: &Experiment| {
            let (operation, implementation) = Implementation::of(experiment)
                .ok_or_else(|| wrong(experiment, "name an algorithm, such as bcast/pipeline"))?;
            if readings.times.keys().all(|row| row.point.operation != operation) {
                return Err(wrong(
                    experiment,
                    "the samples do not have this operation; leave it out",
                ));
            }
            Ok((operation, implementation))
        };
        self.also.iter().map(of).collect()
    }
}

/// The predicted time of each advised row.
fn with_times(model: &MeasuredModel, advised: Vec<Advice>) -> Vec<(Advice, PredictedTime)> {
    advised.into_iter().map(|advice| (advice, model.time(advice.index))).collect()
}
