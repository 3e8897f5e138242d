use std::collections::BTreeMap;

use super::outcome::Span;
use super::queue::{EngineEvent, Queue};
use super::rank::{
    Completion, HeldSend, InFlight, OpenRendezvous, Pending, RankState, Ready, Work,
};
use super::{EngineError, Message, Moment, Network, Path, Protocol, Term};
use orrery_base::units::{Bytes, Seconds};
use orrery_cluster::platform::Placement;
use orrery_program::schedule::{Operation, Rank, Request, Schedule, Tag, Transfer};

/// The state of the ranks and messages of a run; its memory is reused by the next run.
#[derive(Debug, Default)]
pub(super) struct State {
    pub(super) now: Seconds,
    pub(super) queue: Queue,
    pub(super) ranks: Vec<RankState>,
    /// Work that becomes ready later: matched receives, and sends whose handshake is under way.
    pub(super) later: Vec<(Rank, Ready)>,
    /// All messages of the run, by number.
    pub(super) messages: Vec<Message>,
    /// The sends that begin when their processor is free, because their receive is posted, by
    /// number of the message.
    pub(super) rendezvous: BTreeMap<u32, OpenRendezvous>,
    /// The sends that complete when their messages have arrived or are received, by number of the
    /// message.
    pub(super) held: BTreeMap<u32, HeldSend>,
    pub(super) spans: Vec<Span>,
    pub(super) path: Path,
}

impl State {
    /// Resets the state for a schedule with this number of ranks; keeps allocated memory.
    pub(super) fn restart(&mut self, ranks: usize, keep_path: bool) {
        self.now = Seconds::ZERO;
        self.queue.clear();
        self.later.clear();
        self.messages.clear();
        self.rendezvous.clear();
        self.held.clear();
        self.spans.clear();
        self.path.restart(keep_path);
        if self.ranks.len() < ranks {
            self.ranks.resize_with(ranks, RankState::default);
        }
        self.ranks[..ranks].iter_mut().for_each(RankState::restart);
    }
}

/// One run: its state, schedule, placement and network.
pub(super) struct Run<'a, 'w, S: ?Sized, N: ?Sized> {
    pub(super) state: &'a mut State,
    pub(super) schedule: &'a S,
    pub(super) placement: &'a Placement,
    pub(super) network: &'a mut N,
    pub(super) watch: Option<EventSink<'w>>,
}

/// An operation that took time.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Event {
    /// The rank that executed it.
    pub rank: Rank,
    /// The statement of the rank's schedule, by its cursor.
    pub statement: u32,
    /// The operation: a transfer, a computation, a wait.
    pub operation: Operation,
    /// The start.
    pub start: Seconds,
    /// The end.
    pub end: Seconds,
    /// The index of the communication whose end it waited for, in a simulation that records
    /// communications.
    pub communication: Option<usize>,
}

/// The function that receives the operations that took time, in the order of their ends, so that
/// they need not be stored.
pub type EventSink<'a> = &'a mut dyn FnMut(Event);

impl<S: Schedule + ?Sized, N: Network + ?Sized> Run<'_, '_, S, N> {
    /// Returns the state of a rank.
    pub(super) fn state(&mut self, rank: Rank) -> &mut RankState {
        &mut self.state.ranks[rank.index()]
    }

