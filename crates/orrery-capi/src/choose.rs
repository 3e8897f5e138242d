//! The fastest algorithm of a collective operation, and the fastest grid of a parallel routine.

use std::ffi::c_char;

use orrery::model::{KernelChoice, Model, ModelKind};
use orrery::request::{
    AlgorithmSelection, Algorithms, CollectiveChoiceRequest, GridRequest, Roots,
};
use orrery::routine::Grid;
use orrery::schedule::{Algorithm, CollectiveKind};
use orrery::units::Bytes;

use crate::argument::{
    array, bytes, is_given, kind, own_dimensions, processor, put, put_text, text,
};
use crate::handles::{self, ModelHandle};
use crate::predict::{CPrediction, answer, failed, of_algorithm};
use crate::routine;
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

/// A grid of processes of a parallel routine.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct CGrid {
    /// The number of rows of processes.
    pub rows: u32,
    /// The number of columns of processes.
    pub columns: u32,
    /// The rows and columns of a block.
    pub block: u64,
}

/// Chooses the grid of processes and the block with which a parallel routine is fastest, under the
/// conditions of the model: kernel, variant and dimensions are those of `orrery_routine_time`, and
/// `blocks` has the candidates for the rows and columns of a block. Hosts whose load is not known
/// now are left out unless `unmonitored` is true; that is an alarm of the prediction, and
/// `orrery_model_warnings` names them. `grid` gets the grid and `prediction` its time; `processors`,
/// with room for `capacity` numbers, gets the processor of each process, row by row of the grid, and
/// `needed` their number. The status is `ORRERY_CAPACITY` if there is too little room.
///
/// # Safety
///
/// The names are texts, `variant` may be null; there are `block_count` numbers at `blocks`;
/// `processors` has room for `capacity` numbers; `grid` and `needed` point to memory for them,
/// `prediction` to a struct whose `struct_size` is set.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn orrery_choose_grid(
    model: ModelHandle,
    kind_name: *const c_char,
    routine_name: *const c_char,
    variant: *const c_char,
    m: u64,
    n: u64,
    k: u64,
    blocks: *const u64,
    block_count: usize,
    unmonitored: bool,
    grid: *mut CGrid,
    processors: *mut usize,
    capacity: usize,
    needed: *mut usize,
    prediction: *mut CPrediction,
) -> Status {
    guard(|| {
        is_given(grid, "grid")?;
        is_given(needed, "needed")?;
        // SAFETY: as the caller guarantees.
        let (kind, (routine, variant), blocks) = unsafe {
            CPrediction::check(prediction)?;
            (
                kind(kind_name)?,
                routine::name(routine_name, variant)?,
                array(blocks, block_count, "blocks")?,
            )
        };
        let [m, n, k] = own_dimensions(routine.kind.dimensions(), [m, n, k]);
        let (models, blocks) = (vec![kind], blocks.to_vec());
        let (procs, memory, kernels) = (Vec::new(), None, KernelChoice::default());
        let request = GridRequest {
            routine,
            models,
            variant,
            m,
            n,
            k,
            blocks,
            procs,
            memory,
            kernels,
            unmonitored,
            top: 1,
        };
        let model = handles::get(model)?;
        let availability = model.availability.clone().unwrap_or_default();
        let chosen = request.answers(&model, &availability).map_err(failed)?;
        let best = chosen.first().and_then(|chosen| Some((chosen, chosen.best.first()?)));
        let (chosen, best) =
            best.ok_or_else(|| Failure::new(Status::ORRERY_INTERNAL, "no grid"))?;
        let of_call = best.call.grid();
        let placed = chosen.placed(of_call);
        // SAFETY: as the caller guarantees.
        unsafe { put(needed, placed.len(), "needed") }?;
        if capacity < placed.len() {
            let count = placed.len();
            let message = format!("the grid needs room for {count} processors; give more");
            return Err(Failure::new(Status::ORRERY_CAPACITY, message));
        }
        is_given(processors, "processors")?;
        let Grid { rows, columns, block } = of_call;
        for (place, processor) in placed.iter().enumerate() {
            // SAFETY: the caller guarantees room for `capacity` numbers.
            unsafe { put(processors.add(place), processor.index(), "processors") }?;
        }
        // SAFETY: as the caller guarantees.
        unsafe {
            put(grid, CGrid { rows, columns, block }, "grid")?;
            CPrediction::put_time(prediction, best.seconds, best.interval, best.alarms.len())
        }
    })
}
