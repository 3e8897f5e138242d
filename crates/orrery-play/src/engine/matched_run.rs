use std::cmp::Reverse;

use super::matched::{Matched, MatchedCollective, MatchedMessage, NONE};
use super::matched_engine::{Completion, MatchedEngine};
use super::matched_state::{MessageRecord, MessageState, Ready, Suspended, Work};
use super::{Message, Moment, Network, Protocol, SenderContention};
use crate::event_key::EventKey;
use orrery_base::units::Seconds;
use orrery_cluster::platform::{Placement, Processor};

/// One run.
pub(super) struct Run<'a, N: ?Sized> {
    pub(super) state: &'a mut MatchedEngine,
    pub(super) matched: &'a MatchedCollective,
    placement: &'a Placement,
    network: &'a mut N,
    /// No rank ends later.
    limit: f64,
    /// How the run ends, as soon as it is known.
    pub(super) outcome: Option<Completion>,
    /// Where messages of different senders can delay each other, if ranks are played ahead of each
    /// other.
    pub(super) ahead: Option<SenderContention>,
    /// The earliest next event of all ranks: no message will be sent before.
    pub(super) bound: f64,
}

impl<'a, N: Network + ?Sized> Run<'a, N> {
    /// A run in which no rank may end later than `limit` seconds.
    pub(super) fn new(
        state: &'a mut MatchedEngine,
        matched: &'a MatchedCollective,
        placement: &'a Placement,
        network: &'a mut N,
        limit: f64,
        ahead: Option<SenderContention>,
    ) -> Self {
        Self { state, matched, placement, network, limit, outcome: None, ahead, bound: 0.0 }
    }

    /// Plays all events; returns how the run ends if it ends before all of them.
    pub(super) fn play(mut self) -> Option<Completion> {
        self.add_occupancies();
        for rank in 0..self.matched.ends.len() as u32 {
            if self.outcome.is_some() {
                return self.outcome;
            }
            self.advance_program(rank, 0.0);
            self.state.events.set(rank, self.state.ranks[rank as usize].event);
        }
        while let Some(event) = self.state.events.first().filter(|_| self.outcome.is_none()) {
            self.state.now = event;
            self.bound = event.time();
            self.handle_event(event.number());
        }
        self.outcome
    }

    /// Adds up for how long messages and combinations occupy the resources of each rank.
    fn add_occupancies(&mut self) {
        let (matched, network, placement) =
            (self.matched, &*self.network, self.placement.processors());
        let MatchedEngine { messages, combinations, remaining, .. } = &mut *self.state;
        let with_size = matched.messages.iter().zip(&matched.sizes);
        messages.clear();
        messages.extend(with_size.map(|(&MatchedMessage { from, to }, &size)| {
            let (from, to) = (from as usize, to as usize);
            let message = Message { from: placement[from], to: placement[to], size };
            let occupancy = network.occupancy(message);
            let sender = &mut remaining[from];
            sender.processor += occupancy.sender;
            sender.out_port += occupancy.out_port;
            let receiver = &mut remaining[to];
            receiver.processor += occupancy.receiver;
            receiver.in_port += occupancy.in_port;
            MessageRecord { message, occupancy, state: MessageState::Idle }
        }));
        let combined = matched.combining.iter().zip(&matched.sizes[messages.len()..]);
        combinations.clear();
        combinations.extend(combined.map(|(&rank, &size)| {
            let duration = network.combination(placement[rank as usize], size).get();
            remaining[rank as usize].processor += duration;
            duration
        }));
        self.state.least_time =
            remaining.iter().map(|remaining| remaining.end(0.0, 0.0)).fold(0.0, f64::max);
        self.outcome = (self.state.least_time > self.limit).then_some(Completion::Later);
    }

    /// Executes the program of a rank from `now` up to the next operation that blocks it.
    fn advance_program(&mut self, rank: u32, mut now: f64) {
        let first_request = rank as usize * self.matched.requests;
        loop {
            let state = &self.state.ranks[rank as usize];
            if state.next == state.end {
                self.state.ranks[rank as usize].finish = now;
                return;
            }
            let operation = self.matched.operations[state.next as usize];
            if self.ahead.is_some() && !self.is_decided(rank, operation, now) {
                return self.suspend(rank, now, Suspended::Program);
            }
            let state = &mut self.state.ranks[rank as usize];
            state.next += 1;
            let ready = |work, request| Ready { work, since: now, request };
            match operation {
                Matched::Send(message) => {
                    return self.enqueue(rank, ready(Work::Send(message), NONE));
                }
                Matched::Combine(size) => {
                    return self.enqueue(rank, ready(Work::Combine(size), NONE));
                }
                Matched::Receive(message) => return self.post_receive(rank, message, now, NONE),
                Matched::PostSend(message, request) => {
                    self.state.requests[first_request + request as usize] = f64::INFINITY;
                    self.enqueue(rank, ready(Work::Send(message), request));
                }
                Matched::PostReceive(message, request) => {
                    self.state.requests[first_request + request as usize] = f64::INFINITY;
                    self.post_receive(rank, message, now, request);
                }
                Matched::Wait(request) => {
                    let complete = self.state.requests[first_request + request as usize];
                    if complete == f64::INFINITY {
                        state.awaited = request;
                        return;
                    }
                    now = now.max(complete);
                }
            }
        }
    }

