use super::LogGops;
use super::queue::Queue;
use super::waiting::{Interface, Waiting};
use crate::event_key::EventKey;
use crate::trace::goal::{ANY, GoalGraph, GoalOperation as Operation, OperationKind};
use orrery_base::units::Bytes;
use orrery_program::schedule::{MatchQueue, Rank, Tag};

/// The result of a replay.
#[derive(Debug, Clone, PartialEq)]
pub struct ReplayTimes {
    /// The end of each rank, in nanoseconds.
    pub finish: Vec<f64>,
    /// The number of operations and messages.
    pub events: u64,
}

impl ReplayTimes {
    /// The end of the last rank, in nanoseconds.
    pub fn total(&self) -> f64 {
        self.finish.iter().copied().fold(0.0, f64::max)
    }
}

/// Replays a graph.
///
/// # Errors
///
/// When operations never end, and when a receive does not accept the size of its message.
pub fn replay(goal: &GoalGraph, parameters: &LogGops) -> Result<ReplayTimes, ReplayError> {
    replay_with(goal, parameters, &mut ())
}

/// An observer of the start and the end of operations, in nanoseconds.
pub(super) trait Observer {
    /// Handles the start of an operation.
    fn started(&mut self, _operation: u32, _time: f64) {}
    /// Handles the end of an operation.
    fn ended(&mut self, _operation: u32, _time: f64) {}
}

/// No observation.
impl Observer for () {}

/// Replays a graph with an observer.
pub(super) fn replay_with<W: Observer>(
    goal: &GoalGraph,
    parameters: &LogGops,
    observer: &mut W,
) -> Result<ReplayTimes, ReplayError> {
    let mut replay = Replay::new(goal, *parameters, observer);
    replay.run();
    replay.outcome()
}

/// Replays a graph; also returns the number of attempts to start an event that failed. With
/// `keeps_none`, all waiting events stay in the queue and are tried, for tests.
#[cfg(test)]
pub(super) fn replay_counted(
    goal: &GoalGraph,
    parameters: &LogGops,
    keeps_none: bool,
) -> (Result<ReplayTimes, ReplayError>, u64) {
    let mut observer = ();
    let mut replay = Replay::new(goal, *parameters, &mut observer);
    replay.waiting.keeps_none = keeps_none;
    replay.run();
    let blocked = replay.waiting.blocked;
    (replay.outcome(), blocked)
}

/// The state of a replay.
struct Replay<'a, W> {
    goal: &'a GoalGraph,
    observer: &'a mut W,
    parameters: LogGops,
    states: Vec<State>,
    /// True if operations depend on the start of others.
    has_starts: bool,
    /// The pending events, at most one for each operation and one for each message. The number of an
    /// event is that of its operation, with [`ARRIVAL`] for the arrival of the message of a send.
    queue: Queue,
    waiting: Waiting,
    unmatched: Vec<Unmatched>,
    /// The numbers of processors and interfaces per rank.
    cpus: usize,
    nics: usize,
    /// The times at which each processor is free, and each interface to send and to receive.
    cpu: Vec<f64>,
    sending: Vec<f64>,
    receiving: Vec<f64>,
    /// Operations without open dependencies, each with its rank and kind.
    unblocked: Vec<((u32, OperationKind), u32)>,
    /// The first send whose size its receive does not accept, and the receive.
    refused: Option<[u32; 2]>,
}

/// The receives of a rank without a message, and the messages to it without a receive, by the
/// numbers of receives and sends.
#[derive(Debug, Default, Clone)]
struct Unmatched {
    receives: MatchQueue<u32>,
    messages: MatchQueue<u32>,
}

/// The bit of arrivals in the number of an event.
const ARRIVAL: u32 = 1 << 31;

/// The state of an operation.
#[derive(Debug, Clone, Copy, Default)]
struct State {
    /// The end of the last dependency so far.
    ready: f64,
    /// The number of open dependencies; [`DONE`] after its end.
    blocked: u32,
}

/// Marks operations that have ended.
const DONE: u32 = u32::MAX;

