//! Times and memory of parallel routines on grids of processes.

use std::collections::BTreeMap;

use orrery::model::Forecaster;
use orrery::platform::Processor;
use orrery::routine::{Grid, Routine, RoutineCall};
use orrery_report::tables::routine_alarm_lines;
use pyo3::prelude::*;

use crate::forecast::Forecast;
use crate::model::Model;
use crate::{argument, error, work};

/// The call of a routine: m and k are n unless they are given.
fn call(
    routine: &str,
    variant: Option<&str>,
    (m, n, k): (Option<i64>, i64, Option<i64>),
    ((rows, columns), block): ((i64, i64), i64),
) -> PyResult<RoutineCall> {
    let routine: Routine = argument::parse(routine)?;
    for ((name, is_given), exists) in [("m", m.is_some()), ("n", true), ("k", k.is_some())]
        .into_iter()
        .zip(routine.kind.dimensions())
    {
        if is_given && !exists {
            return Err(error::argument(format!("{name} does not apply to {routine}")));
        }
    }
    let [m, n, k] = [("m", m.unwrap_or(n)), ("n", n), ("k", k.unwrap_or(n))]
        .map(|(name, value)| argument::dimension(name, value));
    let extent = |number: i64| {
        u32::try_from(number).map_err(|_| {
            error::argument(format!(
                "grid ({rows}, {columns}): numbers of rows and columns are expected, such as (2, 2)"
            ))
        })
    };
    let grid = Grid {
        rows: extent(rows)?,
        columns: extent(columns)?,
        block: argument::dimension("block", block)?,
    };
    let variant = variant.unwrap_or(routine.kind.variants()[0]);
    RoutineCall::new(routine, variant, [m?, n?, k?], grid).map_err(error::input)
}

/// The processors of the processes of a call, row by row of its grid; the first ones of the model
/// unless they are given.
fn placed(
    call: &RoutineCall,
    processors: Option<Vec<i64>>,
    count: usize,
) -> PyResult<Vec<Processor>> {
    let Grid { rows, columns, .. } = call.grid();
    let processes = call.grid().processes() as usize;
    if let Some(processors) = processors {
        if processors.len() != processes {
            let given = processors.len();
            return Err(error::argument(format!(
                "processors: a grid of {rows}x{columns} needs {processes}, not {given}"
            )));
        }
        return processors
            .into_iter()
            .map(|one| argument::rank("processors", one, count))
            .collect();
    }
    if processes > count {
        return Err(error::argument(format!(
            "grid ({rows}, {columns}): it has more processes than the model has processors, \
                {count}; give a smaller grid"
        )));
    }
    Ok(Processor::first(processes).collect())
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
    variant: Option<&str>,
    grid: (i64, i64),
    block: i64,
    kind: Option<&str>,
    processors: Option<Vec<i64>>,
) -> PyResult<Forecast> {
    let load = model.get().load();
    let kind = argument::kind(kind, &load.fitted)?;
    let call = call(routine, variant, (m, n, k), (grid, block))?;
    let placed = placed(&call, processors, load.fitted.processors())?;
    work::run(py, move |_| {
        let found = load.forecaster()?.routine_time(kind, &call, &placed).map_err(error::input)?;
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
    variant: Option<&str>,
    grid: (i64, i64),
    block: i64,
    processors: Option<Vec<i64>>,
) -> PyResult<BTreeMap<String, u64>> {
    let fitted = &model.get().fitted;
    let call = call(routine, variant, (m, n, k), (grid, block))?;
    let placed = placed(&call, processors, fitted.processors())?;
    let of_hosts = Forecaster::new(fitted).routine_space(&call, &placed);
    Ok(of_hosts.into_iter().map(|(host, bytes)| (host.to_owned(), bytes.get())).collect())
}
