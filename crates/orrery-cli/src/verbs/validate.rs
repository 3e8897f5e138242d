use std::path::PathBuf;

use anyhow::Context as _;
use clap::Args;
use orrery::model::validate;
use orrery::report::validation;

use super::kinds::Kinds;
use super::samples;
use crate::context::Context;
use crate::options;
use crate::output::{self, Format};

/// Arguments of `orrery validate`.
#[derive(Debug, Args)]
pub struct Validate {
    /// The model file
    #[arg(value_name = "MODEL")]
    model: PathBuf,
    /// Samples files of the same machine
    #[arg(required = true, value_name = "SAMPLES")]
    samples: Vec<PathBuf>,
    /// The kinds of models: all that the file holds, or some of hockney, hockney-mean, lom, lmo with commas between
    #[arg(long, value_name = "LIST", default_value = "all")]
    models: Kinds,
    /// The level of the intervals of the observed medians
    #[arg(long, value_name = "LEVEL", default_value_t = 0.95, value_parser = options::level)]
    level: f64,
    /// How to write it
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

impl Validate {
    pub fn run(self, context: Context) -> anyhow::Result<()> {
        let model = samples::model(&self.model)?;
        let samples = samples::read(context, &self.samples)?;
        let kinds = self.models.of(&model);
        let validated = validate(&model, &samples, &kinds, self.level);
        let (rows, summary) = validation(&validated.with_context(|| self.model.display().to_string())?);
        match self.format {
            // Two tables of different columns do not make one CSV file: the rows are the data.
            Format::Csv => output::print(&rows, Format::Csv),
            format => output::print_all(&[rows, summary], format),
        }
    }
}
