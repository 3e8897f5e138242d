use std::path::PathBuf;

use anyhow::Context as _;
use clap::Args;
use orrery::model::validate;
use orrery::report::{file, html};

use super::{replace, samples};
use crate::context::Context;

/// Arguments of `orrery report`.
#[derive(Debug, Args)]
pub struct Report {
    /// The model file
    #[arg(value_name = "MODEL")]
    model: PathBuf,
    /// Samples files of the same machine
    #[arg(required = true, value_name = "SAMPLES")]
    samples: Vec<PathBuf>,
    /// The page to write
    #[arg(short, long, value_name = "HTML")]
    output: PathBuf,
}

impl Report {
    pub fn run(self, context: Context) -> anyhow::Result<()> {
        replace::only(&self.output, "report", "<!DOCTYPE html>")?;
        let model = samples::model(&self.model)?;
        let samples = samples::read(context, &self.samples)?;
        let place = || self.model.display().to_string();
        let validation = validate(&model, &samples, &model.kinds(), 0.95).with_context(place)?;
        let page = html::page(&model, &samples, &validation);
        file::write(&self.output, &page)
            .with_context(|| format!("{}: cannot write the report", self.output.display()))?;
        context.say(format!("wrote {}", self.output.display()));
        Ok(())
    }
}
