use std::io::Write as _;

use clap::Args;

use crate::launch::supervise;

/// Arguments of `orrery supervise`, which `orrery scaling run` starts for each command.
#[derive(Debug, Args)]
pub struct Supervise {
    /// Shell command to run in the current folder until it ends or stdin is closed
    #[arg(value_name = "COMMAND")]
    command: String,
}

impl Supervise {
    /// Runs the command and reports its end.
    pub fn run(self) -> anyhow::Result<()> {
        let report = supervise(&self.command);
        Ok(std::io::stdout().write_all(report.as_bytes())?)
    }
}
