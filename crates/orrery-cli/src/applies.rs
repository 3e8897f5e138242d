//! What the command line of this process gives: options, the refusal of those that do not apply,
//! and input files.
//!
//! clap refuses what the names of options decide. Where the value of another option or the content
//! of a file decides, a verb calls [`refuse`].

use std::any::TypeId;
use std::fmt::Display;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use clap::parser::ValueSource;
use clap::{Arg, ArgMatches, Command};
use orrery::file::Identity;

use crate::context::Usage;

/// The arguments that name files or folders to write.
pub const OUTPUTS: [&str; 9] =
    ["output", "to", "svg", "chrome", "report", "figures", "write", "workdir", "store"];

/// A command line.
#[derive(Debug, Default)]
pub struct CommandLine {
    /// The verb, such as `samples import`.
    pub verb: String,
    /// The values of all arguments that may name input files.
    pub values: Vec<PathBuf>,
    /// The values of those arguments that name input files and nothing else.
    pub files: Vec<PathBuf>,
    /// The long names of the options of the verb.
    options: Vec<String>,
    /// The options that are given, as users write them: `--size`, `-L`.
    given: Vec<String>,
}

/// The command line of this process.
static COMMAND_LINE: OnceLock<CommandLine> = OnceLock::new();

/// Stores the command line of this process, which is parsed once.
pub fn set(command: &Command, matches: &ArgMatches) {
    let (mut command, mut matches) = (command, matches);
    let mut words = Vec::new();
    while let Some((name, inner)) = matches.subcommand()
        && let Some(subcommand) = command.find_subcommand(name)
    {
        (command, matches) = (subcommand, inner);
        words.push(name);
    }
    let values = |is_input: fn(&Arg) -> bool| -> Vec<PathBuf> {
        let arguments = command.get_arguments().filter(|argument| is_input(argument));
        let given = arguments
            .filter_map(|argument| matches.try_get_raw(argument.get_id().as_str()).ok().flatten());
        given.flatten().map(PathBuf::from).collect()
    };
    let is_given = |id: &str| matches.value_source(id) == Some(ValueSource::CommandLine);
    let given = command.get_arguments().filter(|argument| is_given(argument.get_id().as_str()));
    let given = given.filter_map(|option| match option.get_long() {
        Some(long) => Some(format!("--{long}")),
        None => option.get_short().map(|short| format!("-{short}")),
    });
    let options = command.get_arguments().filter_map(|argument| argument.get_long());
    let _ = COMMAND_LINE.set(CommandLine {
        verb: words.join(" "),
        values: values(|argument| !is_output(argument)),
        files: values(|argument| !is_output(argument) && is_file(argument)),
        options: options.map(str::to_owned).collect(),
        given: given.collect(),
    });
}

/// The command line of this process; empty if it is not parsed.
pub fn command_line() -> &'static CommandLine {
    COMMAND_LINE.get_or_init(CommandLine::default)
}

/// Returns true if the verb that runs has this option, named without its dashes.
pub fn has_option(name: &str) -> bool {
    command_line().options.iter().any(|option| option == name)
}

/// Returns an error if one of these options is given, which do not apply to the subject.
pub fn refuse(options: &[impl AsRef<str>], subject: impl Display) -> Result<(), Usage> {
    let is_refused = |given: &&String| options.iter().any(|option| option.as_ref() == **given);
    match command_line().given.iter().find(is_refused) {
        Some(option) => Err(Usage(format!("{option} does not apply to {subject}; leave it out"))),
        None => Ok(()),
    }
}

/// The names of files with commas between, as the place of errors.
pub fn names(paths: &[PathBuf]) -> String {
    paths.iter().map(|path| path.display().to_string()).collect::<Vec<_>>().join(", ")
}

/// Returns true if two paths lead to the same existing file, also through links.
pub fn is_same_file(one: &Path, other: &Path) -> bool {
    Identity::at(one).is_some_and(|identity| Identity::at(other) == Some(identity))
}

/// Returns true if an argument names files to write.
fn is_output(argument: &Arg) -> bool {
    OUTPUTS.contains(&argument.get_id().as_str())
}

/// Returns true if the values of an argument are paths.
pub fn is_file(argument: &Arg) -> bool {
    argument.get_value_parser().type_id() == TypeId::of::<PathBuf>()
}