impl<'a, W: Observer> Replay<'a, W> {
    /// Prepares the replay of a graph and queues the operations without dependencies.
    fn new(goal: &'a GoalGraph, parameters: LogGops, observer: &'a mut W) -> Self {
        let operations = goal.operations();
        let mut states = vec![State::default(); operations.len()];
        let mut has_starts = false;
        for operation in 0..operations.len() as u32 {
            for (follower, for_start) in goal.dependents(operation) {
                states[follower as usize].blocked += 1;
                has_starts |= for_start;
            }
        }
        let maximum = |of: fn(&Operation) -> u8| {
            operations.iter().map(of).max().map_or(1, |largest| usize::from(largest) + 1)
        };
        let (cpus, nics, ranks) = (maximum(|o| o.cpu), maximum(|o| o.nic), goal.ranks() as usize);
        Self {
            goal,
            observer,
            parameters,
            states,
            has_starts,
            queue: Queue::default(),
            waiting: Waiting::new(ranks * cpus),
            unmatched: vec![Unmatched::default(); ranks],
            cpus,
            nics,
            cpu: vec![0.0; ranks * cpus],
            sending: vec![0.0; ranks * nics],
            receiving: vec![0.0; ranks * nics],
            unblocked: Vec::new(),
            refused: None,
        }
    }

    /// Handles all events.
    fn run(&mut self) {
        (0..self.goal.operations().len() as u32).for_each(|number| self.queue_if_unblocked(number));
        self.start_unblocked();
        while let Some(event) = self.queue.next() {
            self.handle(event);
            self.start_unblocked();
        }
    }

    /// Returns the index of the processor of an operation.
    fn cpu_of(&self, rank: u32, operation: &Operation) -> usize {
        rank as usize * self.cpus + usize::from(operation.cpu)
    }

    /// Returns the index of the network interface of an operation.
    fn nic_of(&self, rank: u32, operation: &Operation) -> usize {
        rank as usize * self.nics + usize::from(operation.nic)
    }

    /// Handles an event: starts an operation or receives a message.
    fn handle(&mut self, event: EventKey) {
        let number = event.number() & !ARRIVAL;
        let operation = self.goal.operations()[number as usize];
        match (event.number() != number, operation.kind) {
            (true, _) => self.arrive(event, number, &operation),
            (false, OperationKind::Calculate) => {
                let cpu = self.cpu_of(operation.rank, &operation);
                if self.cpu[cpu] > event.time() {
                    return self.postpone(event, cpu, Interface::None, self.cpu[cpu]);
                }
                self.cpu[cpu] = event.time() + operation.size as f64;
                self.resume_after(event, cpu, Interface::None, self.cpu[cpu]);
                self.started(number, event.time());
                self.done(number, self.cpu[cpu]);
            }
            (false, OperationKind::Send) => self.send(event, number, &operation),
            (false, OperationKind::Receive) => {
                self.started(number, event.time());
                let source = (operation.peer != ANY).then_some(Rank(operation.peer));
                let (own, tag) = (&mut self.unmatched[operation.rank as usize], Tag(operation.tag));
                let Some(send) = own.messages.take_from(source, tag) else {
                    own.receives.push(source, tag, number);
                    return;
                };
                self.check_sizes(send, number);
                self.release(send, event.time());
                self.done(number, event.time());
            }
        }
    }

    /// Postpones an event until its processor and its interface are free.
    fn postpone(&mut self, event: EventKey, cpu: usize, interface: Interface, free: f64) {
        if self.waiting.block(cpu, interface, event) {
            self.queue.postpone(event, free);
        }
    }

    /// Lets the next of the events that wait for a processor and an interface be tried when both
    /// are free again.
    fn resume_after(&mut self, started: EventKey, cpu: usize, interface: Interface, free: f64) {
        if let Some(next) = self.waiting.start(cpu, interface, started) {
            self.queue.postpone(next, free);
        }
    }

    /// Starts a send, or postpones it until processor and interface are free.
    fn send(&mut self, event: EventKey, number: u32, operation: &Operation) {
        let LogGops {
            latency, send_overhead: overhead, gap, byte_gap, byte_overhead, eager, ..
        } = self.parameters;
        let (cpu, nic) =
            (self.cpu_of(operation.rank, operation), self.nic_of(operation.rank, operation));
        let (time, free) = (event.time(), self.cpu[cpu].max(self.sending[nic]));
        let interface = Interface::Sending(operation.nic);
        if free > time {
            return self.postpone(event, cpu, interface, free);
        }
        self.started(number, time);
        let further = further_bytes(operation);
        self.cpu[cpu] = time + overhead + further * byte_overhead;
        self.sending[nic] = time + gap + further * byte_gap;
        self.resume_after(event, cpu, interface, self.cpu[cpu].max(self.sending[nic]));
        self.queue.enter(time + overhead + latency, number | ARRIVAL);
        if operation.size <= eager {
            self.done(number, self.cpu[cpu]);
        }
    }

