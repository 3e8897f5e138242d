use std::path::PathBuf;

use anyhow::Context as _;
use clap::Args;
use orrery::model::{Model, validate, validate_sharing};
use orrery::run::Filter;
use orrery_report::{file, pages};

use super::{given, replace, samples, timings};
use crate::context::{Context, Usage};

/// The level of all intervals on the page.
const LEVEL: f64 = 0.95;

/// Arguments of `orrery report`.
#[derive(Debug, Args)]
pub struct Report {
    /// The model file
    #[arg(value_name = "MODEL")]
    model: PathBuf,
    /// Samples or timings files of the same machine, or runs files of the same application
    #[arg(required = true, value_name = "SAMPLES|TIMINGS|RUNS")]
    given: Vec<PathBuf>,
    /// Only runs that meet these conditions, such as mode=Reality,n<=200000
    #[arg(long = "where", value_name = "CONDITIONS")]
    conditions: Vec<Filter>,
    /// The page to write
    #[arg(short, long, value_name = "HTML")]
    output: PathBuf,
}

impl Report {
    pub fn run(self, context: Context) -> anyhow::Result<()> {
        replace::only(&self.output, "-o", "report", "<!DOCTYPE html>")?;
        let model = samples::model(&self.model)?;
        let page = if given::are_runs(&self.given)? {
            let runs = given::runs(&self.given, &self.conditions)?;
            let evaluated = given::evaluated(context, &model, &self.model, &runs.runs, LEVEL)?;
            pages::application_page(&model, &runs, &evaluated, LEVEL)
        } else if self.conditions.is_empty() && timings::are_timings(&self.given)? {
            let timings = timings::read(&self.given)?;
            let validation = validate_sharing(&model.sharing, &timings, LEVEL);
            timings::tell_delayed(context, &validation.delayed);
            pages::schemes_page(&model, &timings, &validation, LEVEL)
        } else {
            self.of_samples(context, &model)?
        };
        file::write(&self.output, &page)
            .with_context(|| format!("{}: cannot write the report", self.output.display()))?;
        context.say(format!("wrote {}", self.output.display()));
        Ok(())
    }

    /// The page of communication models.
    fn of_samples(&self, context: Context, model: &Model) -> anyhow::Result<String> {
        if !self.conditions.is_empty() {
            return Err(Usage("--where goes with runs files".into()).into());
        }
        given::needs_communication(model, &self.model)?;
        let samples = samples::read(context, &self.given)?;
        let place = || self.model.display().to_string();
        let validation = validate(model, &samples, &model.kinds(), LEVEL).with_context(place)?;
        Ok(pages::communication_page(model, &samples, &validation))
    }
}
