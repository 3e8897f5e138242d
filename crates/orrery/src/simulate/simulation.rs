use super::error::SimulationError;
use super::model::FlowModel;
use super::outcome::Outcome;
use super::run::Run;
use crate::platform::{HostId, Topology};
use crate::schedule::Schedule;

/// A cluster and its network, on which schedules are played.
///
/// - A flow starts when its receive has met its send. An eager send is complete at once; the two ends of any other message
///   are complete when the flow has ended.
/// - Processors are not kept busy by transfers. Where a host has more ranks than cores, those that compute share them.
/// - What falls within a relative 10⁻¹² of an instant belongs to it: ranks go on in the order in which what they waited
///   for ended, and then the sharing of the links concerned is found anew, once.
///
/// ```
/// use orrery::platform::{HostId, xml};
/// use orrery::schedule::{Explicit, Operation, Rank};
/// use orrery::simulate::{FlowModel, Simulation};
/// use orrery::units::Bytes;
/// let cluster = r#"<platform version="4.1">
///   <cluster id="c" prefix="" suffix="" radical="0-2" speed="1Gf" bw="100MBps" lat="1ms"/>
/// </platform>"#;
/// let topology = xml::parse(cluster, "cluster.xml")?;
/// let hosts: Vec<HostId> = (0..3).map(HostId).collect();
/// let size = Bytes::new(1_000_000);
/// // Ranks 0 and 1 send to rank 2 at the same time and share its link.
/// let schedule = Explicit::new(vec![
///     vec![Operation::send(Rank(2), size)],
///     vec![Operation::send(Rank(2), size)],
///     vec![
///         Operation::Post(orrery::schedule::Transfer::Receive { from: Rank(0), size, tag: Default::default() }, orrery::schedule::Request(0)),
///         Operation::receive(Rank(1), size),
///         Operation::Wait(orrery::schedule::Request(0)),
///     ],
/// ]);
/// let outcome = Simulation::new(&topology, &hosts, FlowModel::MAXMIN).run(&schedule)?;
/// assert!((outcome.end.get() - (2e-3 + 2.0 * 1e6 / 100e6)).abs() < 1e-12);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct Simulation<'a> {
    pub(super) topology: &'a Topology,
    pub(super) hosts: &'a [HostId],
    pub(super) model: FlowModel,
    pub(super) keeps_events: bool,
    pub(super) keeps_conflicts: bool,
}

impl<'a> Simulation<'a> {
    /// Rank r on host `hosts[r]`.
    pub fn new(topology: &'a Topology, hosts: &'a [HostId], model: FlowModel) -> Self {
        Self { topology, hosts, model, keeps_events: false, keeps_conflicts: false }
    }

    /// The same, with every operation that takes time told in the outcome.
    #[must_use]
    pub fn with_events(self) -> Self {
        Self { keeps_events: true, ..self }
    }

    /// The same, with every communication told in the outcome, and what others did to it. It takes time and memory: at
    /// each change those that share a port or a link with it are looked at.
    #[must_use]
    pub fn with_conflicts(self) -> Self {
        Self { keeps_conflicts: true, ..self }
    }

    /// Plays a schedule to its end.
    ///
    /// # Errors
    ///
    /// When it cannot run to its end (see [`SimulationError`]), when ranks have no host, or hosts no route.
    pub fn run<S: Schedule + ?Sized>(&self, schedule: &S) -> Result<Outcome, SimulationError> {
        let (ranks, hosts) = (schedule.ranks(), self.topology.hosts.len());
        if self.hosts.len() != ranks || self.hosts.iter().any(|host| host.index() >= hosts) {
            return Err(SimulationError::Hosts { ranks, placed: self.hosts.len(), hosts });
        }
        Run::new(self, &schedule).play()
    }
}
