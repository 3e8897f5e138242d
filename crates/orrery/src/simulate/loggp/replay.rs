use super::LogGops;
use super::matching::{Links, Matching};
use super::queue::{Event, Queue};
use crate::trace::goal::{ANY, GoalGraph, GoalOperation as Operation, OperationKind};

/// What a replay came to.
#[derive(Debug, Clone, PartialEq)]
pub struct ReplayTimes {
    /// When each rank ends, in nanoseconds.
    pub finish: Vec<f64>,
    /// How many operations and messages there were.
    pub events: u64,
}

impl ReplayTimes {
    /// When the last rank ends, in nanoseconds.
    pub fn total(&self) -> f64 {
        self.finish.iter().copied().fold(0.0, f64::max)
    }
}

/// An operation that never ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UnfinishedOperation {
    /// The operation.
    pub operation: Operation,
    /// Whether it had begun, and waits for another rank; else it waits for operations of its own rank.
    pub begun: bool,
}

/// A replay that cannot go on: sends and receives do not match, or operations wait for each other.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "{} operations never end: {}; give each send its receive, and let no operations wait for each other",
    count,
    told(first)
)]
pub struct DeadlockError {
    /// The first few of them, those that had begun first.
    pub first: Vec<UnfinishedOperation>,
    /// How many there are.
    pub count: usize,
}

/// So many are told of a replay that is stuck.
const MOST_TOLD: usize = 5;

fn told(waiting: &[UnfinishedOperation]) -> String {
    let one = |UnfinishedOperation { operation, begun }: &UnfinishedOperation| {
        let Operation { rank, peer, tag, size, line, kind, .. } = *operation;
        let name = |number: u32| if number == ANY { "any".to_owned() } else { number.to_string() };
        let what = match kind {
            OperationKind::Send => format!("send of {size} bytes to rank {peer} with tag {tag}"),
            OperationKind::Receive => format!("receive from rank {} with tag {}", name(peer), name(tag)),
            OperationKind::Calculate => "computation".to_owned(),
        };
        let why = if *begun { "" } else { ", which waits for others of its rank" };
        format!("line {line}: the {what} of rank {rank}{why}")
    };
    waiting.iter().map(one).collect::<Vec<_>>().join("; ")
}

/// Plays a trace.
///
/// # Errors
///
/// When operations are left that never end.
pub fn replay(goal: &GoalGraph, parameters: &LogGops) -> Result<ReplayTimes, DeadlockError> {
    watch(goal, parameters, &mut ())
}

/// Who hears when operations begin and end, in nanoseconds.
pub(super) trait Watch {
    fn begins(&mut self, _operation: u32, _time: f64) {}
    fn ends(&mut self, _operation: u32, _time: f64) {}
}

/// Nobody.
impl Watch for () {}

/// Plays a trace before somebody.
pub(super) fn watch<W: Watch>(
    goal: &GoalGraph,
    parameters: &LogGops,
    watch: &mut W,
) -> Result<ReplayTimes, DeadlockError> {
    let mut replay = Replay::new(goal, *parameters, watch);
    (0..goal.operations().len() as u32).for_each(|number| replay.free_if_unblocked(number));
    replay.begin_free();
    while let Some(event) = replay.queue.next() {
        replay.handle(event);
        replay.begin_free();
    }
    replay.outcome()
}

struct Replay<'a, W> {
    goal: &'a GoalGraph,
    watch: &'a mut W,
    parameters: LogGops,
    states: Vec<State>,
    /// Whether operations wait for the start of others.
    has_starts: bool,
    queue: Queue,
    matching: Vec<Matching>,
    links: Links,
    /// How many processors and interfaces a rank has.
    cpus: usize,
    nics: usize,
    /// When each processor is free; when each interface is free to send, and to receive.
    cpu: Vec<f64>,
    sending: Vec<f64>,
    receiving: Vec<f64>,
    /// Operations that wait for nothing any more, each behind its rank and kind.
    free: Vec<((u32, OperationKind), u32)>,
}

