use std::path::PathBuf;

use clap::Args;
use orrery::trace::file;
use orrery_report::tables::{profile, recorded_functions, recorded_ranks};

use super::recorded;
use crate::applies;
use crate::output::{self, Format};

/// Arguments of `orrery trace profile`.
#[derive(Debug, Args)]
pub struct Profile {
    /// Trace: time-independent, an index of such traces, binary, GOAL, or the folder of a recorded
    /// run
    #[arg(value_name = "TRACE")]
    trace: PathBuf,
    /// List the functions of MPI of a recorded run in place of its ranks
    #[arg(long)]
    functions: bool,
    /// Output format
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

impl Profile {
    /// Prints the totals of each rank: of a recorded run its times, otherwise its actions.
    pub fn run(self) -> anyhow::Result<()> {
        if self.trace.is_dir() {
            let ranks = recorded::totals(&self.trace)?;
            recorded::warn(&ranks);
            let table = if self.functions {
                recorded_functions(&ranks.ranks)
            } else {
                recorded_ranks(&self.trace.display().to_string(), &ranks.ranks)
            };
            return output::print(&table, self.format);
        }
        applies::refuse(&["--functions"], "traces other than the folders of trace run")?;
        let trace = file::load(&self.trace)?;
        output::print(&profile(&trace.profile()), self.format)
    }
}
