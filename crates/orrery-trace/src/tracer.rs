//! What calls add to the record of a rank.

use std::collections::HashMap;
use std::ffi::c_int;

use mpi_sys::{MPI_Comm, MPI_Datatype};
use orrery::trace::recording::{
    Body, Call, Completion, Function, Matched, Message, Outcome, Peer, Record, encode,
};

use crate::communicators::{Communicator, Communicators};
use crate::language::{Key, KeyHasher, Status};
use crate::output::Output;
use crate::requests::{Pending, Requests};

/// The time in nanoseconds between calls without a result up to which they are one record: the time
/// of a loop that does nothing else.
const MAX_POLL_GAP: u64 = 2_000;

/// A function and the times of its call.
#[derive(Debug, Clone, Copy)]
struct CurrentCall {
    function: Function,
    begin: u64,
    end: u64,
}

/// The record of a rank.
#[derive(Debug)]
pub struct Tracer {
    output: Output,
    communicators: Communicators,
    /// The requests of messages.
    pub requests: Requests,
    /// The messages that a probe has matched, until they are received.
    probed: HashMap<Key, (Message, Matched), KeyHasher>,
    /// The end of the last record.
    last_end: u64,
    call: CurrentCall,
    /// Calls without a result that are not recorded yet: their number, the begin of the first and
    /// the end of the last.
    polls: Option<(u64, CurrentCall)>,
    /// The bytes of a record.
    buffer: Vec<u8>,
}

impl Tracer {
    /// Begins the record at a time.
    pub fn new(output: Output, begin: u64) -> Self {
        Self {
            output,
            communicators: Communicators::new(),
            requests: Requests::default(),
            probed: HashMap::default(),
            last_end: begin,
            call: CurrentCall { function: Function::Finalize, begin, end: begin },
            polls: None,
            buffer: Vec::with_capacity(1 << 12),
        }
    }

    /// Sets the function and the times in nanoseconds of the call that the next record is of.
    #[inline]
    pub fn set_call(&mut self, function: Function, begin: u64, end: u64) {
        self.call = CurrentCall { function, begin, end };
    }

    /// Writes a record.
    fn write(&mut self, record: &Record<'_>) {
        self.buffer.clear();
        encode(record, &mut self.buffer);
        self.output.append(&self.buffer);
    }

    /// Adds the call with a content.
    #[inline]
    fn add(&mut self, body: Body<'_>) {
        let call = self.call;
        self.flush_polls();
        self.write_call(call, body);
    }

    /// Writes a call with a content.
    #[inline]
    fn write_call(&mut self, call: CurrentCall, body: Body<'_>) {
        let (gap, duration) =
            (call.begin.saturating_sub(self.last_end), call.end.saturating_sub(call.begin));
        self.last_end = call.end;
        self.write(&Record::Call(Call { function: call.function, gap, duration, body }));
    }

    /// Writes the calls without a result.
    #[inline]
    fn flush_polls(&mut self) {
        if let Some((calls, polls)) = self.polls.take() {
            self.write_call(polls, Body::Polls(calls));
        }
    }

    /// Adds the call as one without a result; such calls that follow each other at once become one
    /// record.
    pub fn poll(&mut self) {
        let call = self.call;
        match &mut self.polls {
            // Loops call several functions in turn: one record for each call would fill the disk.
            Some((calls, polls)) if call.begin.saturating_sub(polls.end) <= MAX_POLL_GAP => {
                *calls += 1;
                polls.end = call.end;
            }
            _ => {
                self.flush_polls();
                self.polls = Some((1, call));
            }
        }
    }

    /// Adds calls of other threads during the last call.
    pub fn overlapping(&mut self, calls: u64) {
        self.flush_polls();
        self.write(&Record::Overlapping(calls));
    }

    /// Ends the record.
    pub fn finish(mut self) {
        self.flush_polls();
        self.output.finish();
    }

    /// Adds the call without content.
    pub fn plain(&mut self) {
        self.add(Body::Plain);
    }

    /// The communicator of a handle; one that is not known yet is recorded first.
    #[inline]
    pub fn communicator(&mut self, comm: MPI_Comm) -> &Communicator {
        let (output, buffer) = (&mut self.output, &mut self.buffer);
        self.communicators.get(comm, |record| {
            buffer.clear();
            encode(record, buffer);
            output.append(buffer);
        })
    }

    /// Adds the call that created a communicator, and the communicator if this process is a member.
    pub fn created(&mut self, comm: MPI_Comm) {
        self.plain();
        if comm != crate::language::no_communicator() {
            self.communicators.remove(crate::language::key(comm));
            self.communicator(comm);
        }
    }

    /// Adds the call that frees a communicator.
    pub fn freed(&mut self, comm: MPI_Comm) {
        self.plain();
        self.communicators.remove(crate::language::key(comm));
    }

    /// A message as a call names it.
    #[inline]
    pub fn message(&mut self, size: u64, peer: c_int, tag: c_int, comm: MPI_Comm) -> Message {
        let communicator = self.communicator(comm);
        let (communicator, peer) = (communicator.number, communicator.peer(peer));
        // A message without a peer has no tag.
        let tag = if peer == Peer::None { Some(0) } else { u32::try_from(tag).ok() };
        Message { communicator, peer, tag, size }
    }

