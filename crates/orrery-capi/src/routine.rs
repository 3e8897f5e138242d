//! Times and memory of parallel routines on grids of processes: `fast_comp_time` and
//! `fast_comp_size` of FAST's parallel extension.

use std::ffi::c_char;

use orrery::request::RoutineRequest;
use orrery::routine::Routine;

use crate::argument::{array, is_given, kind, optional, own_dimensions, processor, put, text};
use crate::handles::{self, ModelHandle};
use crate::predict::{CPrediction, failed};
use crate::status::{Failure, Status, guard};

/// A routine and its variant, by their names; the first variant for null.
///
/// # Safety
///
/// The names are null or texts.
pub(crate) unsafe fn name(
    routine: *const c_char,
    variant: *const c_char,
) -> Result<(Routine, Option<String>), Failure> {
    // SAFETY: as the caller guarantees.
    let (routine, variant) = unsafe { (text(routine, "routine")?, optional(variant, "variant")?) };
    Ok((routine.parse().map_err(Failure::invalid)?, variant.map(str::to_owned)))
}

/// The request for a call of a routine: of its first variant for null, and on the first processors
/// for null.
///
/// # Safety
///
/// The names are null or texts; `processors` is null, or there is a number at it for each process.
unsafe fn request(
    (routine, variant): (*const c_char, *const c_char),
    dimensions: [u64; 3],
    (rows, columns, block): (u32, u32, u64),
    processors: *const usize,
) -> Result<RoutineRequest, Failure> {
    // SAFETY: as the caller guarantees.
    let (routine, variant) = unsafe { name(routine, variant) }?;
    let [m, n, k] = own_dimensions(routine.kind.dimensions(), dimensions);
    let processes = rows as usize * columns as usize;
    let processors = if processors.is_null() {
        None
    } else {
        // SAFETY: as the caller guarantees.
        let numbers = unsafe { array(processors, processes, "processors") }?;
        Some(numbers.iter().map(|&number| processor(number)).collect::<Result<_, _>>()?)
    };
    Ok(RoutineRequest {
        variant,
        m,
        k,
        blocks: vec![block],
        processors,
        ..RoutineRequest::new(routine, n, vec![[rows, columns]])
    })
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
        let grid = (rows, columns, block);
        // SAFETY: as the caller guarantees.
        let request = unsafe {
            CPrediction::check(prediction)?;
            let models = vec![kind(kind_name)?];
            let request = request((routine, variant), [m, n, k], grid, processors)?;
            RoutineRequest { models, ..request }
        };
        let model = handles::get(model)?;
        let availability = model.availability.clone().unwrap_or_default();
        let answers = request.answers(&model, &availability).map_err(failed)?;
        let found = &answers[0];
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
        let grid = (rows, columns, block);
        // SAFETY: as the caller guarantees.
        let request = unsafe { request((routine, variant), [m, n, k], grid, processors) }?;
        let model = handles::get(model)?;
        let call = request.call().map_err(failed)?;
        let placed = request.placed(&call, &model).map_err(failed)?;
        let of_hosts = model.routine_memory(&call, &placed);
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
