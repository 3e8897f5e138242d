//! Calls of collective operations of the library, with an algorithm that it is forced to use.
//!
//! Control variables of the tool interface force the algorithm. They hold while a communicator of
//! the ranks is made for the calls, when Open MPI reads them, and during the calls, when MPICH
//! does.
//!
//! | file | content |
//! |---|---|
//! | `open_mpi`, `mpich` | the algorithms of a library, and the settings that force each |
//! | `settings` | values of control variables, written and reset, and their names in MPICH |

#![allow(unsafe_code)]

mod mpich;
mod open_mpi;
mod settings;

use std::time::Instant;

use orrery::machine::{ForcibleAlgorithm, NativeCalls};
use orrery::sample::{Library, NativeAlgorithm};
use orrery::schedule::CollectiveKind;
use orrery::units::Seconds;

use crate::MpiError;
use crate::calls::Collective;
use crate::executor::Barrier;
use crate::executor::{PROGRESS_INTERVAL, ProcessContext};
use crate::memory::Memory;
use crate::plan::count;
use settings::{Applied, Settings};

/// Calls an operation repeatedly as one of its ranks; returns the readings of the rank.
pub(crate) fn run_native(
    calls: &NativeCalls,
    context: ProcessContext,
    memory: &mut Memory,
    report_progress: &mut dyn FnMut() -> Result<(), MpiError>,
) -> Result<Vec<Seconds>, MpiError> {
    let settings = calls.algorithm.map(|algorithm| settings(calls.kind, algorithm)).transpose()?;
    let applied = settings.map(Settings::apply).transpose()?;
    let processes: Vec<usize> =
        calls.placement.processors().iter().map(|processor| processor.index()).collect();
    let mut comm = context
        .messages
        .of_ranks(&processes.iter().map(|&rank| rank as i32).collect::<Vec<_>>())?;
    if calls.algorithm.is_some_and(|algorithm| algorithm.library == Library::OpenMpi) {
        comm = open_mpi::left_to_tuned(comm)?;
    }
    let call =
        Collective { kind: calls.kind, root: calls.root.0 as i32, bytes: count(calls.size.get())? };
    let (send_bytes, receive_bytes) = call.buffers(processes.len());
    memory.reserve(send_bytes, receive_bytes)?;
    let (send, receive) = (memory.send_buffer(), memory.receive_buffer());
    let place = processes.iter().position(|&process| process == context.process);
    let place = place.ok_or_else(|| {
        MpiError::Impossible("this process is not among those of the calls".into())
    })?;
    let barrier = Barrier::of_all(&processes, place, context.control);
    let mut readings = Vec::with_capacity(calls.repetitions as usize);
    let mut reported = Instant::now();
    for repetition in 0..u64::from(calls.warm_up) + u64::from(calls.repetitions) {
        barrier.pass()?;
        let begin = Instant::now();
        // SAFETY: the memory is as large as the operation needs; a call that fails may use it
        // further, so it is leaked then.
        unsafe { call.call(send, receive, comm) }.inspect_err(|_| memory.leak())?;
        let end = Instant::now();
        if repetition >= u64::from(calls.warm_up) {
            readings.push((end - begin).into());
        }
        if end - reported > PROGRESS_INTERVAL {
            reported = end;
            report_progress()?;
        }
    }
    // No rank frees the communicator while another one is in a call.
    barrier.pass()?;
    applied.map(Applied::reset).transpose()?;
    comm.free()?;
    Ok(readings)
}

/// The settings that force an algorithm; an error if the library cannot be forced to use it.
fn settings(kind: CollectiveKind, algorithm: NativeAlgorithm) -> Result<Settings, MpiError> {
    let settings = match algorithm.library {
        Library::OpenMpi => open_mpi::settings(kind, algorithm)?,
        Library::Mpich => mpich::settings(kind, algorithm)?,
        Library::Pico => None,
    };
    settings.ok_or_else(|| {
        MpiError::Impossible(format!(
            "this MPI library cannot be forced to use {algorithm} for {kind}; leave it out"
        ))
    })
}

/// The algorithms that the library can be forced to use for an operation on this number of ranks.
pub(crate) fn algorithms(
    kind: CollectiveKind,
    ranks: usize,
) -> Result<Vec<ForcibleAlgorithm>, MpiError> {
    let mut algorithms = open_mpi::algorithms(kind)?;
    algorithms.extend(mpich::algorithms(kind, ranks)?);
    Ok(algorithms)
}