/// What is known of an operation.
#[derive(Debug, Clone, Copy, Default)]
struct State {
    /// When the last operation ended that it waited for.
    ready: f64,
    /// How many operations it still waits for; [`DONE`] when it has ended.
    blocked: u32,
}

/// Marks operations that have ended.
const DONE: u32 = u32::MAX;

impl<'a, W: Watch> Replay<'a, W> {
    fn new(goal: &'a GoalGraph, parameters: LogGops, watch: &'a mut W) -> Self {
        let operations = goal.operations();
        let mut states = vec![State::default(); operations.len()];
        let mut has_starts = false;
        for operation in 0..operations.len() as u32 {
            for (follower, for_start) in goal.dependents(operation) {
                states[follower as usize].blocked += 1;
                has_starts |= for_start;
            }
        }
        let most = |of: fn(&Operation) -> u8| operations.iter().map(of).max().map_or(1, |most| usize::from(most) + 1);
        let (cpus, nics, ranks) = (most(|o| o.cpu), most(|o| o.nic), goal.ranks() as usize);
        Self {
            goal,
            watch,
            parameters,
            states,
            has_starts,
            queue: Queue::new(),
            matching: vec![Matching::default(); ranks],
            links: Links::new(operations.len()),
            cpus,
            nics,
            cpu: vec![0.0; ranks * cpus],
            sending: vec![0.0; ranks * nics],
            receiving: vec![0.0; ranks * nics],
            free: Vec::new(),
        }
    }

    fn cpu_of(&self, rank: u32, operation: &Operation) -> usize {
        rank as usize * self.cpus + usize::from(operation.cpu)
    }

    fn nic_of(&self, rank: u32, operation: &Operation) -> usize {
        rank as usize * self.nics + usize::from(operation.nic)
    }

    fn handle(&mut self, event: Event) {
        let number = event.operation();
        let operation = self.goal.operations()[number as usize];
        match (event.is_arrival(), operation.kind) {
            (true, _) => self.arrive(event, number, &operation),
            (false, OperationKind::Calculate) => {
                let cpu = self.cpu_of(operation.rank, &operation);
                if self.cpu[cpu] > event.time() {
                    return self.queue.put_back(event, self.cpu[cpu]);
                }
                self.cpu[cpu] = event.time() + operation.size as f64;
                self.started(number, event.time());
                self.done(number, self.cpu[cpu]);
            }
            (false, OperationKind::Send) => self.send(event, number, &operation),
            (false, OperationKind::Receive) => {
                self.started(number, event.time());
                let matching = &mut self.matching[operation.rank as usize];
                if let Some(send) = matching.receive(operation.peer, operation.tag, number, &mut self.links) {
                    self.release(send, event.time());
                    self.done(number, event.time());
                }
            }
        }
    }

    fn send(&mut self, event: Event, number: u32, operation: &Operation) {
        let LogGops { latency, overhead, gap, byte_gap, byte_overhead, eager } = self.parameters;
        let (cpu, nic) = (self.cpu_of(operation.rank, operation), self.nic_of(operation.rank, operation));
        let (time, free) = (event.time(), self.cpu[cpu].max(self.sending[nic]));
        if free > time {
            return self.queue.put_back(event, free);
        }
        self.started(number, time);
        let further = further_bytes(operation);
        self.cpu[cpu] = time + overhead + further * byte_overhead;
        self.sending[nic] = time + gap + further * byte_gap;
        self.queue.enter(time + overhead + latency, number, true);
        if operation.size <= eager {
            self.done(number, self.cpu[cpu]);
        }
    }

