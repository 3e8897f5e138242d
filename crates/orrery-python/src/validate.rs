//! Validation: measured and predicted times.

use std::sync::Arc;

use orrery::model::{NativeComparison, Validation as Compared};
use orrery::request::{ValidatedSamples, ValidationRequest};
use orrery_report::{notebook, tables};
use pyo3::prelude::*;

use crate::argument::{self, Words};
use crate::model::Model;
use crate::samples::Samples;
use crate::table::Table;
use crate::{error, table, work};

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
        table::of_report(tables::validation(&self.compared).1)
    }

    /// The collective operations of the MPI library, whose algorithms are not known, beside the
    /// predictions of all algorithms.
    #[getter]
    fn native(&self) -> Table {
        table::of_report(tables::native_collectives(&self.native))
    }

    /// The kinds of models from the best to the worst.
    #[getter]
    fn ranking(&self) -> Table {
        table::of_report(tables::ranking(&self.compared))
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
    for difference in ValidationRequest::machine_differences(&fitted, &readings.provenance) {
        error::warn(py, difference)?;
    }
    let processors = fitted.processors();
    let validated = work::run(py, move |_| {
        let validated = request.of_samples(&fitted, &readings);
        validated.and_then(ValidatedSamples::require_rows).map_err(error::request)
    })?;
    if validated.too_large > 0 {
        error::warn(
            py,
            format!(
                "collective operations of the MPI library of more than the {processors} processors \
                 of the model are not compared"
            ),
        )?;
    }
    let (compared, native) = (Arc::new(validated.compared), validated.native);
    let columns = |compared: &_| table::columns(&tables::validation(compared).0);
    let table = Table::of("validation", &compared, columns, notebook::validation);
    Py::new(py, PyClassInitializer::from(table).add_subclass(Validation { compared, native }))
}
