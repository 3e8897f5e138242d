use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use super::Experiment;
use orrery_base::file::Fault;
use orrery_program::schedule::{Algorithm, CollectiveKind};

orrery_base::named_enum! {
    /// A library of collective operations, or a family of libraries that share their algorithms.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
    #[serde(rename_all = "kebab-case")]
    pub enum Library: "MPI library" {
        /// Open MPI.
        #[serde(rename = "ompi")]
        OpenMpi => "ompi",
        /// MPICH and libraries derived from it, Cray MPICH among them.
        Mpich => "mpich",
        /// The algorithms of the benchmark PICO (its libbine), made of point-to-point calls; only
        /// those that have no schedule.
        Pico => "pico",
    }
}

/// An algorithm of a library: one with a schedule, or one that is known by its name only.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum LibraryAlgorithm {
    /// An algorithm with a schedule, with its fan-out and segments.
    Scheduled(Algorithm),
    /// An allreduce by an allgather of the vectors, which each rank then combines.
    AllgatherReduce,
    /// A reduce-scatter by halves as in recursive halving, but with partners at doubling distances;
    /// at the end each block is sent to its owner.
    DistanceDoubling,
    /// The nonblocking operation of the library and a wait; its algorithm is the library's own
    /// choice.
    Nonblocking,
}

impl LibraryAlgorithm {
    /// The algorithms without a schedule.
    const NAMED: [Self; 3] = [Self::AllgatherReduce, Self::DistanceDoubling, Self::Nonblocking];

    /// The name of an algorithm without a schedule.
    const fn name(self) -> Option<&'static str> {
        match self {
            Self::Scheduled(_) => None,
            Self::AllgatherReduce => Some("allgather-reduce"),
            Self::DistanceDoubling => Some("distance-doubling"),
            Self::Nonblocking => Some("nonblocking"),
        }
    }

    /// Returns true if the operation has this algorithm.
    pub fn carries_out(self, kind: CollectiveKind) -> bool {
        match self {
            Self::Scheduled(algorithm) => kind.has(algorithm),
            Self::AllgatherReduce => kind == CollectiveKind::Allreduce,
            Self::DistanceDoubling => kind == CollectiveKind::ReduceScatter,
            Self::Nonblocking => true,
        }
    }
}

impl fmt::Display for LibraryAlgorithm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Scheduled(algorithm) => algorithm.fmt(f),
            other => f.pad(other.name().unwrap_or_default()),
        }
    }
}

impl FromStr for LibraryAlgorithm {
    type Err = Fault;

    fn from_str(text: &str) -> Result<Self, Fault> {
        let named = Self::NAMED.into_iter().find(|algorithm| algorithm.name() == Some(text));
        named.map_or_else(|| text.parse().map(Self::Scheduled), Ok)
    }
}

/// An algorithm that an MPI library was forced to use for a collective operation, for example by
/// `coll_tuned_bcast_algorithm` of Open MPI.
///
/// ```
/// use orrery_measure::sample::{Library, LibraryAlgorithm, NativeAlgorithm};
/// use orrery_program::schedule::Algorithm;
/// let algorithm = LibraryAlgorithm::Scheduled(Algorithm::Binomial);
/// let forced = NativeAlgorithm { library: Library::OpenMpi, algorithm };
/// assert_eq!(forced.to_string(), "ompi/binomial");
/// assert_eq!("ompi/binomial".parse(), Ok(forced));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct NativeAlgorithm {
    /// The library.
    pub library: Library,
    /// The algorithm.
    pub algorithm: LibraryAlgorithm,
}

impl fmt::Display for NativeAlgorithm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.library, self.algorithm)
    }
}

impl FromStr for NativeAlgorithm {
    type Err = Fault;

    fn from_str(text: &str) -> Result<Self, Fault> {
        let (library, algorithm) = text.split_once('/').unwrap_or((text, ""));
        Ok(Self { library: library.parse()?, algorithm: algorithm.parse()? })
    }
}

impl Experiment {
    /// Returns the collective operation whose schedule a call of the MPI library follows; `None` if
    /// the library chose its algorithm by itself, if the algorithm has no schedule, and for other
    /// experiments.
    ///
    /// ```
    /// use orrery_measure::sample::Experiment;
    /// let scheduled = |name| Experiment::collective_template(name).unwrap().of_library_schedule().map(|own| own.name());
    /// assert_eq!(scheduled("native/bcast/ompi/binomial").as_deref(), Some("bcast/binomial"));
    /// assert_eq!(scheduled("native/bcast"), None);
    /// ```
    pub fn of_library_schedule(&self) -> Option<Self> {
        let Self::Native { kind, algorithm: Some(forced), root, procs, size } = *self else {
            return None;
        };
        let LibraryAlgorithm::Scheduled(algorithm) = forced.algorithm else { return None };
        Some(Self::Collective { kind, algorithm, root, procs, size })
    }
}
