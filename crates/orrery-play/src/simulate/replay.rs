//! The event loop of a simulation: flows start, change their rates, and end.

use super::completion_queue::CompletionQueue;
use super::conflict_recorder::{ConflictRecorder, Rate};
use super::end_derivatives::EndDerivatives;
use super::error::SimulationError;
use super::flow_model::FlowModel;
use super::flow_numbers::FlowNumbers;
use super::handshake::Outgoing;
use super::message_order::MessageOrder;
use super::outcome::Outcome;
use super::rank_state::{
    ActiveFlow, BlockedOperation, BlockedPhase, Completion, MessageEnd, Progress, RankOverheads,
    RankState, UncontendedTransfer,
};
use super::route_demand::RouteDemand;
use crate::engine::{Event, EventSink};
use orrery_base::units::Seconds;
use orrery_cluster::platform::{HostId, HostOverheads, LinkId, Topology};
use orrery_cluster::sharing::ActiveTransfers;
use orrery_cluster::sharing::maxmin::{Demand, MaxMin};
use orrery_program::schedule::{Blocked, Deadlock, Operation, Rank, Schedule, Transfer};

/// The cluster, the placement and the model of a simulation, and what it records.
#[derive(Debug, Clone)]
pub(super) struct Settings<'a> {
    pub(super) topology: &'a Topology,
    pub(super) hosts: &'a [HostId],
    pub(super) model: FlowModel,
    pub(super) overheads: Option<&'a HostOverheads>,
    /// The time of each host to combine a byte, in seconds; no time if there are none.
    pub(super) combination: Option<&'a [f64]>,
    pub(super) records_conflicts: Option<ConflictRecording>,
    /// The maximum number of changes of rates, each of one message or computation.
    pub(super) max_rate_changes: u64,
    /// The parameters by whose delays per byte ends have derivatives, each with its links.
    pub(super) parameters: &'a [Vec<LinkId>],
}

impl Settings<'_> {
    /// Returns true if messages between two ranks pass memory, with overheads of their own.
    pub(super) fn is_through_memory(&self, a: Rank, b: Rank) -> bool {
        let memory = self.overheads.and_then(|overheads| overheads.through_memory.as_ref());
        memory.is_some_and(|memory| memory.are_for(self.hosts[a.index()], self.hosts[b.index()]))
    }
}

/// What is recorded of communications.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ConflictRecording {
    /// Penalties, kinds of conflicts and lost times.
    Penalties,
    /// Also the division of lost times among the messages that cause them.
    Losses,
}

/// The state of a schedule during its replay.
///
/// Ranks and messages share a range of numbers. Numbers below the number of ranks are those of the
/// ranks; their event is the end of a computation, a sleep or an overhead. The others are messages;
/// their event is the end of the latency, then of the flow.
pub(super) struct Replay<'a> {
    pub(super) settings: &'a Settings<'a>,
    pub(super) schedule: &'a dyn Schedule,
    /// The time in seconds.
    pub(super) now: f64,
    pub(super) queue: CompletionQueue,
    /// Max-min sharing of links and of the cores of hosts.
    pub(super) sharing: MaxMin,
    pub(super) ranks: Vec<RankState>,
    /// By number: messages under way, and computations that share a host.
    pub(super) flows: Vec<Option<ActiveFlow>>,
    /// By number: the transfer without contention.
    pub(super) uncontended: Vec<UncontendedTransfer>,
    /// By number: the rates of flows that share links or hosts.
    pub(super) rates: Vec<f64>,
    /// By number: the demands of messages; a single one for all if links are not shared.
    pub(super) demands: Vec<Demand>,
    pub(super) numbers: FlowNumbers,
    /// The order of messages on connections, if it matters.
    pub(super) order: Option<MessageOrder>,
    pub(super) route_demand: RouteDemand,
    /// The messages whose data leaves hosts, if handshakes wait for it.
    pub(super) outgoing: Option<Outgoing>,
    /// The messages that count for the sharing law.
    pub(super) active: Option<ActiveTransfers>,
    pub(super) recorder: Option<Box<ConflictRecorder>>,
    pub(super) derivatives: Option<Box<EndDerivatives>>,
    /// Ranks that can continue, in the order in which they were unblocked.
    ready: Vec<Rank>,
    events: Option<EventSink<'a>>,
    rate_updates: u64,
    /// The number of changes of rates, each of one message or computation.
    rate_changes: u64,
}

