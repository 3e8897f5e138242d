use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

use super::matched::{Matched, MatchedCollective, MatchedMessage, NONE};
use super::rank_events::{EventKey, RankEvents};
use super::{Message, Moment, Network, Occupancy, Path, Protocol};
use crate::platform::{Placement, Processor};
use crate::units::Seconds;

/// Plays [`MatchedCollective`]s as [`Engine`](super::Engine) does, with the same times, but without the critical path.
///
/// It is several times as fast, and ends early when an operation is slower than needed. It reuses its memory between runs.
///
/// ```
/// use orrery::comm::hockney::HockneyNetwork;
/// use orrery::engine::{MatchedCollective, MatchedEngine, Completion};
/// use orrery::platform::Placement;
/// use orrery::schedule::{Algorithm, Collective, CollectiveKind, Rank};
/// use orrery::units::{Bytes, Seconds};
/// let bcast = Collective {
///     kind: CollectiveKind::Broadcast,
///     algorithm: Algorithm::Binomial,
///     root: Rank(0),
///     ranks: 8,
///     block: Bytes::new(1000),
/// };
/// let matched = MatchedCollective::new(&bcast).expect("its messages are received");
/// let mut network = HockneyNetwork::new(8, &[20e-6], &[1e-9]);
/// let (placement, limit) = (Placement::identity(8), Seconds::new(1.0));
/// let Completion::At(time) = MatchedEngine::default().run(&matched, &placement, &mut network, limit) else { panic!() };
/// // lg p·(α + β·m)
/// assert!((time.get() - 3.0 * 21e-6).abs() < 1e-15);
/// ```
#[derive(Debug)]
pub struct MatchedEngine {
    /// The present event.
    now: EventKey,
    events: RankEvents,
    ranks: Vec<RankState>,
    messages: Vec<MessageState>,
    /// For how long each message occupies resources.
    occupancies: Vec<Occupancy>,
    /// The states of the requests of each rank.
    requests: Vec<RequestState>,
    path: Path,
    least_time: f64,
}

/// How a played operation ends.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Completion {
    /// All ranks have ended, the last one at this time.
    At(Seconds),
    /// Not all ranks have ended at the limit.
    Later,
    /// This engine does not play it: a message waits for its receive, or the order of simultaneous events may differ between ranks
    /// of which only one is played.
    Unknown,
}

/// The state of a message before its receive is served.
#[derive(Debug, Clone, Copy)]
enum MessageState {
    /// Neither sent nor expected.
    Idle,
    /// Its receive is posted: since when, and its request.
    Posted(f64, u32),
    /// It is sent and arrives at this time.
    Sent(f64),
    /// Its receive becomes ready: its request.
    Ready(u32),
}

/// The state of a request.
#[derive(Debug, Clone, Copy, PartialEq)]
enum RequestState {
    Open,
    Complete(f64),
}

/// Work that a processor serves, since when it is ready, and the request that it completes, or [`NONE`].
#[derive(Debug, Clone, Copy)]
struct Ready {
    work: Work,
    since: f64,
    request: u32,
}

#[derive(Debug, Clone, Copy)]
enum Work {
    Send(u32),
    Receive(u32),
    Combine(u32),
}

/// A rank and its processor.
#[derive(Debug, Clone, Default)]
struct RankState {
    /// The next operation and the index behind the last one.
    next: u32,
    end: u32,
    /// The request that the program waits for, or [`NONE`].
    awaited: u32,
    /// True while the processor is serving; the request that the service completes, or [`NONE`] for the blocked program.
    is_busy: bool,
    serving: u32,
    /// The end of the present or the last service.
    free: f64,
    queue: VecDeque<Ready>,
    /// The receives that become ready later, with the numbers of their messages.
    arriving: BinaryHeap<Reverse<EventKey>>,
    finish: Option<f64>,
    remaining: Remaining,
}

/// Lower bounds of the times for which resources of a rank will be occupied \[s\].
#[derive(Debug, Clone, Copy, Default)]
struct Remaining {
    processor: f64,
    out_port: f64,
    in_port: f64,
}

