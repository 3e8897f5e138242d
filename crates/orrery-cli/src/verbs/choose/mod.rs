//! `orrery choose`: one file per decision.

mod collective;
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
    /// Choose the algorithm and the root of a collective operation by message size
    Collective(collective::Collective),
    /// Choose the elements, processes and grid of a cluster for an application
    Configuration(configuration::Configuration),
    /// Choose the cluster, network and placement for applications by simulating their traces
    Network(network::Network),
}

impl Choose {
    pub fn run(self, context: Context) -> anyhow::Result<()> {
        match self.what {
            What::Collective(arguments) => arguments.run(),
            What::Configuration(arguments) => arguments.run(context),
            What::Network(arguments) => arguments.run(context),
        }
    }
}
