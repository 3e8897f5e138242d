use std::collections::VecDeque;

use super::{EngineError, Moment};
use crate::schedule::{Cursor, Operation, Rank, Request, Tag, Timer};
use crate::units::{Bytes, Seconds};

/// The work that a processor serves.
#[derive(Debug, Clone, Copy)]
pub(super) enum Work {
    /// Sending.
    Send { to: Rank, size: Bytes, tag: Tag },
    /// Receiving the message of this number.
    Receive { message: u32 },
    /// Computing or spinning.
    Busy { duration: Seconds },
}

/// Work that is ready to be served, and the request that it completes; `None` if the program is blocked by it.
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

impl Pending {
    /// Returns true if the receive matches a message from this rank with this tag.
    pub(super) fn accepts(&self, from: Rank, tag: Tag) -> bool {
        self.tag == tag && self.from.is_none_or(|source| source == from)
    }
}

/// A send that waits for its receive to be posted, and since when its processor has been free for it.
#[derive(Debug, Clone, Copy)]
pub(super) struct PendingRendezvous {
    pub(super) from: Rank,
    pub(super) tag: Tag,
    pub(super) size: Bytes,
    pub(super) since: Moment,
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

/// A posted transfer and its completion time; `None` while it is pending.
#[derive(Debug, Clone, Copy)]
pub(super) struct Posted {
    pub(super) request: Request,
    pub(super) complete: Option<Moment>,
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
    /// The request that the program waits for.
    pub(super) awaited: Option<Request>,
    /// When the program ended.
    pub(super) finish: Option<Moment>,
    /// True while the processor is serving, and the request that it serves.
    pub(super) busy: bool,
    pub(super) serving: Option<Request>,
    /// The time at which the processor finished, or will finish, the last service.
    pub(super) free: Moment,
    pub(super) queue: VecDeque<Ready>,
    /// Messages to this rank without a matching receive, in the order of sending.
    pub(super) unmatched: Vec<InFlight>,
    /// Receives without a matching message, in the order of posting.
    pub(super) pending: Vec<Pending>,
    /// Sends to this rank that wait for their receive, in the order of starting.
    pub(super) rendezvous: Vec<PendingRendezvous>,
    pub(super) requests: Vec<Posted>,
    pub(super) running: Vec<(Timer, Moment)>,
}

impl RankState {
    /// Resets the rank for a new run.
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

    /// Returns true if a receive from any source with this tag is pending.
    pub(super) fn awaits_any_source(&self, tag: Tag) -> bool {
        self.pending.iter().any(|pending| pending.from.is_none() && pending.tag == tag)
    }

    /// Returns the error about a request of the operation that was started last.
    pub(super) fn request_error(&self, rank: Rank, request: Request, problem: &'static str) -> EngineError {
        EngineError::Request { rank, step: self.steps - 1, request, problem }
    }

    /// Adds a pending request; an error if the request is pending already.
    pub(super) fn open(&mut self, rank: Rank, request: Request) -> Result<(), EngineError> {
        if self.requests.iter().any(|posted| posted.request == request) {
            return Err(self.request_error(rank, request, "is posted again before it was waited for"));
        }
        self.requests.push(Posted { request, complete: None });
        Ok(())
    }

    /// Returns the index of a pending request.
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
