//! `orrery scaling`: execution-time models of applications, one file per subcommand.

mod advise;
pub mod decision;
mod fit;
mod import;
mod input;
mod paper;
mod run;
mod show;
mod sources;
mod verdict;

use clap::{Args, Subcommand};

pub use self::input::filtered;
pub use self::verdict::warn_of_forecasts;
use crate::context::Context;

/// Arguments of `orrery scaling`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  orrery scaling import HPL.out --configuration athlon=2x2 -o runs.json
  orrery scaling fit runs.json -o app.json")]
pub struct Scaling {
    #[command(subcommand)]
    what: What,
}

/// The subcommands of `orrery scaling`.
#[derive(Debug, Subcommand)]
enum What {
    /// Convert output of HPL, input of Extra-P or tables to a runs file
    Import(import::Import),
    /// Fit an execution-time model to runs
    Fit(fit::Fit),
    /// Plan the runs that make the choice of a configuration certain at the least cost
    Advise(advise::Advise),
    /// Run the application as planned and write its times to a runs file
    Run(Box<run::Run>),
    /// Print the runs of a runs file
    Show(show::Show),
}

impl Scaling {
    /// Runs the subcommand.
    pub fn run(self, context: Context) -> anyhow::Result<()> {
        match self.what {
            What::Import(arguments) => arguments.run(context),
            What::Fit(arguments) => arguments.run(context),
            What::Advise(arguments) => arguments.run(context),
            What::Run(arguments) => arguments.run(context),
            What::Show(arguments) => arguments.run(),
        }
    }
}
