use clap::Args;
use clap_complete::Shell;

use crate::output;

/// Arguments of `orrery completions`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  orrery completions bash > ~/.local/share/bash-completion/completions/orrery\n  \
                        orrery completions zsh > ~/.zfunc/_orrery")]
pub struct Completions {
    /// Shell that reads the completions
    shell: Shell,
}

impl Completions {
    /// Prints the completion script of a shell.
    pub fn run(self, command: &mut clap::Command) -> anyhow::Result<()> {
        let mut script = Vec::new();
        clap_complete::generate(self.shell, command, "orrery", &mut script);
        output::text(&String::from_utf8_lossy(&script))
    }
}
