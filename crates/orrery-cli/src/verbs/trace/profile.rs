use std::path::PathBuf;

use clap::Args;
use orrery::trace::file;
use orrery::units::{Bytes, Seconds};
use orrery_report::{Cell, Column, Table};

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
        let columns = [
            Column::number("rank"),
            Column::text("action"),
            Column::number("count"),
            Column::number("sent_bytes").with_title("sent"),
            Column::number("flops"),
            Column::number("sleep_seconds").with_title("sleep"),
        ];
        let mut table = Table::new("profile", "", columns);
        for (rank, profile) in trace.profile().into_iter().enumerate() {
            for (action, totals) in profile {
                table.push([
                    Cell::integer(rank as u64),
                    Cell::text(action),
                    Cell::integer(totals.count),
                    Cell::size(Bytes::new(totals.sent_bytes)),
                    Cell::number(totals.flops, format!("{:.3e}", totals.flops)),
                    Cell::number(totals.sleep_seconds, Seconds::new(totals.sleep_seconds).to_string()),
                ]);
            }
        }
        output::print(&table, self.format)
    }
}
