//! The command `orrery`: parses the command line and runs a verb; each verb has a file in `verbs`.

mod applies;
mod campaign;
mod campaign_file;
mod context;
mod former_names;
mod hand_written;
mod hints;
mod host_classes;
mod job;
mod launch;
mod machine;
mod options;
mod output;
mod printable;
mod progress;
mod refusal;
mod session;
mod verbs;
mod with_path;
mod wrong_file;

use std::ffi::OsString;
use std::io::{self, Write as _};
use std::process::ExitCode;

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{CommandFactory, FromArgMatches, Parser};
use nix::sys::signal::{SigSet, Signal};

use crate::context::Context;
use crate::job::Role;
use crate::verbs::Verb;

/// Measure, model and predict the performance of MPI clusters
///
/// Measures messages and collective operations as the OSU micro-benchmarks do, fits point-to-point
/// models to the timings (Hockney, LogP family, PLogP, LMO), predicts collective operations,
/// replays traces of MPI programs as SimGrid does, and fits execution-time models of applications
/// as Extra-P does. Results carry confidence intervals.
#[derive(Debug, Parser)]
#[command(
    name = "orrery",
    version = env!("ORRERY_VERSION"),
    about,
    long_about,
    after_help = "\
Examples:
  orrery demo                                          try all steps on this machine
  orrery measure comm --machine local:4 -o comm.csv    measure messages between 4 processes
  orrery fit comm.csv -o model.json                    fit point-to-point models
  orrery predict scatter model.json --size 1K..1M      predict a collective operation

Sizes: 64K = 64KiB = 65536 bytes, 64KB = 64000 bytes. Lists: 1K..1M (doubling), 1K..1M:4K (in \
steps of 4K), 0,1K,1M.
Results go to stdout, remarks to stderr. Exit status: 0 success, also if stdout is \
closed early, as by head; 1 failure, 2 wrong usage, 3 a change found by model diff; that of the \
program for trace run."
)]
struct Arguments {
    /// Print no progress bars and no remarks, only errors and warnings
    #[arg(long, short, global = true, overrides_with = "quiet", display_order = 900)]
    quiet: bool,
    #[command(flatten)]
    budget: options::BudgetOptions,
    #[command(subcommand)]
    verb: Verb,
}

/// Runs the command, or serves as a worker of the local machine.
fn main() -> ExitCode {
    block_file_size_signal();
    if let Some(outcome) = orrery::machine::local::serve_if_worker() {
        return match outcome {
            Ok(()) => ExitCode::SUCCESS,
            Err(error) => {
                printable::report(&error.to_string());
                ExitCode::FAILURE
            }
        };
    }
    let launched = job::launched();
    let mut words: Vec<OsString> = std::env::args_os().collect();
    let remarks = former_names::replace(&mut words);
    let arguments = match parse(words) {
        Ok(arguments) => arguments,
        // All processes of a job have the same command line; one of them reports the error.
        Err(_) if job::is_silent(launched) => return ExitCode::SUCCESS,
        Err(error) => return report_usage(&error),
    };
    arguments.budget.apply();
    let context = Context::new(arguments.quiet);
    remarks.into_iter().for_each(|remark| context.say(remark));
    match job::role(context, launched, arguments.verb.ranks()) {
        Ok(Role::Lead(context)) => {
            let code = report(arguments.verb.run(context));
            job::end(context);
            code
        }
        Ok(Role::Exit(code)) => code,
        Err(error) => report(Err(error)),
    }
}

/// Blocks the signal of a limit of the size of files, which ends a process without a word; writing
/// is an error instead. Programs that this one starts do not inherit it.
fn block_file_size_signal() {
    let mut signals = SigSet::empty();
    signals.add(Signal::SIGXFSZ);
    // Without it the signal has its usual effect.
    let _ = signals.thread_block();
}

/// Parses the command line, and stores which options hints may name.
fn parse(words: Vec<OsString>) -> Result<Arguments, clap::Error> {
    let mut command = Arguments::command();
    let matches = command.try_get_matches_from_mut(words)?;
    applies::set(&command, &matches);
    Arguments::from_arg_matches(&matches).map_err(|error| error.format(&mut command))
}

