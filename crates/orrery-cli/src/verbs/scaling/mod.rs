//! Execution-time models of applications: one file for each subcommand.

mod import;
mod input;
mod show;

use clap::{Args, Subcommand};

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
    /// Show the runs of a runs file
    Show(show::Show),
}

impl Scaling {
    pub fn run(self, context: Context) -> anyhow::Result<()> {
        match self.what {
            What::Import(arguments) => arguments.run(context),
            What::Show(arguments) => arguments.run(),
        }
    }
}
