//! The platform of a simulation: runs applications on a network.

use std::collections::BTreeSet;

use super::application::SimulatedApplication;
use super::cluster::{Assumed, EagerLimits, SharedLinks};
use super::placement::{FreeProcessors, RankPlacement};
use super::replay;
use crate::comm::Ports;
use crate::model::{Model, ModelKind};
use crate::platform::{Assumption, Topology};
use crate::request::RequestError;
use crate::simulate::loggp::LogGops;
use crate::simulate::{EventSink, Outcome};
use crate::units::{Bytes, Seconds};

/// The platform on which applications are simulated.
#[derive(Debug)]
pub enum SimulatedPlatform {
    /// Hosts with links that flows share.
    Flows(SharedLinks),
    /// A fitted point-to-point model.
    PointToPoint {
        /// The model.
        model: Box<Model>,
        /// The kind that gives the times of messages.
        kind: ModelKind,
        /// The speed of each processor in operations per second, if known.
        speeds: Option<Vec<f64>>,
        /// The links that flows share, in a model with ports.
        links: Option<SharedLinks>,
    },
    /// LogGOPS.
    LogGops {
        /// The parameters.
        parameters: LogGops,
        /// The hosts whose speeds count; `None` without placements.
        hosts: Option<Topology>,
        /// The speed of each rank in operations per second without hosts, if known.
        speed: Option<f64>,
    },
}

/// An application with the hosts of its ranks.
#[derive(Debug)]
pub struct PlacedApplication<'a> {
    /// The application.
    pub application: &'a SimulatedApplication,
    /// The time at which it starts.
    pub start: Seconds,
    /// The host of each rank; none without hosts.
    pub hosts: Vec<String>,
    /// By rank: the number of the host, or of the processor.
    pub(super) places: Vec<u32>,
    pub(super) speeds: Vec<f64>,
}

impl PlacedApplication<'_> {
    /// Returns true if two ranks share a host.
    fn share_host(&self) -> bool {
        self.places.iter().collect::<BTreeSet<_>>().len() < self.places.len()
    }
}

impl SimulatedPlatform {
    /// The platform of a kind of a fitted model, with the speed of each processor if known.
    ///
    /// Without limits, the eager limit is the measured one.
    ///
    /// # Errors
    ///
    /// When the model does not contain the kind, or the kind has no flows, which limits apply to.
    pub fn of_model(
        model: Model,
        kind: ModelKind,
        speeds: Option<Vec<f64>>,
        limits: EagerLimits,
    ) -> Result<Self, RequestError> {
        model.network(kind)?;
        let ports: Option<Ports> = model.get(kind).filter(|_| kind.shares_ports());
        if ports.is_none() && limits != EagerLimits::default() {
            let field = match limits {
                EagerLimits { eager: Some(_), .. } => "eager",
                EagerLimits { buffer: Some(_), .. } => "buffer",
                _ => "send_buffer",
            };
            return Err(RequestError::inapplicable(field, format!("{kind}, which has no flows")));
        }
        let links = ports.map(|ports| {
            let (topology, overheads) = ports.platform(&model.hosts, &[]);
            let model = limits.of(ports.flow_model());
            SharedLinks { topology, model, overheads, assumed: Vec::new() }
        });
        Ok(Self::PointToPoint { model: Box::new(model), kind, speeds, links })
    }

    /// The sizes of messages that a fitted model was measured with; `None` of other networks.
    pub fn measured(&self) -> Option<(Bytes, Bytes)> {
        match self {
            Self::PointToPoint { model, .. } => model.measured,
            Self::Flows(_) | Self::LogGops { .. } => None,
        }
    }

    /// Returns true if it replays graphs that are not sequential.
    pub fn accepts_graphs(&self) -> bool {
        matches!(self, Self::LogGops { .. })
    }

    /// Assigns hosts or processors to the ranks of applications.
    ///
    /// # Errors
    ///
    /// A placement that does not fit, or computations whose speed is unknown.
    pub fn place<'a>(
        &self,
        applications: impl IntoIterator<
            Item = (&'a SimulatedApplication, Option<&'a RankPlacement>, Seconds),
        >,
    ) -> Result<Vec<PlacedApplication<'a>>, RequestError> {
        let names: &[String] =
            if let Self::PointToPoint { model, .. } = self { &model.hosts } else { &[] };
        let mut free = FreeProcessors::new(names);
        let mut all = Vec::new();
        for (application, placement, start) in applications {
            let ranks = application.ranks();
            let known = |speeds: Option<Vec<f64>>| match speeds {
                None if application.computes() => {
                    let name = &application.name;
                    let reason = format!(
                        "{name}: the speed of its computations, in operations per second, is unknown"
                    );
                    Err(RequestError::failed_with(reason, "speed", None))
                }
                speeds => Ok(speeds.unwrap_or_else(|| vec![1.0; ranks])),
            };
            let (hosts, places, speeds) = match self {
                Self::LogGops { hosts: None, speed, .. } => {
                    (Vec::new(), Vec::new(), known(speed.map(|speed| vec![speed; ranks]))?)
                }
                Self::Flows(SharedLinks { topology, .. })
                | Self::LogGops { hosts: Some(topology), .. } => {
                    let placement = placement.unwrap_or(&RankPlacement::DEFAULT);
                    let chosen = placement.hosts(topology, ranks)?;
                    let hosts = chosen.iter().map(|host| &topology.hosts[host.index()]);
                    let (names, speeds) = hosts.map(|host| (host.name.clone(), host.speed)).unzip();
                    (names, chosen.iter().map(|host| host.0).collect(), speeds)
                }
                Self::PointToPoint { speeds, .. } => {
                    let chosen = free.take(&application.name, placement, ranks)?;
                    let names = chosen.iter().map(|&one| free.host_of(one).to_owned()).collect();
                    let speeds = speeds
                        .as_ref()
                        .map(|speeds| chosen.iter().map(|one| speeds[one.index()]).collect());
                    (names, chosen.iter().map(|one| one.0).collect(), known(speeds)?)
                }
            };
            let speeds = application.speeds(speeds);
            all.push(PlacedApplication { application, start, hosts, places, speeds });
        }
        Ok(all)
    }

    /// What the simulation of these applications assumes, since the file of the cluster does not
    /// have it: a link within hosts only if two ranks of an application share one.
    pub fn assumed(&self, placed: &[PlacedApplication<'_>]) -> Vec<&Assumed> {
        let Self::Flows(links) = self else { return Vec::new() };
        let share_host = || placed.iter().any(PlacedApplication::share_host);
        let is_taken = |one: &&Assumed| one.assumption != Assumption::Memory || share_host();
        links.assumed.iter().filter(is_taken).collect()
    }

    /// Simulates applications at the same time, and passes the operations that take time to
    /// `events`, if any. With `conflicts`, flows also record their penalties and the losses of time
    /// to each other.
    ///
    /// # Errors
    ///
    /// The reason why an application does not run to its end, with the position in its trace.
    pub fn run(
        &self,
        placed: &[&PlacedApplication<'_>],
        conflicts: bool,
        events: Option<EventSink<'_>>,
    ) -> Result<Outcome, RequestError> {
        match self {
            Self::Flows(links) | Self::PointToPoint { links: Some(links), .. } => {
                replay::on_links(links, placed, conflicts, events)
            }
            Self::PointToPoint { model, kind, links: None, .. } => {
                replay::on_model(model, *kind, placed, events)
            }
            Self::LogGops { parameters, .. } => replay::in_loggops(parameters, placed, events),
        }
    }
}
