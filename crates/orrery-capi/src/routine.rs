//! Times and memory of parallel routines on grids of processes: `fast_comp_time` and
//! `fast_comp_size` of FAST's parallel extension.

use std::ffi::c_char;

use orrery::model::{Model, RoutinePredictError};
use orrery::platform::Processor;
use orrery::routine::{Grid, Routine, RoutineCall};

use crate::argument::{array, is_given, kind, processor, put, text};
use crate::handles::{self, ModelHandle};
use crate::kernel::of_kernel;
use crate::predict::{CPrediction, failed};
use crate::status::{Failure, Status, guard};

/// The failure of a prediction of a routine.
fn of_routine(error: &RoutinePredictError) -> Failure {
    match error {
        RoutinePredictError::Kernel(error) => of_kernel(error),
        RoutinePredictError::Communication(error) => failed(error),
        error => Failure::caused(Status::ORRERY_ARGUMENT, error),
    }
}

/// The call of a routine; its first variant for null.
///
/// # Safety
///
/// The names are null or texts.
unsafe fn call(
    routine: *const c_char,
    variant: *const c_char,
    dimensions: [u64; 3],
    (rows, columns, block): (u32, u32, u64),
) -> Result<RoutineCall, Failure> {
    // SAFETY: as the caller guarantees.
    let routine: Routine =
        unsafe { text(routine, "routine") }?.parse().map_err(Failure::invalid)?;
    let variant = if variant.is_null() {
        routine.kind.variants()[0]
    } else {
        // SAFETY: as the caller guarantees.
        unsafe { text(variant, "variant") }?
    };
    RoutineCall::new(routine, variant, dimensions, Grid { rows, columns, block })
        .map_err(Failure::invalid)
}

/// The processors of the processes of a call, row by row of its grid; the first ones of the model
/// for null.
///
/// # Safety
///
/// `processors` is null, or there is a number at it for each process.
unsafe fn placed(
    model: &Model,
    call: &RoutineCall,
    processors: *const usize,
) -> Result<Vec<Processor>, Failure> {
    let processes = call.grid().processes() as usize;
    let placed: Vec<Processor> = if processors.is_null() {
        Processor::first(processes).collect()
    } else {
        // SAFETY: as the caller guarantees.
        let numbers = unsafe { array(processors, processes, "processors") }?;
        numbers.iter().map(|&number| processor(number)).collect::<Result<_, _>>()?
    };
    let count = model.processors();
    match placed.iter().find(|one| one.index() >= count) {
        None => Ok(placed),
        Some(_) if processors.is_null() => Err(Failure::argument(format!(
            "a grid of {processes} processes needs as many processors, and the model has {count}; \
                give a smaller grid"
        ))),
        Some(one) => {
            Err(Failure::argument(format!("there is no processor {one}: the model has {count}")))
        }
    }
}

/// Predicts the time of a parallel routine, such as "pdgemm", on a grid of `rows` × `columns`
/// processes with blocks of `block` × `block` elements \[s\]: messages by a kind of model, kernels
/// as `orrery_kernel_time`, both under the conditions of the model. `variant` is null for the first
/// one; dimensions of m, n and k that the routine does not have are ignored. `processors` has the
/// processor of each process, row by row of the grid; null for the first ones.
///
/// # Safety
///
/// The names are texts, `variant` may be null; `processors` is null or has `rows` × `columns`
/// numbers; `prediction` points to a struct whose `struct_size` is set.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn orrery_routine_time(
    model: ModelHandle,
    kind_name: *const c_char,
    routine: *const c_char,
    variant: *const c_char,
    m: u64,
    n: u64,
    k: u64,
    rows: u32,
    columns: u32,
    block: u64,
    processors: *const usize,
    prediction: *mut CPrediction,
) -> Status {
    guard(|| {
        // SAFETY: as the caller guarantees.
        let (kind, call) = unsafe {
            CPrediction::check(prediction)?;
            (kind(kind_name)?, call(routine, variant, [m, n, k], (rows, columns, block))?)
        };
        let model = handles::get(model)?;
        // SAFETY: as the caller guarantees.
        let placed = unsafe { placed(&model, &call, processors) }?;
        let found = model
            .forecaster()?
            .routine_time(kind, &call, &placed)
            .map_err(|error| of_routine(&error))?;
        // SAFETY: as the caller guarantees.
        unsafe {
            CPrediction::put_time(prediction, found.seconds, found.interval, found.alarms.len())
        }
    })
}

/// The memory of the operands of a parallel routine on a host, of all of its processes together, or
/// the largest one of all hosts if `host` is null \[B\]. The other arguments are those of
/// `orrery_routine_time`; the work space of the library is left out.
///
/// # Safety
///
/// The names are texts, `variant` and `host` may be null; `processors` is null or has `rows` ×
/// `columns` numbers; `space` points to memory for a number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn orrery_routine_space(
    model: ModelHandle,
    routine: *const c_char,
    variant: *const c_char,
    m: u64,
    n: u64,
    k: u64,
    rows: u32,
    columns: u32,
    block: u64,
    processors: *const usize,
    host: *const c_char,
    space: *mut u64,
) -> Status {
    guard(|| {
        is_given(space, "space")?;
        // SAFETY: as the caller guarantees.
        let call = unsafe { call(routine, variant, [m, n, k], (rows, columns, block)) }?;
        let model = handles::get(model)?;
        // SAFETY: as the caller guarantees.
        let placed = unsafe { placed(&model, &call, processors) }?;
        let of_hosts = model.forecaster()?.routine_space(&call, &placed);
        let found = if host.is_null() {
            of_hosts.values().map(|bytes| bytes.get()).max().unwrap_or_default()
        } else {
            // SAFETY: as the caller guarantees.
            let host = unsafe { text(host, "host") }?;
            of_hosts.get(host).map(|bytes| bytes.get()).ok_or_else(|| {
                let names: Vec<&str> =
                    of_hosts.keys().copied().filter(|name| !name.is_empty()).collect();
                let names = if names.is_empty() {
                    "hosts without names".to_owned()
                } else {
                    names.join(", ")
                };
                Failure::argument(format!(
                    "no process is on host {host}; the processes are on {names}"
                ))
            })?
        };
        // SAFETY: as the caller guarantees.
        unsafe { put(space, found, "space") }
    })
}
