//! The fastest algorithm of a collective operation.

use std::ffi::c_char;

use orrery::model::{Model, ModelKind};
use orrery::request::{AlgorithmSelection, Algorithms, CollectiveChoiceRequest, Roots};
use orrery::schedule::{Algorithm, CollectiveKind};
use orrery::units::Bytes;

use crate::argument::{bytes, is_given, kind, processor, put_text, text};
use crate::handles::{self, ModelHandle};
use crate::predict::{CPrediction, answer, failed, of_algorithm};
use crate::status::{Failure, Status, guard};

/// The fastest algorithm of an operation at this size, or the first of those whose times do not
/// differ significantly from it.
pub(crate) fn fastest(
    model: &Model,
    kind: ModelKind,
    operation: CollectiveKind,
    (root, procs, size): (usize, usize, Bytes),
) -> Result<Algorithm, Failure> {
    let root = operation.has_root().then(|| processor(root)).transpose()?;
    let request = CollectiveChoiceRequest {
        operations: vec![operation],
        models: vec![kind],
        algorithms: AlgorithmSelection { names: Algorithms::All, segments: None },
        root: Roots::Ranks(root.into_iter().collect()),
        procs: vec![procs],
        sizes: Some((size, size)),
        ..CollectiveChoiceRequest::default()
    };
    let found = request.by_model(model).map_err(failed)?;
    let best =
        found.iter().flat_map(|found| &found.ranges).map(|range| range.best.algorithm).next();
    best.ok_or_else(|| Failure::new(Status::ORRERY_INTERNAL, "no range"))
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
        let (model, size) = (handles::get(model)?, bytes(size.max(1)));
        let best = fastest(&model, kind, operation, (root, procs, size))?;
        if !prediction.is_null() {
            let request = of_algorithm(kind, operation, best, (root, procs, size))?;
            let (predicted, _) = answer(&model, request.queries(&model))?;
            // SAFETY: as the caller guarantees.
            unsafe { CPrediction::put(prediction, &predicted) }?;
        }
        // SAFETY: as the caller guarantees.
        unsafe { put_text(&best.to_string(), algorithm, capacity, needed) }
    })
}
