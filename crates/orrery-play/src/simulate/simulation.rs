use super::error::SimulationError;
use super::flow_model::FlowModel;
use super::outcome::Outcome;
use super::replay::{ConflictRecording, Replay, Settings};
use crate::engine::EventSink;
use orrery_cluster::platform::{HostId, HostOverheads, LinkId, Topology};
use orrery_program::schedule::Schedule;

/// A simulation of schedules on a cluster whose links are shared.
///
/// - A message starts to flow when its send and its receive are both posted. An eager send
///   completes immediately; otherwise send and receive complete at the end of the flow.
/// - Transfers take no processor time except the overheads of the platform. If a host has more
///   ranks than cores, ranks that compute share the cores.
/// - Events within a relative 10⁻¹² of each other are simultaneous. Ranks continue in the order of
///   the events that unblock them; then the rates of the affected flows are updated once.
///
/// ```
/// use orrery_cluster::platform::{HostId, xml};
/// use orrery_program::schedule::{Explicit, Operation, Rank};
/// use orrery_play::simulate::{FlowModel, Simulation};
/// use orrery_base::units::Bytes;
/// let cluster = r#"<platform version="4.1">
///   <cluster id="c" prefix="" suffix="" radical="0-2" speed="1Gf" bw="100MBps" lat="1ms"/>
/// </platform>"#;
/// let topology = xml::parse(cluster, "cluster.xml")?.topology;
/// let hosts: Vec<HostId> = (0..3).map(HostId).collect();
/// let size = Bytes::new(1_000_000);
/// // Ranks 0 and 1 send to rank 2 and share its link.
/// let schedule = Explicit::new(vec![
///     vec![Operation::send(Rank(2), size)],
///     vec![Operation::send(Rank(2), size)],
///     vec![
///         Operation::Post(orrery_program::schedule::Transfer::Receive { from: Rank(0), size, tag: Default::default() }, orrery_program::schedule::Request(0)),
///         Operation::receive(Rank(1), size),
///         Operation::Wait(orrery_program::schedule::Request(0)),
///     ],
/// ]);
/// let outcome = Simulation::new(&topology, &hosts, FlowModel::MAXMIN).run(&schedule)?;
/// assert!((outcome.end.get() - (2e-3 + 2.0 * 1e6 / 100e6)).abs() < 1e-12);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct Simulation<'a> {
    settings: Settings<'a>,
    records_events: bool,
}

impl<'a> Simulation<'a> {
    /// A simulation with rank r on host `hosts[r]`.
    pub fn new(topology: &'a Topology, hosts: &'a [HostId], model: FlowModel) -> Self {
        let (overheads, combination, records_conflicts) = (None, None, None);
        let max_rate_changes = u64::MAX;
        let parameters: &[Vec<LinkId>] = &[];
        let settings = Settings {
            topology,
            hosts,
            model,
            overheads,
            combination,
            records_conflicts,
            max_rate_changes,
            parameters,
        };
        Self { settings, records_events: false }
    }

    /// The same simulation with overheads of messages that differ by host.
    #[must_use]
    pub fn with_overheads(mut self, overheads: &'a HostOverheads) -> Self {
        self.settings.overheads = Some(overheads);
        self
    }

    /// The same simulation in which hosts take time to combine bytes in reductions: `delays` has
    /// the seconds per byte of each host. By default they take no time.
    #[must_use]
    pub fn with_combination(mut self, delays: &'a [f64]) -> Self {
        self.settings.combination = Some(delays);
        self
    }

    /// The same simulation that also records every operation that takes time.
    #[must_use]
    pub fn with_events(mut self) -> Self {
        self.records_events = true;
        self
    }

    /// The same simulation that also records every communication with its penalties and losses.
    ///
    /// This takes time and memory: each change updates the messages at the same ports and links.
    #[must_use]
    pub fn with_conflicts(mut self) -> Self {
        self.settings.records_conflicts = Some(ConflictRecording::Losses);
        self
    }

    /// The same simulation that also records every communication with its penalties, but not to
    /// which messages it lost its time: the memory grows with the number of communications, not
    /// with its square.
    #[must_use]
    pub fn with_penalties(mut self) -> Self {
        self.settings.records_conflicts = Some(ConflictRecording::Penalties);
        self
    }

    /// The same simulation that ends with an error after this number of changes of rates, each of
    /// one message.
    ///
    /// Each of n messages of different sizes at one port changes the rates of all others when it
    /// ends: n² changes.
    #[must_use]
    pub fn with_max_rate_changes(mut self, changes: u64) -> Self {
        self.settings.max_rate_changes = changes;
        self
    }

    /// Replays a schedule.
    ///
    /// # Errors
    ///
    /// When the schedule cannot run to its end (see [`SimulationError`]), when ranks have no host,
    /// or hosts no route.
    pub fn run<S: Schedule + ?Sized>(&self, schedule: &S) -> Result<Outcome, SimulationError> {
        if !self.records_events {
            return self.start(schedule, None);
        }
        let mut events = Vec::new();
        let outcome = self.start(schedule, Some(&mut |event| events.push(event)))?;
        Ok(Outcome { events, ..outcome })
    }

    /// Replays a schedule and passes every operation that takes time to `events`.
    ///
    /// # Errors
    ///
    /// As [`Simulation::run`].
    pub fn run_with<S: Schedule + ?Sized>(
        &self,
        schedule: &S,
        events: EventSink<'_>,
    ) -> Result<Outcome, SimulationError> {
        self.start(schedule, Some(events))
    }

    /// Checks the hosts and replays a schedule; the operations that take time are passed to
    /// `events`.
    fn start<S: Schedule + ?Sized>(
        &self,
        schedule: &S,
        events: Option<EventSink<'_>>,
    ) -> Result<Outcome, SimulationError> {
        self.check_hosts(schedule.ranks())?;
        let replay = match events {
            Some(events) => Replay::new(&self.settings, &schedule, Some(events)),
            None => Replay::new(&self.settings, &schedule, None),
        };
        Ok(replay.run()?.0)
    }

    /// Replays a schedule with one rank per core; returns the outcome with the derivatives of the
    /// end of each rank by the delays per byte \[B\] of parameters. Each parameter consists of
    /// links that have the same delay, and is named by them.
    ///
    /// The order of events is fixed. At delays at which events of different causes happen at the
    /// same time, as on hosts that are all alike, the time has a kink, and the derivative is that
    /// of one side.
    ///
    /// # Errors
    ///
    /// As [`Simulation::run`].
    pub fn run_with_derivatives<S: Schedule + ?Sized>(
        &self,
        schedule: &S,
        parameters: &[Vec<LinkId>],
    ) -> Result<(Outcome, Vec<Vec<f64>>), SimulationError> {
        self.check_hosts(schedule.ranks())?;
        let settings = Settings { parameters, ..self.settings.clone() };
        Replay::new(&settings, &schedule, None).run()
    }

    /// Checks that each rank has a host of the topology.
    fn check_hosts(&self, ranks: usize) -> Result<(), SimulationError> {
        let hosts = self.settings.topology.hosts.len();
        if self.settings.hosts.len() != ranks
            || self.settings.hosts.iter().any(|host| host.index() >= hosts)
        {
            let placed = self.settings.hosts.len();
            return Err(SimulationError::Other(format!(
                "the number of ranks is {ranks}, but hosts are given for {placed}, of {hosts} of \
                the platform; give each rank a host"
            )));
        }
        Ok(())
    }
}
