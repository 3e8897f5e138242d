//! What MPI libraries call their algorithms.

use super::{Library, LibraryAlgorithm};
use orrery_base::units::Bytes;
use orrery_program::schedule::{Algorithm, CollectiveKind};

/// A vector that is not divided.
const WHOLE: Bytes = Bytes::ZERO;

/// A name of an algorithm, and the algorithm; `None` if it has no schedule here.
pub type NamedAlgorithm = (&'static str, Option<LibraryAlgorithm>);

impl Library {
    /// The names of the algorithms that the library has for an operation, with their algorithms.
    ///
    /// Those of Open MPI are in the order of the numbers of its component coll/tuned, from 1, in
    /// releases 4.1 and 5.0. Of MPICH these are left out: `smp` and trees, whose shape depends on
    /// other settings; algorithms for operands whose order matters; the ring of an allreduce, which
    /// divides large blocks. On a power of two of ranks its pairwise alltoall exchanges with rank
    /// XOR k.
    ///
    /// ```
    /// use orrery_measure::sample::{Library, LibraryAlgorithm};
    /// use orrery_program::schedule::{Algorithm, CollectiveKind};
    /// let names = Library::OpenMpi.algorithm_names(CollectiveKind::Broadcast);
    /// assert_eq!(names[5], ("binomial", Some(LibraryAlgorithm::Scheduled(Algorithm::Binomial))));
    /// ```
    ///
    /// Source: `coll_tuned_*_decision.c` of Open MPI 4.1.4 and 5.0.9, src/mpi/coll of MPICH 4.0.2
    /// and 4.3.0.
    pub const fn algorithm_names(self, kind: CollectiveKind) -> &'static [NamedAlgorithm] {
        match self {
            Self::OpenMpi => of_open_mpi(kind),
            Self::Mpich => of_mpich(kind),
            Self::Pico => &[],
        }
    }

    /// Returns true if the library has the algorithm for an operation, with any fan-out and
    /// segments.
    ///
    /// ```
    /// use orrery_measure::sample::Library;
    /// use orrery_program::schedule::CollectiveKind;
    /// let has = |name| Library::OpenMpi.has(CollectiveKind::Reduce, std::str::FromStr::from_str(name).unwrap());
    /// assert!(has("binomial") && has("knomial-2:8K"), "a binomial tree in segments");
    /// assert!(!has("bine"));
    /// ```
    pub fn has(self, kind: CollectiveKind, algorithm: LibraryAlgorithm) -> bool {
        let is_same = |known: LibraryAlgorithm| match (known, algorithm) {
            (LibraryAlgorithm::Scheduled(known), LibraryAlgorithm::Scheduled(wanted)) => {
                let divided = known.with_segment(wanted.segment());
                [Some(known), divided]
                    .into_iter()
                    .flatten()
                    .any(|known| known.name() == wanted.name())
            }
            _ => known == algorithm,
        };
        self.algorithm_names(kind).iter().filter_map(|(_, known)| *known).any(is_same)
    }

    /// Returns the algorithms with a schedule that the library can be forced to use for an
    /// operation; none if they are not known.
    pub fn algorithms(self, kind: CollectiveKind) -> Vec<Algorithm> {
        let scheduled = |(name, algorithm): &NamedAlgorithm| match algorithm {
            // Only Open MPI 5.0 has the first one; the second one is the ring without segments.
            Some(LibraryAlgorithm::Scheduled(Algorithm::Sparbit | Algorithm::SegmentedRing(_))) => {
                None
            }
            // A second name of an algorithm.
            Some(LibraryAlgorithm::Scheduled(_)) if *name == "k_dissemination" => None,
            Some(LibraryAlgorithm::Scheduled(algorithm)) => Some(*algorithm),
            _ => None,
        };
        self.algorithm_names(kind).iter().filter_map(scheduled).collect()
    }
}

/// An algorithm with a schedule.
const fn named(name: &'static str, algorithm: Algorithm) -> NamedAlgorithm {
    (name, Some(LibraryAlgorithm::Scheduled(algorithm)))
}

