//! The files that the command line names as inputs.

use std::any::TypeId;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use clap::{Arg, ArgMatches, Command};
use orrery::file::Identity;

/// The arguments that name files or folders to write.
pub const OUTPUTS: [&str; 8] =
    ["output", "to", "svg", "chrome", "report", "write", "workdir", "store"];

/// The inputs of the verb that runs.
#[derive(Debug)]
pub struct Inputs {
    /// The verb, such as `samples import`.
    pub verb: String,
    /// The values of all arguments that may name input files.
    pub values: Vec<PathBuf>,
    /// The values of those arguments that name files and nothing else.
    files: Vec<PathBuf>,
}

/// The inputs of this process.
static INPUTS: OnceLock<Inputs> = OnceLock::new();

/// Stores the verb and its inputs; `matches` are those of the verb's last word.
pub fn set(verb: &str, command: &Command, matches: &ArgMatches) {
    let values = |is_input: fn(&Arg) -> bool| -> Vec<PathBuf> {
        let arguments = command.get_arguments().filter(|argument| is_input(argument));
        let given = arguments
            .filter_map(|argument| matches.try_get_raw(argument.get_id().as_str()).ok().flatten());
        given.flatten().map(PathBuf::from).collect()
    };
    let (all, files) =
        (values(|argument| !is_output(argument)), values(|one| !is_output(one) && is_file(one)));
    // A process parses its command line once.
    let _ = INPUTS.set(Inputs { verb: verb.to_owned(), values: all, files });
}

/// The inputs of this process; `None` if its command line is not parsed.
pub fn get() -> Option<&'static Inputs> {
    INPUTS.get()
}

/// The inputs of the command line by arguments that name files and nothing else.
pub fn files() -> &'static [PathBuf] {
    INPUTS.get().map_or(&[], |inputs| &inputs.files)
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
