use crate::schedule::{Rank, Request};

/// Who is told that a transfer is complete.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Waiter {
    /// The rank's program, which stands in the operation.
    Program,
    /// A request of the rank.
    Request(Request),
    /// Nobody: an eager send is complete from the start.
    Nobody,
}

/// One end of a message.
#[derive(Debug, Clone, Copy)]
pub(super) struct End {
    pub(super) rank: Rank,
    pub(super) waiter: Waiter,
}

/// What flows: a message, or the computation of a rank on a host with more ranks than cores.
#[derive(Debug, Clone, Copy)]
pub(super) struct Flow {
    /// The ends of a message; for a computation both are its rank.
    pub(super) ends: [End; 2],
    /// Whether its latency has passed.
    pub(super) flows: bool,
}

/// How far a flow is.
#[derive(Debug, Clone, Copy)]
pub(super) struct Pace {
    /// The rate that it would have alone.
    pub(super) lone: f64,
    /// How long what was left at `since` would take alone.
    left: f64,
    pub(super) since: f64,
    /// Its rate as a part of the lone one; 0 before it has a rate.
    pub(super) speed: f64,
}

impl Pace {
    /// It has not begun, and would take so long at a lone rate.
    pub(super) const fn new(lone: f64, left: f64) -> Self {
        Self { lone, left, since: 0.0, speed: 0.0 }
    }

    /// From now on it is so much slower than alone; gives the date of its end.
    pub(super) fn go(&mut self, slowdown: f64, now: f64) -> f64 {
        self.left -= self.speed * (now - self.since);
        self.since = now;
        self.speed = 1.0 / slowdown;
        now + self.left.max(0.0) * slowdown
    }
}
