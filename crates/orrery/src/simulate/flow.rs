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

/// What a message would do alone.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Alone {
    pub(super) rate: f64,
    /// Its bytes, and which part of the rate they have.
    pub(super) size: f64,
    pub(super) factor: f64,
}

impl Alone {
    /// How long it flows.
    pub(super) fn takes(&self) -> f64 {
        self.size / (self.factor * self.rate)
    }
}
