//! What a library does without rules.

use super::{SelectionTree, Target};
use orrery_base::units::Bytes;
use orrery_measure::sample::{Library, LibraryAlgorithm, NativeAlgorithm};
use orrery_program::schedule::{Algorithm, CollectiveKind};

/// The default decisions of a library.
///
/// ```
/// use orrery_measure::sample::LibraryAlgorithm;
/// use orrery_program::schedule::{Algorithm, CollectiveKind};
/// use orrery_choices::tuning::mpi::Defaults;
/// use orrery_base::units::Bytes;
/// let ranges = Defaults::OpenMpi.ranges(CollectiveKind::Reduce, 8, 1);
/// assert_eq!(ranges[0], (Bytes::ZERO, Some(LibraryAlgorithm::Scheduled(Algorithm::Binary(Bytes::ZERO)))));
/// assert_eq!(ranges[1], (Bytes::new(8192), Some(LibraryAlgorithm::Scheduled(Algorithm::Binomial))));
/// ```
#[derive(Debug, Clone, Copy)]
pub enum Defaults<'a> {
    /// Those of Open MPI's component coll/tuned.
    OpenMpi,
    /// Those of a selection tree of MPICH.
    Mpich(&'a SelectionTree),
    /// Not known: components that have no schedules decide.
    Unknown,
}

impl Defaults<'_> {
    /// The default algorithms of an operation on some processes with some on each host: the sizes
    /// from which each is used, ascending from 0; `None` for one without a schedule.
    pub fn ranges(
        self,
        kind: CollectiveKind,
        procs: usize,
        per_host: usize,
    ) -> Vec<(Bytes, Option<LibraryAlgorithm>)> {
        let ranges = match self {
            Self::OpenMpi => open_mpi(kind, procs),
            Self::Mpich(tree) => tree.decisions(kind, procs, per_host),
            Self::Unknown => vec![(Bytes::ZERO, None)],
        };
        // Where the library replaces the algorithm because there is too little to divide, the
        // default is another one.
        let library =
            if matches!(self, Self::Mpich(_)) { Library::Mpich } else { Library::OpenMpi };
        let mut effective = Vec::new();
        let ends = ranges.iter().skip(1).map(|(from, _)| from.get()).chain([u64::MAX]);
        for (&(from, algorithm), end) in ranges.iter().zip(ends) {
            let runs = |size: u64| {
                algorithm.is_none_or(|algorithm| {
                    NativeAlgorithm { library, algorithm }.runs_on(kind, procs, Bytes::new(size))
                })
            };
            // Conditions on sizes hold from some power of two on.
            let sizes = std::iter::successors(Some(from.get()), |size| {
                Some((*size).max(4).saturating_mul(2))
            });
            let first = sizes.take_while(|size| *size < end).find(|size| runs(*size));
            let fallback = algorithm
                .filter(|_| library == Library::OpenMpi)
                .and_then(|one| fallback(kind, one));
            if first != Some(from.get()) {
                effective.push((from, fallback));
            }
            effective.extend(first.map(|first| (Bytes::new(first), algorithm)));
        }
        effective.dedup_by(|next, last| next.1 == last.1);
        effective
    }
}

impl Target {
    /// The default decisions that are known without the library.
    pub const fn known_defaults(self) -> Option<Defaults<'static>> {
        match self {
            Self::OpenMpi41 | Self::OpenMpi50 => Some(Defaults::OpenMpi),
            Self::OpenMpiHan => Some(Defaults::Unknown),
            Self::Mpich40 | Self::Mpich42 => None,
        }
    }
}

/// What Open MPI takes in place of an algorithm that cannot run; `None` if that has no schedule.
/// Source: coll_base_*.c of Open MPI 4.1.
fn fallback(kind: CollectiveKind, algorithm: LibraryAlgorithm) -> Option<LibraryAlgorithm> {
    let LibraryAlgorithm::Scheduled(algorithm) = algorithm else { return None };
    let fallback = match (kind, algorithm) {
        (CollectiveKind::Allgather, Algorithm::RecursiveDoubling) => Algorithm::Bruck,
        (CollectiveKind::Allgather, Algorithm::NeighborExchange) => Algorithm::Ring,
        (
            CollectiveKind::Broadcast,
            Algorithm::ScatterAllgather | Algorithm::ScatterAllgatherRing,
        )
        | (CollectiveKind::Reduce | CollectiveKind::Allreduce, Algorithm::Rabenseifner) => {
            Algorithm::Linear
        }
        (CollectiveKind::Allreduce, Algorithm::Ring) => Algorithm::RecursiveDoubling,
        _ => return None,
    };
    Some(LibraryAlgorithm::Scheduled(fallback))
}

/// The decisions of coll/tuned by operation, number of processes from which they hold, and size.
const DECISIONS: &str = include_str!("open_mpi_decisions.csv");

/// The default algorithms of Open MPI.
fn open_mpi(kind: CollectiveKind, procs: usize) -> Vec<(Bytes, Option<LibraryAlgorithm>)> {
    let name = match kind {
        CollectiveKind::ReduceScatter => "reduce_scatter_block",
        // By component coll/basic: along the ranks.
        CollectiveKind::Scan | CollectiveKind::Exscan => {
            return vec![(Bytes::ZERO, Some(LibraryAlgorithm::Scheduled(Algorithm::Linear)))];
        }
        other => other.name(),
    };
    let rows = DECISIONS.lines().filter_map(|line| {
        let (operation, rest) = line.split_once(',')?;
        let (from, sizes) = rest.split_once(',')?;
        (operation == name).then_some((from.parse::<usize>().ok()?, sizes))
    });
    let Some((_, sizes)) = rows.take_while(|(from, _)| *from <= procs).last() else {
        return vec![(Bytes::ZERO, None)];
    };
    let decision = |word: &str| {
        let (size, number) = word.split_once(':')?;
        Some((Bytes::new(size.parse().ok()?), by_default(kind, number.parse().ok()?, procs)))
    };
    sizes.split(' ').filter_map(decision).collect()
}

/// The algorithm of a number of coll/tuned without fan-out, segments and limits, as decisions by
/// default have it.
fn by_default(kind: CollectiveKind, number: usize, procs: usize) -> Option<LibraryAlgorithm> {
    let (name, algorithm) = *Library::OpenMpi.algorithm_names(kind).get(number.checked_sub(1)?)?;
    let algorithm = match (kind, algorithm) {
        // The two ranks exchange their data.
        (CollectiveKind::Allgather, None) if name == "two_proc" && procs == 2 => Algorithm::Ring,
        (CollectiveKind::Alltoall, None) if name == "two_proc" && procs == 2 => Algorithm::Pairwise,
        // The fan-out 0 is one chain.
        (_, Some(LibraryAlgorithm::Scheduled(Algorithm::Chain(..)))) => {
            Algorithm::Pipeline(Bytes::ZERO)
        }
        // Without segments it is the ring.
        (_, Some(LibraryAlgorithm::Scheduled(Algorithm::SegmentedRing(_)))) => Algorithm::Ring,
        // Without a limit all messages are in flight.
        (CollectiveKind::Alltoall, Some(LibraryAlgorithm::Scheduled(Algorithm::LinearSync))) => {
            Algorithm::LinearNonblocking
        }
        (_, Some(LibraryAlgorithm::Scheduled(algorithm))) => algorithm,
        _ => return None,
    };
    Some(LibraryAlgorithm::Scheduled(algorithm))
}
