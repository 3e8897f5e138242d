//! The operations of ranks: each rank continues until an operation blocks it.

use super::error::SimulationError;
use super::rank_state::{
    ActiveFlow, BlockedOperation, BlockedPhase, Completion, MessageEnd, Progress, RankState,
    UnmatchedOperation,
};
use super::replay::Replay;
use orrery_base::units::Seconds;
use orrery_cluster::sharing::maxmin::Demand;
use orrery_program::schedule::{
    Cursor, Operation, Rank, Request, RequestError, Schedule, Transfer,
};

/// The effect of an operation on its rank.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Effect {
    /// The rank continues with its next operation.
    Continue,
    /// The rank waits for a message, for a time that is already in the queue, or for a computation.
    Block,
    /// The rank is busy with the overhead of complete receives until this time, in seconds.
    PayUntil(f64),
}

impl Replay<'_> {
    /// Executes the operations of a rank up to one that blocks it, or to its end.
    pub(super) fn advance_program(&mut self, rank: Rank) -> Result<(), SimulationError> {
        let index = rank.index();
        if let Some(paid) = self.ranks[index].blocked.take() {
            // The overhead of a send is paid, now the send itself starts.
            let effect = self.execute(rank, paid.operation)?;
            self.ranks[index].blocked =
                Some(BlockedOperation { phase: BlockedPhase::Waiting, ..paid });
            if effect == Effect::Block {
                return Ok(());
            }
            self.record_operation(rank, None);
        }
        loop {
            let Some(operation) = self.schedule.next(rank, &mut self.ranks[index].cursor) else {
                self.ranks[index].times.end = Seconds::new(self.now);
                return Ok(());
            };
            self.ranks[index].steps += 1;
            let statement = self.ranks[index].cursor.statement;
            let overhead = self.send_overhead(rank, operation);
            let effect =
                if overhead > 0.0 { Effect::Block } else { self.execute(rank, operation)? };
            if effect == Effect::Continue {
                continue;
            }
            if let Some(derivatives) = &mut self.derivatives {
                match operation {
                    Operation::Wait(_) if overhead <= 0.0 => derivatives.set_event_to_busy(rank),
                    _ => derivatives.set_event(index),
                }
            }
            let phase = match effect {
                _ if overhead > 0.0 => {
                    self.queue.set(index, self.now + overhead);
                    BlockedPhase::SendOverhead
                }
                Effect::PayUntil(time) => {
                    self.queue.set(index, time);
                    BlockedPhase::ReceiveOverhead
                }
                Effect::Block | Effect::Continue => BlockedPhase::Waiting,
            };
            self.ranks[index].blocked =
                Some(BlockedOperation { operation, statement, start: self.now, phase });
            return Ok(());
        }
    }

    /// The overhead in seconds that a rank pays before an operation; 0 unless it is a send.
    fn send_overhead(&self, rank: Rank, operation: Operation) -> f64 {
        let Some(overheads) = &self.ranks[rank.index()].overheads else { return 0.0 };
        match operation {
            Operation::Do(Transfer::Send { to, size, .. }) => {
                let model = &self.settings.model;
                if model.has_overheads(model.is_eager(size)) {
                    let [send, ..] = overheads.of(self.settings.is_through_memory(rank, to));
                    send.seconds(size.get())
                } else {
                    0.0
                }
            }
            Operation::Post(Transfer::Send { to, size, .. }, _) => {
                let [_, posted_send, _] = overheads.of(self.settings.is_through_memory(rank, to));
                posted_send.seconds(size.get())
            }
            _ => 0.0,
        }
    }

    /// The overhead in seconds of a receive of `size` bytes from a rank, whose message was eager or
    /// not.
    pub(super) fn receive_overhead(
        &self,
        rank: Rank,
        from: Rank,
        size: u64,
        is_eager: bool,
    ) -> f64 {
        let has_overheads = self.settings.model.has_overheads(is_eager);
        let overheads = self.ranks[rank.index()].overheads.as_ref().filter(|_| has_overheads);
        overheads.map_or(0.0, |overheads| {
            let [.., receive] = overheads.of(self.settings.is_through_memory(rank, from));
            receive.seconds(size)
        })
    }

    /// Executes an operation, after the overhead of a send; returns its effect on the rank.
    fn execute(&mut self, rank: Rank, operation: Operation) -> Result<Effect, SimulationError> {
        match operation {
            Operation::Do(transfer) => self.begin_transfer(rank, transfer, Completion::Program),
            Operation::Post(transfer, request) => {
                let state = &mut self.ranks[rank.index()];
                let posted = state.requests.post(request);
                posted.map_err(|problem| self.request_error(rank, request, problem))?;
                self.begin_transfer(rank, transfer, Completion::Request(request))?;
                Ok(Effect::Continue)
            }
            Operation::Wait(request) => self.wait(rank, request),
            Operation::Compute(time) => self.compute(rank, time.get()),
            Operation::Spin(time) => self.sleep(rank, time.get()),
            Operation::Test(request) => Ok(self.test(rank, request)),
            Operation::Combine(size) => {
                match self
                    .settings
                    .combination
                    .map(|delays| delays[self.settings.hosts[rank.index()].index()])
                {
                    Some(delay) => self.compute(rank, size.get() as f64 * delay),
                    None => Ok(Effect::Continue),
                }
            }
            Operation::Start(_) | Operation::Stop(_) => Ok(Effect::Continue),
        }
    }

    /// Executes a wait for a request; returns its effect on the rank.
    fn wait(&mut self, rank: Rank, request: Request) -> Result<Effect, SimulationError> {
        let (now, schedule) = (self.now, self.schedule);
        let state = &mut self.ranks[rank.index()];
        if state.begin_wait(rank, request.0, now, schedule) {
            self.derivatives.iter_mut().for_each(|derivatives| derivatives.set_busy(rank));
        }
        let complete = state.requests.wait(request);
        match complete.map_err(|problem| self.request_error(rank, request, problem))? {
            None => Ok(Effect::Block),
            Some(()) => {
                let busy_until = self.ranks[rank.index()].pass_wait(request.0, now);
                Ok(if busy_until > now { Effect::PayUntil(busy_until) } else { Effect::Continue })
            }
        }
    }

    /// Tests a request: if its receive is complete, its overhead is paid now.
    fn test(&mut self, rank: Rank, request: Request) -> Effect {
        let Some(overheads) = &mut self.ranks[rank.index()].overheads else {
            return Effect::Continue;
        };
        let overhead = overheads.take(request.0);
        if overhead > 0.0 { Effect::PayUntil(self.now + overhead) } else { Effect::Continue }
    }

    /// Blocks a rank for a time in seconds, with its event at the end; a time of 0 has no effect.
    fn sleep(&mut self, rank: Rank, time: f64) -> Result<Effect, SimulationError> {
        if time <= 0.0 {
            return Ok(Effect::Continue);
        }
        self.queue.set(rank.index(), self.end_of(rank, time)?);
        Ok(Effect::Block)
    }

    /// The simulated time in `time` seconds; an error if it is not finite.
    fn end_of(&self, rank: Rank, time: f64) -> Result<f64, SimulationError> {
        let end = self.now + time;
        if end.is_finite() {
            return Ok(end);
        }
        let problem = format!("a duration of {time:?} s ends at no finite time; correct it");
        Err(self.operation_error(rank, problem))
    }

    /// The error of a request of the operation that a rank executes.
    fn request_error(&self, rank: Rank, request: Request, error: RequestError) -> SimulationError {
        self.operation_error(rank, format!("request {} {error}", request.0))
    }

    /// The error of the operation that a rank executes.
    fn operation_error(&self, rank: Rank, problem: String) -> SimulationError {
        let statement = self.ranks[rank.index()].cursor.statement;
        SimulationError::Operation { rank, statement, problem }
    }

    /// Computes for a time in seconds: on a core of its own, or as a flow that shares the cores of
    /// its host.
    fn compute(&mut self, rank: Rank, time: f64) -> Result<Effect, SimulationError> {
        if !self.ranks[rank.index()].shares_host || time <= 0.0 {
            return self.sleep(rank, time);
        }
        self.end_of(rank, time)?;
        let cores = self.settings.topology.links.len() + self.settings.hosts[rank.index()].index();
        self.sharing.start(
            rank.index(),
            &Demand { links: vec![(cores, 1.0)], inverse_weight: 1.0, bound: 1.0 },
        );
        let end = MessageEnd { rank, completion: Completion::Program };
        self.flows[rank.index()] =
            Some(ActiveFlow { ends: [end; 2], has_started: true, rest_after_event: 0.0 });
        self.rates[rank.index()] = 1.0;
        self.queue.set_uncontended(rank.index(), time);
        Ok(Effect::Block)
    }

    /// Starts a transfer; returns its effect on a program that is blocked by it. `completion` is
    /// what the rank's end of the message completes.
    fn begin_transfer(
        &mut self,
        rank: Rank,
        transfer: Transfer,
        completion: Completion,
    ) -> Result<Effect, SimulationError> {
        if let Transfer::Send { to: peer, .. } | Transfer::Receive { from: peer, .. } = transfer
            && peer.index() >= self.ranks.len()
        {
            let last = self.ranks.len() - 1;
            return Err(SimulationError::Other(format!(
                "rank {rank} names peer {peer}; valid ranks are 0 to {last}"
            )));
        }
        let statement = self.ranks[rank.index()].cursor.statement;
        let end = MessageEnd { rank, completion };
        let (progress, requested) = (Progress::NotStarted, None);
        match transfer {
            Transfer::Send { to, size, tag } => {
                let message = UnmatchedOperation {
                    end,
                    from: Some(rank),
                    tag,
                    size,
                    statement,
                    progress,
                    requested,
                };
                self.send(message, to)
            }
            Transfer::Receive { from, size, tag } => self.receive(UnmatchedOperation {
                end,
                from: Some(from),
                tag,
                size,
                statement,
                progress,
                requested,
            }),
            Transfer::ReceiveAny { size, tag } => self.receive(UnmatchedOperation {
                end,
                from: None,
                tag,
                size,
                statement,
                progress,
                requested,
            }),
        }
    }

    /// Sends a message: starts its transfer, or waits for its receive.
    fn send(
        &mut self,
        mut message: UnmatchedOperation,
        to: Rank,
    ) -> Result<Effect, SimulationError> {
        let (end, size) = (message.end, message.size);
        let times = &mut self.ranks[end.rank.index()].times;
        times.sent = times.sent + size;
        times.messages += 1;
        let (model, receiver) = (&self.settings.model, &mut self.ranks[to.index()]);
        let receive = receiver.receives.take_for(end.rank, message.tag);
        let fits = receive.is_some() || model.fits_in_buffer(size, receiver.unexpected_bytes);
        let is_eager = model.is_eager(size) && fits;
        message.requested = (!is_eager).then(|| self.now + self.queued_time(end.rank, to));
        let consent = receive.map(|_| self.consent(&message, to));
        let completes = is_eager
            || consent.is_some_and(|consent| model.completes_at_start(size) && consent <= self.now);
        if completes {
            self.complete_end(end, 0.0, None);
            message.end.completion = Completion::None;
        }
        if let Some(receive) = receive {
            check_sizes(&message, &receive)?;
            self.start_message(message, receive.end)?;
        } else {
            let receiver = &mut self.ranks[to.index()];
            if is_eager {
                receiver.unexpected_bytes = receiver.unexpected_bytes + size;
            }
            let id = receiver.messages.push(message.from, message.tag, message);
            if is_eager && self.settings.model.is_async(size) {
                let number = self.start_message(
                    message,
                    MessageEnd { rank: to, completion: Completion::Unexpected(id) },
                )?;
                self.ranks[to.index()].messages.get_mut(id).progress = Progress::Active(number);
            }
        }
        Ok(if completes { Effect::Continue } else { Effect::Block })
    }

    /// Posts a receive, and matches it with the first message for it; returns the effect on a
    /// program that is blocked by it.
    fn receive(&mut self, receive: UnmatchedOperation) -> Result<Effect, SimulationError> {
        let end = receive.end;
        let state = &mut self.ranks[end.rank.index()];
        let Some(message) = state.take_message(&receive) else {
            state.receives.push(receive.from, receive.tag, receive);
            return Ok(Effect::Block);
        };
        check_sizes(&message, &receive)?;
        match message.progress {
            Progress::NotStarted => {
                let mut message = message;
                let consent = self.consent(&message, end.rank);
                let completes = self.settings.model.completes_at_start(message.size);
                if completes && consent <= self.now {
                    self.complete_end(message.end, 0.0, None);
                    message.end.completion = Completion::None;
                }
                self.start_message(message, end)?;
                Ok(Effect::Block)
            }
            Progress::Active(number) => {
                if let Some(flow) = &mut self.flows[number] {
                    flow.ends[1] = end;
                }
                Ok(Effect::Block)
            }
            Progress::Arrived => {
                let overhead =
                    self.receive_overhead(end.rank, message.end.rank, message.size.get(), true);
                self.complete_end(end, overhead, None);
                Ok(if overhead > 0.0 {
                    Effect::PayUntil(self.now + overhead)
                } else {
                    Effect::Continue
                })
            }
        }
    }
}

