//! Decisions: one file for each.

pub mod configuration;
mod files;
mod network;

use clap::{Args, Subcommand};

use crate::context::Context;

/// Arguments of `orrery choose`.
#[derive(Debug, Args)]
pub struct Choose {
    #[command(subcommand)]
    what: What,
}

#[derive(Debug, Subcommand)]
enum What {
    /// The best configuration of a heterogeneous cluster for an application
    Configuration(configuration::Configuration),
    /// The best cluster, network and placement for applications: traces are simulated on all of them
    Network(network::Network),
}

impl Choose {
    pub fn run(self, context: Context) -> anyhow::Result<()> {
        match self.what {
            What::Configuration(arguments) => arguments.run(context),
            What::Network(arguments) => arguments.run(context),
        }
    }
}