    /// Executes the program of a rank from `now` up to the next operation that blocks it.
    pub(super) fn advance_program(&mut self, rank: Rank, now: Moment) -> Result<(), EngineError> {
        let mut now = now;
        self.notify_observer(rank, now);
        loop {
            let state = &mut self.state.ranks[rank.index()];
            let Some(operation) = self.schedule.next(rank, &mut state.cursor) else {
                state.finish = Some(now);
                state.blocked = None;
                return Ok(());
            };
            state.steps += 1;
            state.since = now.time;
            match operation {
                Operation::Do(transfer) => {
                    state.blocked = Some(operation);
                    return self.begin(rank, transfer, now, None, operation);
                }
                Operation::Compute(duration) | Operation::Spin(duration) => {
                    let end = state.free.or_later(now).time + duration;
                    if !(duration.get() >= 0.0 && end.get().is_finite()) {
                        let step = state.steps - 1;
                        return Err(EngineError::Other(format!(
                            "operation {step} of rank {rank}: a duration must not be negative and \
                                must end at a finite time, not {:?} s",
                            duration.get()
                        )));
                    }
                    state.blocked = Some(operation);
                    return self.enqueue(
                        rank,
                        Ready { work: Work::Busy { duration }, since: now, request: None },
                    );
                }
                Operation::Combine(size) => {
                    state.blocked = Some(operation);
                    return self.enqueue(
                        rank,
                        Ready { work: Work::Combine { size }, since: now, request: None },
                    );
                }
                Operation::Post(transfer, request) => {
                    state
                        .requests
                        .post(request)
                        .map_err(|problem| state.request_error(rank, request, problem))?;
                    self.begin(rank, transfer, now, Some(request), operation)?;
                }
                Operation::Wait(request) => {
                    let complete = state.requests.wait(request);
                    let Some(complete) =
                        complete.map_err(|problem| state.request_error(rank, request, problem))?
                    else {
                        state.blocked = Some(operation);
                        return Ok(());
                    };
                    let later = now.or_later(complete);
                    if later != now {
                        state.blocked = Some(operation);
                        self.notify_observer(rank, later);
                    }
                    now = later;
                }
                Operation::Test(request) => {
                    state
                        .requests
                        .test(request)
                        .map_err(|problem| state.request_error(rank, request, problem))?;
                }
                Operation::Start(timer) => {
                    state.running.retain(|(running, _)| *running != timer);
                    state.running.push((timer, now));
                }
                Operation::Stop(timer) => {
                    if let Some(place) =
                        state.running.iter().position(|(running, _)| *running == timer)
                    {
                        let (_, start) = state.running.swap_remove(place);
                        self.state.spans.push(Span { rank, timer, start, stop: now });
                    }
                }
            }
        }
    }

    /// Reports the operation that blocked the program, and that ends now, to the observer.
    fn notify_observer(&mut self, rank: Rank, now: Moment) {
        let Some(watch) = &mut self.watch else { return };
        let state = &mut self.state.ranks[rank.index()];
        if let Some(operation) = state.blocked.take() {
            let (statement, start) = (state.cursor.statement, state.since);
            watch(Event { rank, statement, operation, start, end: now.time, communication: None });
        }
    }

    /// Starts a transfer: a send becomes ready immediately, a receive when it is matched. `request`
    /// is `None` for a blocking transfer.
    fn begin(
        &mut self,
        rank: Rank,
        transfer: Transfer,
        now: Moment,
        request: Option<Request>,
        operation: Operation,
    ) -> Result<(), EngineError> {
        let ranks = self.schedule.ranks();
        if let Transfer::Send { to: peer, .. } | Transfer::Receive { from: peer, .. } = transfer
            && peer.index() >= ranks
        {
            let step = self.state(rank).steps - 1;
            return Err(EngineError::Other(format!(
                "operation {step} of rank {rank} ({operation}) names a rank that does not exist; \
                    valid ranks are 0 to {}",
                ranks.saturating_sub(1)
            )));
        }
        match transfer {
            // A send needs nothing but the processor.
            Transfer::Send { to, size, tag } => self
                .enqueue(rank, Ready { work: Work::Send { to, size, tag }, since: now, request }),
            Transfer::Receive { from, size, tag } => {
                let pending = Pending { from: Some(from), tag, size, posted: now, request };
                let state = self.state(rank);
                // Receives from any source that were posted earlier are matched first.
                if !state.pending.has_from_any(tag)
                    && let Some(message) = state.take_message(from, tag)
                {
                    return self.match_receive(rank, pending, message);
                }
                state.pending.push(pending.from, tag, pending);
                self.start_pending_send(rank, &pending)
            }
            Transfer::ReceiveAny { size, tag } => {
                let pending = Pending { from: None, tag, size, posted: now, request };
                let state = self.state(rank);
                state.pending.push(None, tag, pending);
                state.arrivals(tag);
                // A message that has arrived is received before a send that waits is started. The
                // match itself is an event after all others of this time: until then a message of
                // a lower rank may arrive at the same time.
                let has_arrived = |id| state.unmatched.get(id).arrival.time <= now.time;
                if !state.first_arrival(tag).is_some_and(has_arrived) {
                    self.start_pending_send(rank, &pending)?;
                }
                self.schedule_arrivals(rank, tag, now.time);
                Ok(())
            }
        }
    }

