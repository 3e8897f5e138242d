//! Simulation: a trace on a cluster whose links are shared, or on a fitted model.

use std::path::PathBuf;
use std::sync::Arc;

use orrery::comm::Ports;
use orrery::engine::EngineError;
use orrery::model::{Model as Fitted, ModelKind};
use orrery::platform::{HostId, HostOverheads, MappingPolicy, Placement, Processor, Topology};
use orrery::schedule::{Deadlock, Rank};
use orrery::simulate::{
    FlowModel, Outcome, Simulation as Replay, SimulationError, replay_point_to_point,
};
use orrery::trace::actions::Trace as Actions;
use orrery::units::Bytes;
use orrery_report::tables;
use pyo3::prelude::*;

use crate::cluster::Cluster;
use crate::model::Model;
use crate::table::Table;
use crate::trace::Trace;
use crate::{argument, error, report_table, work};

/// The number of changes of rates, each of 15 nanoseconds, that count as an operation.
const RATE_CHANGES_PER_OPERATION: u64 = 50;

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
            Ok(report_table::table(tables::events(&outcome, places)))
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
        work::run(py, move |_| Ok(Some(report_table::table(tables::conflicts(&outcome, at)))))
    }
}

/// Simulates a trace; returns the outcome and the host of each rank.
type Run = Box<dyn FnOnce(&Actions) -> PyResult<(Outcome, Vec<String>)> + Send>;

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
    let limits = Limits {
        eager: eager.map(argument::size).transpose()?,
        buffer: buffer.map(argument::size).transpose()?,
    };
    let recording = Recording { events, conflicts };
    let speed = speed.map(|speed| argument::positive("speed", speed)).transpose()?;
    let run: Run = match platform {
        Platform::Cluster(path) => {
            if speed.is_some() {
                return Err(error::argument(
                    "speed applies to models only; the file of a cluster has the speeds of its \
                        hosts",
                ));
            }
            let policy = placement.map_or(Ok(MappingPolicy::RoundRobinNode), argument::parse)?;
            let network = network.map(ToOwned::to_owned);
            Box::new(move |actions| {
                let cluster = Cluster::read(&path)?;
                let model = limits.of(cluster.flow_model(network.as_deref())?);
                let hosts = policy.hosts(&cluster.topology, actions.ranks());
                let names = hosts
                    .iter()
                    .map(|host| cluster.topology.hosts[host.index()].name.clone())
                    .collect();
                let shared =
                    Shared { topology: &cluster.topology, overheads: &cluster.overheads, model };
                Ok((shared.replay(actions, &hosts, recording)?, names))
            })
        }
        Platform::Model(model) => {
            if placement.is_some() {
                return Err(error::argument(
                    "placement applies to clusters only; ranks take the processors of a model in \
                        order",
                ));
            }
            let fitted = Arc::clone(&model.get().fitted);
            let kind = kind(network, &fitted)?;
            if !kind.shares_ports() && (limits != Limits::default() || conflicts) {
                let words = format!(
                    "eager, buffer and conflicts do not apply to {kind}, which has no flows"
                );
                return Err(error::argument(words));
            }
            if speed.is_none() && actions.has_computation() {
                return Err(error::argument(
                    "the speed of the computations is unknown; give speed in operations per second",
                ));
            }
            Box::new(move |actions| {
                on_model(actions, &fitted, kind, speed.unwrap_or(1.0), limits, recording)
            })
        }
    };
    let replayed = Arc::clone(&actions);
    let (outcome, hosts) = work::run(py, move |_| run(&replayed))?;
    let names: Vec<&str> = hosts.iter().map(String::as_str).collect();
    let table = report_table::table(tables::tasks(&outcome, &names));
    let simulation = Simulation { outcome: Arc::new(outcome), actions, conflicts };
    Py::new(py, PyClassInitializer::from(table).add_subclass(simulation))
}

/// What a simulation records.
#[derive(Debug, Clone, Copy)]
struct Recording {
    events: bool,
    conflicts: bool,
}

/// The limits of eager messages; `None` for those of the network.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
struct Limits {
    eager: Option<Bytes>,
    buffer: Option<Bytes>,
}

impl Limits {
    /// The flow model with these limits.
    fn of(self, mut model: FlowModel) -> FlowModel {
        if let Some(eager) = self.eager {
            model = model.with_eager(eager);
        }
        if let Some(buffer) = self.buffer {
            model = model.with_buffer(buffer);
        }
        model
    }
}

/// The named kind of model, or the only one.
fn kind(name: Option<&str>, model: &Fitted) -> PyResult<ModelKind> {
    if let Some(name) = name {
        return argument::parse(name);
    }
    match model.kinds()[..] {
        [only] => Ok(only),
        ref several => {
            let names: Vec<&str> = several.iter().map(|kind| kind.name()).collect();
            Err(error::argument(format!(
                "network: name a kind of model, one of {}",
                names.join(", ")
            )))
        }
    }
}

