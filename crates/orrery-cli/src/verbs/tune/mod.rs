//! `orrery tune`: decisions put to work in MPI libraries.

mod library;
mod verify;
mod write;

use clap::{Args, Subcommand};

use crate::context::Context;

/// Arguments of `orrery tune`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  orrery tune write model.json --for openmpi-4.1 -o rules.conf
  orrery tune verify rules.conf --for openmpi-4.1 --run 'mpirun -n 16' -o times")]
pub struct Tune {
    #[command(subcommand)]
    what: What,
}

/// The subcommands of `orrery tune`.
#[derive(Debug, Subcommand)]
enum What {
    /// Write rules for the collective operations of an MPI library
    Write(Box<write::Write>),
    /// Compare measured times without rules and with them
    Verify(Box<verify::Verify>),
}

impl Tune {
    /// Runs the verb.
    pub fn run(self, context: Context) -> anyhow::Result<()> {
        match self.what {
            What::Write(verb) => verb.run(context),
            What::Verify(verb) => verb.run(context),
        }
    }
}