    /// What a status says about the message that a receive has matched.
    fn matched(&self, status: &Status, communicator: u32) -> Matched {
        let communicator = self.communicators.with_number(communicator);
        Matched {
            source: communicator.peer(status.0.MPI_SOURCE),
            tag: u32::try_from(status.0.MPI_TAG).unwrap_or(0),
        }
    }

    /// Adds a send.
    #[inline]
    pub fn send(&mut self, message: Message) {
        self.add(Body::Send(message));
    }

    /// Adds a receive.
    #[inline]
    pub fn receive(&mut self, message: Message, status: &Status) {
        let matched = message.is_wild().then(|| self.matched(status, message.communicator));
        self.add(Body::Receive(message, matched));
    }

    /// Adds an exchange.
    pub fn exchange(&mut self, sent: Message, received: Message, status: &Status) {
        let matched = received.is_wild().then(|| self.matched(status, received.communicator));
        self.add(Body::Exchange(sent, received, matched));
    }

    /// Adds a nonblocking or persistent transfer.
    #[inline]
    pub fn post(&mut self, message: Message, request: Key, is_persistent: bool) {
        let wild = message.is_wild().then_some(message.communicator);
        let number = self.requests.add(request, wild, is_persistent);
        self.add(Body::Post(number, message));
    }

    /// Adds the start of persistent requests.
    pub fn start(&mut self, requests: impl Iterator<Item = Key>) {
        let started: Vec<u32> =
            requests.filter_map(|request| self.requests.start(request)).collect();
        self.add(Body::Start(started[..].into()));
    }

    /// Adds the cancellation of a request.
    pub fn cancel(&mut self, request: Key) {
        match self.requests.cancel(request) {
            Some(number) => self.add(Body::Request(number)),
            None => self.plain(),
        }
    }

    /// Adds the end of a request that is freed.
    pub fn free(&mut self, request: Key) {
        match self.requests.free(request) {
            Some(number) => self.add(Body::Request(number)),
            None => self.plain(),
        }
    }

    /// How a request has ended, by its status if that is needed.
    fn outcome(&self, pending: Pending, status: impl FnOnce() -> Status) -> Outcome {
        if !pending.needs_status() {
            return Outcome::Done;
        }
        let status = status();
        match pending.wild {
            _ if pending.may_be_cancelled && status.is_cancelled() => Outcome::Cancelled,
            Some(communicator) => Outcome::Matched(self.matched(&status, communicator)),
            None => Outcome::Done,
        }
    }

    /// Adds the completion of one request at most.
    #[inline]
    pub fn complete_one(
        &mut self,
        completed: Option<(Key, Pending)>,
        status: impl FnOnce() -> Status,
    ) {
        match completed {
            Some((handle, pending)) => {
                let outcome = self.outcome(pending, status);
                self.requests.complete(handle, pending.number);
                self.add(Body::Complete(
                    [Completion { request: pending.number, outcome }][..].into(),
                ));
            }
            None => self.add(Body::Complete((&[][..]).into())),
        }
    }

    /// Adds the completion of requests, each with the index of its status.
    pub fn complete(
        &mut self,
        completed: impl Iterator<Item = (Key, Pending, usize)>,
        status: impl Fn(usize) -> Status,
    ) {
        let mut completions = Vec::new();
        for (handle, pending, index) in completed {
            let outcome = self.outcome(pending, || status(index));
            self.requests.complete(handle, pending.number);
            completions.push(Completion { request: pending.number, outcome });
        }
        self.add(Body::Complete(completions[..].into()));
    }

    /// Adds a probe that has found a message.
    pub fn probe(&mut self, message: Message, status: &Status) {
        let matched = self.matched(status, message.communicator);
        self.add(Body::Probe(message, matched));
    }

    /// Adds a probe whose message is received by its handle.
    pub fn matched_probe(&mut self, message: Message, status: &Status, handle: Key) {
        let matched = self.matched(status, message.communicator);
        self.probed.insert(handle, (message, matched));
        self.add(Body::Probe(message, matched));
    }

    /// The message of a handle with the size of its buffer; of no process if the handle is not
    /// known.
    fn take_probed(&mut self, handle: Key, size: u64) -> Message {
        match self.probed.remove(&handle) {
            Some((message, matched)) => {
                Message { peer: matched.source, tag: Some(matched.tag), size, ..message }
            }
            None => Message { communicator: 0, peer: Peer::None, tag: Some(0), size },
        }
    }

    /// Adds the receive of a message by its handle.
    pub fn receive_probed(&mut self, size: u64, handle: Key) {
        let message = self.take_probed(handle, size);
        self.add(Body::Receive(message, None));
    }

    /// Adds the nonblocking receive of a message by its handle.
    pub fn post_probed(&mut self, size: u64, handle: Key, request: Key) {
        let message = self.take_probed(handle, size);
        let number = self.requests.add(request, None, false);
        self.add(Body::Post(number, message));
    }

    /// Adds a collective operation: the root, the size of the own block, and the sizes of all
    /// blocks, empty if the call does not name them.
    #[inline]
    pub fn collective(&mut self, comm: MPI_Comm, root: c_int, size: u64, sizes: &[u64]) {
        let communicator = self.communicator(comm).number;
        self.add(Body::Collective {
            communicator,
            root: root.max(0) as u32,
            size,
            sizes: sizes.into(),
        });
    }
}

/// The number of bytes of `count` elements.
#[inline]
pub fn bytes(count: i64, datatype: MPI_Datatype) -> u64 {
    (count.max(0) as u64).saturating_mul(crate::language::size_of_datatype(datatype))
}
