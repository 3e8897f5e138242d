//! The platform of a simulation: runs applications on a network.

use anyhow::{Context as _, anyhow};
use orrery::engine::EngineError;
use orrery::model::{Model, ModelKind};
use orrery::platform::{HostId, HostOverheads, Placement, Processor, Topology};
use orrery::schedule::{Blocked, Deadlock, Job, Jobs, Operation, Rank, Request, Schedule};
use orrery::sharing::SharingError;
use orrery::simulate::loggp::LogGops;
use orrery::simulate::{
    EventSink, FlowModel, Outcome, Simulation, SimulationError, replay_point_to_point,
};
use orrery::units::Seconds;

use super::application::Application;
use super::loggp;
use super::mapping::{FreeProcessors, MappingOption};
use super::measured_range::MeasuredRange;

/// The platform on which applications are simulated.
pub enum SimulatedPlatform {
    /// A cluster with flows.
    Flows(SharedLinks),
    /// A fitted point-to-point model, with the speed of each processor if known, and the links that
    /// flows share in a model with ports.
    PointToPoint {
        model: Box<Model>,
        kind: ModelKind,
        speeds: Option<Vec<f64>>,
        links: Option<SharedLinks>,
    },
    /// The LogGOPS model; a cluster or a speed sets how fast ranks compute.
    LogGops {
        parameters: LogGops,
        measured: Option<MeasuredRange>,
        cluster: Option<Topology>,
        speed: Option<f64>,
    },
}

/// Hosts with links that flows share.
pub struct SharedLinks {
    pub topology: Topology,
    pub model: Box<FlowModel>,
    pub overheads: HostOverheads,
}

/// An application with the hosts of its ranks.
pub struct PlacedApplication<'a> {
    pub application: &'a Application,
    pub start: Seconds,
    /// The host of each rank.
    pub hosts: Vec<String>,
    /// By rank: the number of the host, or of the processor.
    places: Vec<u32>,
    speeds: Vec<f64>,
}

impl SimulatedPlatform {
    /// The sizes that a fitted model was measured with; `None` of other networks.
    pub fn measured(&self) -> Option<MeasuredRange> {
        match self {
            Self::Flows(_) => None,
            Self::PointToPoint { model, .. } => model.measured,
            Self::LogGops { measured, .. } => *measured,
        }
    }

    /// Returns true if it replays GOAL graphs that are not sequential.
    pub fn accepts_graphs(&self) -> bool {
        matches!(self, Self::LogGops { .. })
    }