/// The names of the algorithms of Open MPI for an operation, in the order of their numbers.
const fn of_open_mpi(kind: CollectiveKind) -> &'static [NamedAlgorithm] {
    use Algorithm as A;
    // A gather and a broadcast; an exchange of two ranks.
    const GATHER_BROADCAST: NamedAlgorithm = ("linear", None);
    const TWO_RANKS: NamedAlgorithm = ("two_proc", None);
    match kind {
        CollectiveKind::Barrier => {
            const {
                &[
                    named("linear", A::Linear),
                    named("double_ring", A::DoubleRing),
                    named("recursive_doubling", A::RecursiveDoubling),
                    named("bruck", A::Dissemination),
                    TWO_RANKS,
                    named("tree", A::Tree),
                ]
            }
        }
        CollectiveKind::Broadcast => {
            const {
                &[
                    named("basic_linear", A::Linear),
                    named("chain", A::Chain(4, WHOLE)),
                    named("pipeline", A::Pipeline(WHOLE)),
                    named("split_binary_tree", A::SplitBinary(WHOLE)),
                    named("binary_tree", A::Binary(WHOLE)),
                    named("binomial", A::Binomial),
                    named("knomial", A::KNomial(4, WHOLE)),
                    named("scatter_allgather", A::ScatterAllgather),
                    named("scatter_allgather_ring", A::ScatterAllgatherRing),
                ]
            }
        }
        CollectiveKind::Scatter => {
            const {
                &[
                    named("basic_linear", A::Linear),
                    named("binomial", A::Binomial),
                    named("linear_nb", A::LinearNonblocking),
                ]
            }
        }
        CollectiveKind::Gather => {
            const {
                &[
                    named("basic_linear", A::Linear),
                    named("binomial", A::Binomial),
                    named("linear_sync", A::LinearSync),
                ]
            }
        }
        CollectiveKind::Allgather => {
            const {
                &[
                    GATHER_BROADCAST,
                    named("bruck", A::Bruck),
                    named("recursive_doubling", A::RecursiveDoubling),
                    named("ring", A::Ring),
                    named("neighbor", A::NeighborExchange),
                    TWO_RANKS,
                    named("sparbit", A::Sparbit),
                ]
            }
        }
        CollectiveKind::Alltoall => {
            const {
                &[
                    named("linear", A::LinearNonblocking),
                    named("pairwise", A::Pairwise),
                    named("modified_bruck", A::Bruck),
                    named("linear_sync", A::LinearSync),
                    TWO_RANKS,
                ]
            }
        }
        CollectiveKind::Reduce => {
            const {
                &[
                    named("linear", A::Linear),
                    named("chain", A::Chain(4, WHOLE)),
                    named("pipeline", A::Pipeline(WHOLE)),
                    named("binary", A::Binary(WHOLE)),
                    named("binomial", A::Binomial),
                    named("in-order_binary", A::InOrderBinary(WHOLE)),
                    named("rabenseifner", A::Rabenseifner),
                ]
            }
        }
        CollectiveKind::Allreduce => {
            const {
                &[
                    named("basic_linear", A::Linear),
                    // A reduction and a broadcast.
                    named("nonoverlapping", A::NonOverlapping),
                    named("recursive_doubling", A::RecursiveDoubling),
                    named("ring", A::Ring),
                    named("segmented_ring", A::SegmentedRing(WHOLE)),
                    named("rabenseifner", A::Rabenseifner),
                ]
            }
        }
        CollectiveKind::ReduceScatter => {
            const {
                &[
                    // A reduction and a scatter.
                    named("basic_linear", A::NonOverlapping),
                    named("recursive_doubling", A::RecursiveDoubling),
                    named("recursive_halving", A::RecursiveHalving),
                    ("butterfly", None),
                ]
            }
        }
        CollectiveKind::Scan | CollectiveKind::Exscan => {
            const { &[named("linear", A::Linear), named("recursive_doubling", A::RecursiveDoubling)] }
        }
    }
}

/// The names of the algorithms of MPICH for an operation.
const fn of_mpich(kind: CollectiveKind) -> &'static [NamedAlgorithm] {
    use Algorithm as A;
    const NONBLOCKING: NamedAlgorithm = ("nb", Some(LibraryAlgorithm::Nonblocking));
    const RECURSIVE_DOUBLING: NamedAlgorithm = named("recursive_doubling", A::RecursiveDoubling);
    match kind {
        CollectiveKind::Barrier => {
            const {
                &[
                    named("dissemination", A::Dissemination),
                    named("k_dissemination", A::Dissemination),
                    NONBLOCKING,
                ]
            }
        }
        CollectiveKind::Broadcast => {
            const {
                &[
                    named("binomial", A::Binomial),
                    named("scatter_recursive_doubling_allgather", A::ScatterAllgather),
                    named("scatter_ring_allgather", A::ScatterAllgatherRing),
                    NONBLOCKING,
                ]
            }
        }
        CollectiveKind::Scatter | CollectiveKind::Gather => {
            const { &[named("binomial", A::Binomial), NONBLOCKING] }
        }
        CollectiveKind::Allgather => {
            const {
                &[
                    named("brucks", A::Bruck),
                    RECURSIVE_DOUBLING,
                    named("ring", A::Ring),
                    NONBLOCKING,
                ]
            }
        }
        CollectiveKind::Alltoall => {
            const {
                &[
                    named("brucks", A::Bruck),
                    named("pairwise", A::Pairwise),
                    named("pairwise", A::ExclusiveOr),
                    named("scattered", A::LinearNonblocking),
                    NONBLOCKING,
                ]
            }
        }
        CollectiveKind::Reduce => {
            const {
                &[
                    named("binomial", A::Binomial),
                    named("reduce_scatter_gather", A::Rabenseifner),
                    NONBLOCKING,
                ]
            }
        }
        CollectiveKind::Allreduce => {
            const {
                &[
                    RECURSIVE_DOUBLING,
                    named("reduce_scatter_allgather", A::Rabenseifner),
                    NONBLOCKING,
                ]
            }
        }
        CollectiveKind::ReduceScatter => {
            const {
                &[
                    named("pairwise", A::Pairwise),
                    RECURSIVE_DOUBLING,
                    named("recursive_halving", A::RecursiveHalving),
                    NONBLOCKING,
                ]
            }
        }
        CollectiveKind::Scan | CollectiveKind::Exscan => &[RECURSIVE_DOUBLING, NONBLOCKING],
    }
}