    /// Matches a receive with a message: the receive becomes ready when the message has arrived. An
    /// error if their sizes do not agree.
    pub(super) fn match_receive(
        &mut self,
        rank: Rank,
        pending: Pending,
        message: InFlight,
    ) -> Result<(), EngineError> {
        // Programs of experiments have equal sizes; traces are watched.
        let is_equal = pending.size == message.size;
        if !is_equal && (self.watch.is_none() || !pending.tag.accepts(pending.size, message.size)) {
            return Err(EngineError::Other(format!(
                "rank {} sends {} bytes to rank {rank}, which expects {}; make the sizes equal",
                message.from,
                message.size.get(),
                pending.size.get()
            )));
        }
        let since = pending.posted.or_later(message.arrival);
        let work = Work::Receive { message: message.number };
        let ready = Ready { work, since, request: pending.request };
        self.enqueue_when_ready(rank, ready)
    }

    /// Adds work that is ready now, or an event at the time at which it becomes ready.
    pub(super) fn enqueue_when_ready(
        &mut self,
        rank: Rank,
        ready: Ready,
    ) -> Result<(), EngineError> {
        if ready.since.time <= self.state.now {
            return self.enqueue(rank, ready);
        }
        let work = self.state.later.len() as u32;
        self.state.later.push((rank, ready));
        self.state.queue.push(ready.since.time, EngineEvent::Ready { work });
        Ok(())
    }

    /// Schedules the match of the first message of a tag that a pending receive accepts, at `from`
    /// at the earliest; does nothing if there is no such message.
    fn schedule_arrivals(&mut self, rank: Rank, tag: Tag, from: Seconds) {
        let state = self.state(rank);
        let Some(id) = state.first_arrival(tag) else { return };
        let time = state.unmatched.get(id).arrival.time.max(from);
        if state.arrivals(tag).schedule(time) {
            self.state.queue.push(time, EngineEvent::Arrivals { rank, tag });
        }
    }

    /// Matches receives from any source, and receives of the same tag posted after them, with
    /// arrived messages in order of arrival.
    pub(super) fn take_arrivals(&mut self, rank: Rank, tag: Tag) -> Result<(), EngineError> {
        let now = self.state.now;
        self.state(rank).arrivals(tag).begin_event(now);
        loop {
            let state = self.state(rank);
            let Some(id) = state.first_arrival(tag) else { return Ok(()) };
            if state.unmatched.get(id).arrival.time > now {
                self.schedule_arrivals(rank, tag, now);
                return Ok(());
            }
            let message = state.unmatched.remove(id);
            state.arrivals(tag).remove(id, &message);
            // The first posted receive that accepts it: from any source, or from this one.
            let Some(pending) = state.pending.take_for(message.from, tag) else { return Ok(()) };
            self.match_receive(rank, pending, message)?;
        }
    }

    /// Adds ready work: an idle processor serves it immediately, a busy one queues it.
    pub(super) fn enqueue(&mut self, rank: Rank, ready: Ready) -> Result<(), EngineError> {
        let state = self.state(rank);
        if state.busy {
            state.queue.push_back(ready);
            return Ok(());
        }
        self.serve(rank, ready)
    }

