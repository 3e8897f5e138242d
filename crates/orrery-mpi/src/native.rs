//! Calls of collective operations of the library, with an algorithm that it is forced to use.
//!
//! Open MPI's component coll/tuned reads its settings when a communicator is made: the control variable of the operation is set,
//! a communicator of the ranks is made for the calls, and the variable is reset.

#![allow(unsafe_code)]

use std::env;
use std::time::Instant;

use orrery::machine::NativeCalls;
use orrery::sample::{Library, LibraryAlgorithm, NativeAlgorithm};
use orrery::schedule::{Algorithm, CollectiveKind};
use orrery::units::{Bytes, Seconds};

use crate::MpiError;
use crate::barrier::Barrier;
use crate::calls::{Collective, ControlVariable, DYNAMIC_RULES};
use crate::executor::{PROGRESS_INTERVAL, ProcessContext};
use crate::memory::Memory;
use crate::plan::count;

/// The value of the variables by which the library chooses itself.
const OWN_CHOICE: i32 = 0;

/// Calls an operation repeatedly as one of its ranks; returns the readings of the rank.
pub(crate) fn run_native(
    calls: &NativeCalls,
    context: ProcessContext,
    memory: &mut Memory,
    report_progress: &mut dyn FnMut() -> Result<(), MpiError>,
) -> Result<Vec<Seconds>, MpiError> {
    let forced = calls.algorithm.map(|algorithm| forced(calls.kind, algorithm)).transpose()?;
    if let Some((variable, value)) = &forced {
        variable.write(*value)?;
    }
    let comm = context.messages.of_first(calls.procs)?;
    if let Some((variable, _)) = &forced {
        variable.write(OWN_CHOICE)?;
    }
    let call = Collective { kind: calls.kind, root: calls.root.0 as i32, bytes: count(calls.size.get())? };
    let (send_bytes, receive_bytes) = call.buffers(calls.procs);
    memory.reserve(send_bytes, receive_bytes)?;
    let (send, receive) = (memory.send_buffer(), memory.receive_buffer());
    let barrier = Barrier::of_all(&(0..calls.procs).collect::<Vec<_>>(), context.process, context.control);
    let mut readings = Vec::with_capacity(calls.repetitions as usize);
    let mut reported = Instant::now();
    for repetition in 0..u64::from(calls.warm_up) + u64::from(calls.repetitions) {
        barrier.pass()?;
        let begin = Instant::now();
        // SAFETY: the memory is as large as the operation needs; a call that fails may use it further, so it is leaked then.
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
    comm.free()?;
    Ok(readings)
}

/// The variable that forces an algorithm, and its value.
fn forced(kind: CollectiveKind, algorithm: NativeAlgorithm) -> Result<(ControlVariable, i32), MpiError> {
    let missing = || MpiError::Impossible(format!("this MPI library cannot be forced to use {algorithm} for {kind}"));
    let variable = variable(kind)?.ok_or_else(missing)?;
    let is_named = |name: &str| tuned(kind, name) == Some(algorithm);
    let value = variable.items.iter().find(|(_, name)| is_named(name)).map(|(value, _)| *value);
    value.map(|value| (variable, value)).ok_or_else(missing)
}

/// The algorithms that the library can be forced to use for an operation.
pub(crate) fn algorithms(kind: CollectiveKind) -> Result<Vec<NativeAlgorithm>, MpiError> {
    let variable = variable(kind)?;
    Ok(variable.iter().flat_map(|variable| &variable.items).filter_map(|(_, name)| tuned(kind, name)).collect())
}

/// Components of Open MPI that may carry out an operation before coll/tuned does.
const OTHER_COMPONENTS: [&str; 5] = ["hcoll", "ucc", "han", "xhc", "acoll"];

/// The priority of a component of collective operations; `None` if the library does not have it.
fn priority(component: &str) -> Result<Option<i32>, MpiError> {
    ControlVariable::find(&format!("coll_{component}_priority"))?.map(|variable| variable.read()).transpose()
}

/// Returns true if the variables of coll/tuned have an effect: the dynamic rules are on, and no other component precedes it.
fn heeds_variables() -> Result<bool, MpiError> {
    let is_on = |value: String| ["1", "true", "yes", "enabled"].contains(&value.as_str());
    let Some(tuned) = priority("tuned")?.filter(|_| env::var(DYNAMIC_RULES).is_ok_and(is_on)) else { return Ok(false) };
    for component in OTHER_COMPONENTS {
        if priority(component)?.is_some_and(|other| other >= tuned) {
            return Ok(false);
        }
    }
    Ok(true)
}

/// The variable of Open MPI's component coll/tuned for an operation; `None` in other libraries, and where it has no effect.
fn variable(kind: CollectiveKind) -> Result<Option<ControlVariable>, MpiError> {
    if !heeds_variables()? {
        return Ok(None);
    }
    let operation = match kind {
        CollectiveKind::ReduceScatter => "reduce_scatter_block",
        other => other.name(),
    };
    ControlVariable::find(&format!("coll_tuned_{operation}_algorithm"))
}

/// The algorithm of a name of coll/tuned; `None` for the library's own choice and for algorithms without a schedule.
/// Source: coll_tuned_*_decision.c and coll_base_*.c of Open MPI 4.1.
fn tuned(kind: CollectiveKind, name: &str) -> Option<NativeAlgorithm> {
    use CollectiveKind as K;
    let whole = Bytes::ZERO;
    let algorithm = match (kind, name) {
        // A gather and a broadcast.
        (K::Allgather, "linear") => return None,
        (K::Alltoall, "linear") | (_, "linear_nb") => Algorithm::LinearNonblocking,
        // A reduction and a scatter.
        (K::ReduceScatter, "basic_linear") | (K::Allreduce, "nonoverlapping") => Algorithm::NonOverlapping,
        (_, "linear" | "basic_linear") => Algorithm::Linear,
        (_, "linear_sync") => Algorithm::LinearSync,
        (_, "binomial") => Algorithm::Binomial,
        (_, "knomial") => Algorithm::KNomial(4, whole),
        (_, "binary" | "binary_tree") => Algorithm::Binary(whole),
        (_, "split_binary_tree") => Algorithm::SplitBinary(whole),
        (_, "in-order_binary") => Algorithm::InOrderBinary(whole),
        (_, "chain") => Algorithm::Chain(4, whole),
        (_, "pipeline") => Algorithm::Pipeline(whole),
        (_, "scatter_allgather") => Algorithm::ScatterAllgather,
        (_, "scatter_allgather_ring") => Algorithm::ScatterAllgatherRing,
        (_, "ring") => Algorithm::Ring,
        (_, "recursive_doubling") => Algorithm::RecursiveDoubling,
        (_, "recursive_halving") => Algorithm::RecursiveHalving,
        (K::Barrier, "bruck") => Algorithm::Dissemination,
        (_, "bruck" | "modified_bruck") => Algorithm::Bruck,
        (_, "neighbor") => Algorithm::NeighborExchange,
        (_, "double_ring") => Algorithm::DoubleRing,
        (_, "tree") => Algorithm::Tree,
        (_, "rabenseifner") => Algorithm::Rabenseifner,
        (_, "pairwise") => Algorithm::Pairwise,
        _ => return None,
    };
    let algorithm = LibraryAlgorithm::Scheduled(algorithm);
    algorithm.carries_out(kind).then_some(NativeAlgorithm { library: Library::OpenMpi, algorithm })
}
