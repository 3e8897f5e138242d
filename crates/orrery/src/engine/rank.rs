use std::collections::VecDeque;

use super::{EngineError, Moment};
use crate::schedule::{Cursor, Operation, Rank, Request, Tag, Timer};
use crate::units::{Bytes, Seconds};

/// What a processor serves.
#[derive(Debug, Clone, Copy)]
pub(super) enum Work {
    /// Sending.
    Send { to: Rank, size: Bytes, tag: Tag },
    /// Receiving the message of this number.
    Receive { message: u32 },
    /// Computing or spinning.
    Busy { duration: Seconds },
}

/// Work that is ready to be served, and the request that it completes; `None` when the program itself waits for it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Ready {
    pub(super) work: Work,
    pub(super) since: Moment,
    pub(super) request: Option<Request>,
}

/// A receive that has not met its message; `from` is `None` when it takes any source.
#[derive(Debug, Clone, Copy)]
pub(super) struct Pending {
    pub(super) from: Option<Rank>,
    pub(super) tag: Tag,
    pub(super) size: Bytes,
    pub(super) posted: Moment,
    pub(super) request: Option<Request>,
}

impl Pending {
    pub(super) fn accepts(&self, from: Rank, tag: Tag) -> bool {
        self.tag == tag && self.from.is_none_or(|source| source == from)
    }
}

/// A send that waits for its receive to be posted, and when its processor has been free for it.
#[derive(Debug, Clone, Copy)]
pub(super) struct PendingRendezvous {
    pub(super) from: Rank,
    pub(super) tag: Tag,
    pub(super) size: Bytes,
    pub(super) since: Moment,
}

/// A message that has been sent and not yet been received.
#[derive(Debug, Clone, Copy)]
pub(super) struct InFlight {
    pub(super) number: u32,
    pub(super) from: Rank,
    pub(super) tag: Tag,
    pub(super) size: Bytes,
    pub(super) arrival: Moment,
}

/// A posted transfer: when it was complete, `None` as long as it is not.
#[derive(Debug, Clone, Copy)]
pub(super) struct Posted {
    pub(super) request: Request,
    pub(super) complete: Option<Moment>,
}

/// One rank of a run: its program and its processor.
#[derive(Debug, Clone, Default)]
pub(super) struct RankState {
    /// Where the program stands.
    pub(super) cursor: Cursor,
    /// How many operations it has taken up.
    pub(super) steps: usize,
    /// The operation that the program waits in, and when it took up the last one.
    pub(super) blocked: Option<Operation>,
    pub(super) since: Seconds,
    /// The request that the program waits for.
    pub(super) awaited: Option<Request>,
    /// When the program ended.
    pub(super) finish: Option<Moment>,
    /// Whether the processor is serving, and what for.
    pub(super) busy: bool,
    pub(super) serving: Option<Request>,
    /// When the processor finished, or will finish, what it served last.
    pub(super) free: Moment,
    pub(super) queue: VecDeque<Ready>,
    /// Messages to this rank that no receive has taken, in the order of sending.
    pub(super) unmatched: Vec<InFlight>,
    /// Receives that have not met their message, in the order of posting.
    pub(super) pending: Vec<Pending>,
    /// Sends to this rank that wait for their receive, in the order in which they began to.
    pub(super) rendezvous: Vec<PendingRendezvous>,
    pub(super) requests: Vec<Posted>,
    pub(super) running: Vec<(Timer, Moment)>,
}

impl RankState {
    pub(super) fn restart(&mut self) {
        self.cursor = Cursor::default();
        self.steps = 0;
        self.blocked = None;
        self.since = Seconds::ZERO;
        self.awaited = None;
        self.finish = None;
        self.busy = false;
        self.serving = None;
        self.free = Moment::START;
        self.queue.clear();
        self.unmatched.clear();
        self.pending.clear();
        self.rendezvous.clear();
        self.requests.clear();
        self.running.clear();
    }

    /// Whether a receive from any source with this tag is waiting.
    pub(super) fn awaits_any_source(&self, tag: Tag) -> bool {
        self.pending.iter().any(|pending| pending.from.is_none() && pending.tag == tag)
    }

    /// An error about a request of the operation that was taken up last.
    pub(super) fn request_error(&self, rank: Rank, request: Request, problem: &'static str) -> EngineError {
        EngineError::Request { rank, step: self.steps - 1, request, problem }
    }

    pub(super) fn open(&mut self, rank: Rank, request: Request) -> Result<(), EngineError> {
        if self.requests.iter().any(|posted| posted.request == request) {
            return Err(self.request_error(rank, request, "is posted again before it was waited for"));
        }
        self.requests.push(Posted { request, complete: None });
        Ok(())
    }

    /// The place of an open request.
    pub(super) fn find(&self, rank: Rank, request: Request) -> Result<usize, EngineError> {
        self.requests
            .iter()
            .position(|posted| posted.request == request)
            .ok_or_else(|| self.request_error(rank, request, "was not posted"))
    }
}

impl Default for Moment {
    fn default() -> Self {
        Self::START
    }
}
