use serde::{Deserialize, Serialize};

use super::batch::{check_placement, no_such_rank};
use crate::sample::NativeAlgorithm;
use orrery_base::file::Fault;
use orrery_base::units::Bytes;
use orrery_cluster::platform::Placement;
use orrery_program::schedule::{CollectiveKind, Rank};

/// Repeated calls of a collective operation of an MPI library on some processors of a machine.
///
/// A reading is the maximum over the ranks of the time of a call on their own clocks; the ranks
/// pass a barrier of the machine before each call.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct NativeCalls {
    /// The operation.
    pub kind: CollectiveKind,
    /// The algorithm that the library is forced to use; `None` for its own choice.
    pub algorithm: Option<NativeAlgorithm>,
    /// The root, where the operation has one.
    pub root: Rank,
    /// The processor of each rank.
    pub placement: Placement,
    /// The block of one processor, or the vector, as in [`orrery_program::schedule::Collective::block`].
    pub size: Bytes,
    /// The number of calls that come first and are not read.
    pub warm_up: u32,
    /// The number of calls that are read.
    pub repetitions: u32,
}

impl NativeCalls {
    /// Checks that the calls fit a machine with this number of processors.
    ///
    /// # Errors
    ///
    /// The first mismatch.
    pub fn check(&self, processors: usize) -> Result<(), Fault> {
        check_placement(&self.placement, processors)?;
        if self.root.index() >= self.placement.ranks() {
            return Err(no_such_rank(self.root));
        }
        Ok(())
    }
}