/// Hosts with links that flows share.
struct Shared<'a> {
    topology: &'a Topology,
    overheads: &'a HostOverheads,
    model: FlowModel,
}

impl Shared<'_> {
    /// Replays a trace with rank r on host `hosts[r]`.
    fn replay(
        &self,
        actions: &Actions,
        hosts: &[HostId],
        recording: Recording,
    ) -> PyResult<Outcome> {
        let speeds: Vec<f64> =
            hosts.iter().map(|host| self.topology.hosts[host.index()].speed).collect();
        self.replay_at(actions, hosts, &speeds, recording)
    }

    /// The same with these speeds of ranks in operations per second.
    fn replay_at(
        &self,
        actions: &Actions,
        hosts: &[HostId],
        speeds: &[f64],
        recording: Recording,
    ) -> PyResult<Outcome> {
        let schedule = actions.schedule(speeds, self.model.test_time());
        let changes = actions.budget().operations().saturating_mul(RATE_CHANGES_PER_OPERATION);
        let mut simulation = Replay::new(self.topology, hosts, self.model.clone())
            .with_overheads(self.overheads)
            .with_max_rate_changes(changes);
        if recording.events {
            simulation = simulation.with_events();
        }
        if recording.conflicts {
            simulation = simulation.with_conflicts();
        }
        simulation.run(&schedule).map_err(|error| located(actions, error))
    }
}

/// Replays a trace on a fitted model, with the ranks on its processors in order; returns the host
/// of each rank, too.
fn on_model(
    actions: &Actions,
    model: &Fitted,
    kind: ModelKind,
    speed: f64,
    limits: Limits,
    recording: Recording,
) -> PyResult<(Outcome, Vec<String>)> {
    let (ranks, processors) = (actions.ranks(), model.processors());
    if ranks > processors {
        let words = format!("{ranks} ranks need a processor each; the model has {processors}");
        return Err(error::argument(words));
    }
    let names = model.hosts[..ranks].to_vec();
    let mut network = model.network(kind).map_err(error::input)?;
    if let Some(ports) = model.get::<Ports>(kind).filter(|_| kind.shares_ports()) {
        let (topology, overheads) = ports.platform(&model.hosts, &[]);
        let measured = ports.largest_eager().map(|largest| largest + Bytes::new(1));
        let limits = Limits { eager: limits.eager.or(measured), ..limits };
        let model = limits.of(FlowModel::PORTS).with_size_law(&ports.size_law);
        let hosts: Vec<HostId> = (0..ranks as u32).map(HostId).collect();
        let shared = Shared { topology: &topology, overheads: &overheads, model };
        return Ok((shared.replay_at(actions, &hosts, &vec![speed; ranks], recording)?, names));
    }
    let placement = Placement::new(Processor::first(ranks));
    let speeds = vec![speed; ranks];
    let schedule = actions.schedule(&speeds, orrery::units::Seconds::ZERO);
    let mut events = Vec::new();
    let mut record = |event| events.push(event);
    let sink: Option<orrery::simulate::EventSink<'_>> =
        if recording.events { Some(&mut record) } else { None };
    let replayed = replay_point_to_point(&schedule, &placement, &mut network, sink);
    let outcome = replayed.map_err(|error| match error {
        EngineError::Deadlock(deadlock) => located(actions, SimulationError::Deadlock(deadlock)),
        error => error::input(error),
    })?;
    Ok((Outcome { events, ..outcome }, names))
}

/// The position of a statement of a rank in a trace.
fn place(actions: &Actions, rank: Rank, statement: u32) -> Option<String> {
    actions.location(rank, statement).map(|place| place.to_string())
}

/// The exception for a trace that cannot run to its end, with positions in the trace.
fn located(actions: &Actions, fault: SimulationError) -> PyErr {
    let at =
        |rank, statement| place(actions, rank, statement).unwrap_or_else(|| "its end".to_owned());
    let found = match &fault {
        SimulationError::Deadlock(deadlock) => {
            let blocked = deadlock.blocked.clone();
            let words = Deadlock { blocked }.describe(|one| at(one.rank, one.statement));
            return error::argument(format!("deadlock: {words}"));
        }
        SimulationError::Unreceived { from, statement, .. } => Some((*from, *statement)),
        SimulationError::Size { to, statement, .. } => Some((*to, *statement)),
        SimulationError::Operation { rank, statement, .. } => Some((*rank, *statement)),
        _ => None,
    };
    match found {
        Some((rank, statement)) => error::argument(format!("{}: {fault}", at(rank, statement))),
        None => error::input(fault),
    }
}
