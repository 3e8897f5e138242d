//! Simulation: a trace on a cluster whose links are shared (a cluster file in TOML, or a platform of
//! SimGrid in XML), or on a fitted model.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use orrery::file::advice;
use orrery::model::Model as Fitted;
use orrery::platform::file::{self, Network};
use orrery::request::{
    EagerLimits, RankPlacement, RequestError, SharedLinks, SimulatedApplication, SimulatedPlatform,
    UnusedSetting,
};
use orrery::schedule::Rank;
use orrery::sharing::LawKind;
use orrery::simulate::{EventSink, FlowModel, Outcome};
use orrery::trace::actions::Trace as Actions;
use orrery::units::{Seconds, UnknownName};
use orrery_report::tables;
use pyo3::prelude::*;

use crate::model::Model;
use crate::runs::Trace;
use crate::table::{self, Table};
use crate::{argument, error, work};

/// A simulated run: a table with a row for each task.
#[pyclass(extends = Table, frozen, module = "orrery", name = "Simulation")]
pub(crate) struct Simulation {
    outcome: Arc<Outcome>,
    actions: Arc<Actions>,
    conflicts: bool,
}

#[pymethods]
impl Simulation {
    /// The end of the last task in seconds.
    #[getter]
    fn seconds(&self) -> f64 {
        self.outcome.end.get()
    }

    /// The operations that take time, in the order of their ends; empty unless they were requested.
    #[getter]
    fn events(&self, py: Python<'_>) -> PyResult<Table> {
        let (outcome, actions) = (Arc::clone(&self.outcome), Arc::clone(&self.actions));
        work::run(py, move |_| {
            let places =
                outcome.events.iter().map(|event| place(&actions, event.rank, event.statement));
            Ok(table::of_report(tables::events(&outcome, places)))
        })
    }

    /// The messages with their penalties and losses; None unless they were requested.
    #[getter]
    fn conflicts(&self, py: Python<'_>) -> PyResult<Option<Table>> {
        if !self.conflicts {
            return Ok(None);
        }
        let (outcome, actions) = (Arc::clone(&self.outcome), Arc::clone(&self.actions));
        let at = move |rank, statement| place(&actions, rank, statement);
        work::run(py, move |_| Ok(Some(table::of_report(tables::conflicts(&outcome, at)))))
    }
}

/// The platform of a simulation.
#[derive(FromPyObject)]
pub(crate) enum Platform<'py> {
    /// A fitted model.
    Model(Bound<'py, Model>),
    /// A cluster file or a platform of SimGrid.
    Cluster(PathBuf),
}

/// Simulates a trace on a model, or on the cluster of a file (TOML, or a SimGrid platform in XML).
///
/// `network` names the network: of a cluster `maxmin`, a sharing law or one of SimGrid's, by
/// default the one in the file, else `simgrid-smpi`; of a model a kind of it, which may be left out
/// if there is only one. `placement` maps ranks to hosts of a cluster: `rrn` (round robin by host),
/// `rrp` (by core), `random[:SEED]`. `speed` is that of every processor of a model in operations
/// per second. `eager` and `buffer` are the eager limit and the buffer for eager messages of a rank
/// in bytes. With `events` and `conflicts` operations and conflicts are recorded.
#[pyfunction]
#[pyo3(signature = (trace, platform, *, network = None, placement = None, speed = None, eager = None, buffer = None,
    events = false, conflicts = false))]
