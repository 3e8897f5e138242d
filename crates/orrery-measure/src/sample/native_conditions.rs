//! Where an MPI library carries out an operation by the algorithm that it is forced to use.

use super::{Library, LibraryAlgorithm, NativeAlgorithm};
use orrery_base::units::Bytes;
use orrery_program::schedule::{Algorithm, CollectiveKind};

/// The size of a double in bytes.
const DOUBLE: u64 = 8;

/// The size in bytes of the elements of an operation of this size in measured calls of a library:
/// reductions combine doubles, or bytes where the size is no multiple of theirs; other operations
/// move bytes.
pub const fn element_size(kind: CollectiveKind, size: Bytes) -> u64 {
    if kind.is_reduction() && size.get().is_multiple_of(DOUBLE) { DOUBLE } else { 1 }
}

/// The largest segment in bytes that Open MPI's variables can hold.
const MAX_SEGMENT: u64 = i32::MAX as u64;

impl NativeAlgorithm {
    /// Returns true if the library uses this algorithm for this operation, number of ranks and
    /// size, with elements of [`element_size`]. Elsewhere it takes another one without a word, or
    /// one with another schedule.
    ///
    /// Sources: coll_base_*.c of Open MPI 4.1; src/mpi/coll of MPICH 4.0.
    pub fn runs_on(self, kind: CollectiveKind, ranks: usize, size: Bytes) -> bool {
        self.runs_on_elements(kind, ranks, size, element_size(kind, size))
    }

    /// As [`NativeAlgorithm::runs_on`], with elements of `element` bytes, at least 1.
    ///
    /// ```
    /// use orrery_measure::sample::NativeAlgorithm;
    /// use orrery_program::schedule::CollectiveKind;
    /// use orrery_base::units::Bytes;
    /// let ring: NativeAlgorithm = "ompi/ring".parse()?;
    /// let runs = |element| ring.runs_on_elements(CollectiveKind::Allreduce, 8, Bytes::new(32), element);
    /// assert!(runs(4) && !runs(8), "8 floats or 4 doubles for 8 ranks");
    /// # Ok::<(), orrery_base::file::Fault>(())
    /// ```
    pub fn runs_on_elements(
        self,
        kind: CollectiveKind,
        ranks: usize,
        size: Bytes,
        element: u64,
    ) -> bool {
        let LibraryAlgorithm::Scheduled(algorithm) = self.algorithm else { return true };
        let elements = size.get() / element.max(1);
        let largest_power = 1 << ranks.max(1).ilog2();
        match (kind, algorithm) {
            // A linear reduction (Open MPI), or an error (MPICH).
            (CollectiveKind::Reduce | CollectiveKind::Allreduce, Algorithm::Rabenseifner) => {
                elements >= largest_power
            }
            (CollectiveKind::Allgather, Algorithm::RecursiveDoubling) => ranks.is_power_of_two(),
            _ => match self.library {
                Library::OpenMpi => runs_in_open_mpi(kind, algorithm, ranks, size, element.max(1)),
                Library::Mpich => runs_in_mpich(kind, algorithm, ranks),
                Library::Pico => true,
            },
        }
    }
}

/// Returns true if Open MPI replaces neither this algorithm nor its segments on this number of
/// ranks and at this size.
fn runs_in_open_mpi(
    kind: CollectiveKind,
    algorithm: Algorithm,
    ranks: usize,
    size: Bytes,
    element: u64,
) -> bool {
    let (segment, elements) = (algorithm.segment().get(), size.get() / element);
    // Segments are rounded to whole elements.
    if segment > MAX_SEGMENT || !segment.is_multiple_of(element) {
        return false;
    }
    match (kind, algorithm) {
        (CollectiveKind::Allgather, Algorithm::NeighborExchange) => ranks.is_multiple_of(2),
        // A linear broadcast.
        (
            CollectiveKind::Broadcast,
            Algorithm::ScatterAllgather | Algorithm::ScatterAllgatherRing,
        ) => size.get() >= ranks as u64,
        // One chain, where a half of the vector has less than a segment.
        (CollectiveKind::Broadcast, Algorithm::SplitBinary(_)) => size.get() / 2 >= segment.max(1),
        // Recursive doubling.
        (CollectiveKind::Allreduce, Algorithm::Ring) => elements >= ranks as u64,
        // The ring without segments, where a block has less than one.
        (CollectiveKind::Allreduce, Algorithm::SegmentedRing(_)) => {
            segment > 0 && elements >= (segment / element).saturating_mul(ranks as u64)
        }
        _ => true,
    }
}

