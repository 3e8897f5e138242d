//! The options that the command line gives, and the refusal of those that do not apply.
//!
//! clap refuses what the names of options decide. Where the value of another option or the content
//! of a file decides, a verb calls [`refuse`].

use std::fmt::Display;
use std::sync::OnceLock;

use clap::parser::ValueSource;
use clap::{ArgMatches, Command};

use crate::context::Usage;

/// The options that the command line of this process gives, as users write them: `--size`, `-L`.
static GIVEN: OnceLock<Vec<String>> = OnceLock::new();

/// Stores the given options; `matches` are those of the verb's last word.
pub fn set(command: &Command, matches: &ArgMatches) {
    let is_given = |id: &str| matches.value_source(id) == Some(ValueSource::CommandLine);
    let options = command.get_arguments().filter(|argument| is_given(argument.get_id().as_str()));
    let names = options.filter_map(|option| match option.get_long() {
        Some(long) => Some(format!("--{long}")),
        None => option.get_short().map(|short| format!("-{short}")),
    });
    // A process parses its command line once.
    let _ = GIVEN.set(names.collect());
}

/// Returns an error if one of these options is given, which do not apply to the subject.
pub fn refuse(options: &[impl AsRef<str>], subject: impl Display) -> Result<(), Usage> {
    let is_refused = |given: &&String| options.iter().any(|option| option.as_ref() == **given);
    match GIVEN.get().and_then(|given| given.iter().find(is_refused)) {
        Some(option) => Err(Usage(format!("{option} does not apply to {subject}; leave it out"))),
        None => Ok(()),
    }
}
