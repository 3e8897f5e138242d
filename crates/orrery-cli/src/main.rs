//! The command `orrery`: parses the command line and runs a verb; each verb has a file in `verbs`.

mod campaign;
mod context;
mod hints;
mod interrupt;
mod job;
mod launch;
mod launcher;
mod machine;
mod options;
mod output;
mod progress;
mod session;
mod simulated_cluster;
mod simulated_law;
mod verbs;
mod wrong_file;

use std::process::ExitCode;

use clap::error::ErrorKind;
use clap::{CommandFactory, FromArgMatches, Parser};

use crate::context::Context;
use crate::job::Role;
use crate::verbs::Verb;

/// Measure, model and predict the performance of MPI clusters
///
/// Measures messages and collective operations as the OSU micro-benchmarks do, fits point-to-point models to the
/// timings (Hockney, LogP family, PLogP, LMO), predicts collective operations, replays traces of MPI programs as
/// SimGrid does, and fits execution-time models of applications as Extra-P does. Results carry confidence intervals.
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
  orrery predict model.json scatter --size 1K..1M      predict a collective operation

Sizes: 64K = 64KiB = 65536 bytes, 64KB = 64000 bytes. Lists: 1K..1M (doubling), 1K..1M:4K (in steps of 4K), 0,1K,1M.
Results go to stdout, remarks to stderr. Exit status: 0 success, 1 failure, 2 wrong usage."
)]
struct Arguments {
    /// Print no progress bars and no remarks, only errors and warnings
    #[arg(long, short, global = true, overrides_with = "quiet", display_order = 900)]
    quiet: bool,
    #[command(subcommand)]
    verb: Verb,
}

fn main() -> ExitCode {
    if let Some(outcome) = orrery::machine::local::serve_if_worker() {
        return match outcome {
            Ok(()) => ExitCode::SUCCESS,
            Err(error) => {
                eprintln!("{error}");
                ExitCode::FAILURE
            }
        };
    }
    let launched = launcher::launched();
    let arguments = match parse() {
        Ok(arguments) => arguments,
        // All processes of a job have the same command line: one says what is wrong with it.
        Err(_) if job::is_silent(launched) => return ExitCode::SUCCESS,
        Err(error) => return misunderstood(&error),
    };
    let context = Context::new(arguments.quiet);
    match job::role(context, launched, arguments.verb.machine()) {
        Ok(Role::Lead(context)) => {
            let code = report(arguments.verb.run(context, &mut Arguments::command()));
            job::end(context);
            code
        }
        Ok(Role::Exit(code)) => code,
        Err(error) => report(Err(error)),
    }
}

/// Parses the command line, and stores which options hints may name.
fn parse() -> Result<Arguments, clap::Error> {
    let mut command = Arguments::command();
    let matches = command.try_get_matches_from_mut(std::env::args_os())?;
    hints::set_verb(&command, &matches);
    Arguments::from_arg_matches(&matches).map_err(|error| error.format(&mut command))
}

/// Prints the error of an outcome, with a hint where an option helps; returns the exit status.
fn report(outcome: anyhow::Result<()>) -> ExitCode {
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) if is_closed_pipe(&error) => ExitCode::SUCCESS,
        Err(error) => {
            if let Some(advice) = wrong_file::advice(&error) {
                eprintln!("orrery: {advice}");
            } else {
                let hint = hints::of(&error).map(|hint| format!("; {hint}")).unwrap_or_default();
                eprintln!("orrery: {error:#}{hint}");
            }
            let usage = error.downcast_ref::<context::Usage>().is_some();
            ExitCode::from(if usage { 2 } else { 1 })
        }
    }
}

/// Answers a command line that asks for help, or that cannot be understood: in the shape of all other errors.
fn misunderstood(error: &clap::Error) -> ExitCode {
    if !error.use_stderr() || error.kind() == ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand {
        error.exit();
    }
    let text = error.render().to_string();
    let joined = |part: &str| part.split_whitespace().collect::<Vec<_>>().join(" ");
    let parts = text.split("\n\n").map(joined).filter(|part| !part.starts_with("For more information"));
    let message = parts.collect::<Vec<_>>().join("\n");
    eprintln!("orrery: {}", message.strip_prefix("error: ").unwrap_or(&message));
    ExitCode::from(2)
}

/// Whether the reader of stdout had enough, as `head` does: no failure.
fn is_closed_pipe(error: &anyhow::Error) -> bool {
    let io = error.chain().find_map(|cause| cause.downcast_ref::<std::io::Error>());
    io.is_some_and(|io| io.kind() == std::io::ErrorKind::BrokenPipe)
        && error.downcast_ref::<output::StdoutClosed>().is_some()
}
