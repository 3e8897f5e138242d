//! Validation: measured and predicted times.

use std::sync::Arc;

use orrery::model::{NativeComparison, Validation as Compared};
use orrery::request::ValidationRequest;
use orrery_report::{notebook, tables};
use pyo3::prelude::*;

use crate::argument::{self, Words};
use crate::model::Model;
use crate::samples::Samples;
use crate::table::Table;
use crate::{error, report_table, work};

/// Measured and predicted times: a table with a row for each experiment and kind of model.
#[pyclass(extends = Table, frozen, module = "orrery", name = "Validation")]
pub(crate) struct Validation {
    compared: Arc<Compared>,
    native: Vec<NativeComparison>,
}

#[pymethods]
impl Validation {
    /// The errors of each kind of model by operation.
    #[getter]
    fn summary(&self) -> Table {
        report_table::table(tables::validation(&self.compared).1)
    }

    /// The collective operations of the MPI library, whose algorithms are not known, beside the
    /// predictions of all algorithms.
    #[getter]
    fn native(&self) -> Table {
        report_table::table(tables::native_collectives(&self.native))
    }

    /// The kinds of models from the best to the worst.
    #[getter]
    fn ranking(&self) -> Table {
        report_table::table(tables::ranking(&self.compared))
    }
}

/// Compares the times of samples with the predictions of a model.
///
/// `models` names kinds of models, by default all in the model; `level` is that of the intervals of
/// measured medians.
#[pyfunction]
#[pyo3(signature = (model, samples, *, models = None, level = 0.95))]
pub(crate) fn validate(
    py: Python<'_>,
    model: &Bound<'_, Model>,
    samples: &Bound<'_, Samples>,
    models: Option<Words>,
    level: f64,
) -> PyResult<Py<Validation>> {
    let (fitted, readings) = (Arc::clone(&model.get().fitted), Arc::clone(&samples.get().readings));
    let request = ValidationRequest { models: argument::kinds(models.as_ref())?, level };
    let validated =
        work::run(py, move |_| request.of_samples(&fitted, &readings).map_err(error::request))?;
    for difference in &validated.differences {
        error::warn(py, difference)?;
    }
    let (compared, native) = (Arc::new(validated.compared), validated.native);
    let (of_columns, of_html) = (Arc::clone(&compared), Arc::clone(&compared));
    let columns = move || report_table::columns(&tables::validation(&of_columns).0);
    let table = Table::new("validation", columns, move || notebook::validation(&of_html));
    Py::new(py, PyClassInitializer::from(table).add_subclass(Validation { compared, native }))
}