/// Events are simultaneous if their times differ by less than this, relative to the time.
pub(super) const SIMULTANEOUS: f64 = 1e-12;

impl<'a> Replay<'a> {
    /// Prepares the replay of a schedule; the operations that take time are passed to `events`.
    pub(super) fn new(
        settings: &'a Settings<'a>,
        schedule: &'a dyn Schedule,
        events: Option<EventSink<'a>>,
    ) -> Self {
        let topology = settings.topology;
        let count = schedule.ranks();
        // The resources of max-min sharing are the links, then the hosts, whose capacity is their
        // number of cores.
        let links = topology.links.iter().map(|link| link.bandwidth.get());
        let cores = topology.hosts.iter().map(|host| f64::from(host.cores));
        let capacities: Vec<f64> = links.chain(cores).collect();
        let mut queue = CompletionQueue::default();
        queue.reserve(count);
        let recorder = |recording: ConflictRecording| {
            Box::new(ConflictRecorder::new(
                topology.hosts.len(),
                recording == ConflictRecording::Losses,
            ))
        };
        Self {
            settings,
            schedule,
            now: 0.0,
            queue,
            sharing: MaxMin::new(&capacities),
            ranks: rank_states(settings, topology, count),
            flows: vec![None; count],
            uncontended: vec![UncontendedTransfer::default(); count],
            rates: vec![0.0; count],
            demands: Vec::new(),
            numbers: FlowNumbers::new(count),
            order: settings.model.is_in_order().then(MessageOrder::default),
            route_demand: RouteDemand::default(),
            outgoing: (settings.model.queue() > 0.0).then(|| Outgoing::of(topology.hosts.len())),
            active: settings.model.law.map(ActiveTransfers::new),
            recorder: settings.records_conflicts.map(recorder),
            derivatives: (!settings.parameters.is_empty())
                .then(|| Box::new(EndDerivatives::new(topology, count, settings.parameters))),
            ready: Rank::first(count).collect(),
            events,
            rate_updates: 0,
            rate_changes: 0,
        }
    }

    /// Runs the event loop until all ranks have finished; returns the outcome, and the derivatives
    /// of the end of each rank.
    pub(super) fn run(mut self) -> Result<(Outcome, Vec<Vec<f64>>), SimulationError> {
        let mut due = Vec::new();
        loop {
            self.advance_ready_ranks()?;
            // Flows start and stop at one instant; rates are computed once for all of them. Penalties
            // come first because they bound the rates.
            self.update_penalties()?;
            self.update_rates();
            self.check_rate_changes()?;
            self.record_rates();
            let Some(now) = self.queue.pop(SIMULTANEOUS, &mut due) else { break };
            // A rescaled time may be before the present one by a rounding error.
            self.now = now.max(self.now);
            for &(_, number) in &due {
                self.handle_event(number);
            }
        }
        let of_ranks =
            self.derivatives.take().map(|derivatives| derivatives.of_ranks()).unwrap_or_default();
        Ok((self.finish()?, of_ranks))
    }

    /// Executes the operations of all ranks that the last events unblocked.
    fn advance_ready_ranks(&mut self) -> Result<(), SimulationError> {
        // They may unblock others, which follow in the list, so that it grows on the way.
        let mut next = 0;
        while next < self.ready.len() {
            let rank = self.ready[next];
            self.enter_event(rank.index());
            self.advance_program(rank)?;
            next += 1;
        }
        self.ready.clear();
        Ok(())
    }

    /// Takes over the derivatives of the event with a number, of a rank or a flow, as those of the
    /// present time; does nothing without derivatives.
    fn enter_event(&mut self, number: usize) {
        if let Some(derivatives) = &mut self.derivatives {
            derivatives.enter_event(number);
        }
    }

