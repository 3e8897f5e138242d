use serde::{Deserialize, Serialize};

use super::{
    Collective, ConcurrentMessages, Cursor, Explicit, OneToTwo, Operation, Rank, RoundTrip, Schedule, Timer, Timing,
    Train,
};

/// What is to be done, in a form that can be sent to the processes of a machine; it is lowered to operations as they
/// are asked for.
#[derive(Debug, Clone, PartialEq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Program {
    /// A round trip of two ranks.
    RoundTrip(RoundTrip),
    /// One rank to two others and back.
    OneToTwo(OneToTwo),
    /// A collective operation.
    Collective(Collective),
    /// Messages that are under way at once.
    Concurrent(ConcurrentMessages),
    /// Operations written out.
    Explicit(Explicit),
    // Last, so that the noise of simulated machines, which depends on the place, is what it was.
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
    /// How this program is read where nothing else is asked for: experiments at rank 0, concurrent messages
    /// at the sender of the one that is timed, everything else as the maximum over the ranks.
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

    /// How this program is read when collective operations are timed in this way; everything else is read as ever.
    pub fn reading_by(&self, timing: Timing) -> Reading {
        match (self, timing) {
            (Self::Collective(Collective { root, .. }), Timing::Root) => {
                Reading { timer: Timer::WHOLE, reducer: Reducer::RootMinusBarrier(*root) }
            }
            (Self::Collective(_), Timing::Global) => Reading { timer: Timer::WHOLE, reducer: Reducer::Global },
            _ => self.reading(),
        }
    }

    /// Whether its operations wait for one another in a single chain, so that the critical path is the same on every
    /// network.
    pub fn is_chain(&self) -> bool {
        matches!(self, Self::RoundTrip(_))
    }
}

/// Which timer is read, and how the readings of the ranks become one number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reading {
    /// The timer that is read on each rank.
    pub timer: Timer,
    /// How the ranks' readings are reduced.
    pub reducer: Reducer,
}

/// How the readings of the ranks become one number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Reducer {
    /// The reading of one rank.
    At(Rank),
    /// The maximum over the ranks, each reading its own clock from its own start.
    Maximum,
    /// The time from the start of this rank, the root, until the last rank has ended, on the root's clock alone.
    ///
    /// A barrier follows the program, and the time of a lone barrier, the median of several within the same batch, is
    /// taken away. With T_own the root's time for the program, B the time that it then spends in the barrier, and b the
    /// time of the lone one, all in seconds: T = T_own + max(B − b, 0). The last rank ends no earlier than the root. Of a
    /// rank's whole time only. Source: *root* timing of MPIBlib, without that bound.
    RootMinusBarrier(Rank),
    /// The time from a common start until the last rank has ended, on one clock for all ranks: the maximum over them of
    /// end − start. Of a rank's whole time only.
    Global,
}

impl Reducer {
    /// Whether the reading of this rank is asked for.
    pub fn reads(self, rank: Rank) -> bool {
        match self {
            Self::At(read) | Self::RootMinusBarrier(read) => read == rank,
            Self::Maximum | Self::Global => true,
        }
    }
}