    /// Posts a receive, which is ready when its message has arrived; `request` is [`NONE`] for a
    /// blocking receive.
    fn post_receive(&mut self, rank: u32, message: u32, now: f64, request: u32) {
        match self.state.messages[message as usize].state {
            MessageState::Sent(arrival) => {
                self.check_order(arrival);
                let since = now.max(arrival);
                if since <= self.state.now.time() {
                    self.enqueue(rank, Ready { work: Work::Receive(message), since, request });
                } else {
                    self.add_arriving(rank, message, since, request);
                }
            }
            _ => {
                self.state.messages[message as usize].state = MessageState::Posted(now, request);
                self.note_unknown(rank, message, now);
            }
        }
    }

    /// Adds a receive that becomes ready at `since`, later than the present event of its rank.
    pub(super) fn add_arriving(&mut self, rank: u32, message: u32, since: f64, request: u32) {
        self.state.messages[message as usize].state = MessageState::Ready(request);
        let event = self.state.events.create(since, message);
        let state = &mut self.state.ranks[rank as usize];
        state.arriving.push(Reverse(event));
        if !state.is_busy {
            state.event = state.first_arriving();
            self.state.events.set(rank, state.event);
        }
    }

    /// Handles the send of a message whose receive is posted: the receive becomes ready at `since`.
    fn deliver(&mut self, to: u32, message: u32, since: f64, request: u32) {
        if self.ahead.is_some() {
            self.note_known(to, since);
        } else if since <= self.state.now.time() {
            self.enqueue(to, Ready { work: Work::Receive(message), since, request });
            return self.state.events.set(to, self.state.ranks[to as usize].event);
        }
        self.add_arriving(to, message, since, request);
    }

    /// Queues the receives of a busy rank that have become ready before the present event.
    fn queue_arrived(&mut self, rank: u32) {
        let now = self.state.now;
        loop {
            let state = &mut self.state.ranks[rank as usize];
            let event = state.first_arriving();
            if event == EventKey::NONE {
                return;
            }
            self.check_order(event.time());
            if event > now {
                return;
            }
            let ready = self.take_arrived(rank);
            self.state.ranks[rank as usize].queue.push_back(ready);
        }
    }

    /// Takes the first receive of a rank that becomes ready later; there must be one.
    fn take_arrived(&mut self, rank: u32) -> Ready {
        let state = &mut self.state.ranks[rank as usize];
        let event = state.arriving.pop().map_or(EventKey::NONE, |Reverse(event)| event);
        state.decide(event.time());
        let next = state.first_arriving();
        if self.ahead.is_some() && next.is_at(event.time()) {
            self.outcome = Some(Completion::Unknown);
        }
        let number = event.number();
        let request = match self.state.messages[number as usize].state {
            MessageState::Ready(request) => request,
            _ => NONE,
        };
        Ready { work: Work::Receive(number), since: event.time(), request }
    }

    /// Ends a run in which the order of events may differ, of one rank for all or of ranks ahead of
    /// each other, if a message arrives at the present time.
    pub(super) fn check_order(&mut self, arrival: f64) {
        if (self.matched.ends.len() == 1 || self.ahead.is_some()) && self.state.now.is_at(arrival) {
            self.outcome = Some(Completion::Unknown);
        }
    }

    /// Handles the next event of a rank, and further ones as far as the rank can be played ahead of
    /// the others.
    fn handle_event(&mut self, rank: u32) {
        self.step(rank);
        while self.can_step(rank) {
            self.state.now = self.state.ranks[rank as usize].event;
            self.step(rank);
        }
        self.state.events.set(rank, self.state.ranks[rank as usize].event);
    }

