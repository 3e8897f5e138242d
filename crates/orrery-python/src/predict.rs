//! Predictions: arrays of sizes in, arrays of times with intervals out.

use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use orrery::model::Model as Fitted;
use orrery::platform::Processor;
use orrery::request::{CollectiveRequest, MessageRequest, Queries, SizedQuery};
use orrery::units::Bytes;
use orrery_report::notebook;
use pyo3::prelude::*;

use crate::argument::{self, Words};
use crate::column::TableColumn;
use crate::model::Model;
use crate::predicted::{Predicted, Rows};
use crate::table::{self, Table};
use crate::{error, work};

/// Predicted times: a table with a row for each prediction, by kind of model, then by algorithm,
/// then by size.
///
/// Columns: operation, algorithm, model, root, procs, size, seconds, low, high, from_readings and
/// from_model (half the widths of these parts of the interval, relative), extrapolated, alarms
/// (reasons why a prediction may not hold), escalation_probability.
#[pyclass(extends = Table, frozen, module = "orrery", name = "Predictions")]
pub(crate) struct Predictions {
    predicted: Arc<Predicted>,
}

#[pymethods]
impl Predictions {
    /// The sizes in bytes, as a NumPy array.
    #[getter]
    fn sizes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        TableColumn::new(Arc::clone(&self.predicted.sizes)).array(py)
    }

    /// The predicted times in seconds, as a NumPy array.
    #[getter]
    fn seconds<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        TableColumn::new(Arc::clone(&self.predicted.seconds)).array(py)
    }

    /// The lower ends of the intervals in seconds, as a NumPy array; not-a-number where there is no
    /// interval.
    #[getter]
    fn low<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        TableColumn::new(Arc::clone(&self.predicted.low)).array(py)
    }

    /// The upper ends of the intervals in seconds, as a NumPy array.
    #[getter]
    fn high<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        TableColumn::new(Arc::clone(&self.predicted.high)).array(py)
    }
}

/// Arguments of messages.
struct Ends {
    from: Option<i64>,
    to: Option<i64>,
}

/// Arguments of collective operations.
struct OfCollectives<'a> {
    algorithms: Option<&'a Words>,
    segments: Option<&'a Bound<'a, PyAny>>,
    root: Option<i64>,
    procs: Option<i64>,
    library: Option<&'a str>,
}

/// The queries for messages (`p2p`) or a collective operation.
fn queries(
    model: &Fitted,
    operation: &str,
    (sizes, models): (Vec<Bytes>, Option<&Words>),
    Ends { from, to }: Ends,
    of_collectives: OfCollectives<'_>,
) -> PyResult<Queries> {
    let models = argument::kinds(models)?;
    let OfCollectives { algorithms, segments, root, procs, library } = of_collectives;
    if operation != "p2p" {
        if from.is_some() || to.is_some() {
            return Err(error::argument(
                "from_ and to apply to p2p only; use root for collective operations",
            ));
        }
        let request = CollectiveRequest {
            models,
            library: library.map(argument::parse).transpose()?,
            algorithms: argument::algorithms(algorithms, segments)?,
            root: argument::optional("root", root)?.map(Processor),
            procs: argument::optional("procs", procs)?,
            sizes,
            ..CollectiveRequest::new(argument::parse(operation)?)
        };
        return request.queries(model).map_err(error::request);
    }
    let options = [root.is_some(), procs.is_some(), segments.is_some(), library.is_some()];
    if algorithms.is_some() || options.contains(&true) {
        return Err(error::argument(
            "algorithms, segments, root, procs and library apply to collective operations only; \
                use from_ and to for p2p",
        ));
    }
    let from = argument::rank("from_", from.unwrap_or(0))?;
    let to = argument::rank("to", to.unwrap_or(1))?;
    MessageRequest { models, from, to, sizes }.queries(model).map_err(error::request)
}