    /// Updates the penalties of the sharing law. They bound the rates, or determine them if links
    /// are not shared.
    fn update_penalties(&mut self) -> Result<(), SimulationError> {
        let Some(active) = &mut self.active else { return Ok(()) };
        if let Err(error) = active.update_penalties() {
            return Err(SimulationError::Sharing { at: Seconds::new(self.now), error });
        }
        let rates_are_final = !self.settings.model.shares_links;
        if rates_are_final {
            // No link is shared: a flow has its uncontended rate divided by its penalty.
            let changed = active.changed().count() as u64;
            self.rate_updates += u64::from(changed > 0);
            self.rate_changes += changed;
            self.queue.rescale_remaining(self.now, active.rescale_factors());
            return Ok(());
        }
        // The law bounds the rates, and max-min sharing of the links determines them. A message in
        // its latency has a bound, but does not share links yet.
        for number in active.changed() {
            let Some(flow) = &self.flows[number] else { continue };
            let bound = self.uncontended[number].rate / active.penalty(number);
            self.demands[number - self.ranks.len()].bound = bound;
            if flow.has_started {
                self.sharing.set_bound(number, bound);
            }
        }
        Ok(())
    }

    /// Updates the max-min rates, and the completion times of flows whose rate changes.
    fn update_rates(&mut self) {
        let changed = self.sharing.update_rates().len() as u64;
        self.rate_updates += u64::from(changed > 0);
        self.rate_changes += changed;
        if let Some(derivatives) = &mut self.derivatives {
            derivatives.update_rates(self.now, &self.sharing);
        }
        // The bytes that are left take longer by the ratio of the old rate to the new one.
        let sharing = &self.sharing;
        let rates = self.rates.as_mut_slice();
        let factors = sharing.changed().iter().map(|&number| {
            let number = number as usize;
            let rate = sharing.rate(number);
            (number, std::mem::replace(&mut rates[number], rate) / rate)
        });
        self.queue.rescale_remaining(self.now, factors);
    }

    /// Returns an error if rates have changed more often than allowed: the work of a simulation.
    fn check_rate_changes(&self) -> Result<(), SimulationError> {
        let limit = self.settings.max_rate_changes;
        if self.rate_changes > limit {
            return Err(SimulationError::RateChanges { at: Seconds::new(self.now), limit });
        }
        Ok(())
    }

    /// Passes the changed rates to the recorder of conflicts.
    fn record_rates(&mut self) {
        let Some(recorder) = &mut self.recorder else { return };
        let by_law = self.active.iter().flat_map(ActiveTransfers::changed);
        let by_links = self.sharing.changed().iter().map(|&number| number as usize);
        by_law.chain(by_links).for_each(|number| recorder.mark_changed(number));
        let ranks = self.ranks.len();
        let shares_links = self.settings.model.shares_links;
        recorder.update(self.now, &self.sharing, |number| {
            self.flows[number].filter(|flow| flow.has_started)?;
            if shares_links {
                return Some(Rate {
                    rate: self.sharing.rate(number),
                    bound: self.demands[number - ranks].bound,
                });
            }
            let penalty = self.active.as_ref().map_or(1.0, |active| active.penalty(number));
            let rate = self.uncontended[number].rate / penalty;
            Some(Rate { rate, bound: rate })
        });
    }

    /// Handles the event of a number: a rank continues, or a message starts to flow or arrives.
    fn handle_event(&mut self, number: usize) {
        match self.flows[number] {
            // The end of a computation on a core of its own, a sleep or an overhead.
            None => {
                self.enter_event(number);
                self.finish_operation(Rank(number as u32), None);
            }
            Some(flow) if !flow.has_started => self.end_latency(number, flow.ends),
            // Bytes are left: this is the end of a send, whose rest fits into the buffer.
            Some(flow) if flow.rest_after_event > 0.0 => self.end_sends(number),
            Some(flow) if number < self.ranks.len() => {
                self.end_shared_computation(number, flow.ends[0].rank);
            }
            Some(flow) => self.end_message(number, flow.ends),
        }
    }

    /// Ends the latency of a message: it flows, unless an earlier one of its connection does.
    fn end_latency(&mut self, number: usize, ends: [MessageEnd; 2]) {
        let connection = self.connection(ends);
        self.enter_event(number);
        if self.order.as_mut().is_none_or(|order| order.make_ready(connection, number)) {
            self.start_flow(number);
        } else {
            self.join_connection(ends);
        }
    }

