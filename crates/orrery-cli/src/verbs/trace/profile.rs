use std::path::PathBuf;

use clap::Args;
use orrery::trace::file;
use orrery_report::tables::profile;

use crate::output::{self, Format};

/// Arguments of `orrery trace profile`.
#[derive(Debug, Args)]
pub struct Profile {
    /// Trace: time-independent, an index of such traces, binary or GOAL
    #[arg(value_name = "TRACE")]
    trace: PathBuf,
    /// Output format
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

impl Profile {
    /// Prints the totals of each rank.
    pub fn run(self) -> anyhow::Result<()> {
        let trace = file::load(&self.trace)?;
        output::print(&profile(&trace.profile()), self.format)
    }
}