impl Remaining {
    /// A lower bound of the end of a rank whose processor is busy until `end`, at the time `now`.
    fn end(self, now: f64, end: f64) -> f64 {
        (end + self.processor.max(self.out_port)).max(now + self.in_port)
    }
}

/// The relative tolerance of bounds for rounding errors.
const TOLERANCE: f64 = 1e-9;

impl Default for MatchedEngine {
    fn default() -> Self {
        Self {
            now: EventKey::NONE,
            events: RankEvents::default(),
            ranks: Vec::new(),
            messages: Vec::new(),
            occupancies: Vec::new(),
            requests: Vec::new(),
            path: Path::default(),
            least_time: 0.0,
        }
    }
}

impl MatchedEngine {
    /// A lower bound of the time of the last operation: for how long its messages occupy the busiest resource.
    pub fn least_time(&self) -> Seconds {
        Seconds::new(self.least_time)
    }

    /// Plays an operation until `limit`; the placement has the processor of each rank.
    ///
    /// # Panics
    ///
    /// When the placement has fewer ranks than the operation, or processors that the network does not have.
    pub fn run<N: Network + ?Sized>(
        &mut self,
        matched: &MatchedCollective,
        placement: &Placement,
        network: &mut N,
        limit: Seconds,
    ) -> Completion {
        let ranks = matched.ends.len();
        self.events.restart(ranks);
        self.now = self.events.create(0.0, 0);
        self.ranks.resize_with(ranks, RankState::default);
        let mut begin = 0;
        for (state, &end) in self.ranks.iter_mut().zip(&matched.ends) {
            state.queue.clear();
            state.arriving.clear();
            let (queue, arriving) = (std::mem::take(&mut state.queue), std::mem::take(&mut state.arriving));
            *state =
                RankState { next: begin, end, awaited: NONE, serving: NONE, queue, arriving, ..RankState::default() };
            begin = end;
        }
        self.messages.clear();
        self.messages.resize(matched.messages.len(), MessageState::Idle);
        self.requests.clear();
        self.requests.resize(ranks * matched.requests, RequestState::Open);
        network.reset();
        let bound = limit.get() * (1.0 + TOLERANCE);
        let mut run = Run { state: self, matched, placement, network, limit: bound, outcome: None };
        run.add_occupancies();
        if let Some(outcome) = run.outcome {
            return outcome;
        }
        for rank in 0..ranks as u32 {
            run.advance_program(rank, 0.0);
        }
        while let Some(event) = run.state.events.first() {
            run.state.now = event;
            run.handle_event(event.number());
            if let Some(outcome) = run.outcome {
                return outcome;
            }
        }
        let last = self.ranks.iter().try_fold(0.0, |last: f64, rank| Some(last.max(rank.finish?)));
        match last {
            Some(last) if last <= limit.get() => Completion::At(Seconds::new(last)),
            _ => Completion::Later,
        }
    }
}

/// One run.
struct Run<'a, N: ?Sized> {
    state: &'a mut MatchedEngine,
    matched: &'a MatchedCollective,
    placement: &'a Placement,
    network: &'a mut N,
    /// No rank ends later.
    limit: f64,
    /// How the run ends, as soon as it is known.
    outcome: Option<Completion>,
}

