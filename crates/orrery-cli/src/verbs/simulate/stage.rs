//! A network with everything on it that applications need.

use anyhow::{Context as _, anyhow};
use orrery::engine::EngineError;
use orrery::model::{Model, ModelKind};
use orrery::platform::{HostId, HostOverheads, Placement, Processor, Topology};
use orrery::schedule::{Job, Jobs, Operation, Rank, Request, Schedule};
use orrery::sharing::SharingError;
use orrery::simulate::loggp::LogGops;
use orrery::simulate::{Blocked, FlowModel, Outcome, Simulation, SimulationError, replay_point_to_point};
use orrery::units::Seconds;

use super::application::Application;
use super::goal;
use super::output::Collect;
use super::placement::{Placing, Processors};

/// Where applications are played.
pub enum Stage {
    /// A cluster whose links are shared.
    Flows { topology: Topology, model: FlowModel, overheads: HostOverheads },
    /// A model of pairs of processors; how fast each computes, where that is known.
    Pairs { model: Box<Model>, kind: ModelKind, speeds: Option<Vec<f64>> },
    /// The LogGOPS model, where nobody stands anywhere; a cluster or a speed says how fast ranks compute.
    LogGops { model: LogGops, cluster: Option<Topology>, speed: Option<f64> },
}

/// An application on its places.
pub struct Seated<'a> {
    pub application: &'a Application,
    pub start: Seconds,
    /// The host of each rank.
    pub hosts: Vec<String>,
    /// Numbers of hosts, or of processors.
    places: Vec<u32>,
    speeds: Vec<f64>,
}

impl Stage {
    /// Whether the operations of a rank need not follow each other.
    pub fn takes_graphs(&self) -> bool {
        matches!(self, Self::LogGops { .. })
    }

    /// Puts applications on their places.
    pub fn seat<'a>(
        &self,
        applications: impl IntoIterator<Item = (&'a Application, Option<&'a Placing>, Seconds)>,
    ) -> anyhow::Result<Vec<Seated<'a>>> {
        let mut processors = match self {
            Self::Pairs { model, .. } => Some(Processors::new(&model.hosts)),
            Self::Flows { .. } | Self::LogGops { .. } => None,
        };
        let mut all = Vec::new();
        for (application, placing, start) in applications {
            let ranks = application.ranks();
            let place = || application.name.clone();
            let (hosts, places, speeds) = match (self, &mut processors) {
                (Self::LogGops { cluster: None, speed, .. }, _) => {
                    if speed.is_none() && application.computes() {
                        let why = "it computes, and nothing says how fast; give --speed FLOPS or --cluster";
                        return Err(anyhow!("{}: {why}", application.name));
                    }
                    (Vec::new(), Vec::new(), vec![speed.unwrap_or(1.0); ranks])
                }
                (Self::Flows { topology, .. } | Self::LogGops { cluster: Some(topology), .. }, _) => {
                    let seats = placing.unwrap_or(&Placing::FIRST).hosts(topology, ranks)?;
                    let hosts = seats.iter().map(|host| &topology.hosts[host.index()]);
                    let (names, speeds) = hosts.map(|host| (host.name.clone(), host.speed)).unzip();
                    (names, seats.iter().map(|host| host.0).collect(), speeds)
                }
                (Self::Pairs { speeds, .. }, Some(processors)) => {
                    let seats = processors.take(placing, ranks).with_context(place)?;
                    let names = seats.iter().map(|&processor| processors.host_of(processor).to_owned()).collect();
                    let speeds = match speeds {
                        Some(speeds) => seats.iter().map(|processor| speeds[processor.index()]).collect(),
                        None if application.computes() => {
                            return Err(anyhow!(
                                "{}: it computes, and nothing says how fast; give --speed FLOPS, or --cluster with the \
                                 speeds of the model's hosts",
                                application.name
                            ));
                        }
                        None => vec![1.0; ranks],
                    };
                    (names, seats.iter().map(|processor| processor.0).collect(), speeds)
                }
                (Self::Pairs { .. }, None) => continue,
            };
            all.push(Seated { application, start, hosts, places, speeds });
        }
        Ok(all)
    }

    /// Plays applications at the same time.
    pub fn play(&self, seated: &[&Seated<'_>], collect: Collect) -> anyhow::Result<Outcome> {
        match self {
            Self::Flows { topology, model, overheads } => {
                together(seated, model.test_time(), |schedule, places, told| {
                    let hosts: Vec<HostId> = places.iter().map(|&place| HostId(place)).collect();
                    let simulation = Simulation::new(topology, &hosts, model.clone()).with_overheads(overheads);
                    let simulation = if collect.events { simulation.with_events() } else { simulation };
                    let simulation = if collect.conflicts { simulation.with_conflicts() } else { simulation };
                    simulation.run(schedule).map_err(told)
                })
            }
            Self::Pairs { model, kind, .. } => together(seated, Seconds::ZERO, |schedule, places, told| {
                let mut network = model.network(*kind)?;
                let placement = Placement::new(places.iter().map(|&place| Processor(place)));
                replay_point_to_point(schedule, &placement, &mut network, collect.events).map_err(|error| {
                    let EngineError::Deadlock(blocked) = error else { return error.into() };
                    let blocked = blocked.into_iter();
                    let blocked = blocked.map(|one| Blocked {
                        rank: one.rank,
                        statement: one.statement,
                        operation: one.operation,
                    });
                    told(SimulationError::Deadlock(blocked.collect()))
                })
            }),
            // Nobody minds anybody of another application.
            Self::LogGops { model, .. } => {
                let outcome = |one: &Seated<'_>| goal::outcome(one.application, &one.speeds, model, collect.events);
                if let [one] = seated
                    && one.start <= Seconds::ZERO
                {
                    return outcome(one);
                }
                let all =
                    seated.iter().map(|one| Ok((outcome(one)?, one.start))).collect::<anyhow::Result<Vec<_>>>()?;
                Ok(Outcome::concurrently(all))
            }
        }
    }
}