    /// Handles the arrival of the first byte of a message.
    fn arrive(&mut self, event: EventKey, number: u32, send: &Operation) {
        let LogGops { receive_overhead: overhead, gap, byte_gap, byte_overhead, .. } =
            self.parameters;
        let receiver = send.peer;
        let (cpu, nic) = (self.cpu_of(receiver, send), self.nic_of(receiver, send));
        let (time, free) = (event.time(), self.cpu[cpu].max(self.receiving[nic]));
        let interface = Interface::Receiving(send.nic);
        if free > time {
            return self.postpone(event, cpu, interface, free);
        }
        let further = further_bytes(send);
        self.cpu[cpu] = time + overhead + further * byte_overhead.max(byte_gap);
        self.receiving[nic] = time + gap + further * byte_gap;
        self.resume_after(event, cpu, interface, self.cpu[cpu].max(self.receiving[nic]));
        let (own, source, tag) =
            (&mut self.unmatched[receiver as usize], Rank(send.rank), Tag(send.tag));
        let Some(receive) = own.receives.take_for(source, tag) else {
            own.messages.push(Some(source), tag, number);
            return;
        };
        self.check_sizes(number, receive);
        self.release(number, time);
        self.done(receive, self.cpu[cpu]);
    }

    /// Records the first receive that does not accept the size of its message.
    fn check_sizes(&mut self, send: u32, receive: u32) {
        let [sent, expected] =
            [send, receive].map(|number| self.goal.operations()[number as usize]);
        if !Tag(sent.tag).accepts(Bytes::new(expected.size), Bytes::new(sent.size)) {
            self.refused.get_or_insert([send, receive]);
        }
    }

    /// Completes a send above the eager limit whose message is matched at `now`; does nothing for
    /// others.
    fn release(&mut self, send: u32, now: f64) {
        let operation = self.goal.operations()[send as usize];
        if operation.size > self.parameters.eager {
            let (cpu, nic) =
                (self.cpu_of(operation.rank, &operation), self.nic_of(operation.rank, &operation));
            self.cpu[cpu] = self.cpu[cpu].max(now);
            self.sending[nic] = self.sending[nic].max(now);
            self.done(send, now);
        }
    }

    /// Reports the start of an operation and unblocks the operations that depend on it.
    fn started(&mut self, operation: u32, now: f64) {
        self.observer.started(operation, now);
        if self.has_starts {
            self.unblock(operation, true, now);
        }
    }

    /// Reports the end of an operation and unblocks the operations that depend on it.
    fn done(&mut self, operation: u32, end: f64) {
        self.observer.ended(operation, end);
        self.states[operation as usize].blocked = DONE;
        self.unblock(operation, false, end);
    }

    /// Removes the dependency on the start (`start`) or the end of an operation, at `time`, from
    /// the operations that have it.
    fn unblock(&mut self, operation: u32, start: bool, time: f64) {
        for (follower, for_start) in self.goal.dependents(operation) {
            if for_start == start {
                let state = &mut self.states[follower as usize];
                state.ready = state.ready.max(time);
                state.blocked -= 1;
                self.queue_if_unblocked(follower);
            }
        }
    }

    /// Adds an operation to the unblocked ones if it has no open dependency.
    fn queue_if_unblocked(&mut self, number: u32) {
        if self.states[number as usize].blocked == 0 {
            let operation = &self.goal.operations()[number as usize];
            self.unblocked.push(((operation.rank, operation.kind), number));
        }
    }