    /// Assigns hosts or processors to the ranks of applications.
    pub fn place<'a>(
        &self,
        applications: impl IntoIterator<Item = (&'a Application, Option<&'a MappingOption>, Seconds)>,
    ) -> anyhow::Result<Vec<PlacedApplication<'a>>> {
        let mut processors = match self {
            Self::PointToPoint { model, .. } => Some(FreeProcessors::new(&model.hosts)),
            Self::Flows(_) | Self::LogGops { .. } => None,
        };
        let mut all = Vec::new();
        for (application, mapping, start) in applications {
            let ranks = application.ranks();
            let place = || application.name.clone();
            let (hosts, places, speeds) = match (self, &mut processors) {
                (Self::LogGops { cluster: None, speed, .. }, _) => {
                    if speed.is_none() && application.computes() {
                        let why = "the speed of its computations is unknown; give --speed FLOPS or \
                            --cluster";
                        return Err(anyhow!("{}: {why}", application.name));
                    }
                    (Vec::new(), Vec::new(), vec![speed.unwrap_or(1.0); ranks])
                }
                (
                    Self::Flows(SharedLinks { topology, .. })
                    | Self::LogGops { cluster: Some(topology), .. },
                    _,
                ) => {
                    let chosen =
                        mapping.unwrap_or(&MappingOption::DEFAULT).hosts(topology, ranks)?;
                    let hosts = chosen.iter().map(|host| &topology.hosts[host.index()]);
                    let (names, speeds) = hosts.map(|host| (host.name.clone(), host.speed)).unzip();
                    (names, chosen.iter().map(|host| host.0).collect(), speeds)
                }
                (Self::PointToPoint { speeds, .. }, Some(processors)) => {
                    let chosen = processors.take(mapping, ranks).with_context(place)?;
                    let names = chosen
                        .iter()
                        .map(|&processor| processors.host_of(processor).to_owned())
                        .collect();
                    let speeds = match speeds {
                        Some(speeds) => {
                            chosen.iter().map(|processor| speeds[processor.index()]).collect()
                        }
                        None if application.computes() => {
                            return Err(anyhow!(
                                "{}: the speed of its computations is unknown; give --speed FLOPS, \
                                    or --cluster with the \
                                 speeds of the model's hosts",
                                application.name
                            ));
                        }
                        None => vec![1.0; ranks],
                    };
                    (names, chosen.iter().map(|processor| processor.0).collect(), speeds)
                }
                (Self::PointToPoint { .. }, None) => continue,
            };
            let speeds = application.speeds(speeds);
            all.push(PlacedApplication { application, start, hosts, places, speeds });
        }
        Ok(all)
    }

    /// Simulates applications at the same time, and passes the operations that take time to
    /// `events`, if any.
    pub fn run(
        &self,
        placed: &[&PlacedApplication<'_>],
        conflicts: bool,
        mut events: Option<EventSink<'_>>,
    ) -> anyhow::Result<Outcome> {
        match self {
            Self::Flows(links) | Self::PointToPoint { links: Some(links), .. } => {
                links.run(placed, conflicts, events)
            }
            Self::PointToPoint { model, kind, links: None, .. } => {
                run_together(placed, Seconds::ZERO, |schedule, places, locate| {
                    let mut network = model.network(*kind)?;
                    let placement = Placement::new(places.iter().map(|&place| Processor(place)));
                    replay_point_to_point(schedule, &placement, &mut network, events).map_err(
                        |error| {
                            let EngineError::Deadlock(deadlock) = error else {
                                return error.into();
                            };
                            locate(SimulationError::Deadlock(deadlock))
                        },
                    )
                })
            }
            // Applications do not affect each other.
            Self::LogGops { parameters, .. } => {
                let outcome = |one: &PlacedApplication<'_>| {
                    loggp::outcome(one.application, &one.speeds, parameters, events.is_some())
                };
                let mut combined = if let [one] = placed
                    && one.start <= Seconds::ZERO
                {
                    outcome(one)?
                } else {
                    let all = placed.iter().map(|one| Ok((outcome(one)?, one.start)));
                    Outcome::concurrently(all.collect::<anyhow::Result<Vec<_>>>()?)
                };
                if let Some(events) = &mut events {
                    combined.events.drain(..).for_each(events);
                }
                Ok(combined)
            }
        }
    }
}

