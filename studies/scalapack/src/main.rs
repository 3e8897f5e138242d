//! Times and traces of routines of ScaLAPACK on the ranks of an MPI job.
//!
//! | file | content |
//! |---|---|
//! | `arguments`, `case` | the options; routines, variants, dimensions and grids |
//! | `calls` | wrappers of functions of MPI, BLACS and ScaLAPACK; the only unsafe code |
//! | `recorder.c` | records messages and kernels in place of the functions of MPI and BLAS |
//! | `matrix`, `operands` | operands with known elements, and checks of results |
//! | `measurement` | warm-up, timed repetitions and a recorded call of a case |
//! | `memory`, `provenance` | the memory that a case needs; the origin of times |
//! | `output` | the files |
//!
//! Ranks have the same options, those of rank 0, and agree on errors before they go on, so that no
//! rank waits for one that has failed.

mod arguments;
mod calls;
mod case;
mod matrix;
mod measurement;
mod memory;
mod operands;
mod output;
mod provenance;

use std::env;
use std::process::ExitCode;

use clap::Parser as _;
use orrery::machine::host;

use crate::arguments::Arguments;
use crate::calls::{Comm, MpiError};
use crate::case::Case;
use crate::memory::Memory;
use crate::output::{TimesFile, TraceFile, trace_rows};

/// Why the program ends.
#[derive(Debug, thiserror::Error)]
enum Failure {
    /// A wrong option, or a request for help, on all ranks.
    #[error(transparent)]
    Options(#[from] clap::Error),
    /// Options that do not fit together, on all ranks.
    #[error("{0}")]
    Usage(String),
    /// An error on which all ranks agree.
    #[error("{0}")]
    Agreed(String),
    /// MPI fails on this rank.
    #[error(transparent)]
    Mpi(#[from] MpiError),
}

fn main() -> ExitCode {
    let world = match calls::init() {
        Ok(world) => world,
        Err(error) => {
            eprintln!("orrery-scalapack: {error}");
            return ExitCode::FAILURE;
        }
    };
    let result = run(&world);
    let is_first = world.rank() == 0;
    let status = match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(Failure::Options(error)) => {
            if is_first {
                // Nothing can be done if standard error is closed.
                let _ = error.print();
            }
            ExitCode::from(error.exit_code() as u8)
        }
        Err(Failure::Mpi(error)) => {
            eprintln!("orrery-scalapack: rank {}: {error}", world.rank());
            calls::abort();
            return ExitCode::FAILURE;
        }
        Err(failure) => {
            if is_first {
                eprintln!("orrery-scalapack: {failure}");
            }
            ExitCode::from(if matches!(failure, Failure::Usage(_)) { 2 } else { 1 })
        }
    };
    // Ranks outside the last grids may be ahead.
    match world.idle_barrier().and_then(|()| calls::finalize()) {
        Ok(()) => status,
        Err(error) => {
            eprintln!("orrery-scalapack: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Runs the program on all ranks.
fn run(world: &Comm) -> Result<(), Failure> {
    let own = env::args_os()
        .map(|word| word.to_string_lossy().into_owned())
        .collect::<Vec<_>>()
        .join("\0");
    let words = world.broadcast(&own, 0)?;
    let arguments = Arguments::try_parse_from(words.split('\0'))?;
    arguments.check().map_err(Failure::Usage)?;
    let cases = arguments.request().cases(world.size()).map_err(Failure::Usage)?;

    let hosts = world.all_gather(&host::name())?;
    let kernels = world.all_gather(&host::boot_id().unwrap_or_else(host::name))?;
    let memory = Memory::collect(world, hosts.clone(), kernels)?;
    let enough = cases.iter().try_for_each(|case| memory.check(case));
    agreed(world, enough)?;

    let mut files = agreed(world, Files::open(world, &arguments, &hosts, &words))?;
    calls::prepare_blacs();
    for case in &cases {
        let outcome = measurement::measure(world, case, arguments.plan())?;
        let outcome = outcome.map_err(|reason| Failure::Agreed(format!("{case}: {reason}")))?;
        let rows = if arguments.trace().is_some() {
            world.gather(&trace_rows(case, world.rank(), &outcome.records))?
        } else {
            Vec::new()
        };
        agreed(world, files.add(case, &outcome.seconds, &rows))?;
        if world.rank() == 0 {
            eprintln!("{case}{}", median(outcome.seconds));
        }
    }
    agreed(world, files.finish())
}

/// The result on which all ranks agree.
fn agreed<T>(world: &Comm, result: Result<T, String>) -> Result<T, Failure> {
    // Errors of the program belong to no rank.
    match world.agree(result)? {
        Ok(value) => Ok(value),
        Err(reason) => {
            Err(Failure::Agreed(reason.strip_prefix("rank 0: ").unwrap_or(&reason).to_owned()))
        }
    }
}

/// The median of times for a line of progress.
fn median(mut seconds: Vec<f64>) -> String {
    seconds.sort_by(f64::total_cmp);
    seconds
        .get(seconds.len() / 2)
        .map(|median| format!(": {:.3} ms", median * 1e3))
        .unwrap_or_default()
}

/// The files, which rank 0 has.
#[derive(Debug, Default)]
struct Files {
    times: Option<TimesFile>,
    trace: Option<TraceFile>,
}

impl Files {
    /// Opens the files.
    fn open(
        world: &Comm,
        arguments: &Arguments,
        hosts: &[String],
        words: &str,
    ) -> Result<Self, String> {
        if world.rank() != 0 {
            return Ok(Self::default());
        }
        let mpi = calls::library().map_err(|error| error.to_string())?;
        let provenance = provenance::describe(&mpi, hosts, &words.replace('\0', " "));
        let times =
            arguments.output().map(|(path, existing)| TimesFile::open(path, existing, &provenance));
        let trace = arguments
            .trace()
            .map(|(path, is_replaced)| TraceFile::create(path, is_replaced, &provenance));
        Ok(Self { times: times.transpose()?, trace: trace.transpose()? })
    }

    /// Adds what was measured.
    fn add(&mut self, case: &Case, seconds: &[f64], rows: &[String]) -> Result<(), String> {
        if let Some(times) = &mut self.times {
            times.add(case, seconds)?;
        }
        self.trace.as_mut().map_or(Ok(()), |trace| trace.add(rows))
    }

    /// Completes the trace.
    fn finish(self) -> Result<(), String> {
        self.trace.map_or(Ok(()), TraceFile::finish)
    }
}
