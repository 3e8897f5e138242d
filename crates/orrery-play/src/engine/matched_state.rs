//! The states of ranks and messages while matched messages are played.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

use super::matched::NONE;
use super::{Message, Occupancy};
use crate::event_key::EventKey;

/// A message with everything that its send and its receive need, in one line of the cache.
#[derive(Debug, Clone, Copy)]
#[repr(align(64))]
pub(super) struct MessageRecord {
    pub(super) message: Message,
    pub(super) occupancy: Occupancy,
    pub(super) state: MessageState,
}

/// The state of a message before its receive is served.
#[derive(Debug, Clone, Copy)]
pub(super) enum MessageState {
    /// Neither sent nor expected.
    Idle,
    /// Its receive is posted: since when, and its request.
    Posted(f64, u32),
    /// It is sent and arrives at this time.
    Sent(f64),
    /// Its receive becomes ready: its request.
    Ready(u32),
}

/// Work that a processor serves, since when it is ready, and the request that it completes, or
/// [`NONE`].
#[derive(Debug, Clone, Copy)]
pub(super) struct Ready {
    pub(super) work: Work,
    pub(super) since: f64,
    pub(super) request: u32,
}

/// A message to send or to receive, or a combination, by its number.
#[derive(Debug, Clone, Copy)]
pub(super) enum Work {
    Send(u32),
    Receive(u32),
    Combine(u32),
}

impl Work {
    /// Returns true for a send.
    pub(super) const fn is_send(self) -> bool {
        matches!(self, Self::Send(_))
    }
}

/// What a rank continues with when all other ranks have reached its time.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum Suspended {
    /// It is not suspended.
    #[default]
    No,
    /// Its program, at the end of a service.
    Program,
    /// The send at the front of its queue.
    Send,
}

/// A rank and its processor.
#[derive(Debug, Clone)]
pub(super) struct RankState {
    /// The next operation and the index behind the last one.
    pub(super) next: u32,
    pub(super) end: u32,
    /// The request that the program waits for, or [`NONE`].
    pub(super) awaited: u32,
    /// True while the processor is serving; the request that the service completes, or [`NONE`] for
    /// the blocked program.
    pub(super) is_busy: bool,
    pub(super) serving: u32,
    /// The end of the present or the last service.
    pub(super) free: f64,
    pub(super) queue: VecDeque<Ready>,
    /// The receives that become ready later, with the numbers of their messages.
    pub(super) arriving: BinaryHeap<Reverse<EventKey>>,
    /// The next event of the rank, or [`EventKey::NONE`].
    pub(super) event: EventKey,
    /// The end of the last operation; infinite before.
    pub(super) finish: f64,
    pub(super) suspended: Suspended,
    /// The number of posted receives whose messages are not sent yet.
    pub(super) unknown: u32,
    /// A time before which none of these becomes ready.
    pub(super) horizon: f64,
    /// The time up to which the order of work is decided, with the assumption that none of these
    /// has become ready by then.
    pub(super) decided: f64,
    /// The time of the last send to this rank.
    pub(super) last_send: f64,
}

impl RankState {
    /// A rank before its first operation.
    pub(super) fn new() -> Self {
        Self {
            next: 0,
            end: 0,
            awaited: NONE,
            is_busy: false,
            serving: NONE,
            free: 0.0,
            queue: VecDeque::new(),
            arriving: BinaryHeap::new(),
            event: EventKey::NONE,
            finish: f64::INFINITY,
            suspended: Suspended::No,
            unknown: 0,
            horizon: f64::INFINITY,
            decided: f64::NEG_INFINITY,
            last_send: f64::NEG_INFINITY,
        }
    }

    /// Returns the rank to the time before its first operation, with these operations.
    pub(super) fn restart(&mut self, next: u32, end: u32) {
        self.queue.clear();
        self.arriving.clear();
        let (queue, arriving) =
            (std::mem::take(&mut self.queue), std::mem::take(&mut self.arriving));
        *self = Self { next, end, queue, arriving, ..Self::new() };
    }

    /// The first receive that becomes ready later, or [`EventKey::NONE`].
    pub(super) fn first_arriving(&self) -> EventKey {
        self.arriving.peek().map_or(EventKey::NONE, |Reverse(event)| *event)
    }

    /// Records that the order of work is decided up to a time, if a posted receive without a sent
    /// message could still change it.
    pub(super) fn decide(&mut self, time: f64) {
        if self.unknown > 0 {
            self.decided = self.decided.max(time);
        }
    }
}

/// Lower bounds of the times for which resources of a rank will be occupied \[s\].
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Remaining {
    pub(super) processor: f64,
    pub(super) out_port: f64,
    pub(super) in_port: f64,
}

impl Remaining {
    /// A lower bound in seconds of the end of a rank whose processor is busy until `end`; no
    /// message to it will be sent before `now`.
    pub(super) fn end(self, now: f64, end: f64) -> f64 {
        (end + self.processor.max(self.out_port)).max(now + self.in_port)
    }
}
