//! Validation: measured and predicted times.

use std::sync::Arc;

use orrery::model::{Model as Fitted, Validation as Compared, validate as compare};
use orrery::request::kinds;
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
}

#[pymethods]
impl Validation {
    /// The errors of each kind of model by operation.
    #[getter]
    fn summary(&self) -> Table {
        report_table::table(tables::validation(&self.compared).1)
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
/// measured medians. Calls of an MPI library whose algorithm is not known are left out.
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
    let kinds = kinds(&argument::kinds(models.as_ref())?, &fitted).map_err(error::request)?;
    let level = argument::level(level)?;
    readings.check_operations().map_err(error::input)?;
    for difference in fitted.machine_differences(&readings.provenance) {
        error::warn(py, difference)?;
    }
    let compared = work::run(py, move |_| {
        let fitted = Fitted::clone(&fitted).of_measured(&readings.provenance);
        compare(&fitted, &readings, &kinds, level).map(Arc::new).map_err(error::input)
    })?;
    if compared.rows.is_empty() {
        return Err(error::argument(
            "the model predicts none of the experiments in the samples; give samples of its \
                processors",
        ));
    }
    let (of_columns, of_html) = (Arc::clone(&compared), Arc::clone(&compared));
    let columns = move || report_table::columns(&tables::validation(&of_columns).0);
    let table = Table::new("validation", columns, move || notebook::validation(&of_html));
    Py::new(py, PyClassInitializer::from(table).add_subclass(Validation { compared }))
}