/// Returns true if an algorithm of MPICH has its schedule on this number of ranks.
const fn runs_in_mpich(kind: CollectiveKind, algorithm: Algorithm, ranks: usize) -> bool {
    match (kind, algorithm) {
        // Both have the name `pairwise`.
        (CollectiveKind::Alltoall, Algorithm::Pairwise) => !ranks.is_power_of_two(),
        // On other numbers of ranks, blocks that are missing in a half of the ranks are sent along
        // a tree.
        (CollectiveKind::Alltoall, Algorithm::ExclusiveOr)
        | (CollectiveKind::Broadcast, Algorithm::ScatterAllgather) => ranks.is_power_of_two(),
        _ => true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn replaced_algorithms_do_not_run() {
        let runs = |name: &str, kind: &str, ranks, size| {
            let algorithm: NativeAlgorithm = name.parse().expect("a name of an algorithm");
            algorithm.runs_on(kind.parse().expect("an operation"), ranks, Bytes::new(size))
        };
        for (name, kind, ranks, size, expected) in [
            ("ompi/recursive-doubling", "allgather", 8, 1, true),
            ("mpich/recursive-doubling", "allgather", 6, 1, false),
            ("mpich/recursive-doubling", "allreduce", 6, 1, true),
            ("ompi/neighbor-exchange", "allgather", 7, 1, false),
            // Doubles: 4 for 6 ranks, whose largest power of two is 4.
            ("mpich/rabenseifner", "allreduce", 6, 32, true),
            ("mpich/rabenseifner", "reduce", 6, 24, false),
            // Bytes.
            ("mpich/rabenseifner", "reduce", 6, 25, true),
            ("ompi/ring", "allreduce", 6, 40, false),
            ("ompi/ring", "allreduce", 6, 48, true),
            ("ompi/ring", "allgather", 6, 1, true),
            ("ompi/scatter-allgather", "bcast", 6, 5, false),
            ("ompi/scatter-allgather", "bcast", 6, 6, true),
            ("mpich/scatter-allgather", "bcast", 6, 6, false),
            ("mpich/pairwise", "alltoall", 4, 1, false),
            ("mpich/exclusive-or", "alltoall", 4, 1, true),
            ("ompi/pairwise", "alltoall", 4, 1, true),
            ("mpich/nonblocking", "alltoall", 4, 0, true),
            ("ompi/split-binary", "bcast", 4, 1, false),
            ("ompi/split-binary:1K", "bcast", 4, 2048, true),
            ("ompi/split-binary:1K", "bcast", 4, 2047, false),
            ("ompi/pipeline:1K", "bcast", 4, 8, true),
            ("ompi/pipeline:3G", "bcast", 4, 8, false),
            // Doubles have no segments of 12 bytes, bytes have.
            ("ompi/pipeline:12", "reduce", 4, 800, false),
            ("ompi/pipeline:12", "reduce", 4, 801, true),
            ("ompi/segmented-ring:1K", "allreduce", 4, 4096, true),
            ("ompi/segmented-ring:1K", "allreduce", 4, 4088, false),
            ("ompi/segmented-ring", "allreduce", 4, 4096, false),
        ] {
            assert_eq!(
                runs(name, kind, ranks, size),
                expected,
                "{name} of {kind} on {ranks} ranks, {size} bytes"
            );
        }
    }
}
