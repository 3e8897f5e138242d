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
    /// What was left to do at `since`: bytes, or seconds of computation.
    left: f64,
    pub(super) since: f64,
    /// What is done in a second: rate × bandwidth factor.
    speed: f64,
    factor: f64,
    /// The rate that it would have alone.
    pub(super) lone: f64,
}

impl Pace {
    /// It has not begun, and has so much to do.
    pub(super) const fn new(left: f64, factor: f64, lone: f64) -> Self {
        Self { left, since: 0.0, speed: 0.0, factor, lone }
    }

    pub(super) fn rate(&self) -> f64 {
        self.speed / self.factor
    }

    /// From now on it has this rate; gives the date of its end.
    pub(super) fn go(&mut self, rate: f64, now: f64) -> f64 {
        self.left -= self.speed * (now - self.since);
        self.since = now;
        self.speed = rate * self.factor;
        now + self.left.max(0.0) / self.speed
    }
}
