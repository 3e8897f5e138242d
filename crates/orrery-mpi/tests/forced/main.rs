//! Forced algorithms of the MPI library send the messages of their schedules, on the ranks of an
//! MPI job.
//!
//! `scripts/test-mpi` starts it with mpirun, on four ranks whose messages pass through UCX, where
//! `count_sends.c` counts them. No clock is read.
//!
//! | file | content |
//! |---|---|
//! | `bench` | the messages of measured calls |
//! | `counter` | the messages that a rank has sent so far |
//! | `trees` | the messages of single algorithms |

mod bench;
mod counter;
mod trees;

use std::process::{ExitCode, exit};

use bench::Bench;
use counter::Counter;
use orrery::machine::Machine;
use orrery::sample::{Library, LibraryAlgorithm, NativeAlgorithm};
use orrery::schedule::{Algorithm, Collective, CollectiveKind, Rank, Step};
use orrery::units::Bytes;
use orrery_mpi::{Job, MpiMachine, Options, ThreadLevel};
use trees::BROADCASTS;

/// The number of ranks of the job.
const RANKS: usize = 4;

/// The size of the operations.
const SIZE: Bytes = Bytes::new(1024);

/// The sizes of segments.
const SEGMENTS: [Bytes; 2] = [Bytes::new(128), Bytes::new(512)];

fn main() -> ExitCode {
    if !["OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK"]
        .iter()
        .any(|name| std::env::var_os(name).is_some())
    {
        println!("not under mpirun: scripts/test-mpi starts this test");
        return ExitCode::SUCCESS;
    }
    let outcome = run();
    if let Err(error) = &outcome {
        eprintln!("forced: {error}");
    }
    ExitCode::from(u8::from(outcome.is_err()))
}

fn run() -> Result<(), String> {
    let job = Job::join(ThreadLevel::default()).map_err(|error| error.to_string())?;
    if job.size() != RANKS {
        return Err(format!("{} ranks instead of {RANKS}", job.size()));
    }
    let counter = Counter::of_rank(job.rank()).ok_or("count_sends.c is not preloaded");
    let outcome = match &counter {
        Ok(counter) if job.rank() == 0 => lead(&job, counter),
        Ok(counter) => follow(&job, counter),
        Err(error) => Err((*error).to_owned()),
    };
    if let Err(error) = outcome {
        // Other ranks may wait for calls or counts: mpirun ends them.
        eprintln!("forced: rank {}: {error}", job.rank());
        exit(1);
    }
    job.end().map_err(|error| error.to_string())
}

/// Rank 0 runs all calls and compares their messages.
fn lead(job: &Job, counter: &Counter) -> Result<(), String> {
    let mut bench = Bench::start(job, counter)?;
    let mut compared = 0;
    let mut library = String::new();
    for kind in CollectiveKind::ALL {
        let size = if kind == CollectiveKind::Barrier { Bytes::ZERO } else { SIZE };
        for algorithm in algorithms(job, kind)?
            .into_iter()
            .filter(|algorithm| algorithm.runs_on(kind, RANKS, size))
        {
            let LibraryAlgorithm::Scheduled(scheduled) = algorithm.algorithm else { continue };
            let schedule =
                Collective { kind, algorithm: scheduled, root: Rank(0), ranks: RANKS, block: size };
            let found: u64 = bench.messages(kind, Some(algorithm), size)?.iter().sum();
            let expected =
                messages_of(&schedule) + extra_messages(algorithm.library, kind, scheduled);
            if found != expected {
                return Err(format!("{kind}/{algorithm}: {found} messages instead of {expected}"));
            }
            compared += 1;
            library = algorithm.library.to_string();
        }
    }
    for (name, expected) in BROADCASTS.iter().filter(|(name, _)| name.starts_with(&library)) {
        let algorithm: NativeAlgorithm =
            name.parse().map_err(|error| format!("{name}: {error}"))?;
        let found = bench.messages(CollectiveKind::Broadcast, Some(algorithm), SIZE)?;
        if found != *expected {
            return Err(format!("bcast/{name}: messages {found:?} instead of {expected:?}"));
        }
    }
    job.stop_serving().map_err(|error| error.to_string())?;
    counter.share(true)?;
    println!(
        "{compared} forced algorithms have the messages of their schedules; {}",
        job.library()
    );
    Ok(())
}

/// Another rank serves and adds its messages, until rank 0 has finished.
fn follow(job: &Job, counter: &Counter) -> Result<(), String> {
    loop {
        job.serve().map_err(|error| error.to_string())?;
        if counter.share(false)?.1 {
            return Ok(());
        }
    }
}

/// The algorithms that the library can be forced to use for an operation: whole, and with segments.
fn algorithms(job: &Job, kind: CollectiveKind) -> Result<Vec<NativeAlgorithm>, String> {
    let machine = MpiMachine::start(job, Options::default()).map_err(|error| error.to_string())?;
    let forcible = machine.native_algorithms(kind, RANKS).unwrap_or_default();
    if forcible.is_empty() {
        return Err(format!("the library cannot be forced to use an algorithm for {kind}"));
    }
    let divided =
        |segment| forcible.iter().filter_map(move |forcible| forcible.with_segment(segment));
    Ok(forcible
        .iter()
        .filter_map(|forcible| forcible.whole())
        .chain(SEGMENTS.into_iter().flat_map(divided))
        .collect())
}

/// The number of messages of a schedule.
fn messages_of(collective: &Collective) -> u64 {
    let is_sent = |step: &Step| {
        matches!(step, Step::Send { .. } | Step::PassOn { .. } | Step::PostSend { .. })
    };
    let steps = |rank| (0..).map_while(move |index| collective.step(rank, index));
    Rank::first(RANKS).map(|rank| steps(rank).filter(is_sent).count() as u64).sum()
}

/// The messages that an algorithm of a library has beside those of its schedule.
const fn extra_messages(library: Library, kind: CollectiveKind, algorithm: Algorithm) -> u64 {
    match (library, kind, algorithm) {
        // The rest of each block after its first segment, which is empty.
        (Library::OpenMpi, CollectiveKind::Gather, Algorithm::LinearSync) => RANKS as u64 - 1,
        // The result from the last rank to the root.
        (Library::OpenMpi, CollectiveKind::Reduce, Algorithm::InOrderBinary(_)) => 1,
        // The block of each rank for itself.
        (Library::Mpich, CollectiveKind::Alltoall, Algorithm::LinearNonblocking) => RANKS as u64,
        _ => 0,
    }
}