    /// Ends a computation that shares the cores of its host.
    fn end_shared_computation(&mut self, number: usize, rank: Rank) {
        self.flows[number] = None;
        self.sharing.stop(number);
        self.enter_event(number);
        self.finish_operation(rank, None);
    }

    /// Ends the flow of a message: it has arrived.
    fn end_message(&mut self, number: usize, ends: [MessageEnd; 2]) {
        self.flows[number] = None;
        let communication = self.recorder.as_mut().map(|recorder| {
            recorder.stop(number, self.now);
            recorder.index(number)
        });
        if self.settings.model.shares_links {
            self.sharing.stop(number);
        }
        if let Some(derivatives) = &mut self.derivatives {
            derivatives.end_flow(number, self.now);
        }
        // Its resources are free before its ends are complete, because the ranks may start the next
        // messages there.
        let [sender, receiver] = ends;
        self.numbers.release(receiver.rank, number);
        if let Some(outgoing) = &mut self.outgoing {
            let hosts = ends.map(|end| self.settings.hosts[end.rank.index()]);
            outgoing.remove(hosts.into(), number);
        }
        if let Some(active) = &mut self.active {
            active.stop(number);
        }
        let connection = self.connection(ends);
        if let Some(next) = self.order.as_mut().and_then(|order| order.remove_first(connection)) {
            self.start_flow(next);
        }
        self.complete_end(sender, 0.0, communication);
        // Without a receive it waits in the memory of its receiver, where a later receive finds it.
        if let Completion::Unexpected(id) = receiver.completion {
            self.ranks[receiver.rank.index()].messages.get_mut(id).progress = Progress::Arrived;
            return;
        }
        // A sender that had completed before was eager: its receiver copies the message.
        let is_eager = sender.completion == Completion::None;
        let size = self.uncontended[number].size as u64 - self.settings.model.envelope().get();
        let overhead = self.receive_overhead(receiver.rank, sender.rank, size, is_eager);
        self.complete_end(receiver, overhead, communication);
    }

    /// Completes one end of a message; a rank that it blocked continues after `overhead` seconds.
    /// `communication` is the index of the message among the recorded communications, if there are
    /// any.
    pub(super) fn complete_end(
        &mut self,
        end: MessageEnd,
        overhead: f64,
        communication: Option<usize>,
    ) {
        let rank = &mut self.ranks[end.rank.index()];
        let is_blocked = rank.complete(end.completion);
        // The overhead of a receive in the background is paid when the rank waits for it.
        if let Completion::Request(request) = end.completion
            && let Some(overheads) = &mut rank.overheads
        {
            let busy_until = overheads.busy_until;
            overheads.complete(request.0, overhead, self.now);
            if let Some(derivatives) = &mut self.derivatives
                && busy_until <= self.now
            {
                derivatives.set_busy(end.rank);
            }
        }
        if !is_blocked {
            return;
        }
        let busy_until = match end.completion {
            Completion::Request(request) => rank.pass_wait(request.0, self.now),
            _ => self.now + overhead,
        };
        if busy_until > self.now {
            self.pay_receive_overhead(end.rank, busy_until);
            if let Some(derivatives) = &mut self.derivatives {
                match end.completion {
                    Completion::Request(_) => derivatives.set_event_to_busy(end.rank),
                    _ => derivatives.set_event(end.rank.index()),
                }
            }
            return;
        }
        self.finish_operation(end.rank, communication);
    }

    /// Blocks a rank in its operation until a time in seconds, when the overheads of receives have
    /// passed.
    fn pay_receive_overhead(&mut self, rank: Rank, until: f64) {
        if let Some(blocked) = &mut self.ranks[rank.index()].blocked {
            blocked.phase = BlockedPhase::ReceiveOverhead;
        }
        self.queue.set(rank.index(), until);
    }

