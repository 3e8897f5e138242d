//! Where a schedule runs. Machines only run: what to measure, in which order and when to stop is decided elsewhere.

mod batch;
pub mod conformance;
mod error;
pub mod host;
pub mod local;
mod simulated;

pub use batch::{Batch, BatchError};
pub use error::MachineError;
pub use simulated::Simulated;

use crate::sample::Provenance;
use crate::units::Seconds;

/// A place where schedules run and are timed.
///
/// Before each repetition the machine brings the ranks of the program together at a barrier of its own, which is not
/// part of what is timed.
pub trait Machine {
    /// How many processors there are.
    fn processors(&self) -> usize;

    /// What a reader of the samples needs to know of this machine.
    fn provenance(&self) -> Provenance;

    /// Runs a batch and returns one reading for each of its repetitions, in order.
    ///
    /// # Errors
    ///
    /// When the batch does not fit the machine, when a process of it dies or does not answer in time, and when the
    /// caller asked for an interruption.
    fn run(&mut self, batch: &Batch) -> Result<Vec<Seconds>, MachineError>;
}