/// Returns an error unless a receive accepts the size of a message.
fn check_sizes(
    message: &UnmatchedOperation,
    receive: &UnmatchedOperation,
) -> Result<(), SimulationError> {
    if receive.tag.accepts(receive.size, message.size) {
        return Ok(());
    }
    let (from, to, statement) = (message.end.rank, receive.end.rank, receive.statement);
    let (sent, expected) = (message.size.get(), receive.size.get());
    Err(SimulationError::Size { from, to, statement, sent, expected })
}

impl RankState {
    /// Begins a wait for a request. If receives have overheads and the statement's waits have not
    /// begun yet, records all requests that the statement waits for, and pays the overheads of
    /// those that are complete.
    ///
    /// As in `MPI_Waitall`, the overhead of each receive starts as soon as the receive is complete.
    /// Returns true if requests were recorded, so that the time until which the rank is busy is
    /// set anew.
    fn begin_wait(&mut self, rank: Rank, request: u32, now: f64, schedule: &dyn Schedule) -> bool {
        let Some(overheads) = &mut self.overheads else { return false };
        if overheads.awaited.contains(&request) {
            return false;
        }
        overheads.awaited = awaited_requests(rank, self.cursor, request, schedule);
        overheads.busy_until = now;
        for k in 0..overheads.awaited.len() {
            overheads.busy_until += overheads.take(overheads.awaited[k]);
        }
        true
    }

    /// Removes a request from those that the rank waits for; returns the time in seconds until
    /// which the rank is busy with overheads, which is `now` if it waits for further requests.
    pub(super) fn pass_wait(&mut self, request: u32, now: f64) -> f64 {
        let Some(overheads) = &mut self.overheads else { return now };
        overheads.awaited.retain(|&awaited| awaited != request);
        if overheads.awaited.is_empty() { overheads.busy_until } else { now }
    }
}

/// The requests that a statement waits for, by successive waits from the present one, `first`, on.
fn awaited_requests(
    rank: Rank,
    mut cursor: Cursor,
    first: u32,
    schedule: &dyn Schedule,
) -> Vec<u32> {
    let statement = cursor.statement;
    let mut awaited = vec![first];
    while let Some(Operation::Wait(Request(request))) = schedule.next(rank, &mut cursor)
        && cursor.statement == statement
    {
        awaited.push(request);
    }
    awaited
}