/// Simulates applications as one schedule, with this time of a test of a request.
///
/// `run` gets the schedule, the host or processor of each rank, and a function that adds positions
/// to errors.
fn run_together(
    placed: &[&PlacedApplication<'_>],
    test: Seconds,
    run: impl FnOnce(
        &dyn Schedule,
        &[u32],
        &dyn Fn(SimulationError) -> anyhow::Error,
    ) -> anyhow::Result<Outcome>,
) -> anyhow::Result<Outcome> {
    let schedules: Vec<Box<dyn Schedule + '_>> =
        placed.iter().map(|one| one.application.schedule(&one.speeds, test)).collect();
    if let ([schedule], [one]) = (&schedules[..], placed)
        && one.start <= Seconds::ZERO
    {
        let locate = |error: SimulationError| {
            with_positions(error, |blocked| (blocked, Some(one.application)))
        };
        return run(&**schedule, &one.places, &locate);
    }
    let mut all = Vec::new();
    for (schedule, one) in schedules.iter().zip(placed) {
        all.push(Job { schedule: &**schedule, start: one.start });
    }
    let jobs = Jobs::new(all);
    let places: Vec<u32> = placed.iter().flat_map(|one| one.places.iter().copied()).collect();
    let own = |blocked: Blocked| {
        let Some((job, rank)) = jobs.owner(blocked.rank) else { return (blocked, None) };
        let first = blocked.rank.0 - rank.0;
        let operation = blocked.operation.map_ranks(|peer| Rank(peer.0 - first));
        let statement = Jobs::statement(blocked.statement).unwrap_or(u32::MAX);
        (Blocked { rank, statement, operation, ..blocked }, Some(placed[job].application))
    };
    run(&jobs, &places, &|error| with_positions(error, own))
}

/// An error with positions in traces; `own` converts a blocked rank to the numbers of its
/// application.
fn with_positions<'a>(
    error: SimulationError,
    own: impl Fn(Blocked) -> (Blocked, Option<&'a Application>),
) -> anyhow::Error {
    let place = |rank: Rank, statement: u32| {
        let (one, application) =
            own(Blocked { rank, step: 0, statement, operation: Operation::Wait(Request(0)) });
        let place = application.and_then(|application| application.place(one.rank, one.statement));
        (one.rank, place.unwrap_or("its end".to_owned()))
    };
    match error {
        SimulationError::Deadlock(Deadlock { blocked }) => {
            let (blocked, places): (Vec<Blocked>, Vec<String>) = blocked
                .into_iter()
                .map(|one| (own(one.clone()).0, place(one.rank, one.statement).1))
                .unzip();
            // They are described in order.
            let places = std::cell::RefCell::new(places.into_iter());
            let next = |_: &Blocked| places.borrow_mut().next().unwrap_or_default();
            anyhow!("deadlock: {}", Deadlock { blocked }.describe(next))
        }
        SimulationError::Unreceived { from, statement, to } => {
            let (rank, at) = place(from, statement);
            let to = Rank(to.0 - (from.0 - rank.0));
            anyhow!("{at}: {}", SimulationError::Unreceived { from: rank, statement, to })
        }
        SimulationError::Operation { rank, statement, problem } => {
            let (rank, at) = place(rank, statement);
            anyhow!("{at}: {}", SimulationError::Operation { rank, statement, problem })
        }
        SimulationError::Size { from, to, statement, sent, expected } => {
            let (rank, at) = place(to, statement);
            let from = Rank(from.0 - (to.0 - rank.0));
            anyhow!("{at}: {}", SimulationError::Size { from, to: rank, statement, sent, expected })
        }
        error => anyhow!("{error}{}", hint(&error)),
    }
}

impl SharedLinks {
    /// Simulates applications at the same time.
    fn run(
        &self,
        placed: &[&PlacedApplication<'_>],
        conflicts: bool,
        events: Option<EventSink<'_>>,
    ) -> anyhow::Result<Outcome> {
        run_together(placed, self.model.test_time(), |schedule, places, locate| {
            let hosts: Vec<HostId> = places.iter().map(|&place| HostId(place)).collect();
            let operations: u64 = placed.iter().map(|one| one.application.max_operations()).sum();
            let simulation = Simulation::new(&self.topology, &hosts, (*self.model).clone())
                .with_overheads(&self.overheads)
                .with_max_rate_changes(operations.saturating_mul(RATE_CHANGES_PER_OPERATION));
            let simulation = if conflicts { simulation.with_conflicts() } else { simulation };
            match events {
                Some(events) => simulation.run_with(schedule, events),
                None => simulation.run(schedule),
            }
            .map_err(locate)
        })
    }
}

/// The number of changes of rates, each of 15 nanoseconds, that count as an operation.
const RATE_CHANGES_PER_OPERATION: u64 = 50;

/// The option that remedies an error, or an empty text.
fn hint(error: &SimulationError) -> String {
    match error {
        SimulationError::RateChanges { limit, .. } => {
            format!(
                " of {0} operations; allow more with --max-operations {0}0",
                limit / RATE_CHANGES_PER_OPERATION
            )
        }
        SimulationError::Sharing {
            error: SharingError::TooLarge { .. } | SharingError::TooMany { .. },
            ..
        } => " (--estimate)".to_owned(),
        _ => String::new(),
    }
}