/// Plays the schedules of applications at the same time, tests taking so long: `run` is given the schedule of all, their places,
/// and how to tell an error.
fn together(
    seated: &[&Seated<'_>],
    test: Seconds,
    run: impl FnOnce(&dyn Schedule, &[u32], &dyn Fn(SimulationError) -> anyhow::Error) -> anyhow::Result<Outcome>,
) -> anyhow::Result<Outcome> {
    let schedules: Vec<Box<dyn Schedule + '_>> =
        seated.iter().map(|one| one.application.schedule(&one.speeds, test)).collect();
    if let ([schedule], [one]) = (&schedules[..], seated)
        && one.start <= Seconds::ZERO
    {
        let told = |error: SimulationError| located(error, |blocked| (blocked, Some(one.application)));
        return run(&**schedule, &one.places, &told);
    }
    let mut all = Vec::new();
    for (schedule, one) in schedules.iter().zip(seated) {
        all.push(Job { schedule: &**schedule, start: one.start });
    }
    let jobs = Jobs::new(all);
    let places: Vec<u32> = seated.iter().flat_map(|one| one.places.iter().copied()).collect();
    let own = |blocked: Blocked| {
        let Some((job, rank)) = jobs.owner(blocked.rank) else { return (blocked, None) };
        let first = blocked.rank.0 - rank.0;
        let operation = blocked.operation.map_ranks(|peer| Rank(peer.0 - first));
        let statement = Jobs::statement(blocked.statement).unwrap_or(u32::MAX);
        (Blocked { rank, statement, operation }, Some(seated[job].application))
    };
    run(&jobs, &places, &|error| located(error, own))
}

/// An error with the places of the traces; `own` gives a blocked rank as its application numbers it.
fn located<'a>(error: SimulationError, own: impl Fn(Blocked) -> (Blocked, Option<&'a Application>)) -> anyhow::Error {
    let place = |rank: Rank, statement: u32| {
        let (one, application) = own(Blocked { rank, statement, operation: Operation::Wait(Request(0)) });
        let place = application.and_then(|application| application.place(one.rank, one.statement));
        (one.rank, place.unwrap_or("its end".to_owned()))
    };
    match error {
        SimulationError::Deadlock(blocked) => {
            let (blocked, places): (Vec<Blocked>, Vec<String>) =
                blocked.into_iter().map(|one| (own(one.clone()).0, place(one.rank, one.statement).1)).unzip();
            // They are told in order.
            let places = std::cell::RefCell::new(places.into_iter());
            let next = |_: &Blocked| places.borrow_mut().next().unwrap_or_default();
            anyhow!("deadlock: {}", SimulationError::Deadlock(blocked).describe(next))
        }
        SimulationError::Unreceived { from, statement, to } => {
            let (rank, at) = place(from, statement);
            let to = Rank(to.0 - (from.0 - rank.0));
            anyhow!("{at}: {}", SimulationError::Unreceived { from: rank, statement, to })
        }
        SimulationError::Request { rank, statement, request, problem } => {
            let (rank, at) = place(rank, statement);
            anyhow!("{at}: {}", SimulationError::Request { rank, statement, request, problem })
        }
        error => anyhow!("{error}{}", hint(&error)),
    }
}

/// What may help against an error of a law.
fn hint(error: &SimulationError) -> &'static str {
    match error {
        SimulationError::Sharing { error: SharingError::TooLarge { .. } | SharingError::TooMany { .. }, .. } => {
            " (--estimate)"
        }
        _ => "",
    }
}
