mod convert;
mod library;
mod recorded;
mod run;

use clap::Subcommand;

use crate::context::Context;

/// The subcommands of `orrery trace`.
#[derive(Debug, Subcommand)]
#[command(after_help = "Examples:
  orrery trace run -o recorded -- mpirun -n 8 ./app
  orrery trace profile recorded
  orrery trace convert app.tit app.orrt")]
pub enum TraceVerb {
    /// Run an MPI program and record its calls with their times
    #[command(after_help = "Examples:
  orrery trace run -o recorded -- mpirun -n 8 ./app
  orrery trace run -o recorded --library ./liborrery-trace-mpich.so -- mpirun -n 8 python3 app.py")]
    Run(run::Run),
    /// Convert a trace to another format
    #[command(after_help = "Examples:
  orrery trace convert app.tit app.orrt
  orrery trace convert recorded app.tit --speed 2e9
  orrery trace convert recorded app.json")]
    Convert(convert::Convert),
    /// Print the computation and MPI times of each rank of a recorded run, or count the actions of
    /// a trace
    #[command(after_help = "Examples:
  orrery trace profile recorded
  orrery trace profile recorded --functions
  orrery trace profile app.tit
  orrery trace profile app.orrt --format csv")]
    Profile(recorded::Profile),
}

impl TraceVerb {
    /// Runs the subcommand.
    pub fn run(self, context: Context) -> anyhow::Result<()> {
        match self {
            Self::Run(arguments) => arguments.run(context),
            Self::Convert(arguments) => arguments.run(context),
            Self::Profile(arguments) => arguments.run(),
        }
    }
}