    /// Ends the operation that blocks a rank, which continues; `communication` is the index of the
    /// recorded communication that it waited for.
    fn finish_operation(&mut self, rank: Rank, communication: Option<usize>) {
        let Some(blocked) = self.ranks[rank.index()].blocked else { return };
        // After the overhead of a send comes the send itself, which the rank is about to start.
        if blocked.phase != BlockedPhase::SendOverhead {
            self.record_operation(rank, communication);
        }
        if let Some(derivatives) = &mut self.derivatives {
            derivatives.set_event(rank.index());
        }
        self.ready.push(rank);
    }

    /// Adds the operation that blocked a rank to its times, and to the events; `communication` is
    /// the index of the recorded communication that it waited for.
    pub(super) fn record_operation(&mut self, rank: Rank, communication: Option<usize>) {
        let state = &mut self.ranks[rank.index()];
        let Some(blocked) = state.blocked.take() else { return };
        let (operation, statement) = (blocked.operation, blocked.statement);
        let took = Seconds::new(self.now - blocked.start);
        state.times.add(operation, took);
        if let Some(events) = &mut self.events {
            let (start, end) = (Seconds::new(blocked.start), Seconds::new(self.now));
            events(Event { rank, statement, operation, start, end, communication });
        }
    }

    /// Checks that every rank is at its end and every message received; returns the outcome.
    fn finish(self) -> Result<Outcome, SimulationError> {
        let blocked = self.blocked_operations();
        if !blocked.is_empty() {
            return Err(Deadlock { blocked }.into());
        }
        for (to, state) in self.numbered_ranks() {
            if let Some(message) = state.messages.first() {
                let from = message.end.rank;
                return Err(SimulationError::Unreceived { from, statement: message.statement, to });
            }
        }
        let tasks: Vec<_> = self.ranks.iter().map(|state| state.times).collect();
        let end = tasks.iter().map(|times| times.end).fold(Seconds::ZERO, Seconds::max);
        let communications = self.recorder.map(|recorder| recorder.finish()).unwrap_or_default();
        Ok(Outcome {
            end,
            tasks,
            events: Vec::new(),
            communications,
            rate_updates: self.rate_updates,
        })
    }

    /// The ranks with their states.
    fn numbered_ranks(&self) -> impl Iterator<Item = (Rank, &RankState)> {
        Rank::first(self.ranks.len()).zip(&self.ranks)
    }

    /// The operations that cannot end when no event is left: those that block ranks, then receives
    /// that ranks posted and never waited for.
    fn blocked_operations(&self) -> Vec<Blocked> {
        let mut blocked = Vec::new();
        for (rank, state) in self.numbered_ranks() {
            if let Some(BlockedOperation { statement, operation, .. }) = state.blocked {
                blocked.push(Blocked { rank, step: state.steps - 1, statement, operation });
            }
        }
        for (rank, state) in self.numbered_ranks() {
            if let (None, Some(receive)) = (state.blocked, state.receives.first()) {
                let (size, tag) = (receive.size, receive.tag);
                let transfer = match receive.from {
                    Some(from) => Transfer::Receive { from, size, tag },
                    None => Transfer::ReceiveAny { size, tag },
                };
                blocked.push(Blocked {
                    rank,
                    step: state.steps - 1,
                    statement: receive.statement,
                    operation: Operation::Do(transfer),
                });
            }
        }
        blocked
    }
}

/// The initial states of the ranks.
fn rank_states(settings: &Settings<'_>, topology: &Topology, count: usize) -> Vec<RankState> {
    let mut ranks_per_host = vec![0_u32; topology.hosts.len()];
    settings.hosts.iter().for_each(|host| ranks_per_host[host.index()] += 1);
    // Overheads that are all zero would cost time and change nothing.
    let overheads = settings.overheads.filter(|overheads| !HostOverheads::are_zero(overheads));
    let mut states = Vec::with_capacity(count);
    for &host in &settings.hosts[..count] {
        // Computations are flows only where ranks have to share cores.
        let shares_host = ranks_per_host[host.index()] > topology.hosts[host.index()].cores;
        let mut state = RankState::new(shares_host);
        state.overheads = overheads.map(|overheads| {
            let (of_messages, through_memory) =
                (overheads.of(host), overheads.through_memory(host));
            Box::new(RankOverheads { of_messages, through_memory, ..RankOverheads::default() })
        });
        states.push(state);
    }
    states
}
