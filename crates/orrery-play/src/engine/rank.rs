use std::collections::{BTreeMap, BTreeSet, VecDeque};

use super::{EngineError, Moment};
use orrery_base::units::{Bytes, Seconds};
use orrery_program::schedule::{
    Cursor, EntryId, MatchQueue, Operation, Rank, Request, RequestError, Requests, Tag, Timer,
};

/// The work that a processor serves.
#[derive(Debug, Clone, Copy)]
pub(super) enum Work {
    /// Sending.
    Send { to: Rank, size: Bytes, tag: Tag },
    /// Sending the message of this number, whose receive is posted.
    Rendezvous { message: u32 },
    /// Receiving the message of this number.
    Receive { message: u32 },
    /// Combining received bytes with own ones.
    Combine { size: Bytes },
    /// Computing or spinning.
    Busy { duration: Seconds },
}

/// Work that is ready to be served, and the request that it completes; `None` if the program is
/// blocked by it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Ready {
    pub(super) work: Work,
    pub(super) since: Moment,
    pub(super) request: Option<Request>,
}

/// A posted receive without a matching message; `from` is `None` for any source.
#[derive(Debug, Clone, Copy)]
pub(super) struct Pending {
    pub(super) from: Option<Rank>,
    pub(super) tag: Tag,
    pub(super) size: Bytes,
    pub(super) posted: Moment,
    pub(super) request: Option<Request>,
}

/// A send that waits for its receive to be posted: the number of its message, the moment from which
/// its request waits at the receiver, and what it completes.
#[derive(Debug, Clone, Copy)]
pub(super) struct PendingRendezvous {
    pub(super) number: u32,
    pub(super) from: Rank,
    pub(super) tag: Tag,
    pub(super) size: Bytes,
    pub(super) since: Moment,
    pub(super) request: Option<Request>,
}

/// A send that waited for its receive, which is posted.
#[derive(Debug, Clone, Copy)]
pub(super) struct OpenRendezvous {
    pub(super) send: PendingRendezvous,
    pub(super) to: Rank,
    pub(super) receive: Pending,
}

/// A send that completes when its message has arrived or is received: its rank, what it completes,
/// and that moment; `None` while the receive has not begun.
#[derive(Debug, Clone, Copy)]
pub(super) struct HeldSend {
    pub(super) from: Rank,
    pub(super) completion: Completion,
    pub(super) end: Option<Moment>,
}

/// What the end of a service completes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum Completion {
    /// The operation that blocks the program.
    #[default]
    Program,
    /// A request.
    Request(Request),
    /// Nothing: the send completes when its message has arrived or is received.
    Later,
}

impl Completion {
    /// The completion of an operation with or without a request.
    pub(super) fn of(request: Option<Request>) -> Self {
        request.map_or(Self::Program, Self::Request)
    }
}

/// A message that was sent and is not yet received.
#[derive(Debug, Clone, Copy)]
pub(super) struct InFlight {
    pub(super) number: u32,
    pub(super) from: Rank,
    pub(super) tag: Tag,
    pub(super) size: Bytes,
    pub(super) arrival: Moment,
}

/// One rank of a run: its program and its processor.
#[derive(Debug, Clone, Default)]
pub(super) struct RankState {
    /// The position in the program.
    pub(super) cursor: Cursor,
    /// The number of operations started.
    pub(super) steps: usize,
    /// The operation that blocks the program, and when the last operation was started.
    pub(super) blocked: Option<Operation>,
    pub(super) since: Seconds,
    /// When the program ended.
    pub(super) finish: Option<Moment>,
    /// True while the processor is serving, and what the service completes.
    pub(super) busy: bool,
    pub(super) serving: Completion,
    /// The time at which the processor finished, or will finish, the last service.
    pub(super) free: Moment,
    pub(super) queue: VecDeque<Ready>,
    /// Messages to this rank without a matching receive, in the order of sending.
    pub(super) unmatched: MatchQueue<InFlight>,
    /// Those of the tags that receives from any source have named, in the order of arrival.
    pub(super) arrivals: BTreeMap<Tag, Arrivals>,
    /// Receives without a matching message, in the order of posting.
    pub(super) pending: MatchQueue<Pending>,
    /// Sends to this rank that wait for their receive, in the order of starting.
    pub(super) rendezvous: MatchQueue<PendingRendezvous>,
    /// The requests of posted transfers; complete ones store since when.
    pub(super) requests: Requests<Moment>,
    pub(super) running: Vec<(Timer, Moment)>,
}

