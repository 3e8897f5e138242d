mod convert;
mod profile;

use clap::{Args, Subcommand};

use crate::context::Context;

/// Arguments of `orrery trace`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  orrery trace convert app.tit app.orrt
  orrery trace profile app.tit")]
pub struct TraceVerb {
    #[command(subcommand)]
    what: What,
}

/// The subcommands of `orrery trace`.
#[derive(Debug, Subcommand)]
enum What {
    /// Convert a trace to another format
    #[command(after_help = "Examples:
  orrery trace convert app.tit app.orrt
  orrery trace convert app.orrt app.goal --speed 2e9")]
    Convert(convert::Convert),
    /// Count the actions, the sent bytes and the floating-point operations of each rank
    #[command(after_help = "Examples:
  orrery trace profile app.tit
  orrery trace profile app.orrt --format csv")]
    Profile(profile::Profile),
}

impl TraceVerb {
    /// Runs the subcommand.
    pub fn run(self, context: Context) -> anyhow::Result<()> {
        match self.what {
            What::Convert(arguments) => arguments.run(context),
            What::Profile(arguments) => arguments.run(),
        }
    }
}