    /// Handles the next event of a rank: the end of a service, or a receive that becomes ready.
    fn step(&mut self, rank: u32) {
        let state = &mut self.state.ranks[rank as usize];
        match std::mem::take(&mut state.suspended) {
            Suspended::No if state.is_busy => self.finish_service(rank),
            Suspended::No => self.serve_arrived(rank),
            Suspended::Program => {
                self.advance_program(rank, self.state.now.time());
                self.end_service(rank);
            }
            Suspended::Send => self.end_service(rank),
        }
    }

    /// Serves the first receive that has become ready on an idle processor; if there is none, the
    /// rank has no event.
    fn serve_arrived(&mut self, rank: u32) {
        if self.state.ranks[rank as usize].arriving.is_empty() {
            self.state.ranks[rank as usize].event = EventKey::NONE;
            return;
        }
        let ready = self.take_arrived(rank);
        self.serve(rank, ready);
    }

    /// Adds ready work: an idle processor serves it immediately, a busy one queues it.
    fn enqueue(&mut self, rank: u32, ready: Ready) {
        let state = &mut self.state.ranks[rank as usize];
        state.decide(ready.since);
        if state.is_busy {
            self.queue_arrived(rank);
            self.state.ranks[rank as usize].queue.push_back(ready);
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
                let combination = size as usize - self.matched.messages.len();
                self.state.remaining[rank as usize].processor -=
                    self.state.combinations[combination];
                let size = self.matched.sizes[size as usize];
                self.network
                    .combine(self.processor(rank), size, start, &mut self.state.path)
                    .time
                    .get()
            }
            Work::Receive(number) => {
                let MessageRecord { message, occupancy, .. } = self.state.messages[number as usize];
                self.state.remaining[rank as usize].processor -= occupancy.receiver;
                self.network.receive(message, start, &mut self.state.path).time.get()
            }
            Work::Send(number) => {
                if self.is_send_early(self.matched.messages[number as usize].to, start.time.get()) {
                    self.state.ranks[rank as usize].queue.push_front(ready);
                    return self.suspend(rank, start.time.get(), Suspended::Send);
                }
                self.send(rank, number, start)
            }
        };
        let state = &mut self.state.ranks[rank as usize];
        state.serving = ready.request;
        state.free = end;
        if self.state.remaining[rank as usize].end(self.bound, end) > self.limit {
            self.outcome = Some(self.outcome.unwrap_or(Completion::Later));
        }
        state.event = self.state.events.create(end, rank);
    }

    /// Sends a message; returns the time in seconds at which the processor of the sender is free
    /// again.
    fn send(&mut self, rank: u32, number: u32, start: Moment) -> f64 {
        let MessageRecord { message, occupancy, state } = self.state.messages[number as usize];
        if self.network.protocol(message.size) != Protocol::Eager {
            self.outcome = Some(Completion::Unknown);
        }
        let sent = self.network.send(message, start, &mut self.state.path);
        let (to, arrival) = (self.matched.messages[number as usize].to, sent.arrival.time.get());
        let sender = &mut self.state.remaining[rank as usize];
        sender.processor -= occupancy.sender;
        sender.out_port -= occupancy.out_port;
        self.state.remaining[to as usize].in_port -= occupancy.in_port;
        match state {
            MessageState::Posted(posted, request) => {
                if self.ahead.is_none() {
                    self.check_order(arrival);
                }
                self.deliver(to, number, posted.max(arrival), request);
            }
            _ => self.state.messages[number as usize].state = MessageState::Sent(arrival),
        }
        sent.release.time.get()
    }

    /// The processor of a rank.
    fn processor(&self, rank: u32) -> Processor {
        self.placement.processors()[rank as usize]
    }

    /// Handles the end of service of the processor of a rank.
    fn finish_service(&mut self, rank: u32) {
        let state = &mut self.state.ranks[rank as usize];
        let (now, request) = (state.free, state.serving);
        // The processor counts as busy while the program continues, so that work that was ready
        // earlier is served first.
        if request == NONE || state.awaited == request {
            state.awaited = NONE;
            self.advance_program(rank, now);
        } else {
            self.state.requests[rank as usize * self.matched.requests + request as usize] = now;
        }
        self.end_service(rank);
    }

    /// Begins the next service after the program of a rank has continued.
    fn end_service(&mut self, rank: u32) {
        let state = &mut self.state.ranks[rank as usize];
        if state.suspended == Suspended::Program {
            return;
        }
        state.is_busy = false;
        if let Some(ready) = state.queue.pop_front() {
            return self.serve(rank, ready);
        }
        state.event = state.first_arriving();
        let event = state.event;
        if event != EventKey::NONE && self.ahead.is_none() {
            self.check_order(event.time());
        }
        if event < self.state.now && self.is_next_decided(rank) {
            self.serve_arrived(rank);
        }
    }
}
