//! A global clock for all ranks of a batch, and repetitions that start at a common time of it.
//!
//! | file | content |
//! |---|---|
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

use std::thread;
use std::time::Duration;

use rustix::time::{ClockId, Timespec, clock_gettime};

mod offset;
mod round_time;
mod start_lead;
mod synchronise;
mod tree;

pub use offset::{LinearClock, Offset, PingPong};
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

/// The clock of this process: CLOCK_MONOTONIC_RAW, in seconds since it was started.
///
/// The system does not adjust this clock, so two of them drift apart at a constant rate as long as
/// the temperature is constant. Counted from its start, a time as f64 resolves fractions of a
/// nanosecond for some months.
#[derive(Debug, Clone, Copy)]
pub struct RawClock {
    origin: Timespec,
}

/// The shortest wait, in seconds, that sleeps.
const MIN_SLEEP: f64 = 1e-3;

/// The part of a wait after the sleep, in seconds: sleeps may end late.
const SLEEP_MARGIN: f64 = 500e-6;

/// The part at the end of a wait that does not yield the core, in seconds.
const SPIN_MARGIN: f64 = 20e-6;

impl RawClock {
    /// A clock that shows 0 now.
    pub fn start() -> Self {
        Self { origin: clock_gettime(ClockId::MonotonicRaw) }
    }

    /// The time in seconds since the start.
    pub fn now(self) -> f64 {
        let now = clock_gettime(ClockId::MonotonicRaw);
        (now.tv_sec - self.origin.tv_sec) as f64 + (now.tv_nsec - self.origin.tv_nsec) as f64 * 1e-9
    }

    /// Waits for a part of this number of seconds: sleeps while there is time, then spins. On a
    /// core that is shared by several processes it yields instead of spinning; on other cores,
    /// yielding could delay it beyond the end.
    pub fn idle(self, seconds: f64, is_shared: bool) {
        if seconds > MIN_SLEEP {
            thread::sleep(Duration::from_secs_f64((seconds - SLEEP_MARGIN).min(1.0)));
        } else if is_shared && seconds > SPIN_MARGIN {
            thread::yield_now();
        } else {
            std::hint::spin_loop();
        }
    }
}
