mod convert;
mod profile;

use clap::{Args, Subcommand};

use crate::context::Context;

/// Arguments of `orrery trace`.
#[derive(Debug, Args)]
pub struct TraceVerb {
    #[command(subcommand)]
    what: What,
}

#[derive(Debug, Subcommand)]
enum What {
    /// Write a trace in another format
    Convert(convert::Convert),
    /// What each rank does: how often, bytes sent, floating-point operations
    Profile(profile::Profile),
}

impl TraceVerb {
    pub fn run(self, context: Context) -> anyhow::Result<()> {
        match self.what {
            What::Convert(arguments) => arguments.run(context),
            What::Profile(arguments) => arguments.run(),
        }
    }
}
