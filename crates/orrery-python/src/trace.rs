//! Traces of applications, and what each rank does in them.

use std::path::PathBuf;
use std::sync::Arc;

use orrery::trace::actions::{CollectiveAlgorithms, Trace as Actions};
use orrery::trace::file;
use orrery_report::tables::profile;
use pyo3::prelude::*;

use crate::table::Table;
use crate::{argument, error, report_table, work};

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
        let mut actions = file::load(&path).map_err(error::file)?;
        if let Some(collectives) = collectives {
            actions.set_algorithms(collectives);
        }
        actions.check_length(actions.budget().operations()).map_err(error::input)?;
        Ok(Arc::new(actions))
    })?;
    let of_table = Arc::clone(&actions);
    let table = work::run(py, move |_| Ok(report_table::table(profile(&of_table.profile()))))?;
    Py::new(py, PyClassInitializer::from(table).add_subclass(Trace { actions }))
}
