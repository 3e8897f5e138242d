//! Runs and traces of applications.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use orrery::run::{Runs as Measured, file};
use orrery::trace::actions::{CollectiveAlgorithms, Trace as Actions};
use orrery::trace::file as trace_file;
use orrery_report::tables::{self, profile};
use pyo3::prelude::*;

use crate::argument::{self, Paths};
use crate::table::{self, Table, entries};
use crate::{error, work};

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
        entries(&self.measured.provenance)
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
    let table = table::of_report(tables::runs(&measured));
    Py::new(py, PyClassInitializer::from(table).add_subclass(Runs { measured }))
}

/// A trace: a table with the profile of each rank.
///
/// Columns: rank, action, count, sent_bytes, flops, sleep_seconds.
#[pyclass(extends = Table, frozen, module = "orrery", name = "Trace")]
pub(crate) struct Trace {
    pub(crate) actions: Arc<Actions>,
}

#[pymethods]
impl Trace {
    /// The number of ranks.
    #[getter]
    fn ranks(&self) -> usize {
        self.actions.ranks()
    }
}

/// Reads a trace: time-independent, an index of such traces, binary or GOAL.
///
/// `collectives` names the algorithms of collective operations, as
/// `bcast=pipeline:64K,allreduce=rabenseifner`; by default those of SimGrid.
#[pyfunction]
#[pyo3(signature = (path, *, collectives = None))]
pub(crate) fn read_trace(
    py: Python<'_>,
    path: PathBuf,
    collectives: Option<&str>,
) -> PyResult<Py<Trace>> {
    let collectives: Option<CollectiveAlgorithms> = collectives.map(argument::parse).transpose()?;
    let actions = work::run(py, move |_| {
        let mut actions = trace_file::load(&path).map_err(error::file)?;
        if let Some(collectives) = collectives {
            actions.set_algorithms(collectives);
        }
        actions.check_length(actions.budget().operations()).map_err(error::input)?;
        Ok(Arc::new(actions))
    })?;
    let of_table = Arc::clone(&actions);
    let table = work::run(py, move |_| Ok(table::of_report(profile(&of_table.profile()))))?;
    Py::new(py, PyClassInitializer::from(table).add_subclass(Trace { actions }))
}