impl RankState {
    /// Resets the rank for a new run.
    pub(super) fn restart(&mut self) {
        self.cursor = Cursor::default();
        self.steps = 0;
        self.blocked = None;
        self.since = Seconds::ZERO;
        self.finish = None;
        self.busy = false;
        self.serving = Completion::Program;
        self.free = Moment::START;
        self.queue.clear();
        self.unmatched.clear();
        self.arrivals.clear();
        self.pending.clear();
        self.rendezvous.clear();
        self.requests.clear();
        self.running.clear();
    }

    /// Returns true if the source of this message has sent an earlier one with this tag whose send
    /// still waits for its receive, so that this one may not be received yet.
    fn overtakes(&self, id: EntryId, tag: Tag) -> bool {
        let InFlight { number, from, .. } = *self.unmatched.get(id);
        self.rendezvous
            .first_from(Some(from), tag)
            .is_some_and(|first| self.rendezvous.get(first).number < number)
    }

    /// Removes and returns the first unmatched message from a source with a tag; `None` if there is
    /// none, or if an earlier one of the source waits for its receive.
    pub(super) fn take_message(&mut self, from: Rank, tag: Tag) -> Option<InFlight> {
        let id =
            self.unmatched.first_from(Some(from), tag).filter(|id| !self.overtakes(*id, tag))?;
        let message = self.unmatched.remove(id);
        if let Some(arrivals) = self.arrivals.get_mut(&tag) {
            arrivals.remove(id, &message);
        }
        Some(message)
    }

    /// Adds a message without a receive to the unmatched ones.
    pub(super) fn add_message(&mut self, message: InFlight) {
        let id = self.unmatched.push(Some(message.from), message.tag, message);
        if let Some(arrivals) = self.arrivals.get_mut(&message.tag) {
            arrivals.add(id, &message);
        }
    }

    /// The unmatched messages of a tag in the order of arrival.
    pub(super) fn arrivals(&mut self, tag: Tag) -> &mut Arrivals {
        self.arrivals.entry(tag).or_insert_with(|| {
            let mut arrivals = Arrivals::default();
            self.unmatched.ids_with(tag).for_each(|id| arrivals.add(id, self.unmatched.get(id)));
            arrivals
        })
    }

    /// The first unmatched message of a tag, in the order of arrival, that a pending receive
    /// accepts; `None` if there is none.
    pub(super) fn first_arrival(&self, tag: Tag) -> Option<EntryId> {
        let arrivals = self.arrivals.get(&tag).filter(|_| self.pending.has_tag(tag))?;
        let is_accepted = |from: Rank| self.pending.first_for(from, tag).is_some();
        arrivals
            .in_order()
            .find(|(id, from)| is_accepted(*from) && !self.overtakes(*id, tag))
            .map(|(id, _)| id)
    }

    /// Returns the error about a request of the operation that was started last.
    pub(super) fn request_error(
        &self,
        rank: Rank,
        request: Request,
        problem: RequestError,
    ) -> EngineError {
        EngineError::Other(format!(
            "operation {} of rank {rank}: request {} {problem}",
            self.steps - 1,
            request.0
        ))
    }
}

impl Default for Moment {
    fn default() -> Self {
        Self::START
    }
}

/// The unmatched messages of a tag by (arrival, source, number), and the next event that matches
/// them.
#[derive(Debug, Clone, Default)]
pub(super) struct Arrivals {
    messages: BTreeSet<(Arrival, Rank, u32, EntryId)>,
    /// The time of the next event; later ones may be in the queue, too.
    event: Option<Seconds>,
}

/// A time that is not negative, so that its bits have the order of the time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Arrival(u64);

impl Arrivals {
    /// The entry of a message in the order of arrival.
    fn entry(id: EntryId, message: &InFlight) -> (Arrival, Rank, u32, EntryId) {
        (Arrival(message.arrival.time.get().to_bits()), message.from, message.number, id)
    }

    /// Adds an unmatched message.
    pub(super) fn add(&mut self, id: EntryId, message: &InFlight) {
        self.messages.insert(Self::entry(id, message));
    }

    /// Removes a message that is matched.
    pub(super) fn remove(&mut self, id: EntryId, message: &InFlight) {
        self.messages.remove(&Self::entry(id, message));
    }

    /// The messages in the order of arrival, each with its source.
    pub(super) fn in_order(&self) -> impl Iterator<Item = (EntryId, Rank)> {
        self.messages.iter().map(|&(_, from, _, id)| (id, from))
    }

    /// Records that an event at this time is required; returns true if it has to be added to the
    /// queue, since none is planned that early.
    pub(super) fn schedule(&mut self, time: Seconds) -> bool {
        let is_earlier = self.event.is_none_or(|event| time < event);
        if is_earlier {
            self.event = Some(time);
        }
        is_earlier
    }

    /// Records that an event at this time is handled.
    pub(super) fn begin_event(&mut self, time: Seconds) {
        self.event = self.event.filter(|event| *event > time);
    }
}
