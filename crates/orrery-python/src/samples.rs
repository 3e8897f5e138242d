//! Samples: the readings of campaigns.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use orrery::sample::{
    ExperimentFields, PROCESSOR_COLUMNS, Samples as Readings, file, join, machine_differences,
    summarise,
};
use orrery_report::tables;
use pyo3::prelude::*;

use crate::argument::{self, Paths};
use crate::arrow::{Column, texts};
use crate::table::Table;
use crate::{error, report_table, work};

/// The confidence level of the intervals in notebooks.
const LEVEL: f64 = 0.95;

/// The readings of campaigns: a table with a row for each reading.
///
/// Columns: experiment, i, j, k (processors), root, procs, size, reply, count, delay, set, launch,
/// rep, seconds.
#[pyclass(extends = Table, frozen, module = "orrery", name = "Samples")]
pub(crate) struct Samples {
    pub(crate) readings: Arc<Readings>,
}

impl Samples {
    /// Samples as an object.
    pub(crate) fn object(py: Python<'_>, readings: Readings) -> PyResult<Py<Self>> {
        let readings = Arc::new(readings);
        let (of_columns, of_html) = (Arc::clone(&readings), Arc::clone(&readings));
        let html = move || orrery_report::notebook::samples(&of_html, LEVEL);
        let table = Table::new("samples", move || columns(&of_columns), html);
        Py::new(py, PyClassInitializer::from(table).add_subclass(Self { readings }))
    }
}

#[pymethods]
impl Samples {
    /// The number of processors.
    #[getter]
    fn processors(&self) -> usize {
        self.readings.processors()
    }

    /// The origin of the readings: the machine, the command, the hosts, ….
    #[getter]
    fn provenance(&self) -> BTreeMap<String, String> {
        self.readings
            .provenance
            .iter()
            .map(|(key, value)| (key.to_owned(), value.to_owned()))
            .collect()
    }

    /// The statistics of each experiment; `level` is that of the intervals.
    #[pyo3(signature = (level = 0.95))]
    fn summary(&self, py: Python<'_>, level: f64) -> PyResult<Table> {
        let (readings, level) = (Arc::clone(&self.readings), argument::level(level)?);
        work::run(py, move |_| {
            Ok(report_table::table(tables::summary(&summarise(&readings, level))))
        })
    }

    /// Writes the samples to a file, compressed if its name ends in .zst; an existing one is
    /// replaced only with `force`.
    #[pyo3(signature = (path, *, force = false))]
    fn write(&self, py: Python<'_>, path: PathBuf, force: bool) -> PyResult<()> {
        let readings = Arc::clone(&self.readings);
        work::run_to_end(py, move |_| file::write(path, &*readings, force).map_err(error::file))
    }
}

/// Reads samples files into one; newer readings of hosts that were measured again replace older
/// ones.
#[pyfunction]
#[pyo3(signature = (paths))]
pub(crate) fn read_samples(py: Python<'_>, paths: Paths) -> PyResult<Py<Samples>> {
    let paths: Vec<PathBuf> = paths.into();
    if paths.is_empty() {
        return Err(error::argument("paths: name one samples file or more"));
    }
    let (readings, warnings) = work::run(py, move |_| {
        let (mut parts, mut warnings) = (Vec::new(), Vec::new());
        for path in &paths {
            let loaded = file::read(path).map_err(error::file)?;
            warnings.extend(loaded.warnings.iter().map(ToString::to_string));
            parts.push(loaded.samples);
        }
        for (file, difference) in machine_differences(&parts) {
            warnings.push(format!("{}: {difference}", paths[file].display()));
        }
        let joined = join(parts);
        for (file, remark) in joined.remarks {
            warnings.push(format!("{}: {remark}", paths[file].display()));
        }
        Ok((joined.samples, warnings))
    })?;
    warnings.iter().try_for_each(|words| error::warn(py, words))?;
    Samples::object(py, readings)
}

/// The columns: one row for each reading.
fn columns(samples: &Readings) -> Vec<Arc<Column>> {
    let rows: Vec<(usize, String, ExperimentFields)> = samples
        .series()
        .iter()
        .map(|series| (series.readings.len(), series.experiment.name(), series.experiment.fields()))
        .collect();
    let whole = |name: &str, pick: &dyn Fn(&ExperimentFields) -> Option<i64>| {
        let values: Vec<Option<i64>> = rows
            .iter()
            .flat_map(|(count, _, fields)| std::iter::repeat_n(pick(fields), *count))
            .collect();
        Column::optional_integers(name, &values)
    };
    let names = rows.iter().flat_map(|(count, name, _)| std::iter::repeat_n(Some(name), *count));
    let mut columns = vec![texts("experiment", names)];
    for (place, name) in PROCESSOR_COLUMNS.into_iter().enumerate() {
        columns.push(whole(name, &|fields| {
            fields.processors[place].map(|processor| processor.0.into())
        }));
    }
    columns.push(whole("root", &|fields| fields.root.map(|root| root.0.into())));
    columns.push(whole("procs", &|fields| fields.procs.map(|procs| procs as i64)));
    columns.push(whole("size", &|fields| Some(fields.size.get() as i64)));
    columns.push(whole("reply", &|fields| fields.reply.map(|reply| reply.get() as i64)));
    columns.push(whole("count", &|fields| fields.count.map(Into::into)));
    columns.push(whole("delay", &|fields| fields.delay.map(|delay| delay as i64)));
    columns.push(whole("set", &|fields| fields.set.map(Into::into)));
    let readings = || samples.series().iter().flat_map(|series| &series.readings);
    columns.push(Column::integers("launch", readings().map(|one| one.launch.into()).collect()));
    columns.push(Column::integers("rep", readings().map(|one| one.rep.into()).collect()));
    columns.push(Column::floats("seconds", readings().map(|one| one.seconds.get()).collect()));
    columns.into_iter().map(Arc::new).collect()
}
