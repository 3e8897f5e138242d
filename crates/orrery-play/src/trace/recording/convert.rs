//! Recorded runs as traces for simulation.

use std::collections::BTreeMap;

use super::function::{Function, Shape};
use super::numbering::{Communicator, Communicators, Tags, Unreplayable};
use super::rank::{RankRecording, RecordingError, at_call, undefined};
use super::record::{Body, Call, Matched, Message, Outcome, Peer, Record};
use super::requests::{End, RequestEnd, TraceRequests, ends};
use crate::trace::actions::{Action, CollectiveKind, Trace, TraceBuilder};
use orrery_base::budget::Budget;
use orrery_base::file::{Fault, Result};
use orrery_base::units::Bytes;
use orrery_program::schedule::{Rank, Request, Tag, Transfer};

/// The trace of a recorded run. The time between calls becomes computation: with the `speed` of a
/// rank in floating-point operations per second, t seconds are t · `speed` operations.
///
/// Receives of any source or tag name the message that they matched. Calls that tested or probed
/// without success, and probes that found a message, are omitted: the receive or the wait after
/// them waits. Cancelled transfers, and receives that were not complete when the record ended, are
/// omitted. `ranks` holds all ranks in order.
///
/// # Errors
///
/// A damaged file, and a call that a trace cannot represent.
pub fn to_trace(ranks: &[RankRecording], speed: f64) -> Result<Trace, RecordingError> {
    let mut builder = TraceBuilder::new(ranks.len() as u32);
    let mut communicators = Communicators::default();
    let mut own: Vec<BTreeMap<u32, Communicator>> = Vec::new();
    for rank in ranks {
        own.push(definitions(rank, &mut builder, &mut communicators)?);
    }
    let (mut tags, mut completed_sizes) = (Tags::default(), 0);
    let budget = Budget::of_input(ranks.iter().map(|rank| rank.len() as u64).sum());
    for (rank, communicators) in ranks.iter().zip(&own) {
        builder.begin_rank(None).map_err(at_call(rank.header.rank, 0))?;
        let converter = RankConverter {
            builder: &mut builder,
            communicators,
            tags: &mut tags,
            requests: TraceRequests::default(),
            templates: BTreeMap::new(),
            ends: ends(rank)?.into_iter(),
            unit: speed * 1e-9,
            pending: 0,
            completed_sizes: &mut completed_sizes,
            budget,
        };
        converter.convert(rank)?;
    }
    Ok(builder.finish().map_err(at_call(0, 0))?)
}

/// The communicators that a rank defines, by their numbers at this rank.
pub(super) fn definitions(
    rank: &RankRecording,
    builder: &mut TraceBuilder,
    communicators: &mut Communicators,
) -> Result<BTreeMap<u32, Communicator>, RecordingError> {
    let (mut own, mut earlier, mut calls) = (BTreeMap::new(), BTreeMap::new(), 0_u64);
    for record in rank.records() {
        match record? {
            Record::Communicator { number, joins_groups, members } => {
                let found = communicators.define(builder, joins_groups, &members, &mut earlier);
                let at = at_call(rank.header.rank, calls.saturating_add(1));
                own.insert(number, found.map_err(at)?);
            }
            Record::Call(call) => calls = calls.saturating_add(call.calls()),
            _ => {}
        }
    }
    Ok(own)
}

/// Converts the calls of a rank.
struct RankConverter<'a> {
    builder: &'a mut TraceBuilder,
    communicators: &'a BTreeMap<u32, Communicator>,
    tags: &'a mut Tags,
    requests: TraceRequests,
    /// The persistent requests: true for sends, and their messages.
    templates: BTreeMap<u32, (bool, Message)>,
    /// The ends of the nonblocking transfers that have not started.
    ends: std::vec::IntoIter<RequestEnd>,
    /// The number of operations in a nanosecond.
    unit: f64,
    /// The computation in nanoseconds since the last action.
    pending: u64,
    /// The bytes of sizes that ranks other than the root do not know, of all ranks.
    completed_sizes: &'a mut u64,
    budget: Budget,
}

