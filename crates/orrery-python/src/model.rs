//! Models: the fitted parameters of a cluster.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use orrery::comm::{Index, ParameterUnit, ParameterValues, Shape};
use orrery::model::{Availability, Forecaster, Model as Fitted, ModelKind, file};
use orrery::numeric::{Estimate, Interval};
use orrery::platform::{Pairs, Processor};
use orrery_report::{Table as ReportTable, tables};
use pyo3::prelude::*;

use crate::arrow::{Column, Values, texts};
use crate::table::{self, Table, entries};
use crate::{error, work};

/// The models of a cluster: a table with a row for each parameter and its interval.
///
/// Columns: model, parameter, unit, i, j (the processor, or the ends of the link), size, processors
/// (of a shared link), value, low, high, level, samples.
#[pyclass(extends = Table, frozen, module = "orrery", name = "Model")]
pub(crate) struct Model {
    pub(crate) fitted: Arc<Fitted>,
    /// The name of its file; `fitted` for a model of a fit.
    pub(crate) name: String,
    notes: Vec<String>,
    residuals: Option<ReportTable>,
    /// The availability of hosts under the conditions of the model; `None` for a model without
    /// load.
    pub(crate) availability: Option<Availability>,
}

/// A model with the load of its hosts, for work on a thread.
pub(crate) struct Load {
    pub(crate) fitted: Arc<Fitted>,
    pub(crate) availability: Availability,
}

impl Load {
    /// Forecasts for this load.
    pub(crate) fn forecaster(&self) -> PyResult<Forecaster<'_>> {
        Forecaster::new(&self.fitted)
            .with_availability(self.availability.clone())
            .map_err(error::input)
    }
}

impl Model {
    /// The model with the load of its hosts: that of its conditions, or none.
    pub(crate) fn load(&self) -> Load {
        Load {
            fitted: Arc::clone(&self.fitted),
            availability: self.availability.clone().unwrap_or_default(),
        }
    }

    /// A model as an object, with what its fit or its conditions report.
    pub(crate) fn object(
        py: Python<'_>,
        fitted: Fitted,
        name: String,
        notes: Vec<String>,
        residuals: Option<ReportTable>,
        availability: Option<Availability>,
    ) -> PyResult<Py<Self>> {
        let fitted = Arc::new(fitted);
        let table = Table::of("parameters", &fitted, columns, orrery_report::notebook::model);
        Py::new(
            py,
            PyClassInitializer::from(table).add_subclass(Self {
                fitted,
                name,
                notes,
                residuals,
                availability,
            }),
        )
    }
}

#[pymethods]
impl Model {
    /// The kinds of communication models.
    #[getter]
    fn kinds(&self) -> Vec<&'static str> {
        self.fitted.kinds().into_iter().map(ModelKind::name).collect()
    }

    /// The number of processors.
    #[getter]
    fn processors(&self) -> usize {
        self.fitted.processors()
    }

    /// The host of each processor; empty if it is unknown.
    #[getter]
    fn hosts(&self) -> Vec<String> {
        self.fitted.hosts.clone()
    }

    /// The origin of the model.
    #[getter]
    fn provenance(&self) -> BTreeMap<String, String> {
        entries(&self.fitted.provenance)
    }

    /// What the fit reports: how estimators ended, and which kinds of models were not fitted; for a
    /// model under conditions, what these do not say about its hosts and links; empty for a model
    /// from a file.
    #[getter]
    fn notes(&self) -> Vec<String> {
        self.notes.clone()
    }

    /// The part of a processor that other programs leave to a process, by host; None for a model
    /// without load.
    #[getter]
    fn availability(&self) -> Option<BTreeMap<String, f64>> {
        let availability = self.availability.as_ref()?;
        let of_kernels = self
            .fitted
            .kernels
            .iter()
            .flat_map(|one| one.equal_hosts.iter().chain([&one.conditions.host]));
        let hosts = self.fitted.hosts.iter().chain(of_kernels).filter(|host| !host.is_empty());
        Some(hosts.map(|host| (host.clone(), availability.of(host))).collect())
    }

    /// The residuals of the fit by operation; None for a model from a file.
    #[getter]
    fn residuals(&self) -> Option<Table> {
        self.residuals.clone().map(table::of_report)
    }

    /// The thresholds of linear scatter and gather.
    #[getter]
    fn thresholds(&self) -> Table {
        table::of_report(tables::thresholds(&self.fitted.thresholds))
    }

    /// The model of the first `ppn` processors of each host, for jobs with fewer ranks on each host
    /// than were measured.
    #[pyo3(signature = (ppn))]
    fn with_ranks_per_host(&self, py: Python<'_>, ppn: i64) -> PyResult<Py<Self>> {
        let valid = usize::try_from(ppn).ok().filter(|ppn| *ppn > 0);
        let ppn = valid.ok_or_else(|| {
            error::argument(format!("ppn {ppn}: a number of ranks from 1 up is expected"))
        })?;
        let part = self.fitted.with_ranks_per_host(ppn);
        let part = part.map_err(|error| {
            error::argument(format!("ppn {ppn}: {error}; measure with as many ranks"))
        })?;
        let name = format!("{}, {ppn} ranks on each host", self.name);
        Self::object(py, part, name, Vec::new(), None, self.availability.clone())
    }

    /// Writes the models to a file; an existing one is replaced only with `force`, a file of another
    /// kind never.
    #[pyo3(signature = (path, *, force = false))]
    fn write(&self, py: Python<'_>, path: PathBuf, force: bool) -> PyResult<()> {
        let fitted = Arc::clone(&self.fitted);
        work::run_to_end(py, move |_| {
            if file::FORMAT.check(&path).map_err(error::file)? && !force {
                return Err(error::file(orrery::file::FileError::Exists { path }));
            }
            file::write(&path, &fitted).map_err(error::file)
        })
    }
}

