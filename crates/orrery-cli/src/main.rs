//! The command `orrery`: one thin file per verb, in `verbs`.

mod campaign;
mod context;
mod interrupt;
mod launch;
mod launcher;
mod machine;
mod options;
mod output;
mod parallel;
mod progress;
mod session;
mod simulated_law;
mod simulated_thresholds;
mod verbs;

use std::process::ExitCode;

use clap::error::ErrorKind;
use clap::{CommandFactory, Parser};

use crate::context::Context;
use crate::parallel::Part;
use crate::verbs::Verb;

/// Performance models of clusters: measure once, then ask how long, how best, how sure.
#[derive(Debug, Parser)]
#[command(
    name = "orrery",
    version,
    about,
    after_help = "Data go to stdout, words to stderr. \
    Exit status: 0 done, 1 failed, 2 wrong usage.\nSizes are written 1000, 64K, 1M (powers of 1024); \
    1K..1M doubles, 1K..1M:4K steps, commas join."
)]
struct Arguments {
    /// No progress bars, no remarks; errors and warnings are still told
    #[arg(long, short, global = true, display_order = 900)]
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
    let arguments = match Arguments::try_parse() {
        Ok(arguments) => arguments,
        // All processes of a job have the same command line: one says what is wrong with it.
        Err(_) if parallel::is_silent(launched) => return ExitCode::SUCCESS,
        Err(error) => return misunderstood(&error),
    };
    let context = Context::new(arguments.quiet);
    match parallel::part(context, launched, arguments.verb.machine()) {
        Ok(Part::Command(context)) => {
            let code = tell(arguments.verb.run(context, &mut Arguments::command()));
            parallel::end(context);
            code
        }
        Ok(Part::Nothing(code)) => code,
        Err(error) => tell(Err(error)),
    }
}

/// The exit status of an outcome; what went wrong is told.
fn tell(outcome: anyhow::Result<()>) -> ExitCode {
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) if is_closed_pipe(&error) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("orrery: {error:#}");
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
