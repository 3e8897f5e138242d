use clap::Args;
use clap_complete::Shell;

use crate::output;

/// Arguments of `orrery completions`.
#[derive(Debug, Args)]
pub struct Completions {
    /// The shell
    shell: Shell,
}

impl Completions {
    pub fn run(self, command: &mut clap::Command) -> anyhow::Result<()> {
        let mut script = Vec::new();
        clap_complete::generate(self.shell, command, "orrery", &mut script);
        output::text(&String::from_utf8_lossy(&script))
    }
}
