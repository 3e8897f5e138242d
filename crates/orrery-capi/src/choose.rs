//! The fastest algorithm of a collective operation.

use std::ffi::c_char;

use orrery::collective::{
    Candidate, CollectiveChoice, choose, split_candidate, with_common_segments,
};
use orrery::model::{Model, ModelKind, Predictor, Query};
use orrery::platform::Processor;
use orrery::sample::Experiment;
use orrery::schedule::{Algorithm, CollectiveKind};
use orrery::units::Bytes;

use crate::argument::{bytes, is_given, kind, processor, put_text, text};
use crate::handles::{self, ModelHandle};
use crate::predict::{CPrediction, failed};
use crate::status::{Failure, Status, guard};

/// The fastest algorithm of an operation at this size, or the first of those whose times do not
/// differ significantly from it.
pub(crate) fn fastest(
    model: &Model,
    kind: ModelKind,
    operation: CollectiveKind,
    (root, procs, size): (Processor, usize, Bytes),
) -> Result<Algorithm, Failure> {
    let algorithms =
        with_common_segments(operation, operation.algorithms_on(procs).collect(), size);
    let candidates = algorithms.into_iter().map(|algorithm| Candidate { algorithm, root });
    let split = split_candidate(model, operation, procs, root)
        .filter(|split| split.algorithm.segment() < size);
    let candidates = candidates.chain(split).collect();
    let (sizes, step, merges, kept, library) = ((size, size), 1, true, None, None);
    let choice =
        CollectiveChoice { operation, procs, candidates, sizes, step, merges, kept, library };
    let ranges = choose(model, kind, &choice).map_err(|error| failed(&error))?;
    let best = ranges.first().map(|range| range.best.algorithm);
    best.ok_or_else(|| {
        Failure::argument(format!("{operation} has no algorithm on {procs} processors"))
    })
}

/// Chooses the algorithm of a collective operation, with segments from 1 KiB to 1 MiB where
/// algorithms have them, and for scatter and gather with those below the thresholds of the model:
/// the fastest one, or the first of those whose times do not differ significantly from it.
/// `algorithm` gets its name, such as "knomial-4:8K", and `prediction`, unless it is null, its
/// time.
///
/// # Safety
///
/// The names are texts; `algorithm` has `capacity` bytes or is null; `needed` points to memory for
/// a number; `prediction` is null, or points to a struct whose `struct_size` is set.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn orrery_choose_collective(
    model: ModelHandle,
    kind_name: *const c_char,
    operation: *const c_char,
    root: usize,
    procs: usize,
    size: u64,
    algorithm: *mut c_char,
    capacity: usize,
    needed: *mut usize,
    prediction: *mut CPrediction,
) -> Status {
    guard(|| {
        is_given(needed, "needed")?;
        if !prediction.is_null() {
            // SAFETY: as the caller guarantees.
            unsafe { CPrediction::check(prediction) }?;
        }
        // SAFETY: as the caller guarantees.
        let (kind, operation) = unsafe { (kind(kind_name)?, text(operation, "operation")?) };
        let operation: CollectiveKind = operation.parse().map_err(Failure::invalid)?;
        if procs < 2 {
            return Err(Failure::argument(format!(
                "a collective operation has 2 processors or more, not {procs}"
            )));
        }
        let (model, size, root) = (handles::get(model)?, bytes(size.max(1)), processor(root)?);
        let root = if operation.has_root() { root } else { processor(0)? };
        let best = fastest(&model, kind, operation, (root, procs, size))?;
        if !prediction.is_null() {
            let query =
                Experiment::Collective { kind: operation, algorithm: best, root, procs, size };
            let query = Query::Experiment(query);
            let predicted =
                Predictor::new(&model, kind).and_then(|mut predictor| predictor.predict(&query));
            // SAFETY: as the caller guarantees.
            unsafe { CPrediction::put(prediction, &predicted.map_err(|error| failed(&error))?) }?;
        }
        // SAFETY: as the caller guarantees.
        unsafe { put_text(&best.to_string(), algorithm, capacity, needed) }
    })
}
