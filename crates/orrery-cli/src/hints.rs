//! Options of the command that remedy an error of the library.
//!
//! Errors of the library state the fact and, where there is one, the remedy in terms of its own interface. The command
//! appends the option to use, in [`of`] and nowhere else. A verb is advised only of options that it has.

use std::sync::OnceLock;

use clap::{ArgMatches, Command};
use orrery::machine::MachineError;

/// The long names of the options of the verb that runs.
static VERB_OPTIONS: OnceLock<Vec<String>> = OnceLock::new();

/// Stores the options of the verb that `matches` names; without it there are no hints.
pub fn set_verb(command: &Command, matches: &ArgMatches) {
    let (mut command, mut matches) = (command, matches);
    while let Some((name, inner)) = matches.subcommand()
        && let Some(subcommand) = command.find_subcommand(name)
    {
        (command, matches) = (subcommand, inner);
    }
    let names = command.get_arguments().filter_map(|argument| argument.get_long().map(str::to_owned));
    // A process parses its command line once.
    let _ = VERB_OPTIONS.set(names.collect());
}

/// Returns true if the verb that runs has this option, named without its dashes.
fn has_option(name: &str) -> bool {
    VERB_OPTIONS.get().is_some_and(|options| options.iter().any(|option| option == name))
}

/// The advice for an error, to be printed after its message; `None` where no option helps.
pub fn of(error: &anyhow::Error) -> Option<String> {
    error.chain().find_map(|cause| cause.downcast_ref::<MachineError>().and_then(for_machine))
}

/// The advice for an error of a machine.
pub fn for_machine(error: &MachineError) -> Option<String> {
    let mut parts: Vec<&str> = Vec::new();
    match error {
        MachineError::WorkerTimedOut { .. } | MachineError::BatchTimedOut { .. } if has_option("time-limit") => {
            parts.push("--time-limit allows more");
        }
        MachineError::LateStart(_) if has_option("timing") => parts.push("or choose --timing max"),
        _ => {}
    }
    let ends_campaign = matches!(
        error,
        MachineError::WorkerDied { .. }
            | MachineError::WorkerFailed { .. }
            | MachineError::WorkerTimedOut { .. }
            | MachineError::BatchTimedOut { .. }
            | MachineError::LateStart(_)
            | MachineError::Interrupted
    );
    if ends_campaign && has_option("resume") {
        parts.push("the samples measured so far are kept, continue with --resume");
    }
    (!parts.is_empty()).then(|| parts.join("; "))
}