    /// Starts to serve `ready` on the processor of a rank, which stays idle if a send waits for its
    /// receive.
    fn serve(&mut self, rank: Rank, ready: Ready) -> Result<(), EngineError> {
        let state = self.state(rank);
        state.busy = true;
        let start = state.free.or_later(ready.since);
        let mut completion = Completion::of(ready.request);
        let end = match ready.work {
            Work::Busy { duration } => {
                self.state.path.after(start, duration, Term::constant(duration))
            }
            Work::Combine { size } => {
                let processor = self.placement.processor(rank);
                self.network.combine(processor, size, start, &mut self.state.path)
            }
            Work::Receive { message } => self.receive(message, start),
            Work::Send { to, size, tag }
                if rank != to && self.network.protocol(size) != Protocol::Eager =>
            {
                let begun = self.begin_rendezvous(rank, to, size, tag, ready.request, start)?;
                let Some((end, of_send)) = begun else { return Ok(()) };
                completion = of_send;
                end
            }
            Work::Rendezvous { message } => {
                let open = self.state.rendezvous.remove(&message);
                let open =
                    open.unwrap_or_else(|| unreachable!("a matched send is open until it starts"));
                let end;
                (end, completion) = self.send_rendezvous(open, start)?;
                end
            }
            Work::Send { to, size, tag } => {
                let number = self.number(rank, to, size);
                let message = self.state.messages[number as usize];
                let (release, arrival) = if rank == to {
                    (start, start)
                } else {
                    let sent = self.network.send(message, start, &mut self.state.path);
                    (sent.release, sent.arrival)
                };
                self.deliver(to, InFlight { number, from: rank, tag, size, arrival })?;
                release
            }
        };
        let state = self.state(rank);
        state.serving = completion;
        state.free = end;
        self.state.queue.push(end.time, EngineEvent::Served { rank: rank.0 });
        Ok(())
    }

    /// Adds a message to those of the run and returns its number.
    pub(super) fn number(&mut self, from: Rank, to: Rank, size: Bytes) -> u32 {
        let message = Message {
            from: self.placement.processor(from),
            to: self.placement.processor(to),
            size,
        };
        self.state.messages.push(message);
        self.state.messages.len() as u32 - 1
    }

    /// Receives a message from `start` on; returns the end, at which a send that waits for it
    /// completes.
    fn receive(&mut self, number: u32, start: Moment) -> Moment {
        let message = self.state.messages[number as usize];
        if message.from == message.to {
            return start;
        }
        let end = self.network.receive(message, start, &mut self.state.path);
        if let Some(send) = self.state.held.get_mut(&number).filter(|send| send.end.is_none()) {
            send.end = Some(end);
            self.state.queue.push(end.time, EngineEvent::Delivered { message: number });
        }
        end
    }

    /// Matches a message that is sent with the first pending receive that accepts it, or keeps it
    /// as unmatched.
    fn deliver(&mut self, to: Rank, message: InFlight) -> Result<(), EngineError> {
        let state = self.state(to);
        // A message sent later may arrive earlier, so that a receive from any source is matched at
        // the arrival and not now.
        if state.pending.has_from_any(message.tag) {
            state.add_message(message);
            self.schedule_arrivals(to, message.tag, self.state.now);
            return Ok(());
        }
        // Otherwise messages of a source are received in the order of sending: the match is known.
        if let Some(pending) = state.pending.take_for(message.from, message.tag) {
            return self.match_receive(to, pending, message);
        }
        state.add_message(message);
        Ok(())
    }

    /// Completes the operation or the request of a rank at `now`; a program that it blocked
    /// continues.
    pub(super) fn complete(
        &mut self,
        rank: Rank,
        completion: Completion,
        now: Moment,
    ) -> Result<(), EngineError> {
        match completion {
            Completion::Program => self.advance_program(rank, now),
            Completion::Request(request) if self.state(rank).requests.complete(request, now) => {
                self.advance_program(rank, now)
            }
            Completion::Request(_) | Completion::Later => Ok(()),
        }
    }

    /// Handles the end of service of a rank's processor, which then serves the next work.
    pub(super) fn finish_service(&mut self, rank: Rank) -> Result<(), EngineError> {
        let state = self.state(rank);
        let (now, completion) = (state.free, std::mem::take(&mut state.serving));
        // The processor counts as busy while the program continues, so that work that was ready
        // earlier is served first.
        self.complete(rank, completion, now)?;
        let state = self.state(rank);
        state.busy = false;
        while !self.state(rank).busy
            && let Some(ready) = self.state(rank).queue.pop_front()
        {
            self.serve(rank, ready)?;
        }
        Ok(())
    }
}