#[expect(clippy::too_many_arguments, reason = "each is an option of its own in Python")]
pub(crate) fn simulate(
    py: Python<'_>,
    trace: &Bound<'_, Trace>,
    platform: Platform<'_>,
    network: Option<&str>,
    placement: Option<&str>,
    speed: Option<f64>,
    eager: Option<&Bound<'_, PyAny>>,
    buffer: Option<&Bound<'_, PyAny>>,
    events: bool,
    conflicts: bool,
) -> PyResult<Py<Simulation>> {
    let actions = Arc::clone(&trace.get().actions);
    let limits = EagerLimits {
        eager: eager.map(argument::size).transpose()?,
        buffer: buffer.map(argument::size).transpose()?,
        send_buffer: None,
    };
    let speed = speed.map(|speed| argument::positive("speed", speed)).transpose()?;
    let (platform, placement) = match platform {
        Platform::Cluster(path) => {
            if speed.is_some() {
                let of_file = "a cluster, whose file has the speeds of its hosts";
                return Err(error::request(RequestError::inapplicable("speed", of_file)));
            }
            let placement = placement.map(argument::parse).transpose()?;
            let network = network.map(ToOwned::to_owned);
            let links = work::run(py, move |_| {
                let cluster = file::read_network(&path).map_err(error::file)?;
                let model = flow_model(&cluster, network.as_deref())?;
                SharedLinks::new(cluster, model, limits).map_err(error::request)
            })?;
            for UnusedSetting { at, replaced } in &links.1 {
                let model = links.0.model.name();
                let words = match replaced {
                    Some(named) => format!("{at}={named} is overridden by {model}"),
                    None => format!("{at} has no effect in {model}"),
                };
                error::warn(py, words)?;
            }
            (SimulatedPlatform::Flows(links.0), placement.map(RankPlacement::Policy))
        }
        Platform::Model(model) => {
            if placement.is_some() {
                let why = "a model, whose processors the ranks take in order";
                return Err(error::request(RequestError::inapplicable("placement", why)));
            }
            let fitted = &model.get().fitted;
            let kind = argument::kind("network", network, fitted)?;
            if conflicts && !kind.shares_ports() {
                let why = format!("{kind}, which has no flows");
                return Err(error::request(RequestError::inapplicable("conflicts", why)));
            }
            let speeds = speed.map(|speed| vec![speed; fitted.processors()]);
            let platform = SimulatedPlatform::of_model(Fitted::clone(fitted), kind, speeds, limits);
            (platform.map_err(error::request)?, None)
        }
    };
    let application = SimulatedApplication::of_trace("the trace", Arc::clone(&actions), false);
    let (outcome, hosts, assumed) = work::run(py, move |_| {
        let placed = platform
            .place([(&application, placement.as_ref(), Seconds::ZERO)])
            .map_err(error::request)?;
        let mut recorded = Vec::new();
        let mut record = |event| recorded.push(event);
        let sink: Option<EventSink<'_>> = if events { Some(&mut record) } else { None };
        let all: Vec<_> = placed.iter().collect();
        let outcome = platform.run(&all, conflicts, sink).map_err(without_option)?;
        let hosts: Vec<String> = placed.iter().flat_map(|one| one.hosts.clone()).collect();
        let assumed: Vec<String> =
            platform.assumed(&placed).into_iter().map(ToString::to_string).collect();
        Ok((Outcome { events: recorded, ..outcome }, hosts, assumed))
    })?;
    assumed.into_iter().try_for_each(|words| error::warn(py, words))?;
    let names: Vec<&str> = hosts.iter().map(String::as_str).collect();
    let table = table::of_report(tables::tasks(&outcome, &names));
    let simulation = Simulation { outcome: Arc::new(outcome), actions, conflicts };
    Py::new(py, PyClassInitializer::from(table).add_subclass(simulation))
}

/// The exception for a run, without remedies that Python does not have.
fn without_option(error: RequestError) -> PyErr {
    error::request(match error {
        RequestError::Failed { reason, remedy: Some(("max_operations" | "estimate", _)) } => {
            RequestError::failed(reason)
        }
        error => error,
    })
}

/// The position of a statement of a rank in the files of a trace as text; `None` if it is unknown.
fn place(actions: &Actions, rank: Rank, statement: u32) -> Option<String> {
    actions.location(rank, statement).map(|place| place.to_string())
}

/// The named network, or the one in the file of a cluster, by default SimGrid's SMPI.
pub(crate) fn flow_model(cluster: &Network, network: Option<&str>) -> PyResult<FlowModel> {
    match (network, &cluster.sharing) {
        (Some(name), _) => named(name, &[]),
        (None, Some(sharing)) => named(sharing.law, &sharing.parameters),
        (None, None) => Ok(FlowModel::of_settings(&cluster.settings)),
    }
}

/// The text of a cluster file.
pub(crate) fn text(path: &Path) -> PyResult<String> {
    orrery::file::read_string(path).map_err(|reason| {
        let words = format!(
            "{}: cannot read the cluster: {reason}{}",
            path.display(),
            advice(&reason, "read")
        );
        error::system(std::io::Error::new(reason.kind(), words))
    })
}

/// The network of a name: a flow model, or a sharing law with these values of its parameters.
fn named(name: &str, parameters: &[(&str, f64)]) -> PyResult<FlowModel> {
    let unknown = match name.parse::<FlowModel>() {
        Ok(model) => return Ok(model),
        Err(unknown) => unknown,
    };
    let Ok(kind) = LawKind::from_name(name) else {
        let known =
            unknown.known.iter().copied().chain(orrery::sharing::LAWS.iter().map(|kind| kind.name));
        return Err(error::input(UnknownName { known: known.collect(), ..unknown }));
    };
    let value = |parameter: &str| {
        parameters.iter().find(|(own, _)| *own == parameter).map(|(_, value)| *value)
    };
    let values: Option<Vec<f64>> = kind.parameter_names().map(value).collect();
    let values = values.ok_or_else(|| {
        let names: Vec<&str> = kind.parameter_names().collect();
        error::argument(format!(
            "network {name}: give its parameters in the section [sharing] of the cluster file: {}",
            names.join(", ")
        ))
    })?;
    kind.law(&values).map(FlowModel::from_law).map_err(error::input)
}