impl RankConverter<'_> {
    /// Converts all records of a rank; errors name the rank and the call.
    fn convert(mut self, rank: &RankRecording) -> Result<(), RecordingError> {
        let mut calls = 0_u64;
        for record in rank.records() {
            let converted = match record? {
                Record::Call(call) => {
                    calls = calls.saturating_add(call.calls());
                    self.pending = self.pending.saturating_add(call.gap);
                    self.call(&call, rank.header.rank)
                }
                Record::Overlapping(calls) => Err(Fault::new(format_args!(
                    "calls of other threads during this one are not recorded ({calls}); record a \
                        program in which one thread calls MPI at a time"
                ))),
                _ => Ok(()),
            };
            converted.map_err(at_call(rank.header.rank, calls))?;
        }
        Ok(self.compute().map_err(at_call(rank.header.rank, calls))?)
    }

    /// Adds the computation since the last action, if there was any.
    fn compute(&mut self) -> Result<()> {
        let nanoseconds = std::mem::take(&mut self.pending);
        if nanoseconds > 0 {
            self.builder.push(Action::Compute { flops: nanoseconds as f64 * self.unit }, 0)?;
        }
        Ok(())
    }

    /// Adds an action after the computation before it.
    fn push(&mut self, action: Action) -> Result<()> {
        self.compute()?;
        self.builder.push(action, 0)
    }

    /// Converts a call of a rank.
    fn call(&mut self, call: &Call<'_>, rank: u32) -> Result<()> {
        let function = call.function;
        match (&call.body, function.shape()) {
            (_, Shape::Unsupported) => Err(Fault::new(format_args!(
                "a replay cannot represent {}; it can represent messages, persistent requests \
                        and blocking collective operations",
                function.name()
            ))),
            (Body::Plain | Body::Polls(_) | Body::Probe(..), _) | (_, Shape::Cancel) => Ok(()),
            (Body::Send(message), _) => match self.send(function, message)? {
                // The send of a copy waits for nothing.
                Some(send) if function == Function::Bsend => self.post(send).map(|_| ()),
                Some(send) => self.push(Action::Do(send)),
                None => Ok(()),
            },
            (Body::Receive(message, matched), _) => {
                match self.receive(function, message, *matched)? {
                    Some(receive) => self.push(Action::Do(receive)),
                    None => Ok(()),
                }
            }
            (Body::Exchange(sent, received, matched), _) => {
                let transfers =
                    [self.receive(function, received, *matched)?, self.send(function, sent)?];
                let mut requests = Vec::new();
                for transfer in transfers.into_iter().flatten() {
                    requests.push(self.post(transfer)?);
                }
                self.wait(requests)
            }
            (Body::Post(request, message), Shape::PersistentSend | Shape::PersistentReceive) => {
                self.templates
                    .insert(*request, (function.shape() == Shape::PersistentSend, *message));
                Ok(())
            }
            (Body::Post(request, message), shape) => {
                self.start(function, *request, (shape == Shape::PostSend, *message))
            }
            (Body::Start(requests), _) => requests.iter().try_for_each(|&request| {
                let template = self.templates.get(&request).copied();
                self.start(
                    function,
                    request,
                    template.ok_or_else(|| undefined("request", request))?,
                )
            }),
            (Body::Complete(completions), _) => {
                let open =
                    completions.iter().filter_map(|one| self.requests.close(one.request)).collect();
                self.wait(open)
            }
            // The transfer of a freed request is never waited for.
            (Body::Request(request), _) => {
                self.requests.close(*request);
                Ok(())
            }
            (Body::Collective { communicator, root, size, sizes }, Shape::Collective(kind)) => {
                self.collective(function, kind, *communicator, (*root, *size, sizes), rank)
            }
            (Body::Collective { .. }, _) => Ok(()),
        }
    }

    /// The communicator with a number at this rank.
    fn communicator(&self, number: u32) -> Result<Communicator> {
        self.communicators.get(&number).copied().ok_or_else(|| undefined("communicator", number))
    }

    /// A send; `None` if it has no receiver.
    fn send(&mut self, function: Function, message: &Message) -> Result<Option<Transfer>> {
        let envelope = self.envelope(function, message, message.peer, message.tag)?;
        Ok(envelope.map(|(to, tag, size)| Transfer::Send { to, tag, size }))
    }

    /// A receive; `None` if it has no sender, or if it was never complete.
    fn receive(
        &mut self,
        function: Function,
        message: &Message,
        matched: Option<Matched>,
    ) -> Result<Option<Transfer>> {
        let envelope = match matched {
            Some(matched) => self.envelope(function, message, matched.source, Some(matched.tag))?,
            None if message.is_wild() => None,
            None => self.envelope(function, message, message.peer, message.tag)?,
        };
        Ok(envelope.map(|(from, tag, size)| Transfer::Receive { from, tag, size }))
    }

    /// The other rank, the tag in the trace and the size of a message with this peer and tag;
    /// `None` if nothing is transferred, or peer or tag are unknown.
    fn envelope(
        &mut self,
        function: Function,
        message: &Message,
        peer: Peer,
        tag: Option<u32>,
    ) -> Result<Option<(Rank, Tag, Bytes)>> {
        match (peer, tag) {
            (Peer::Foreign, _) => Err(foreign(function)),
            (Peer::Rank(peer), Some(tag)) => {
                let tag = self.tags.tag(self.communicator(message.communicator)?.id, tag)?;
                Ok(Some((Rank(peer), tag, Bytes::new(message.size))))
            }
            _ => Ok(None),
        }
    }

    /// Posts a transfer; returns its request.
    fn post(&mut self, transfer: Transfer) -> Result<Request> {
        let request = self.requests.take();
        self.push(Action::Post(transfer, request))?;
        Ok(request)
    }

    /// Starts a nonblocking or persistent transfer under the recorded number of its request;
    /// cancelled ones and receives that never ended are omitted.
    fn start(
        &mut self,
        function: Function,
        recorded: u32,
        (sends, message): (bool, Message),
    ) -> Result<()> {
        let transfer = match self.ends.next().unwrap_or_default().end {
            End::Completed(Outcome::Cancelled) => None,
            _ if sends => self.send(function, &message)?,
            End::Unknown => None,
            End::Completed(Outcome::Matched(matched)) => {
                self.receive(function, &message, Some(matched))?
            }
            End::Completed(Outcome::Done) | End::Freed => self.receive(function, &message, None)?,
        };
        let request = transfer.map(|transfer| self.post(transfer)).transpose()?;
        self.requests.open(recorded, request);
        Ok(())
    }

    /// Waits for requests, which are free then.
    fn wait(&mut self, requests: Vec<Request>) -> Result<()> {
        match &requests[..] {
            [] => return Ok(()),
            &[request] => self.push(Action::Wait(request))?,
            several => {
                self.compute()?;
                self.builder.wait_all(several, 0)?;
            }
        }
        requests.into_iter().for_each(|request| self.requests.release(request));
        Ok(())
    }

    /// Converts a collective operation. Ranks other than the root know their own block only; others
    /// are 0 there.
    fn collective(
        &mut self,
        function: Function,
        kind: CollectiveKind,
        communicator: u32,
        (root, size, sizes): (u32, u64, &[u64]),
        rank: u32,
    ) -> Result<()> {
        let number = self.communicator(communicator)?.in_trace.map_err(|reason| match reason {
            Unreplayable::JoinsGroups => Fault::new(format_args!(
                "{} on an intercommunicator cannot be replayed; use an intracommunicator, as of \
                    MPI_Intercomm_merge",
                function.name()
            )),
            Unreplayable::Foreign => foreign(function),
        })?;
        let ranks = self.builder.communicator_size(number)?;
        let mut sizes: Vec<Bytes> = sizes.iter().map(|&size| Bytes::new(size)).collect();
        if sizes.is_empty() && matches!(kind, CollectiveKind::GatherV | CollectiveKind::ScatterV) {
            *self.completed_sizes += (ranks * size_of::<Bytes>()) as u64;
            self.budget.check_memory(
                "the sizes of all blocks of gatherv and scatterv",
                *self.completed_sizes,
            )?;
            sizes = vec![Bytes::ZERO; ranks];
            if let Some(own) = self.builder.number_in(number, Rank(rank)) {
                sizes[own] = Bytes::new(size);
            }
        }
        self.compute()?;
        self.builder.collective(kind, number, root, Bytes::new(size), &sizes, 0)
    }
}

/// The fault of a process outside of the job.
fn foreign(function: Function) -> Fault {
    Fault::new(format_args!(
        "{} names a process that is not a rank of the job; processes that are spawned cannot be \
            replayed",
        function.name()
    ))
}