/// Reads a model file.
#[pyfunction]
pub(crate) fn read_model(py: Python<'_>, path: PathBuf) -> PyResult<Py<Model>> {
    let name = path.display().to_string();
    let loaded = work::run(py, move |_| file::read(path).map_err(error::file))?;
    loaded.warnings.iter().try_for_each(|words| error::warn(py, words))?;
    Model::object(py, loaded.model, name, Vec::new(), None, None)
}

/// A row: a parameter with what it belongs to.
struct Row<'a> {
    kind: ModelKind,
    parameter: &'static str,
    unit: Option<ParameterUnit>,
    ends: [Option<Processor>; 2],
    size: Option<i64>,
    group: &'a [Processor],
    estimate: Estimate,
}

/// The rows of one parameter.
fn rows(kind: ModelKind, values: &ParameterValues, processors: usize) -> Vec<Row<'_>> {
    let known = kind.parameters().find(|(_, spec)| spec.name == values.name);
    let shape = known.map(|(shape, _)| shape);
    let pairs: Vec<(Processor, Processor)> = match shape {
        Some(Shape::Pairs) => Pairs::of(processors).iter().collect(),
        _ => Vec::new(),
    };
    let row = |(place, estimate): (usize, &Estimate)| {
        let ends = match shape {
            Some(Shape::Processors) => [Some(Processor(place as u32)), None],
            _ => pairs.get(place).map_or([None, None], |(i, j)| [Some(*i), Some(*j)]),
        };
        let (mut size, mut group) = (None, &[][..]);
        match &values.index {
            Index::Sizes(sizes) => size = sizes.get(place).map(|size| size.get() as i64),
            Index::LinkGroups(groups) => group = groups.get(place).map_or(&[], |group| &group[..]),
            Index::Implied => {}
        }
        let unit = known.map(|(_, spec)| spec.unit);
        Row { kind, parameter: values.name, unit, ends, size, group, estimate: *estimate }
    };
    values.estimates.iter().enumerate().map(row).collect()
}

/// The unit in a table.
fn unit(unit: ParameterUnit) -> &'static str {
    match unit {
        ParameterUnit::Seconds => "s",
        ParameterUnit::SecondsPerByte => "s/B",
        ParameterUnit::Bytes => "B",
    }
}

/// The columns: one row for each parameter.
fn columns(model: &Fitted) -> Vec<Arc<Column>> {
    let sets = model
        .point_to_point
        .iter()
        .flat_map(|(kind, set)| set.iter().map(move |values| (*kind, values)));
    let rows: Vec<Row<'_>> =
        sets.flat_map(|(kind, values)| rows(kind, values, model.processors())).collect();
    let whole = |name: &str, pick: &dyn Fn(&Row<'_>) -> Option<i64>| {
        Column::optional_integers(name, &rows.iter().map(pick).collect::<Vec<_>>())
    };
    let end =
        |place: usize| move |row: &Row<'_>| row.ends[place].map(|processor| processor.0.into());
    let interval = |name: &str, pick: fn(Interval) -> f64| {
        Column::floats(
            name,
            rows.iter().map(|row| row.estimate.interval.map_or(f64::NAN, pick)).collect(),
        )
    };
    let mut offsets = vec![0];
    let mut processors = Vec::new();
    for row in &rows {
        processors.extend(row.group.iter().map(|processor| i64::from(processor.0)));
        offsets.push(processors.len() as i64);
    }
    let elements = Arc::new(Column::integers("item", processors));
    let groups = Column {
        name: "processors".into(),
        values: Values::Lists { offsets, elements },
        length: rows.len(),
        present: None,
    };
    let columns = vec![
        texts("model", rows.iter().map(|row| Some(row.kind.name()))),
        texts("parameter", rows.iter().map(|row| Some(row.parameter))),
        texts("unit", rows.iter().map(|row| row.unit.map(unit))),
        whole("i", &end(0)),
        whole("j", &end(1)),
        whole("size", &|row| row.size),
        groups,
        Column::floats("value", rows.iter().map(|row| row.estimate.value).collect()),
        interval("low", |interval| interval.low),
        interval("high", |interval| interval.high),
        interval("level", |interval| interval.level),
        whole("samples", &|row| row.estimate.samples.map(|samples| samples as i64)),
    ];
    columns.into_iter().map(Arc::new).collect()
}
