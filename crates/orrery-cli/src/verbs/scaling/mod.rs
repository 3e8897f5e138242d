//! Execution-time models of applications: one file for each subcommand.

mod fit;
mod import;
mod input;
mod paper;
mod show;

use clap::{Args, Subcommand};

pub use self::input::filtered;
use crate::context::Context;

/// Arguments of `orrery scaling`.
#[derive(Debug, Args)]
pub struct Scaling {
    #[command(subcommand)]
    what: What,
}

#[derive(Debug, Subcommand)]
enum What {
    /// Turn output of HPL, input of Extra-P and tables into a runs file
    Import(import::Import),
    /// Fit an execution-time model to runs
    Fit(fit::Fit),
    /// Show the runs of a runs file
    Show(show::Show),
}

impl Scaling {
    pub fn run(self, context: Context) -> anyhow::Result<()> {
        match self.what {
            What::Import(arguments) => arguments.run(context),
            What::Fit(arguments) => arguments.run(context),
            What::Show(arguments) => arguments.run(),
        }
    }
}
