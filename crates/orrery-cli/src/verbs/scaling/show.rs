//! `orrery scaling show`.

use std::path::PathBuf;

use clap::Args;
use orrery::run::Filter;

use super::input;
use crate::output::{self, Format};

/// Arguments of `orrery scaling show`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  orrery scaling show runs.json
  orrery scaling show runs.json --where 'n>=4800' --format csv")]
pub struct Show {
    /// Runs file; - reads stdin
    #[arg(value_name = "RUNS")]
    runs: PathBuf,
    /// Select the runs that meet these conditions, such as mode=Reality,n<=200000 [default: all]
    #[arg(long = "where", value_name = "CONDITIONS")]
    conditions: Vec<Filter>,
    /// Output format
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

impl Show {
    /// Prints the runs.
    pub fn run(self) -> anyhow::Result<()> {
        let runs = input::runs(&self.runs, &self.conditions)?;
        output::print(&orrery_report::tables::runs(&runs), self.format)
    }
}