/// Predicts the times of messages (`p2p`) or of a collective operation.
///
/// `sizes` are those of messages, of the block of one processor, or of the vector of bcast, reduce,
/// allreduce and scans: whole numbers, an array, or a text such as `1K..1M`. `models` names kinds
/// of models, by default all in the model. A message goes from `from_` to `to`. Collective
/// operations have `algorithms` (`all`, or names such as `binomial`; by default the usual ones),
/// `segments` (sizes), a `root` and `procs`, by default all processors; `library` predicts calls of
/// an MPI library by its measured corrections.
#[pyfunction]
#[pyo3(signature = (model, operation, sizes = None, *, models = None, from_ = None, to = None, algorithms = None, segments = None,
    root = None, procs = None, library = None))]
#[expect(clippy::too_many_arguments, reason = "each is an option of its own in Python")]
pub(crate) fn predict(
    py: Python<'_>,
    model: &Bound<'_, Model>,
    operation: &str,
    sizes: Option<&Bound<'_, PyAny>>,
    models: Option<Words>,
    from_: Option<i64>,
    to: Option<i64>,
    algorithms: Option<Words>,
    segments: Option<&Bound<'_, PyAny>>,
    root: Option<i64>,
    procs: Option<i64>,
    library: Option<&str>,
) -> PyResult<Py<Predictions>> {
    let fitted = Arc::clone(&model.get().fitted);
    let sizes = sizes.map(argument::sizes).transpose()?.unwrap_or_default();
    let (algorithms, ends) = (algorithms.as_ref(), Ends { from: from_, to });
    let of_collectives = OfCollectives { algorithms, segments, root, procs, library };
    let queries = queries(&fitted, operation, (sizes, models.as_ref()), ends, of_collectives)?;
    let predicted = work::run(py, move |interrupt| {
        let mut rows = Rows::default();
        rows.reserve(queries.kinds.len() * queries.queries.len() * queries.sizes.len());
        let each = |(prediction, _)| {
            rows.push(prediction);
            let is_interrupted = interrupt.load(Ordering::Relaxed);
            if is_interrupted { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        };
        queries.for_each(&fitted, each).map_err(error::request)?;
        Ok(Predicted::new(&queries, rows))
    })?;
    object(py, predicted)
}

/// Predictions as an object.
fn object(py: Python<'_>, predicted: Predicted) -> PyResult<Py<Predictions>> {
    let predicted = Arc::new(predicted);
    let html = |of: &Predicted| notebook::predictions(&of.curves(), &of.first_rows());
    let table = Table::of("predictions", &predicted, Predicted::columns, html);
    Py::new(py, PyClassInitializer::from(table).add_subclass(Predictions { predicted }))
}

/// The terms of a predicted time along the critical path: a table with a row for each parameter.
///
/// The arguments are those of `predict`, for one size and one algorithm.
#[pyfunction]
#[pyo3(signature = (model, operation, size, *, models = None, from_ = None, to = None, algorithm = None,
    root = None, procs = None))]
#[expect(clippy::too_many_arguments, reason = "each is an option of its own in Python")]
pub(crate) fn explain(
    py: Python<'_>,
    model: &Bound<'_, Model>,
    operation: &str,
    size: &Bound<'_, PyAny>,
    models: Option<Words>,
    from_: Option<i64>,
    to: Option<i64>,
    algorithm: Option<String>,
    root: Option<i64>,
    procs: Option<i64>,
) -> PyResult<Table> {
    let fitted = Arc::clone(&model.get().fitted);
    let (size, algorithm) = (argument::size(size)?, algorithm.map(Words::One));
    let of_collectives = OfCollectives {
        algorithms: algorithm.as_ref(),
        segments: None,
        root,
        procs,
        library: None,
    };
    let (models, ends) = (models.as_ref(), Ends { from: from_, to });
    let queries = queries(&fitted, operation, (vec![size], models), ends, of_collectives)?;
    if queries.queries.len() > 1 {
        let algorithm = |query: &SizedQuery| query.of_size(size).algorithm();
        let names: Vec<String> = queries.queries.iter().filter_map(algorithm).collect();
        let names = names.join(", ");
        return Err(error::argument(format!("algorithm: name one, such as one of {names}")));
    }
    work::run(py, move |_| {
        let answers = queries.answers(&fitted).map_err(error::request)?;
        Ok(table::of_report(orrery_report::tables::critical_path(&answers)))
    })
}
