use serde::{Deserialize, Serialize};

use super::{
    Collective, ConcurrentMessages, Cursor, Explicit, OneToTwo, Operation, Rank, RoundTrip, Schedule, Timer, Timing,
    Train,
};

/// A schedule in a form that can be sent to the processes of a machine; it is lowered to operations on demand.
#[derive(Debug, Clone, PartialEq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Program {
    /// A round trip of two ranks.
    RoundTrip(RoundTrip),
    /// A one-to-two experiment.
    OneToTwo(OneToTwo),
    /// A collective operation.
    Collective(Collective),
    /// Concurrent messages.
    Concurrent(ConcurrentMessages),
    /// A list of operations.
    Explicit(Explicit),
    // The last variant, because the noise of simulated machines depends on the position of the variant.
    /// A train of messages in one direction.
    Train(Train),
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
        }
    }
}

impl Program {
    /// Returns the default reading of this program: experiments at rank 0, concurrent messages at the sender of the
    /// timed one, all others as the maximum over the ranks.
    pub fn reading(&self) -> Reading {
        let reducer = match self {
            Self::Concurrent(program) => {
                return Reading { timer: program.timer(), reducer: Reducer::At(program.timed_message().from) };
            }
            Self::Train(program) => return program.reading(),
            Self::RoundTrip(_) | Self::OneToTwo(_) => Reducer::At(Rank(0)),
            Self::Collective(_) | Self::Explicit(_) => Reducer::Maximum,
        };
        Reading { timer: Timer::WHOLE, reducer }
    }

    /// Returns the reading of this program if collective operations are timed by this method; other programs have their
    /// default reading.
    pub fn reading_by(&self, timing: Timing) -> Reading {
        match (self, timing) {
            (Self::Collective(Collective { root, .. }), Timing::Root) => {
                Reading { timer: Timer::WHOLE, reducer: Reducer::RootMinusBarrier(*root) }
            }
            (Self::Collective(_), Timing::Global) => Reading { timer: Timer::WHOLE, reducer: Reducer::Global },
            _ => self.reading(),
        }
    }

    /// Returns true if its operations wait for each other in a single chain, so that the critical path is the same on
    /// every network.
    pub fn is_chain(&self) -> bool {
        matches!(self, Self::RoundTrip(_))
    }
}

/// The timer that is read, and the reduction of its readings over the ranks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reading {
    /// The timer that is read on each rank.
    pub timer: Timer,
    /// The reduction over the ranks.
    pub reducer: Reducer,
}

/// The reduction of the readings of all ranks to one number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Reducer {
    /// The reading of one rank.
    At(Rank),
    /// The maximum over the ranks, each reading its own clock from its own start.
    Maximum,
    /// The time from the start of this rank, the root, until the last rank has ended, on the root's clock.
    ///
    /// A barrier follows the program. The time of a barrier by itself, the median of several within the same batch, is
    /// subtracted. With T_own the root's time for the program, B its time in the following barrier, and b the time of a
    /// barrier by itself, all in seconds: T = T_own + max(B − b, 0). The last rank ends no earlier than the root. Valid
    /// only for the timer of the whole rank. Source: *root* timing of MPIBlib, without that bound.
    RootMinusBarrier(Rank),
    /// The time from a common start until the last rank has ended, on one clock for all ranks: the maximum over them of
    /// end − start. Valid only for the timer of the whole rank.
    Global,
}

impl Reducer {
    /// Returns true if the reading of this rank is used.
    pub fn reads(self, rank: Rank) -> bool {
        match self {
            Self::At(read) | Self::RootMinusBarrier(read) => read == rank,
            Self::Maximum | Self::Global => true,
        }
    }
}
