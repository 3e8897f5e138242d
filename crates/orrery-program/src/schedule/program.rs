use serde::{Deserialize, Serialize};

use super::{
    Collective, ConcurrentMessages, Cursor, Exchanges, Explicit, OneToTwo, Operation, Rank,
    Reading, Reducer, RoundTrip, Schedule, SendReceive, Timer, Timing, Train, TwoToOne,
};

/// A schedule in a form that can be sent to the processes of a machine; it is lowered to operations
/// on demand.
#[derive(Debug, Clone, PartialEq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[repr(isize)]
pub enum Program {
    /// A round trip of two ranks.
    RoundTrip(RoundTrip) = 0,
    /// A one-to-two experiment.
    OneToTwo(OneToTwo) = 1,
    /// A collective operation.
    Collective(Collective) = 2,
    /// Concurrent messages.
    Concurrent(ConcurrentMessages) = 3,
    /// A list of operations.
    Explicit(Explicit) = 4,
    /// A train of messages in one direction.
    Train(Train) = 5,
    /// Exchanges of several pairs at the same time.
    Exchanges(Exchanges) = 6,
    /// A two-to-one experiment.
    TwoToOne(TwoToOne) = 7,
    /// A send-receive experiment.
    SendReceive(SendReceive) = 8,
}

impl Schedule for Program {
    fn ranks(&self) -> usize {
        match self {
            Self::RoundTrip(program) => program.ranks(),
            Self::OneToTwo(program) => program.ranks(),
            Self::Train(program) => program.ranks(),
            Self::Collective(program) => program.ranks(),
            Self::Concurrent(program) => program.ranks(),
            Self::Explicit(program) => program.ranks(),
            Self::Exchanges(program) => program.ranks(),
            Self::TwoToOne(program) => program.ranks(),
            Self::SendReceive(program) => program.ranks(),
        }
    }

    fn next(&self, rank: Rank, cursor: &mut Cursor) -> Option<Operation> {
        match self {
            Self::RoundTrip(program) => program.next(rank, cursor),
            Self::OneToTwo(program) => program.next(rank, cursor),
            Self::Train(program) => program.next(rank, cursor),
            Self::Collective(program) => program.next(rank, cursor),
            Self::Concurrent(program) => program.next(rank, cursor),
            Self::Explicit(program) => program.next(rank, cursor),
            Self::Exchanges(program) => program.next(rank, cursor),
            Self::TwoToOne(program) => program.next(rank, cursor),
            Self::SendReceive(program) => program.next(rank, cursor),
        }
    }
}

impl Program {
    /// Returns the default reading of this program: experiments of a few ranks at rank 0,
    /// concurrent messages at the sender of the timed one, all others as the maximum over the
    /// ranks.
    pub fn reading(&self) -> Reading {
        let reducer = match self {
            Self::Concurrent(program) => {
                return Reading {
                    timer: program.timer(),
                    reducer: Reducer::At(program.timed_message().from),
                };
            }
            Self::Train(program) => return program.reading(),
            Self::RoundTrip(_)
            | Self::OneToTwo(_)
            | Self::TwoToOne(_)
            | Self::SendReceive(_)
            | Self::Exchanges(_) => Reducer::At(Rank(0)),
            Self::Collective(_) | Self::Explicit(_) => Reducer::Maximum,
        };
        Reading { timer: Timer::WHOLE, reducer }
    }

    /// Returns the reading of this program if collective operations are timed by this method; other
    /// programs have their default reading.
    pub fn reading_by(&self, timing: Timing) -> Reading {
        match (self, timing) {
            (Self::Collective(Collective { root, .. }), Timing::Root) => {
                Reading { timer: Timer::WHOLE, reducer: Reducer::RootMinusBarrier(*root) }
            }
            (Self::Collective(_), Timing::Global) => {
                Reading { timer: Timer::WHOLE, reducer: Reducer::Global }
            }
            _ => self.reading(),
        }
    }

    /// Returns true if its operations wait for each other in a single chain, so that the critical
    /// path is the same on every network.
    pub fn is_chain(&self) -> bool {
        matches!(self, Self::RoundTrip(_))
    }
}