/// Prints the error of an outcome, with a hint where an option helps; returns the exit status.
fn report(outcome: anyhow::Result<()>) -> ExitCode {
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) if is_closed_pipe(&error) => ExitCode::SUCCESS,
        Err(error) if error.is::<context::Changed>() => ExitCode::from(3),
        Err(error) => {
            if let Some(advice) = wrong_file::message(&error) {
                printable::report(&format!("orrery: {advice}"));
            } else {
                let hint = hints::of(&error).map(|hint| format!("; {hint}")).unwrap_or_default();
                let all = where_all(&format!("{error:#}")).unwrap_or_default();
                printable::report(&format!("orrery: {error:#}{all}{hint}"));
            }
            let usage = error.downcast_ref::<context::Usage>().is_some();
            let program = error.downcast_ref::<context::ProgramFailed>();
            program.map_or(ExitCode::from(if usage { 2 } else { 1 }), |program| {
                ExitCode::from(program.code())
            })
        }
    }
}

/// Prints the help that a command line requests, or its error in the form of all other errors;
/// returns the exit status.
fn report_usage(error: &clap::Error) -> ExitCode {
    if !error.use_stderr() {
        let printed = error.print().and_then(|()| io::stdout().flush());
        return report(printed.map_err(output::cannot_write));
    }
    if error.kind() == ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand {
        let _ = error.print();
        return ExitCode::from(2);
    }
    if let Some(message) = negative_value(error) {
        printable::report(&format!("orrery: {message}"));
        return ExitCode::from(2);
    }
    let text = error.render().to_string();
    let joined = |part: &str| part.split_whitespace().collect::<Vec<_>>().join(" ");
    // Nobody means a misspelt option as the name of a file.
    let is_useful = |part: &String| {
        !part.starts_with("For more information") && !part.starts_with("tip: to pass ")
    };
    let mut parts: Vec<String> = text.split("\n\n").map(joined).filter(is_useful).collect();
    if let Some(message) = parts.first_mut().filter(|_| names_output(error)) {
        message.push_str(if text.contains("<OUT>") {
            "; the output is the argument OUT"
        } else {
            "; the result is printed: redirect it with > FILE"
        });
    }
    let described = match error.kind() {
        ErrorKind::UnknownArgument | ErrorKind::MissingRequiredArgument => Some("all arguments"),
        ErrorKind::InvalidSubcommand => Some("all verbs"),
        _ => None,
    };
    if let Some((described, usage)) = described.zip(parts.last_mut())
        && let Some(verb) = verb_of(usage)
    {
        *usage = format!("{usage}; {verb} --help describes {described}");
    }
    let message = PARSERS
        .iter()
        .fold(parts.join("\n"), |text, (parser, reason)| text.replace(parser, reason));
    let message = message.strip_prefix("error: ").unwrap_or(&message);
    let all = where_all(message).unwrap_or_default();
    let all = if all.is_empty() && is_cut(message) { "; --help lists all" } else { all };
    printable::report(&format!("orrery: {message}{all}"));
    ExitCode::from(2)
}

/// Where all valid names are listed, if a message has only some of them; `None` if nowhere.
fn where_all(message: &str) -> Option<&'static str> {
    let documents = [
        ("algorithm", "; docs/collectives.md lists all"),
        ("unknown action", "; docs/file-formats.md lists all"),
    ];
    let (_, advice) = documents.into_iter().find(|(what, _)| message.contains(what))?;
    is_cut(message).then_some(advice)
}

/// Returns true for a message with a part of the valid names: `… and 21 more`.
fn is_cut(message: &str) -> bool {
    let number = message.strip_suffix(" more").and_then(|text| text.rsplit_once(" and "));
    number.is_some_and(|(_, number)| number.parse::<u32>().is_ok())
}

/// The errors of parsers of numbers and addresses, and what to write instead.
const PARSERS: [(&str, &str); 5] = [
    (": invalid digit found in string", ": write a whole number, such as 4"),
    (": cannot parse integer from empty string", ": write a whole number, such as 4"),
    (": invalid float literal", ": write a number, such as 0.5"),
    (": number too large to fit in target type", ": write a smaller whole number"),
    (": invalid socket address syntax", ": write ADDRESS:PORT, such as 127.0.0.1:7410"),
];

/// The message for an option with a negative value, which clap takes for an option of its own;
/// `None` for any other error.
fn negative_value(error: &clap::Error) -> Option<String> {
    let Some(ContextValue::String(found)) = error.get(ContextKind::InvalidArg) else { return None };
    let is_number = found.strip_prefix('-')?.starts_with(|c: char| c.is_ascii_digit());
    let words: Vec<String> = std::env::args().collect();
    let two = words.windows(2).find(|two| two[0].starts_with("--") && two[1].starts_with(found))?;
    let [option, value] = two else { return None };
    (is_number && error.kind() == ErrorKind::UnknownArgument)
        .then(|| format!("invalid value '{value}' for '{option}': it must not be negative"))
}

