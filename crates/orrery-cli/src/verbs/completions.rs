use clap::{Args, Command};
use clap_complete::Shell;

use crate::output;

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
    pub fn run(self, command: &Command) -> anyhow::Result<()> {
        output::text(&script(self.shell, command))
    }
}

/// The completion script of a shell, without hidden verbs.
fn script(shell: Shell, command: &Command) -> String {
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
    use clap::{CommandFactory as _, ValueEnum as _};

    use super::*;
    use crate::Arguments;
    use crate::launch::SUPERVISE;

    #[test]
    fn hidden_verbs_are_not_completed() {
        for &shell in Shell::value_variants() {
            let script = script(shell, &Arguments::command());
            assert!(script.contains("validate") && !script.contains(SUPERVISE), "{shell}");
        }
    }
}
