//! Names of PICO as experiments.

use crate::sample::{Experiment, Library, LibraryAlgorithm, NativeAlgorithm};
use orrery_base::units::Bytes;
use orrery_cluster::platform::Processor;
use orrery_program::schedule::{Algorithm, CollectiveKind};

/// The collective operation of a name in results of PICO, in lower or upper case: `reduce_scatter`,
/// `ALLGATHER`; `None` for other names.
pub(super) fn operation(name: &str) -> Option<CollectiveKind> {
    name.to_ascii_lowercase().replace('_', "-").parse().ok()
}

/// The number of bytes of an element by the name of its type; `None` for an unknown type.
pub(super) fn element(name: &str) -> Option<u64> {
    Some(match name {
        "int8" | "char" => 1,
        "int16" => 2,
        "int32" | "int" | "float" => 4,
        "int64" | "double" => 8,
        _ => return None,
    })
}

/// The experiment of an algorithm, with processors and sizes of 0; `None` if samples have no such
/// algorithm.
///
/// The suffixes `_ompi` and `_mpich` name the library, `_over` the benchmark's own algorithms made
/// of point-to-point calls.
pub(super) fn experiment(kind: CollectiveKind, name: &str) -> Option<Experiment> {
    let (root, procs, size) = (Processor(0), 0, Bytes::ZERO);
    let suffixes =
        [("_ompi", Some(Library::OpenMpi)), ("_mpich", Some(Library::Mpich)), ("_over", None)];
    let (stem, library) = suffixes
        .iter()
        .find_map(|(suffix, library)| Some((name.strip_suffix(suffix)?, *library)))?;
    if stem == "default" {
        return library.map(|_| Experiment::Native { kind, algorithm: None, root, procs, size });
    }
    let algorithm = match (kind, stem) {
        (CollectiveKind::Allreduce, "allgather_reduce") => LibraryAlgorithm::AllgatherReduce,
        (CollectiveKind::ReduceScatter, "recursive_distance_doubling") => {
            LibraryAlgorithm::DistanceDoubling
        }
        (_, "non_blocking") => LibraryAlgorithm::Nonblocking,
        _ => algorithm(kind, stem, library)
            .filter(|algorithm| kind.has(*algorithm))
            .map(LibraryAlgorithm::Scheduled)?,
    };
    Some(match (library, algorithm) {
        (None, LibraryAlgorithm::Scheduled(algorithm)) => {
            Experiment::Collective { kind, algorithm, root, procs, size }
        }
        _ => {
            let algorithm =
                NativeAlgorithm { library: library.unwrap_or(Library::Pico), algorithm };
            Experiment::Native { kind, algorithm: Some(algorithm), root, procs, size }
        }
    })
}

/// The algorithm with a schedule of a name without its suffix. Sources: config/algorithms and
/// libbine of PICO; coll/tuned of Open MPI 4.1.
fn algorithm(kind: CollectiveKind, stem: &str, library: Option<Library>) -> Option<Algorithm> {
    use CollectiveKind as K;
    let whole = Bytes::ZERO;
    Some(match (kind, stem) {
        // Open MPI's linear allgather is a gather and a broadcast.
        (K::Allgather, "linear") => return None,
        // All messages of Open MPI's linear alltoall are posted together.
        (K::Alltoall, "linear") | (_, "linear_nb") => Algorithm::LinearNonblocking,
        (_, "linear") => Algorithm::Linear,
        (_, "linear_sync" | "linear_synch") => Algorithm::LinearSync,
        (_, "binomial") => Algorithm::Binomial,
        (_, "knomial") => Algorithm::KNomial(4, whole),
        (_, "binary") => Algorithm::Binary(whole),
        (_, "split_binary") => Algorithm::SplitBinary(whole),
        (_, "in_order") => Algorithm::InOrderBinary(whole),
        (_, "chain") => Algorithm::Chain(4, whole),
        (_, "pipeline") => Algorithm::Pipeline(whole),
        (_, "scatter_allgather" | "scatter_recursive_doubling_allgather") => {
            Algorithm::ScatterAllgather
        }
        (_, "scatter_allgather_ring" | "scatter_ring_allgather") => Algorithm::ScatterAllgatherRing,
        (_, "ring") => Algorithm::Ring,
        (_, "ring_segmented") => Algorithm::SegmentedRing(whole),
        (_, "recursive_doubling") => Algorithm::RecursiveDoubling,
        (_, "recursive_halving") => Algorithm::RecursiveHalving,
        (_, "bruck" | "brucks" | "modified_bruck") => Algorithm::Bruck,
        // The base of the benchmark's own is 2 (libbine_allgather.c); that of the libraries is a
        // setting that is not recorded.
        (_, "k_bruck") if library.is_none() => Algorithm::KBruck(2),
        (_, "neighbor") => Algorithm::NeighborExchange,
        (_, "sparbit") => Algorithm::Sparbit,
        (_, "rabenseifner") => Algorithm::Rabenseifner,
        (_, "non_overlapping") => Algorithm::NonOverlapping,
        (_, "pairwise") => Algorithm::Pairwise,
        // Of the variants of Bine those whose messages are of one piece each, as in the schedule of
        // the algorithm.
        (K::Broadcast | K::Reduce, "bine_lat")
        | (K::Allreduce, "bine_bdw_remap")
        | (K::Allgather | K::ReduceScatter, "bine_permute_remap") => Algorithm::Bine,
        (K::Allreduce, "bine_lat") => Algorithm::BineDoubling,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_become_experiments() {
        let name = |kind, name| experiment(kind, name).map(|experiment| experiment.name());
        for (kind, pico, expected) in [
            (CollectiveKind::Broadcast, "binomial_ompi", Some("native/bcast/ompi/binomial")),
            (CollectiveKind::Allreduce, "default_mpich", Some("native/allreduce")),
            (CollectiveKind::Allgather, "k_bruck_over", Some("allgather/k-bruck-2")),
            (CollectiveKind::Alltoall, "linear_ompi", Some("native/alltoall/ompi/linear-nb")),
            (CollectiveKind::Allreduce, "bine_lat_over", Some("allreduce/bine-doubling")),
            (
                CollectiveKind::ReduceScatter,
                "recursive_distance_doubling_over",
                Some("native/reduce-scatter/pico/distance-doubling"),
            ),
            (
                CollectiveKind::Allreduce,
                "non_blocking_mpich",
                Some("native/allreduce/mpich/nonblocking"),
            ),
            (CollectiveKind::Allgather, "bine_2_blocks_over", None),
            (CollectiveKind::Broadcast, "bruck_ompi", None),
            (CollectiveKind::Broadcast, "binomial", None),
        ] {
            assert_eq!(name(kind, pico).as_deref(), expected, "{kind} {pico}");
        }
        assert_eq!(operation("REDUCE_SCATTER"), Some(CollectiveKind::ReduceScatter));
    }
}
