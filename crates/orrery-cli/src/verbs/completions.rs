use clap::{Args, Command, CommandFactory as _};
use clap_complete::Shell;

use crate::{Arguments, output};

/// Arguments of `orrery completions`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  orrery completions bash > \
        ~/.local/share/bash-completion/completions/orrery\n  \
                        orrery completions zsh > ~/.zfunc/_orrery")]
pub struct Completions {
    /// Shell that reads the completions
    shell: Shell,
}

impl Completions {
    /// Prints the completion script of a shell.
    pub fn run(self) -> anyhow::Result<()> {
        output::text(&script(self.shell))
    }
}

/// The completion script of a shell, without hidden verbs.
fn script(shell: Shell) -> String {
    let command = Arguments::command();
    let visible = command.get_subcommands().filter(|verb| !verb.is_hide_set()).cloned();
    let options = command.get_arguments().cloned();
    let mut command =
        Command::new("orrery").version(env!("ORRERY_VERSION")).args(options).subcommands(visible);
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut command, "orrery", &mut script);
    String::from_utf8_lossy(&script).into_owned()
}

#[cfg(test)]
mod tests {
    use clap::ValueEnum as _;

    use super::*;
    use crate::launch::SUPERVISE;

    #[test]
    fn hidden_verbs_are_not_completed() {
        for &shell in Shell::value_variants() {
            let script = script(shell);
            assert!(script.contains("validate") && !script.contains(SUPERVISE), "{shell}");
        }
    }
}