impl<N: Network + ?Sized> Run<'_, N> {
    /// Adds up for how long messages occupy the resources of each rank.
    fn add_occupancies(&mut self) {
        self.state.occupancies.clear();
        for number in 0..self.matched.messages.len() as u32 {
            let MatchedMessage { from, to } = self.matched.messages[number as usize];
            let occupancy = self.network.occupancy(self.message(number));
            self.state.occupancies.push(occupancy);
            let sender = &mut self.state.ranks[from as usize].remaining;
            sender.processor += occupancy.sender;
            sender.out_port += occupancy.out_port;
            let receiver = &mut self.state.ranks[to as usize].remaining;
            receiver.processor += occupancy.receiver;
            receiver.in_port += occupancy.in_port;
        }
        let ends = self.state.ranks.iter().map(|rank| rank.remaining.end(0.0, 0.0));
        self.state.least_time = ends.fold(0.0, f64::max);
        self.outcome = (self.state.least_time > self.limit).then_some(Completion::Later);
    }

    /// Executes the program of a rank from `now` up to the next operation that blocks it.
    fn advance_program(&mut self, rank: u32, mut now: f64) {
        let first_request = rank as usize * self.matched.requests;
        loop {
            let state = &mut self.state.ranks[rank as usize];
            if state.next == state.end {
                state.finish = Some(now);
                return;
            }
            let operation = self.matched.operations[state.next as usize];
            state.next += 1;
            let ready = |work, request| Ready { work, since: now, request };
            match operation {
                Matched::Send(message) => return self.enqueue(rank, ready(Work::Send(message), NONE)),
                Matched::Combine(size) => return self.enqueue(rank, ready(Work::Combine(size), NONE)),
                Matched::Receive(message) => return self.post_receive(rank, message, now, NONE),
                Matched::PostSend(message, request) => {
                    self.state.requests[first_request + request as usize] = RequestState::Open;
                    self.enqueue(rank, ready(Work::Send(message), request));
                }
                Matched::PostReceive(message, request) => {
                    self.state.requests[first_request + request as usize] = RequestState::Open;
                    self.post_receive(rank, message, now, request);
                }
                Matched::Wait(request) => match self.state.requests[first_request + request as usize] {
                    RequestState::Complete(complete) => now = now.max(complete),
                    RequestState::Open => {
                        state.awaited = request;
                        return;
                    }
                },
            }
        }
    }

    /// Posts a receive: it is ready when the message has arrived.
    fn post_receive(&mut self, rank: u32, message: u32, now: f64, request: u32) {
        match self.state.messages[message as usize] {
            MessageState::Sent(arrival) => {
                self.check_order(arrival);
                self.match_receive(rank, message, now.max(arrival), request);
            }
            _ => self.state.messages[message as usize] = MessageState::Posted(now, request),
        }
    }

    /// A receive whose message is sent is ready at a time, which may come later.
    fn match_receive(&mut self, rank: u32, message: u32, since: f64, request: u32) {
        if since <= self.state.now.time() {
            self.queue_arrived(rank);
            return self.enqueue(rank, Ready { work: Work::Receive(message), since, request });
        }
        self.state.messages[message as usize] = MessageState::Ready(request);
        let event = self.state.events.create(since, message);
        let state = &mut self.state.ranks[rank as usize];
        state.arriving.push(Reverse(event));
        if !state.is_busy {
            self.set_next_arrival(rank);
        }
    }

    /// Makes the first receive that becomes ready later the next event of an idle rank.
    fn set_next_arrival(&mut self, rank: u32) {
        let first = self.state.ranks[rank as usize].arriving.peek().map_or(EventKey::NONE, |Reverse(event)| *event);
        self.state.events.set(rank, first);
    }

    /// Queues the receives of a busy rank that have become ready before the present event.
    fn queue_arrived(&mut self, rank: u32) {
        let mut is_simultaneous = false;
        let state = &mut self.state.ranks[rank as usize];
        while let Some(Reverse(event)) = state.arriving.peek().copied().filter(|Reverse(event)| *event < self.state.now)
        {
            state.arriving.pop();
            is_simultaneous |= event.is_at(self.state.now.time());
            if let MessageState::Ready(request) = self.state.messages[event.number() as usize] {
                state.queue.push_back(Ready { work: Work::Receive(event.number()), since: event.time(), request });
            }
        }
        if is_simultaneous {
            self.check_order(self.state.now.time());
        }
    }

    /// Ends the run of one rank for all if a message arrives at the present time: the order of these events may differ between ranks.
    fn check_order(&mut self, arrival: f64) {
        if self.matched.ends.len() == 1 && self.state.now.is_at(arrival) {
            self.outcome = Some(Completion::Unknown);
        }
    }

    /// Handles the next event of a rank: the end of a service, or a receive that becomes ready.
    fn handle_event(&mut self, rank: u32) {
        let state = &mut self.state.ranks[rank as usize];
        if state.is_busy {
            self.queue_arrived(rank);
            if let Some(Reverse(event)) = self.state.ranks[rank as usize].arriving.peek() {
                self.check_order(event.time());
            }
            return self.finish_service(rank);
        }
        let Some(Reverse(event)) = state.arriving.pop() else { return self.set_next_arrival(rank) };
        if let MessageState::Ready(request) = self.state.messages[event.number() as usize] {
            self.serve(rank, Ready { work: Work::Receive(event.number()), since: event.time(), request });
        }
    }

    /// Adds ready work: an idle processor serves it immediately, a busy one queues it.
    fn enqueue(&mut self, rank: u32, ready: Ready) {
        let state = &mut self.state.ranks[rank as usize];
        if state.is_busy {
            state.queue.push_back(ready);
        } else {
            self.serve(rank, ready);
        }
    }

    /// Starts to serve `ready` on the processor of a rank.
    fn serve(&mut self, rank: u32, ready: Ready) {
        let state = &mut self.state.ranks[rank as usize];
        state.is_busy = true;
        let start = Moment::at(Seconds::new(state.free.max(ready.since)));
        let end = match ready.work {
            Work::Combine(size) => {
                let size = self.matched.sizes[size as usize];
                self.network.combine(self.processor(rank), size, start, &mut self.state.path).time.get()
            }
            Work::Receive(number) => {
                let message = self.message(number);
                self.state.ranks[rank as usize].remaining.processor -= self.state.occupancies[number as usize].receiver;
                self.network.receive(message, start, &mut self.state.path).time.get()
            }
            Work::Send(number) => {
                let message = self.message(number);
                if self.network.protocol(message.size) != Protocol::Eager {
                    self.outcome = Some(Completion::Unknown);
                }
                let sent = self.network.send(message, start, &mut self.state.path);
                let (to, arrival) = (self.matched.messages[number as usize].to, sent.arrival.time.get());
                let occupancy = self.state.occupancies[number as usize];
                let sender = &mut self.state.ranks[rank as usize].remaining;
                sender.processor -= occupancy.sender;
                sender.out_port -= occupancy.out_port;
                self.state.ranks[to as usize].remaining.in_port -= occupancy.in_port;
                match self.state.messages[number as usize] {
                    MessageState::Posted(posted, request) => {
                        self.check_order(arrival);
                        self.match_receive(to, number, posted.max(arrival), request);
                    }
                    _ => self.state.messages[number as usize] = MessageState::Sent(arrival),
                }
                sent.release.time.get()
            }
        };
        let state = &mut self.state.ranks[rank as usize];
        state.serving = ready.request;
        state.free = end;
        if state.remaining.end(self.state.now.time(), end) > self.limit {
            self.outcome = Some(self.outcome.unwrap_or(Completion::Later));
        }
        let event = self.state.events.create(end, rank);
        self.state.events.set(rank, event);
    }

    fn processor(&self, rank: u32) -> Processor {
        self.placement.processors()[rank as usize]
    }

    /// A message by number.
    fn message(&self, number: u32) -> Message {
        let ends = self.matched.messages[number as usize];
        let size = self.matched.sizes[number as usize];
        Message { from: self.processor(ends.from), to: self.processor(ends.to), size }
    }

    /// Handles the end of service of the processor of a rank.
    fn finish_service(&mut self, rank: u32) {
        let state = &mut self.state.ranks[rank as usize];
        let (now, request) = (state.free, state.serving);
        // The processor counts as busy while the program continues, so that work that was ready earlier is served first.
        if request == NONE || state.awaited == request {
            state.awaited = NONE;
            self.advance_program(rank, now);
        } else {
            self.state.requests[rank as usize * self.matched.requests + request as usize] = RequestState::Complete(now);
        }
        let state = &mut self.state.ranks[rank as usize];
        state.is_busy = false;
        match state.queue.pop_front() {
            Some(ready) => self.serve(rank, ready),
            None => self.set_next_arrival(rank),
        }
    }
}
