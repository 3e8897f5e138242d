use std::path::PathBuf;

use anyhow::Context as _;
use clap::{Args, Command, CommandFactory as _};
use clap_complete::Shell;
use clap_mangen::Man;
use orrery::file::FileKind;
use orrery::names::advice;

use super::output_file;
use crate::context::Usage;
use crate::{Arguments, output};

/// Arguments of `orrery man`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  orrery man measure comm | man -l -\n  orrery man -o \
        ~/.local/share/man/man1")]
pub struct Manual {
    /// Verb whose page is printed, such as `measure comm`; without one, that of orrery itself
    #[arg(conflicts_with = "output")]
    verb: Vec<String>,
    /// Write the pages of all verbs to this folder
    #[arg(short, long, value_name = "FOLDER")]
    output: Option<PathBuf>,
    /// Replace existing pages
    #[arg(long, requires = "output")]
    force: bool,
}

/// The page of a verb.
struct Page {
    /// The verb with hyphens: `orrery-measure-comm`.
    name: String,
    roff: String,
}

impl Manual {
    /// Prints the page of a verb, or writes all pages.
    pub fn run(self) -> anyhow::Result<()> {
        let command = whole();
        let Some(folder) = &self.output else {
            let mut verb = &command;
            for word in &self.verb {
                let found = verb.find_subcommand(word).filter(|found| !found.is_hide_set());
                verb = found.ok_or_else(|| {
                    let (name, shown) = (verb.get_name(), |one: &&Command| !one.is_hide_set());
                    let names = verb.get_subcommands().filter(shown).map(Command::get_name);
                    let advice = advice(word, "its verbs", names);
                    Usage(format!("{name} has no verb {word:?}; {advice}; see orrery --help"))
                })?;
            }
            return output::text(&page(verb, &self.verb.join("-"))?.roff);
        };
        let mut pages = Vec::new();
        collect(&command, &mut Vec::new(), &mut pages)?;
        let paths: Vec<PathBuf> =
            pages.iter().map(|page| folder.join(format!("{}.1", page.name))).collect();
        let outputs =
            paths.iter().map(|path| output_file::check(path, self.force, FileKind::Manual));
        let outputs = outputs.collect::<anyhow::Result<Vec<_>>>()?;
        std::fs::create_dir_all(folder)
            .with_context(|| format!("{}: cannot create the folder", folder.display()))?;
        outputs.iter().zip(&pages).try_for_each(|(output, page)| output.write(&page.roff))?;
        output::text(&format!(
            "wrote {} to {}\n",
            output::counted(pages.len() as u64, "page"),
            folder.display()
        ))
    }
}

/// The command with all subcommands of its verbs; options of the command itself are in the pages
/// of its verbs, too.
pub fn whole() -> Command {
    let mut command = Arguments::command().disable_help_subcommand(true);
    command.build();
    command
}

/// Adds the pages of a verb and of those below it, without hidden ones.
fn collect(
    command: &Command,
    words: &mut Vec<String>,
    pages: &mut Vec<Page>,
) -> anyhow::Result<()> {
    pages.push(page(command, &words.join("-"))?);
    for verb in command.get_subcommands().filter(|verb| !verb.is_hide_set()) {
        words.push(verb.get_name().to_owned());
        collect(verb, words, pages)?;
        words.pop();
    }
    Ok(())
}

/// The page of a verb whose words are joined by hyphens.
fn page(command: &Command, words: &str) -> anyhow::Result<Page> {
    let name = if words.is_empty() { "orrery".to_owned() } else { format!("orrery-{words}") };
    let visible = command.clone().version(env!("ORRERY_VERSION"));
    let examples = command.get_after_help().map(ToString::to_string).unwrap_or_default();
    let man =
        Man::new(visible.name(name.clone()).after_help(None)).manual("Orrery").source("Orrery");
    let mut roff = Vec::new();
    man.render(&mut roff)?;
    let mut roff = String::from_utf8(roff)?;
    if !examples.is_empty() {
        roff.push_str(&preformatted(&examples));
    }
    Ok(Page { name, roff })
}

/// A section whose lines stay as they are; the first one, which ends with a colon, is its title.
fn preformatted(text: &str) -> String {
    let (title, lines) = text.split_once(":\n").unwrap_or(("Notes", text));
    let escaped = |line: &str| {
        let line = line.replace('\\', "\\e").replace('-', "\\-");
        if line.starts_with(['.', '\'']) { format!("\\&{line}") } else { line }
    };
    let lines = lines.lines().map(escaped).collect::<Vec<_>>().join("\n");
    format!(".SH {}\n.nf\n{lines}\n.fi\n", title.to_uppercase())
}

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
    fn every_visible_verb_has_a_page() {
        let mut pages = Vec::new();
        collect(&whole(), &mut Vec::new(), &mut pages).unwrap();
        let names: Vec<&str> = pages.iter().map(|page| page.name.as_str()).collect();
        for name in ["orrery", "orrery-measure-comm", "orrery-choose-collective", "orrery-man"] {
            assert!(names.contains(&name), "{name}");
        }
        assert!(
            !names.iter().any(|name| name.contains("supervise") || name.contains("help")),
            "{names:?}"
        );
        let comm = pages.iter().find(|page| page.name == "orrery-measure-comm").unwrap();
        for part in [".SH SYNOPSIS", "\\-\\-output", ".SH EXAMPLES\n.nf\n"] {
            assert!(comm.roff.contains(part), "{part}");
        }
    }

    #[test]
    fn lines_of_examples_are_kept() {
        assert_eq!(
            preformatted("Examples:\n  a -o \\x\n.b"),
            ".SH EXAMPLES\n.nf\n  a \\-o \\ex\n\\&.b\n.fi\n"
        );
    }

    #[test]
    fn hidden_verbs_are_not_completed() {
        for &shell in Shell::value_variants() {
            let script = script(shell);
            assert!(script.contains("validate") && !script.contains(SUPERVISE), "{shell}");
        }
    }
}
