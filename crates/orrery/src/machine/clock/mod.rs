//! One clock for all ranks of a batch, and repetitions that start at one instant of it.
//!
//! | file | what stands there |
//! |---|---|
//! | `own` | the clock of a process |
//! | `offset`, `linear` | from readings of ping-pongs to an offset, from offsets to a linear model: numbers alone |
//! | `tree` | the binomial tree of the ranks; what it broadcasts and reduces |
//! | `synchronise` | HCA3: each rank learns from its parent in the tree what the clock of rank 0 shows |
//! | `round_time`, `pace` | repetitions from a common start, and how long before that it is told |
//!
//! All of it is written once, for whoever is [`ClockPeers`].
//!
//! Sources: Hunold, Carpen-Amarie, "Hierarchical RawClock Synchronization in MPI", IEEE Cluster 2018 (HCA3, and the
//! round-time scheme of ReproMPI); Worsch, Reussner, Augustin, "On Benchmarking Collective MPI Operations", EuroPVM/MPI
//! 2002 (the offset of SKaMPI).

mod linear;
mod offset;
mod own;
mod pace;
mod round_time;
mod synchronise;
mod tree;

pub use linear::LinearClock;
pub use offset::{Offset, PingPong};
pub use own::RawClock;
pub use pace::LateStart;
pub use round_time::GlobalClock;

/// A rank of a batch: it has a clock of its own, and tells the others a number now and then.
pub trait ClockPeers {
    /// Why a rank cannot go on.
    type Error: From<LateStart>;

    /// This rank.
    fn rank(&self) -> usize;

    /// How many ranks there are.
    fn rank_count(&self) -> usize;

    /// What the clock of this rank shows, in seconds from an origin of its own.
    fn now(&mut self) -> f64;

    /// Lets some time go by, less than these seconds.
    ///
    /// # Errors
    ///
    /// When this rank is to wait no longer.
    fn idle(&mut self, seconds: f64) -> Result<(), Self::Error>;

    /// Tells another rank a number.
    ///
    /// # Errors
    ///
    /// When it cannot be reached.
    fn send(&mut self, to: usize, number: f64) -> Result<(), Self::Error>;

    /// The next number that another rank tells this one.
    ///
    /// # Errors
    ///
    /// When it cannot be reached.
    fn receive(&mut self, from: usize) -> Result<f64, Self::Error>;
}
