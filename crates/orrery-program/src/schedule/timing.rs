use serde::{Deserialize, Serialize};

use super::{Rank, Timer};

orrery_base::named_enum! {
    /// A method of timing collective operations.
    ///
    /// ```
    /// use orrery_program::schedule::Timing;
    /// assert_eq!("root".parse(), Ok(Timing::Root));
    /// assert_eq!(Timing::of(&Timing::Root.description()), Some(Timing::Root));
    /// ```
    ///
    /// Source: the timing methods of MPIBlib (Lastovetsky, Rychkov, O'Flynn, "MPIBlib: Benchmarking
    /// MPI communications for parallel computing on homogeneous and heterogeneous clusters",
    /// EuroPVM/MPI 2008). *Global* begins as in the round-time scheme of ReproMPI.
    #[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
    pub enum Timing: "timing method" {
        /// Each rank reads its own clock from its own start, after a barrier; the result is the
        /// maximum over the ranks.
        #[default]
        Maximum => "max",
        /// Only the root reads its clock, before the operation and after a barrier that follows;
        /// the time of a barrier by itself is subtracted.
        Root => "root",
        /// All ranks start at the same time of one clock, to which theirs are synchronised; the
        /// result is the last end on that clock.
        Global => "global",
    }
}

impl Timing {
    /// The method as recorded in samples: the keyword, then its meaning.
    pub fn description(self) -> String {
        let words = match self {
            Self::Maximum => "maximum over the ranks, own clocks",
            Self::Root => "clock of the root, minus the median of single barriers",
            Self::Global => "maximum over the ranks, one clock, common start",
        };
        format!("{}: collectives by {words}", self.name())
    }

    /// Returns the method with whose keyword this description begins; `None` for other texts.
    pub fn of(description: &str) -> Option<Self> {
        description.split_once(": ").and_then(|(word, _)| word.parse().ok())
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
    /// The time from the start of this rank, the root, until the last rank has ended, on the root's
    /// clock.
    ///
    /// A barrier follows the program. The time of a barrier by itself, the median of several within
    /// the same batch, is subtracted. With T_own the root's time for the program, B its time in the
    /// following barrier, and b the time of a barrier by itself, all in seconds: T = T_own + max(B
    /// − b, 0). The last rank ends no earlier than the root. Valid only for the timer of the whole
    /// rank. Source: *root* timing of MPIBlib, without that bound.
    RootMinusBarrier(Rank),
    /// The time from a common start until the last rank has ended, on one clock for all ranks: the
    /// maximum over them of end − start. Valid only for the timer of the whole rank.
    Global,
}

impl Reducer {
    /// Returns true if the reduction over the ranks uses the reading of `rank`.
    pub fn reads(self, rank: Rank) -> bool {
        match self {
            Self::At(read) | Self::RootMinusBarrier(read) => read == rank,
            Self::Maximum | Self::Global => true,
        }
    }
}
