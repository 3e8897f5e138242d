//! A global clock for all ranks of a batch, and repetitions that start at a common time of it.
//!
//! | file | content |
//! |---|---|
//! | `raw_clock` | the clock of a process |
//! | `offset` | from readings of ping-pongs to an offset, and from offsets to a linear model of a remote clock |
//! | `tree` | the binomial tree of the ranks; broadcast and maximum |
//! | `synchronise` | HCA3: each rank estimates the clock of rank 0 from that of its parent in the tree |
//! | `round_time`, `start_lead` | repetitions from a common start, and the time in advance at which it is announced |
//!
//! The code is written once, for every implementation of [`ClockPeers`].
//!
//! Sources: Hunold, Carpen-Amarie, "Hierarchical Clock Synchronization in MPI", IEEE Cluster 2018
//! (HCA3, and the round-time scheme of ReproMPI); Worsch, Reussner, Augustin, "On Benchmarking
//! Collective MPI Operations", EuroPVM/MPI 2002 (the offset of SKaMPI).

mod offset;
mod raw_clock;
mod round_time;
mod start_lead;
mod synchronise;
mod tree;

pub use offset::{LinearClock, Offset, PingPong};
pub use raw_clock::RawClock;
pub use round_time::GlobalClock;

use super::LateStart;

/// The ranks of a batch as seen by one of them: it has a clock, and exchanges numbers with the
/// others.
pub trait ClockPeers {
    /// The error that ends the batch.
    type Error: From<LateStart>;

    /// Returns the number of this rank.
    fn rank(&self) -> usize;

    /// The number of ranks.
    fn rank_count(&self) -> usize;

    /// The time on the clock of this rank, in seconds from an arbitrary origin.
    fn now(&mut self) -> f64;

    /// Waits for less than this number of seconds.
    ///
    /// # Errors
    ///
    /// When the batch must end.
    fn idle(&mut self, seconds: f64) -> Result<(), Self::Error>;

    /// Sends a number to another rank.
    ///
    /// # Errors
    ///
    /// When the rank cannot be reached.
    fn send(&mut self, to: usize, number: f64) -> Result<(), Self::Error>;

    /// Receives the next number that another rank sends to this one.
    ///
    /// # Errors
    ///
    /// When the rank cannot be reached.
    fn receive(&mut self, from: usize) -> Result<f64, Self::Error>;
}
