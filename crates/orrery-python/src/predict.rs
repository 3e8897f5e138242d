//! Predictions: arrays of sizes in, arrays of times with intervals out.

use std::str::FromStr as _;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use orrery::model::{CollectiveAlgorithm, Model as Fitted, ModelKind, Predictor, Query};
use orrery::sample::Library;
use orrery::schedule::CollectiveKind;
use orrery::units::Bytes;
use orrery_report::notebook;
use pyo3::prelude::*;

use crate::argument::{self, Words};
use crate::column::TableColumn;
use crate::model::Model;
use crate::predicted::{Block, Predicted, QueryOfSize, Rows};
use crate::table::Table;
use crate::{algorithms, error, report_table, work};

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

/// The queries of a call: blocks that differ in the size only.
struct Queries {
    blocks: Vec<QueryOfSize>,
    sizes: Vec<Bytes>,
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
    let kinds = argument::kinds(models.as_ref(), &fitted)?;
    let sizes = sizes.map(argument::sizes).transpose()?;
    let queries = if operation == "p2p" {
        if algorithms.is_some()
            || segments.is_some()
            || root.is_some()
            || procs.is_some()
            || library.is_some()
        {
            return Err(error::argument(
                "algorithms, segments, root, procs and library apply to collective operations \
                    only; use from_ and to for p2p",
            ));
        }
        let processors = fitted.processors();
        let from = argument::rank("from_", from_.unwrap_or(0), processors)?;
        let to = argument::rank("to", to.unwrap_or(1), processors)?;
        if from == to {
            return Err(error::argument(format!(
                "from_ {from}, to {to}: sender and receiver must differ; name two ranks"
            )));
        }
        Queries {
            blocks: vec![Arc::new(move |size| Query::PointToPoint { from, to, size })],
            sizes: needed(sizes, operation)?,
        }
    } else {
        let operation: CollectiveKind = argument::parse(operation)?;
        if from_.is_some() || to.is_some() {
            return Err(error::argument(
                "from_ and to apply to p2p only; use root for collective operations",
            ));
        }
        if root.is_some() && !operation.has_root() {
            return Err(error::argument(format!(
                "root does not apply to {operation}, which has no root"
            )));
        }
        let procs = argument::procs(procs, fitted.processors())?;
        let root = argument::rank("root", root.unwrap_or(0), procs)?;
        let library = library.map(Library::from_str).transpose().map_err(error::input)?;
        let found = algorithms::named(operation, procs, algorithms.as_ref(), segments)?;
        let block = |algorithm| -> QueryOfSize {
            let algorithm = CollectiveAlgorithm { operation, library, algorithm };
            Arc::new(move |size| Query::Experiment(algorithm.experiment(root, procs, size)))
        };
        let sizes =
            if operation == CollectiveKind::Barrier { Some(vec![Bytes::ZERO]) } else { sizes };
        Queries {
            blocks: found.into_iter().map(block).collect(),
            sizes: needed(sizes, operation.name())?,
        }
    };
    let predicted = work::run(py, move |interrupt| {
        predictions(&fitted, &kinds, &queries, &|| interrupt.load(Ordering::Relaxed))
    })?;
    object(py, predicted)
}

/// The sizes, which all operations but a barrier need.
fn needed(sizes: Option<Vec<Bytes>>, operation: &str) -> PyResult<Vec<Bytes>> {
    sizes.ok_or_else(|| error::argument(format!("{operation} needs sizes, such as \"1K..1M\"")))
}

/// Predicts all queries by all kinds of models; ends early if it is interrupted.
fn predictions(
    model: &Fitted,
    kinds: &[ModelKind],
    queries: &Queries,
    is_interrupted: &dyn Fn() -> bool,
) -> PyResult<Predicted> {
    let (mut blocks, mut rows) = (Vec::new(), Rows::default());
    rows.reserve(kinds.len() * queries.blocks.len() * queries.sizes.len());
    for &kind in kinds {
        let mut predictor = Predictor::new(model, kind).map_err(error::input)?;
        for block in &queries.blocks {
            let begin = rows.len();
            for &size in &queries.sizes {
                rows.push(predictor.predict(&block(size)).map_err(error::input)?);
                if is_interrupted() {
                    break;
                }
            }
            blocks.push(Block { query: Arc::clone(block), kind, rows: begin..rows.len() });
        }
    }
    Ok(Predicted::new(blocks, rows))
}

/// Predictions as an object.
fn object(py: Python<'_>, predicted: Predicted) -> PyResult<Py<Predictions>> {
    let predicted = Arc::new(predicted);
    let (of_columns, of_html) = (Arc::clone(&predicted), Arc::clone(&predicted));
    let html = move || notebook::predictions(&of_html.curves(), &of_html.first_rows());
    let table = Table::new("predictions", move || of_columns.columns(), html);
    Py::new(py, PyClassInitializer::from(table).add_subclass(Predictions { predicted }))
}

/// The terms of a predicted time along the critical path: a table with a row for each parameter.
///
/// The arguments are those of `predict`, for one size and one algorithm.
#[pyfunction]
#[pyo3(signature = (model, operation, size, *, models = None, from_ = 0, to = 1, algorithm = None, root = 0, procs = None))]
#[expect(clippy::too_many_arguments, reason = "each is an option of its own in Python")]
pub(crate) fn explain(
    py: Python<'_>,
    model: &Bound<'_, Model>,
    operation: &str,
    size: &Bound<'_, PyAny>,
    models: Option<Words>,
    from_: i64,
    to: i64,
    algorithm: Option<&str>,
    root: i64,
    procs: Option<i64>,
) -> PyResult<Table> {
    let fitted = Arc::clone(&model.get().fitted);
    let kinds = argument::kinds(models.as_ref(), &fitted)?;
    let size = argument::size(size)?;
    let processors = fitted.processors();
    let query = if operation == "p2p" {
        let (from, to) =
            (argument::rank("from_", from_, processors)?, argument::rank("to", to, processors)?);
        Query::PointToPoint { from, to, size }
    } else {
        let operation: CollectiveKind = argument::parse(operation)?;
        let procs = argument::procs(procs, processors)?;
        let root = argument::rank("root", root, procs)?;
        let word = algorithm.map(|name| Words::One(name.to_owned()));
        let found = algorithms::named(operation, procs, word.as_ref(), None)?;
        let [algorithm] = found[..] else {
            let names: Vec<String> = found.iter().map(ToString::to_string).collect();
            return Err(error::argument(format!(
                "algorithm: name one, such as one of {}",
                names.join(", ")
            )));
        };
        Query::Experiment(
            CollectiveAlgorithm { operation, library: None, algorithm }
                .experiment(root, procs, size),
        )
    };
    work::run(py, move |_| {
        let one = |kind| {
            let mut predictor = Predictor::new(&fitted, kind)?;
            predictor.explain(&query)
        };
        let answers =
            kinds.into_iter().map(one).collect::<Result<Vec<_>, _>>().map_err(error::input)?;
        Ok(report_table::table(orrery_report::tables::critical_path(&answers)))
    })
}
