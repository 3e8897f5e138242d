//! Times and memory of compute kernels on hosts, and of parallel routines on grids of processes.

use std::collections::BTreeMap;

use orrery::model::{Forecaster, KernelChoice};
use orrery::request::{KernelRequest, RoutineRequest};
use orrery::units::Bytes;
use orrery_report::tables::{kernel_alarm_lines, routine_alarm_lines};
use pyo3::prelude::*;

use crate::forecast::Forecast;
use crate::model::Model;
use crate::{argument, error, work};

/// The request for a call of a routine.
fn routine_request(
    (routine, variant): (&str, Option<String>),
    (m, n, k): (Option<i64>, i64, Option<i64>),
    ((rows, columns), block): ((i64, i64), i64),
    processors: Option<Vec<i64>>,
) -> PyResult<RoutineRequest> {
    let grid = [argument::whole("grid", rows)?, argument::whole("grid", columns)?];
    let rank = |one| argument::rank("processors", one);
    let processors = processors.map(|all| all.into_iter().map(rank).collect());
    let n = vec![argument::whole("n", n)?];
    Ok(RoutineRequest {
        variant,
        m: argument::list("m", m)?,
        k: argument::list("k", k)?,
        blocks: vec![argument::whole("block", block)?],
        processors: processors.transpose()?,
        ..RoutineRequest::new(argument::parse(routine)?, n, vec![grid])
    })
}

/// Predicts the time of a parallel routine, such as `pdgemm`, in seconds: messages by a kind of
/// model, kernels as `kernel_time`, both under the conditions of the model.
///
/// `m` and `k` are `n` unless they are given. `grid` has the numbers of rows and columns of
/// processes, `block` those of a block. `processors` has the processor of each process, row by row,
/// by default the first ones. `kind` names the kind of model; it may be left out if the model has
/// only one.
#[pyfunction]
#[pyo3(signature = (model, routine, n, *, m = None, k = None, variant = None, grid = (2, 2), block = 64, kind = None, processors = None),
    text_signature = "(model, routine, n, *, m=None, k=None, variant=None, grid=(2, 2), block=64, \
        kind=None, processors=None)")]
#[expect(clippy::too_many_arguments, reason = "each is an option of its own in Python")]
pub(crate) fn routine_time(
    py: Python<'_>,
    model: &Bound<'_, Model>,
    routine: &str,
    n: i64,
    m: Option<i64>,
    k: Option<i64>,
    variant: Option<String>,
    grid: (i64, i64),
    block: i64,
    kind: Option<&str>,
    processors: Option<Vec<i64>>,
) -> PyResult<Forecast> {
    let load = model.get().load();
    let kind = argument::kind("kind", kind, &load.fitted)?;
    let request = routine_request((routine, variant), (m, n, k), (grid, block), processors)?;
    let request = RoutineRequest { models: vec![kind], ..request };
    work::run(py, move |_| {
        let answers = request.answers(&load.fitted, &load.availability).map_err(error::request)?;
        let found = &answers[0];
        Ok(Forecast::time(found.seconds, found.interval, routine_alarm_lines(&found.alarms)))
    })
}

/// The memory of the operands of a parallel routine on each host in bytes, of all of its processes
/// together. The arguments are those of `routine_time`; the work space of the library is left out.
#[pyfunction]
#[pyo3(signature = (model, routine, n, *, m = None, k = None, variant = None, grid = (2, 2), block = 64, processors = None),
    text_signature = "(model, routine, n, *, m=None, k=None, variant=None, grid=(2, 2), block=64, \
        processors=None)")]
#[expect(clippy::too_many_arguments, reason = "each is an option of its own in Python")]
pub(crate) fn routine_space(
    model: &Bound<'_, Model>,
    routine: &str,
    n: i64,
    m: Option<i64>,
    k: Option<i64>,
    variant: Option<String>,
    grid: (i64, i64),
    block: i64,
    processors: Option<Vec<i64>>,
) -> PyResult<BTreeMap<String, u64>> {
    let fitted = &model.get().fitted;
    let request = routine_request((routine, variant), (m, n, k), (grid, block), processors)?;
    let call = request.call().map_err(error::request)?;
    let placed = request.placed(&call, fitted).map_err(error::request)?;
    let of_hosts = fitted.routine_memory(&call, &placed);
    Ok(of_hosts.into_iter().map(|(host, bytes)| (host.to_owned(), bytes.get())).collect())
}

/// The request for a call of a kernel by one of the models that these names select.
fn kernel_request(
    (kernel, variant): (&str, Option<String>),
    [m, n, k]: [Option<i64>; 3],
    (library, threads, operands): (Option<String>, Option<u32>, Option<&str>),
) -> PyResult<KernelRequest> {
    let operands = operands.map(argument::parse).transpose()?;
    Ok(KernelRequest {
        kernel: argument::parse(kernel)?,
        variant,
        m: argument::list("m", m)?,
        n: argument::list("n", n)?,
        k: argument::list("k", k)?,
        kernels: KernelChoice { host: None, library, threads, operands },
    })
}

/// Predicts the time of a call of a kernel, such as `dgemm`, on a host in seconds: T without load,
/// and T/a where the conditions of the model leave the part a of a processor.
///
/// Dimensions that the kernel does not have are left out. `variant` is such as `nt`, by default the
/// first one. `library`, `threads` and `operands` choose among several models of the kernel.
#[pyfunction]
#[pyo3(signature = (model, kernel, m = None, n = None, k = None, *, host, variant = None, library = None, threads = None, operands = None))]
#[expect(clippy::too_many_arguments, reason = "each is an option of its own in Python")]
pub(crate) fn kernel_time(
    py: Python<'_>,
    model: &Bound<'_, Model>,
    kernel: &str,
    m: Option<i64>,
    n: Option<i64>,
    k: Option<i64>,
    host: String,
    variant: Option<String>,
    library: Option<String>,
    threads: Option<u32>,
    operands: Option<&str>,
) -> PyResult<Forecast> {
    let request = kernel_request((kernel, variant), [m, n, k], (library, threads, operands))?;
    let call = request.call().map_err(error::request)?;
    let load = model.get().load();
    work::run(py, move |_| {
        let found = load
            .forecaster()?
            .with_kernels(request.kernels)
            .kernel_time(&call, &host)
            .map_err(error::input)?;
        let alarms = kernel_alarm_lines(&found.alarms);
        Ok(Forecast::time(found.seconds, found.interval, alarms))
    })
}

/// The memory of a call of a kernel on a host in bytes: operands and measured work space. The
/// arguments are those of `kernel_time`.
#[pyfunction]
#[pyo3(signature = (model, kernel, m = None, n = None, k = None, *, host, variant = None, library = None, threads = None, operands = None))]
#[expect(clippy::too_many_arguments, reason = "each is an option of its own in Python")]
pub(crate) fn kernel_space(
    model: &Bound<'_, Model>,
    kernel: &str,
    m: Option<i64>,
    n: Option<i64>,
    k: Option<i64>,
    host: &str,
    variant: Option<String>,
    library: Option<String>,
    threads: Option<u32>,
    operands: Option<&str>,
) -> PyResult<u64> {
    let request = kernel_request((kernel, variant), [m, n, k], (library, threads, operands))?;
    let call = request.call().map_err(error::request)?;
    let forecaster = Forecaster::new(&model.get().fitted).with_kernels(request.kernels);
    forecaster.kernel_space(&call, host).map(Bytes::get).map_err(error::input)
}
