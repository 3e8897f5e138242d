//! The state of ranks, of unmatched messages and receives, and of flows during a replay.

use super::outcome::TaskTimes;
use orrery_base::units::Bytes;
use orrery_cluster::platform::PiecewiseTime;
use orrery_program::schedule::{
    Cursor, EntryId, MatchQueue, Operation, Rank, Request, Requests, Tag,
};

/// The effect on a rank when its end of a message is complete.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Completion {
    /// The rank's program, which was blocked by the operation, continues.
    Program,
    /// A request of the rank is complete.
    Request(Request),
    /// No effect: the end of an eager send.
    None,
    /// No effect: the send is complete, because the rest of the message fitted into the buffer of
    /// the sender.
    Buffered,
    /// The message waits for its receive, which is not posted yet, among the unmatched messages of
    /// the rank.
    Unexpected(EntryId),
}

/// One end of a message.
#[derive(Debug, Clone, Copy)]
pub(super) struct MessageEnd {
    pub(super) rank: Rank,
    pub(super) completion: Completion,
}

/// A message under way, or the computation of a rank on a host with more ranks than cores.
#[derive(Debug, Clone, Copy)]
pub(super) struct ActiveFlow {
    /// Sender and receiver of a message; for a computation both are its rank.
    pub(super) ends: [MessageEnd; 2],
    /// True after the latency.
    pub(super) has_started: bool,
    /// The bytes that are left after its next event; 0 if that is its end.
    pub(super) rest_after_event: f64,
}

/// A transfer that shares no resource with others.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct UncontendedTransfer {
    /// The rate in bytes per second, without bandwidth factor.
    pub(super) rate: f64,
    /// The size in bytes, envelope included.
    pub(super) size: f64,
    /// The bandwidth factor.
    pub(super) factor: f64,
}

impl UncontendedTransfer {
    /// The duration in seconds, without latency.
    pub(super) fn duration(&self) -> f64 {
        self.size / (self.factor * self.rate)
    }
}

/// The progress of the transfer of an unmatched message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Progress {
    /// The message leaves when its receive is posted.
    NotStarted,
    /// The message is under way, as the flow of this number.
    Active(usize),
    /// The message has arrived.
    Arrived,
}

/// A send or a receive without its counterpart.
#[derive(Debug, Clone, Copy)]
pub(super) struct UnmatchedOperation {
    pub(super) end: MessageEnd,
    /// The sender; for a receive the one that it names, `None` for any.
    pub(super) from: Option<Rank>,
    pub(super) tag: Tag,
    pub(super) size: Bytes,
    /// The statement of the rank's schedule.
    pub(super) statement: u32,
    /// The transfer of a send.
    pub(super) progress: Progress,
    /// When the request of a send that waits for its receive has left the sender, in seconds;
    /// `None` without a handshake.
    pub(super) requested: Option<f64>,
}

/// The phase of a blocked rank.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum BlockedPhase {
    /// It waits for a message, computes or sleeps.
    Waiting,
    /// It pays the overhead of a send, and starts the send after it.
    SendOverhead,
    /// It pays the overhead of receives that are complete.
    ReceiveOverhead,
}

/// The operation that blocks a rank.
#[derive(Debug, Clone, Copy)]
pub(super) struct BlockedOperation {
    pub(super) operation: Operation,
    pub(super) statement: u32,
    /// The start in seconds.
    pub(super) start: f64,
    pub(super) phase: BlockedPhase,
}

/// The state of a rank.
#[derive(Debug, Clone)]
pub(super) struct RankState {
    pub(super) cursor: Cursor,
    /// The number of operations started.
    pub(super) steps: usize,
    /// The operation that blocks the rank; `None` before the first and after the last.
    pub(super) blocked: Option<BlockedOperation>,
    /// The requests of posted transfers.
    pub(super) requests: Requests<()>,
    /// Messages to the rank without a receive, in the order of sending.
    pub(super) messages: MatchQueue<UnmatchedOperation>,
    /// The bytes of eager messages among them.
    pub(super) unexpected_bytes: Bytes,
    /// Receives without a message, in the order of posting.
    pub(super) receives: MatchQueue<UnmatchedOperation>,
    pub(super) times: TaskTimes,
    /// True if its host has more ranks than cores.
    pub(super) shares_host: bool,
    /// The overheads of messages, if there are any.
    pub(super) overheads: Option<Box<RankOverheads>>,
}

/// The overheads of a rank's messages, and those of receives that are still due.
#[derive(Debug, Clone, Default)]
pub(super) struct RankOverheads {
    /// Those of blocking sends, non-blocking sends and receives.
    pub(super) of_messages: [PiecewiseTime; 3],
    /// The same of messages through memory, if they differ.
    pub(super) through_memory: Option<[PiecewiseTime; 3]>,
    /// By request: the overhead in seconds of its complete receive.
    pub(super) unpaid: Vec<f64>,
    /// The requests that the rank's statement waits for, from the present one on.
    pub(super) awaited: Vec<u32>,
    /// The time until which the rank is busy with overheads of awaited requests.
    pub(super) busy_until: f64,
}

impl RankOverheads {
    /// The overheads of messages, through memory or not.
    pub(super) fn of(&self, is_through_memory: bool) -> &[PiecewiseTime; 3] {
        self.through_memory.as_ref().filter(|_| is_through_memory).unwrap_or(&self.of_messages)
    }

    /// Records that the receive of a request, with this overhead in seconds, is complete at `now`.
    ///
    /// Overheads of awaited requests follow each other, as soon as their receives are complete.
    pub(super) fn complete(&mut self, request: u32, overhead: f64, now: f64) {
        if self.awaited.contains(&request) {
            self.busy_until = self.busy_until.max(now) + overhead;
            return;
        }
        let index = request as usize;
        if self.unpaid.len() <= index {
            self.unpaid.resize(index + 1, 0.0);
        }
        self.unpaid[index] = overhead;
    }

    /// Takes the unpaid overhead of a request in seconds; 0 if there is none.
    pub(super) fn take(&mut self, request: u32) -> f64 {
        self.unpaid.get_mut(request as usize).map_or(0.0, std::mem::take)
    }
}

impl RankState {
    /// Creates the state of a rank before its first operation.
    pub(super) fn new(shares_host: bool) -> Self {
        Self {
            cursor: Cursor::default(),
            steps: 0,
            blocked: None,
            requests: Requests::default(),
            messages: MatchQueue::default(),
            unexpected_bytes: Bytes::ZERO,
            receives: MatchQueue::default(),
            times: TaskTimes::default(),
            shares_host,
            overheads: None,
        }
    }

    /// Completes an end of a message; returns true if the rank is blocked in the transfer itself,
    /// or in a wait for its request, so that it can continue.
    pub(super) fn complete(&mut self, completion: Completion) -> bool {
        match completion {
            Completion::Program => {
                matches!(self.blocked.map(|blocked| blocked.operation), Some(Operation::Do(_)))
            }
            Completion::Request(request) => self.requests.complete(request, ()),
            Completion::None | Completion::Buffered | Completion::Unexpected(_) => false,
        }
    }

    /// Removes and returns the first message that a receive matches, and frees its space among the
    /// unexpected bytes; `None` if there is none.
    pub(super) fn take_message(
        &mut self,
        receive: &UnmatchedOperation,
    ) -> Option<UnmatchedOperation> {
        let message = self.messages.take_from(receive.from, receive.tag)?;
        if message.end.completion == Completion::None {
            self.unexpected_bytes = self.unexpected_bytes - message.size;
        }
        Some(message)
    }
}
