//! Runs of applications.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use orrery::run::{Runs as Measured, file};
use orrery_report::tables;
use pyo3::prelude::*;

use crate::argument::Paths;
use crate::table::Table;
use crate::{error, report_table, work};

/// Runs of an application: a table with a row for each run.
///
/// Columns: the variables by name, region and configuration if some run has one, seconds, the times
/// of computation and communication if they were measured, labels, origin.
#[pyclass(extends = Table, frozen, module = "orrery", name = "Runs")]
pub(crate) struct Runs {
    measured: Arc<Measured>,
}

#[pymethods]
impl Runs {
    /// The program, the command and the sources that produced the runs.
    #[getter]
    fn provenance(&self) -> BTreeMap<String, String> {
        self.measured
            .provenance
            .iter()
            .map(|(key, value)| (key.to_owned(), value.to_owned()))
            .collect()
    }
}

/// Reads runs files into one.
#[pyfunction]
pub(crate) fn read_runs(py: Python<'_>, paths: Paths) -> PyResult<Py<Runs>> {
    let paths: Vec<PathBuf> = paths.into();
    if paths.is_empty() {
        return Err(error::argument("paths: name one runs file or more"));
    }
    let measured = work::run(py, move |_| {
        let mut all = Measured::default();
        for path in paths {
            let Measured { provenance, runs } = file::read(path).map_err(error::file)?;
            provenance.iter().for_each(|(key, value)| all.provenance.set(key, value));
            all.runs.extend(runs);
        }
        Ok(Arc::new(all))
    })?;
    let table = report_table::table(tables::runs(&measured));
    Py::new(py, PyClassInitializer::from(table).add_subclass(Runs { measured }))
}
