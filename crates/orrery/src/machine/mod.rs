//! Where a schedule runs. Machines only run: what to measure, in which order and when to stop is decided elsewhere.

mod barrier_duration;
mod batch;
pub mod clock;
pub mod conformance;
mod error;
pub mod host;
pub mod local;
mod simulated;

pub use barrier_duration::barrier_duration;
pub use batch::{Batch, BatchError};
pub use error::MachineError;
pub use simulated::{IrregularCollectives, SimulatedMachine, SlowdownModel};

use crate::sample::Provenance;
use crate::units::Seconds;

/// A place where schedules run and are timed.
///
/// Before each repetition the machine brings the ranks of the program together at a barrier of its own, which is not
/// part of what is timed; after the first none is needed where a repetition itself does so ([`Batch::is_self_synchronizing`]). Where that is asked for ([`crate::schedule::Reducer::RootMinusBarrier`]) the same barrier
/// follows the program. Where one clock for all is asked for ([`crate::schedule::Reducer::Global`]) there is no barrier:
/// ranks start at an instant of that clock ([`clock`]).
pub trait Machine {
    /// How many processors there are.
    fn processors(&self) -> usize;

    /// What a reader of the samples needs to know of this machine.
    fn provenance(&self) -> Provenance;

    /// The time that has passed on the machine's clock since it was started.
    fn elapsed(&self) -> Seconds;

    /// Runs a batch and returns one reading for each of its repetitions, in order.
    ///
    /// # Errors
    ///
    /// When the batch does not fit the machine, when a process of it dies or does not answer in time, and when the
    /// caller asked for an interruption.
    fn run(&mut self, batch: &Batch) -> Result<Vec<Seconds>, MachineError>;

    /// Runs several batches and returns the readings of each. Every processor runs the batches in which it has a part in
    /// the given order; batches that share no processor may run at the same time, and no processor waits for one that it
    /// has no batch with.
    ///
    /// A machine that can do but one thing at a time runs them one after the other.
    ///
    /// # Errors
    ///
    /// As [`Machine::run`].
    fn run_all(&mut self, batches: &[Batch]) -> Result<Vec<Vec<Seconds>>, MachineError> {
        batches.iter().map(|batch| self.run(batch)).collect()
    }
}
