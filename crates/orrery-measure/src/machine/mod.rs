//! Machines, on which schedules run and are timed. They only run batches; campaigns decide what to
//! measure, in which order and how often.

mod barrier_duration;
mod batch;
#[cfg(feature = "estimation")]
pub mod clock;
mod combination;
pub mod conformance;
mod error;
mod forcible;
#[cfg(feature = "estimation")]
pub mod host;
#[cfg(feature = "estimation")]
pub mod local;
mod native;
mod selection;
mod simulated;

pub use barrier_duration::barrier_duration;
pub use batch::{Batch, BatchReadings};
pub use combination::Combination;
pub use error::{LateStart, MachineError, NotModelled};
pub use forcible::{ForcibleAlgorithm, ForcibleSegments};
pub use native::NativeCalls;
pub use selection::SelectedProcessors;
pub use simulated::{Conditions, FlowTimes, IrregularCollectives, SimulatedMachine, SlowdownModel};

use crate::sample::Provenance;
use orrery_base::units::Seconds;
use orrery_program::schedule::CollectiveKind;

/// A set of processors on which schedules run and are timed.
///
/// Before each repetition the ranks of the program pass a barrier of the machine, which is not
/// timed; after the first repetition no barrier is needed if a repetition synchronises the ranks
/// itself ([`Batch::is_self_synchronizing`]). With [`orrery_program::schedule::Reducer::RootMinusBarrier`]
/// the same barrier follows the program. With [`orrery_program::schedule::Reducer::Global`] there is no
/// barrier: ranks start at a common time of a global clock ([`clock`]).
pub trait Machine {
    /// The number of processors.
    fn processors(&self) -> usize;

    /// The description of the machine that is stored with its samples.
    fn provenance(&self) -> Provenance;

    /// The time on the machine's clock since its start.
    fn elapsed(&self) -> Seconds;

    /// Runs a batch and returns one reading for each of its repetitions, in order.
    ///
    /// # Errors
    ///
    /// When the batch does not fit the machine, when a process of the machine dies or exceeds the
    /// time limit, and when the caller has requested an interruption.
    fn run(&mut self, batch: &Batch) -> Result<Vec<Seconds>, MachineError>;

    /// Runs several batches and returns the readings of each. Every processor runs its batches in
    /// the given order; batches that share no processor may run in parallel, and no processor waits
    /// for one with which it shares no batch.
    ///
    /// The default implementation runs one batch after the other.
    ///
    /// # Errors
    ///
    /// As [`Machine::run`].
    fn run_all(&mut self, batches: &[Batch]) -> Result<Vec<Vec<Seconds>>, MachineError> {
        batches.iter().map(|batch| self.run(batch)).collect()
    }

    /// The algorithms that the MPI library of the machine can be forced to use for an operation on
    /// this number of processors; `None`, the default, if the machine has no library.
    fn native_algorithms(
        &self,
        _kind: CollectiveKind,
        _procs: usize,
    ) -> Option<Vec<ForcibleAlgorithm>> {
        None
    }

    /// Calls a collective operation of the MPI library of the machine; returns one reading for each
    /// call that is read, in order.
    ///
    /// # Errors
    ///
    /// When the machine has no MPI library, which is the default implementation, when the library
    /// does not have the algorithm, and as [`Machine::run`].
    fn run_native(&mut self, _calls: &NativeCalls) -> Result<Vec<Seconds>, MachineError> {
        Err(MachineError::NoLibrary)
    }
}
