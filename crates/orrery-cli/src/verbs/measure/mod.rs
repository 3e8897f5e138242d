//! `orrery measure`: campaigns, one file for each kind of experiment.

mod collectives;
mod comm;
mod kernels;
mod overheads;
mod scheme;

use clap::{Args, Subcommand};

pub use kernels::KernelArguments;
#[cfg(feature = "mpi")]
pub use kernels::serve as serve_kernels;
pub use scheme::timed;

use crate::context::Context;
use crate::job::Ranks;

/// Arguments of `orrery measure`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
    orrery measure comm --machine local:4 -o comm.csv\n  \
    mpirun -n 8 orrery measure comm -o comm.csv")]
pub struct Measure {
    #[command(subcommand)]
    what: What,
}

/// The subcommands of `orrery measure`.
#[derive(Debug, Subcommand)]
enum What {
    /// Measure round trips and one-to-two experiments, for the Hockney and LMO models
    Comm(comm::CommArguments),
    /// Measure overheads and gaps, for the models of the LogP family
    Overheads(overheads::OverheadArguments),
    /// Measure collective operations, to validate models
    Collectives(collectives::CollectiveArguments),
    /// Measure linear scatter and gather over a range of sizes, to estimate thresholds
    Thresholds(collectives::ThresholdCampaign),
    /// Measure compute kernels of linear algebra on this host, or on each host of an MPI job
    Kernels(KernelArguments),
    /// Measure concurrent messages, to fit the laws of bandwidth sharing
    Scheme(scheme::SchemeArguments),
}

impl Measure {
    /// What the campaign does with the ranks of an MPI job.
    pub fn ranks(&self) -> Ranks<'_> {
        Ranks::Machine(match &self.what {
            What::Comm(arguments) => &arguments.common.machine,
            What::Overheads(arguments) => &arguments.common.machine,
            What::Collectives(arguments) => &arguments.common.machine,
            What::Thresholds(arguments) => &arguments.common.machine,
            What::Scheme(arguments) => &arguments.machine,
            What::Kernels(arguments) => return Ranks::Hosts(arguments),
        })
    }

    /// Runs the subcommand.
    pub fn run(self, context: Context) -> anyhow::Result<()> {
        match self.what {
            What::Comm(arguments) => arguments.run(context),
            What::Overheads(arguments) => arguments.run(context),
            What::Collectives(arguments) => arguments.run(context),
            What::Thresholds(arguments) => arguments.collectives().run(context),
            What::Kernels(arguments) => arguments.run(context),
            What::Scheme(arguments) => arguments.run(context),
        }
    }
}
