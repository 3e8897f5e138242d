use serde::{Deserialize, Serialize};

use crate::sample::NativeAlgorithm;
use crate::schedule::{CollectiveKind, Rank};
use crate::units::Bytes;

/// Repeated calls of a collective operation of an MPI library on the first processors of a machine.
///
/// A reading is the maximum over the ranks of the time of a call on their own clocks; the ranks pass a barrier of the machine
/// before each call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct NativeCalls {
    /// The operation.
    pub kind: CollectiveKind,
    /// The algorithm that the library is forced to use; `None` for its own choice.
    pub algorithm: Option<NativeAlgorithm>,
    /// The root, where the operation has one.
    pub root: Rank,
    /// The number of processors, from 0.
    pub procs: usize,
    /// The block of one processor, or the vector, as in [`crate::schedule::Collective::block`].
    pub size: Bytes,
    /// The number of calls that come first and are not read.
    pub warm_up: u32,
    /// The number of calls that are read.
    pub repetitions: u32,
}
