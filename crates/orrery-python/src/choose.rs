//! Choices: the algorithm and the root of a collective operation, and the order of processors in
//! its tree.

use std::sync::Arc;

use orrery::platform::Processor;
use orrery::request::{CollectiveChoiceRequest, OrderRequest};
use orrery::units::Bytes;
use orrery_report::tables::{collective_choices, orders};
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