/// The words of a verb in a line of usage: `orrery choose grid`; `None` for any other line.
fn verb_of(usage: &str) -> Option<String> {
    let words = usage.strip_prefix("Usage: ")?.split(' ');
    let is_word = |word: &&str| word.chars().all(|c| c.is_ascii_alphanumeric() || c == '-');
    let verb: Vec<&str> =
        words.take_while(is_word).take_while(|word| !word.starts_with('-')).collect();
    Some(verb.join(" "))
}

/// Returns true for an unknown option by which other verbs name their output.
fn names_output(error: &clap::Error) -> bool {
    let option = error.get(ContextKind::InvalidArg);
    error.kind() == ErrorKind::UnknownArgument
        && matches!(option, Some(ContextValue::String(name)) if ["-o", "--output"].contains(&name.as_str()))
}

/// Returns true if the reader of stdout has closed it, as `head` does; this is no failure.
fn is_closed_pipe(error: &anyhow::Error) -> bool {
    let io = error.chain().find_map(|cause| cause.downcast_ref::<io::Error>());
    io.is_some_and(|io| io.kind() == io::ErrorKind::BrokenPipe)
        && error.downcast_ref::<output::StdoutClosed>().is_some()
}

#[cfg(test)]
mod tests {
    use clap::Command;

    use super::*;

    /// All verbs for users and their subcommands, each with its words.
    fn verbs(words: &str, command: &Command) -> Vec<(String, Command)> {
        let mut all = vec![(words.to_owned(), command.clone())];
        for subcommand in command.get_subcommands().filter(|subcommand| !subcommand.is_hide_set()) {
            all.extend(verbs(format!("{words} {}", subcommand.get_name()).trim(), subcommand));
        }
        all
    }

    #[test]
    fn every_verb_has_two_examples() {
        for (words, command) in verbs("", &verbs::man::whole()) {
            let help = command.get_after_help().map(ToString::to_string).unwrap_or_default();
            let is_example =
                |line: &&str| line.trim_start().starts_with("orrery ") || line.contains(" orrery ");
            assert!(help.starts_with("Examples:\n"), "orrery {words}: no examples in {help:?}");
            assert!(
                help.lines().filter(is_example).count() >= 2,
                "orrery {words}: fewer than two examples"
            );
        }
    }

    #[test]
    fn arguments_that_write_are_outputs() {
        for (words, command) in verbs("", &verbs::man::whole()) {
            for argument in command.get_arguments().filter(|argument| applies::is_file(argument)) {
                let id = argument.get_id().as_str();
                let help = argument.get_help().map(ToString::to_string).unwrap_or_default();
                let writes =
                    help.starts_with("Write ") || help.starts_with("Draw ") || id == "workdir";
                assert_eq!(applies::OUTPUTS.contains(&id), writes, "orrery {words}: {id}: {help}");
            }
        }
    }

    /// Help lines are imperatives or noun phrases without article, on one to three lines, and do
    /// not end with a full stop.
    #[test]
    fn help_lines_have_one_style() {
        const MAX_LETTERS: usize = 330;
        for (words, command) in verbs("", &verbs::man::whole()) {
            for argument in command.get_arguments() {
                let (id, help) = (
                    argument.get_id(),
                    argument.get_help().map(ToString::to_string).unwrap_or_default(),
                );
                let first = help.split_whitespace().next().unwrap_or_default();
                assert!(!help.is_empty(), "orrery {words}: {id} has no help");
                assert!(
                    help.chars().count() <= MAX_LETTERS,
                    "orrery {words}: the help of {id} is too long: {help}"
                );
                assert!(
                    !help.ends_with('.'),
                    "orrery {words}: the help of {id} ends with a full stop: {help}"
                );
                let wrong = [
                    "The", "A", "An", "How", "What", "When", "Which", "Only", "With", "Say",
                    "Tell", "Let",
                ];
                assert!(
                    !wrong.contains(&first),
                    "orrery {words}: the help of {id} begins with {first:?}: {help}"
                );
                assert!(
                    !help.contains("with commas between"),
                    "orrery {words}: {id}: separated by commas"
                );
            }
        }
    }
}
