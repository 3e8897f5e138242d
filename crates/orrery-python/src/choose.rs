//! Choices: the algorithm and the root of a collective operation, the order of processors in its
//! tree, and the grid of a parallel routine.

use std::sync::Arc;

use orrery::model::KernelChoice;
use orrery::platform::Processor;
use orrery::request::{CollectiveChoiceRequest, GridRequest, OrderRequest};
use orrery::units::Bytes;
use orrery_report::tables::{chosen_grids, collective_choices, orders};
use pyo3::prelude::*;

use crate::argument::{self, Words};
use crate::model::Model;
use crate::table::{self, Table};
use crate::{error, work};

/// Chooses the algorithm and the root of collective operations: a table with a row for each range
/// of sizes.
///
/// `operation` names one or several. `sizes` is a range such as `1K..1M`, by default `1..4M`;
/// `step` the accuracy of its bounds in bytes. `root` is a rank, several, or `all`. Sizes at which
/// algorithms do not differ significantly share a range, unless `exact`; `keep` names the algorithm
/// in use, which stays unless another one is faster beyond doubt. Further arguments are those of
/// `predict`.
#[pyfunction]
#[pyo3(signature = (model, operation, *, sizes = None, models = None, algorithms = None, segments = None, root = None, procs = None,
    step = 1, exact = false, keep = None))]
#[expect(clippy::too_many_arguments, reason = "each is an option of its own in Python")]
pub(crate) fn choose_collective(
    py: Python<'_>,
    model: &Bound<'_, Model>,
    operation: Words,
    sizes: Option<&Bound<'_, PyAny>>,
    models: Option<Words>,
    algorithms: Option<Words>,
    segments: Option<&Bound<'_, PyAny>>,
    root: Option<&Bound<'_, PyAny>>,
    procs: Option<i64>,
    step: i64,
    exact: bool,
    keep: Option<&str>,
) -> PyResult<Table> {
    let fitted = Arc::clone(&model.get().fitted);
    let request = CollectiveChoiceRequest {
        operations: operation.parse()?,
        models: argument::kinds(models.as_ref())?,
        algorithms: argument::algorithms(algorithms.as_ref(), segments)?,
        root: argument::roots(root)?,
        procs: argument::list("procs", procs)?,
        sizes: sizes.map(argument::size_range).transpose()?,
        step: Some(Bytes::new(argument::whole("step", step)?)),
        exact,
        keep: keep.map(argument::parse).transpose()?,
        ..CollectiveChoiceRequest::default()
    };
    work::run(py, move |_| {
        let found = request.by_model(&fitted).map_err(error::request)?;
        Ok(table::of_report(collective_choices(&found)))
    })
}

/// Chooses the order of processors in the tree of a collective operation: a table with a row for
/// each size and kind of model.
#[pyfunction]
#[pyo3(signature = (model, operation, algorithm, sizes = None, *, models = None, root = None, procs = None))]
#[expect(clippy::too_many_arguments, reason = "each is an option of its own in Python")]
pub(crate) fn choose_order(
    py: Python<'_>,
    model: &Bound<'_, Model>,
    operation: &str,
    algorithm: &str,
    sizes: Option<&Bound<'_, PyAny>>,
    models: Option<Words>,
    root: Option<i64>,
    procs: Option<i64>,
) -> PyResult<Table> {
    let fitted = Arc::clone(&model.get().fitted);
    let request = OrderRequest {
        operation: argument::parse(operation)?,
        algorithm: argument::parse(algorithm)?,
        models: argument::kinds(models.as_ref())?,
        root: argument::optional("root", root)?.map(Processor),
        procs: argument::optional("procs", procs)?,
        sizes: sizes.map(argument::sizes).transpose()?.unwrap_or_default(),
    };
    work::run(py, move |_| {
        let rows = request.orders(&fitted).map_err(error::request)?;
        Ok(table::of_report(orders(&rows, &fitted.hosts)))
    })
}

/// Chooses the grid of processes and the block with which a parallel routine, such as `pdgemm`, is
/// fastest, under the conditions of the model: a table with a row for each grid, the fastest first.
///
/// `processors` of a row is what `routine_time` takes. Hosts whose load is not known now are left
/// out, which is an alarm, unless `unmonitored`. `blocks` and `procs` are the candidates for the
/// block and for the number of processes, by default all; `memory` is that of a process, by default
/// that of the hosts. Further arguments are those of `routine_time`.
#[pyfunction]
#[pyo3(signature = (model, routine, n, *, m = None, k = None, variant = None, blocks = None, procs = None, memory = None, kind = None,
    unmonitored = false, top = 12),
    text_signature = "(model, routine, n, *, m=None, k=None, variant=None, blocks=None, procs=None, \
        memory=None, kind=None, unmonitored=False, top=12)")]
#[expect(clippy::too_many_arguments, reason = "each is an option of its own in Python")]
pub(crate) fn choose_grid(
    py: Python<'_>,
    model: &Bound<'_, Model>,
    routine: &str,
    n: i64,
    m: Option<i64>,
    k: Option<i64>,
    variant: Option<String>,
    blocks: Option<Vec<i64>>,
    procs: Option<Vec<i64>>,
    memory: Option<&Bound<'_, PyAny>>,
    kind: Option<&str>,
    unmonitored: bool,
    top: i64,
) -> PyResult<Table> {
    let load = model.get().load();
    let all = |name, numbers: Option<Vec<i64>>| {
        let numbers = numbers.unwrap_or_default().into_iter();
        numbers.map(|one| argument::whole(name, one)).collect::<PyResult<Vec<u64>>>()
    };
    let request = GridRequest {
        routine: argument::parse(routine)?,
        models: vec![argument::kind("kind", kind, &load.fitted)?],
        variant,
        m: argument::list("m", m)?,
        n: vec![argument::whole("n", n)?],
        k: argument::list("k", k)?,
        blocks: all("blocks", blocks)?,
        procs: all("procs", procs)?,
        memory: memory.map(argument::size).transpose()?,
        kernels: KernelChoice::default(),
        unmonitored,
        top: argument::whole("top", top)?,
    };
    work::run(py, move |_| {
        let chosen = request.answers(&load.fitted, &load.availability).map_err(error::request)?;
        Ok(table::of_report(chosen_grids(&chosen[0])))
    })
}
