//! Times and memory of parallel routines on grids of processes.

use std::collections::BTreeMap;

use orrery::request::RoutineRequest;
use orrery_report::tables::routine_alarm_lines;
use pyo3::prelude::*;

use crate::forecast::Forecast;
use crate::model::Model;
use crate::{argument, error, work};

/// The request for a call of a routine.
fn request(
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
    let kind = argument::kind(kind, &load.fitted)?;
    let request = request((routine, variant), (m, n, k), (grid, block), processors)?;
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
    let request = request((routine, variant), (m, n, k), (grid, block), processors)?;
    let call = request.call().map_err(error::request)?;
    let placed = request.placed(&call, fitted).map_err(error::request)?;
    let of_hosts = fitted.routine_memory(&call, &placed);
    Ok(of_hosts.into_iter().map(|(host, bytes)| (host.to_owned(), bytes.get())).collect())
}