    /// Queues the unblocked operations: rank by rank, sends before receives before computations.
    fn start_unblocked(&mut self) {
        if self.unblocked.is_empty() {
            return;
        }
        let mut unblocked = std::mem::take(&mut self.unblocked);
        unblocked.sort_by_key(|(order, _)| *order);
        for &(_, number) in &unblocked {
            let operation = &self.goal.operations()[number as usize];
            let mut time = self.cpu[self.cpu_of(operation.rank, operation)]
                .max(self.states[number as usize].ready);
            if operation.kind == OperationKind::Send {
                time = time.max(self.sending[self.nic_of(operation.rank, operation)]);
            }
            self.queue.enter(time, number);
        }
        unblocked.clear();
        self.unblocked = unblocked;
    }

    /// Returns the result of the replay, or an error if operations never end.
    fn outcome(self) -> Result<ReplayTimes, ReplayError> {
        let operations = self.goal.operations();
        if let Some(pair) = self.refused {
            let [send, receive] = pair.map(|number| operations[number as usize]);
            return Err(ReplayError::Size { send, receive });
        }
        let unfinished: Vec<usize> =
            (0..operations.len()).filter(|&k| self.states[k].blocked != DONE).collect();
        // Eager sends have ended even if their messages were never received.
        let queues = self.unmatched.iter().flat_map(|own| [&own.receives, &own.messages]);
        let mut waiting: Vec<u32> =
            queues.flat_map(|queue| queue.ids().map(|id| *queue.get(id))).collect();
        waiting.sort_unstable();
        if unfinished.is_empty() && waiting.is_empty() {
            let of_rank = |cpus: &[f64]| cpus.iter().copied().fold(0.0, f64::max);
            let finish = self.cpu.chunks(self.cpus).map(of_rank).collect();
            return Ok(ReplayTimes { finish, events: self.queue.entered().into() });
        }
        let others =
            unfinished.into_iter().filter(|k| waiting.binary_search(&(*k as u32)).is_err());
        let count = waiting.len() + others.clone().count();
        let started = waiting.iter().map(|&k| (k as usize, true));
        let first = started.chain(others.map(|k| (k, false))).take(MAX_SHOWN);
        let first = first
            .map(|(k, has_started)| UnfinishedOperation { operation: operations[k], has_started })
            .collect();
        Err(ReplayError::Deadlock { first, count })
    }
}

/// The number of bytes of a message after the first.
fn further_bytes(operation: &Operation) -> f64 {
    operation.size.saturating_sub(1) as f64
}

/// The reason why a replay has no times.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ReplayError {
    /// Sends and receives do not match, or operations wait for each other.
    #[error(
        "{count} operations never end: {}; add missing sends or receives, and remove circular \
            dependencies",
        describe(first)
    )]
    Deadlock {
        /// The first few operations, those that have started first.
        first: Vec<UnfinishedOperation>,
        /// The number of operations that never end.
        count: usize,
    },
    /// A receive does not accept the size of its message,
    /// [`Tag::accepts`](orrery_program::schedule::Tag::accepts).
    #[error(
        "line {}: rank {} receives {}{} bytes here, but rank {} sends {} in line {}; correct one \
            of the sizes",
        receive.line, receive.rank, if send.size > receive.size { "at most " } else { "" }, receive.size,
        send.rank, send.size, send.line
    )]
    Size {
        /// The send.
        send: Operation,
        /// The receive.
        receive: Operation,
    },
}

/// An operation that never ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UnfinishedOperation {
    /// The operation.
    pub operation: Operation,
    /// True if it has started and waits for another rank; false if it waits for operations of its
    /// own rank.
    pub has_started: bool,
}

/// The maximum number of operations in a message.
const MAX_SHOWN: usize = 5;

/// Operations that never end, in words.
fn describe(waiting: &[UnfinishedOperation]) -> String {
    let one = |UnfinishedOperation { operation, has_started }: &UnfinishedOperation| {
        let Operation { rank, peer, tag, size, line, kind, .. } = *operation;
        let name = |number: u32| if number == ANY { "any".to_owned() } else { number.to_string() };
        let what = match kind {
            OperationKind::Send => format!("send of {size} bytes to rank {peer} with tag {tag}"),
            OperationKind::Receive => {
                format!("receive from rank {} with tag {}", name(peer), name(tag))
            }
            OperationKind::Calculate => "computation".to_owned(),
        };
        let why = if *has_started { "" } else { ", which waits for operations of its rank" };
        format!("line {line}: the {what} of rank {rank}{why}")
    };
    waiting.iter().map(one).collect::<Vec<_>>().join("; ")
}
