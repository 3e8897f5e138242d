//! `orrery choose`: one file per decision.

mod collective;
pub mod configuration;
pub mod files;
mod grid;
mod network;

use clap::Subcommand;

use crate::context::Context;

/// The subcommands of `orrery choose`.
#[derive(Debug, Subcommand)]
#[command(after_help = "Examples:
  orrery choose collective model.json --operation scatter --size 1..4M
  orrery choose grid model.json --routine pdgemm --n 2048 --block 16..256 --procs 1..32
  orrery choose plan model.json --n 2048 --block 64 --a 2x2 --b 1x4
  orrery choose configuration app.json --cluster cluster.toml --n 9600")]
pub enum Choose {
    /// Choose the algorithms of collective operations by size, from a model or from measured times
    Collective(collective::Collective),
    /// Choose the order of the processors in a collective operation: slow ones at the leaves of its
    /// tree
    Order(collective::OrderArguments),
    /// Choose the grid of processes and the block of a parallel routine, such as pdgemm
    Grid(grid::GridArguments),
    /// Choose where to multiply two matrices that are on different grids
    Plan(grid::PlanArguments),
    /// Choose the elements, processes and grid of a cluster for an application
    Configuration(configuration::Configuration),
    /// Choose the cluster, network and placement for applications by simulating their traces
    Network(network::Network),
}

impl Choose {
    /// Runs the subcommand.
    pub fn run(self, context: Context) -> anyhow::Result<()> {
        match self {
            Self::Collective(arguments) => arguments.run(context),
            Self::Order(arguments) => arguments.run(),
            Self::Grid(arguments) => arguments.run(),
            Self::Plan(arguments) => arguments.run(),
            Self::Configuration(arguments) => arguments.run(context),
            Self::Network(arguments) => arguments.run(context),
        }
    }
}
