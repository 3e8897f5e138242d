//! `orrery scaling`: execution-time models of applications, one file per subcommand.

mod advise;
mod fit;
mod import;
pub mod input;
mod paper;
mod run;
mod sources;

use std::path::PathBuf;

use clap::{Args, Subcommand};
use orrery::run::Filter;

pub use self::input::{filtered, warn_of_forecasts, warn_of_varying_together};
use crate::context::Context;
use crate::output::{self, Format};

/// The subcommands of `orrery scaling`.
#[derive(Debug, Subcommand)]
#[command(after_help = "Examples:
  orrery scaling import HPL.out --configuration athlon=2x2 -o runs.json
  orrery scaling fit runs.json -o app.json")]
pub enum Scaling {
    /// Convert output of HPL, input of Extra-P or tables to a runs file
    Import(import::Import),
    /// Fit an execution-time model to runs
    Fit(fit::Fit),
    /// Plan the runs that make the choice of a configuration certain at the least cost
    Advise(advise::Advise),
    /// Run the application as planned and write its times to a runs file
    Run(Box<run::Run>),
    /// Print the runs of a runs file
    Show(Show),
}

impl Scaling {
    /// Runs the subcommand.
    pub fn run(self, context: Context) -> anyhow::Result<()> {
        match self {
            Self::Import(arguments) => arguments.run(context),
            Self::Fit(arguments) => arguments.run(context),
            Self::Advise(arguments) => arguments.run(context),
            Self::Run(arguments) => arguments.run(context),
            Self::Show(arguments) => arguments.run(),
        }
    }
}

/// Arguments of `orrery scaling show`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  orrery scaling show runs.json
  orrery scaling show runs.json --where 'n>=4800' --format csv")]
pub struct Show {
    /// Runs file; - reads stdin
    #[arg(value_name = "RUNS")]
    runs: PathBuf,
    /// Select the runs that meet these conditions, such as mode=Reality,n<=200000 [default: all]
    #[arg(long = "where", value_name = "CONDITIONS")]
    conditions: Vec<Filter>,
    /// Output format
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

impl Show {
    /// Prints the runs.
    pub fn run(self) -> anyhow::Result<()> {
        let runs = input::runs(&self.runs, &self.conditions)?;
        output::print(&orrery_report::tables::runs(&runs), self.format)
    }
}