    /// The first byte of the message of a send is there.
    fn arrive(&mut self, event: Event, number: u32, send: &Operation) {
        let LogGops { overhead, gap, byte_gap, byte_overhead, .. } = self.parameters;
        let receiver = send.peer;
        let (cpu, nic) = (self.cpu_of(receiver, send), self.nic_of(receiver, send));
        let (time, free) = (event.time(), self.cpu[cpu].max(self.receiving[nic]));
        if free > time {
            return self.queue.put_back(event, free);
        }
        let further = further_bytes(send);
        self.cpu[cpu] = time + overhead + further * byte_overhead.max(byte_gap);
        self.receiving[nic] = time + gap + further * byte_gap;
        let operations = self.goal.operations();
        let wanted = |receive: u32| (operations[receive as usize].peer, operations[receive as usize].tag);
        let matching = &mut self.matching[receiver as usize];
        if let Some(receive) = matching.arrive(send.rank, send.tag, number, &mut self.links, wanted) {
            self.release(number, time);
            self.done(receive, self.cpu[cpu]);
        }
    }

    /// A message was matched: a send that waited for it goes on, not before now.
    fn release(&mut self, send: u32, now: f64) {
        let operation = self.goal.operations()[send as usize];
        if operation.size > self.parameters.eager {
            let (cpu, nic) = (self.cpu_of(operation.rank, &operation), self.nic_of(operation.rank, &operation));
            self.cpu[cpu] = self.cpu[cpu].max(now);
            self.sending[nic] = self.sending[nic].max(now);
            self.done(send, now);
        }
    }

    fn started(&mut self, operation: u32, now: f64) {
        self.watch.begins(operation, now);
        if self.has_starts {
            self.unblock(operation, true, now);
        }
    }

    fn done(&mut self, operation: u32, end: f64) {
        self.watch.ends(operation, end);
        self.states[operation as usize].blocked = DONE;
        self.unblock(operation, false, end);
    }

    fn unblock(&mut self, operation: u32, start: bool, time: f64) {
        for (follower, for_start) in self.goal.dependents(operation) {
            if for_start == start {
                let state = &mut self.states[follower as usize];
                state.ready = state.ready.max(time);
                state.blocked -= 1;
                self.free_if_unblocked(follower);
            }
        }
    }

    fn free_if_unblocked(&mut self, number: u32) {
        if self.states[number as usize].blocked == 0 {
            let operation = &self.goal.operations()[number as usize];
            self.free.push(((operation.rank, operation.kind), number));
        }
    }

    /// Enters what became free: rank by rank, sends before receives before computations.
    fn begin_free(&mut self) {
        if self.free.is_empty() {
            return;
        }
        let mut free = std::mem::take(&mut self.free);
        free.sort_by_key(|(order, _)| *order);
        for &(_, number) in &free {
            let operation = &self.goal.operations()[number as usize];
            let mut time = self.cpu[self.cpu_of(operation.rank, operation)].max(self.states[number as usize].ready);
            if operation.kind == OperationKind::Send {
                time = time.max(self.sending[self.nic_of(operation.rank, operation)]);
            }
            self.queue.enter(time, number, false);
        }
        free.clear();
        self.free = free;
    }

    fn outcome(self) -> Result<ReplayTimes, DeadlockError> {
        let operations = self.goal.operations();
        let left: Vec<usize> = (0..operations.len()).filter(|&k| self.states[k].blocked != DONE).collect();
        // Eager sends have ended, though nobody received them.
        let waiting: Vec<u32> = self.matching.iter().flat_map(|matching| matching.waiting(&self.links)).collect();
        if left.is_empty() && waiting.is_empty() {
            let of_rank = |cpus: &[f64]| cpus.iter().copied().fold(0.0, f64::max);
            let finish = self.cpu.chunks(self.cpus).map(of_rank).collect();
            return Ok(ReplayTimes { finish, events: self.queue.entered() });
        }
        let mut begun = waiting.clone();
        begun.sort_unstable();
        let others = left.iter().copied().filter(|k| begun.binary_search(&(*k as u32)).is_err());
        let count = begun.len() + others.clone().count();
        let first = begun.iter().map(|&k| (k as usize, true)).chain(others.map(|k| (k, false))).take(MOST_TOLD);
        let first = first.map(|(k, begun)| UnfinishedOperation { operation: operations[k], begun }).collect();
        Err(DeadlockError { first, count })
    }
}

/// The bytes of a message after the first.
fn further_bytes(operation: &Operation) -> f64 {
    operation.size.saturating_sub(1) as f64
}
