//! Collective operations of traces as schedules: which algorithm, and with which sizes.

use std::str::FromStr;

use super::action::CollectiveKind;
use orrery_base::file::Fault;
use orrery_base::names::advice;
use orrery_base::units::Bytes;
use orrery_program::schedule::{self, Algorithm, Call};

/// The algorithms of the collective operations of a trace, by default those of SimGrid (its
/// `smpi_default_selector`).
///
/// There barrier, reduction, gather, scatter, allgather and scan are linear, with one size or with
/// a size for each rank. A broadcast uses a binomial tree; an allreduce is a reduction to rank 0
/// and a broadcast. An alltoall uses the algorithm of Open MPI's table for the number of ranks and
/// the size of the block. A reduce-scatter of equal blocks is a reduction and a scatter; one of
/// other blocks uses the algorithms of MPICH.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CollectiveAlgorithms {
    /// The algorithms that are not the default ones.
    chosen: Vec<(schedule::CollectiveKind, Algorithm)>,
}

impl CollectiveAlgorithms {
    /// The same algorithms with another one for an operation; `None` if the operation does not have
    /// it.
    pub fn with(mut self, kind: schedule::CollectiveKind, algorithm: Algorithm) -> Option<Self> {
        if !kind.has(algorithm) {
            return None;
        }
        self.chosen.retain(|(known, _)| *known != kind);
        self.chosen.push((kind, algorithm));
        Some(self)
    }

    /// The algorithm of an operation of `ranks` ranks. A number of ranks on which the chosen
    /// algorithm cannot run keeps the default, and so do operations that state a size for each rank
    /// (`MPI_Gatherv` and so on), except a reduce-scatter.
    fn of(&self, kind: CollectiveKind, ranks: usize, size: Bytes, sizes: &[Bytes]) -> Algorithm {
        let may_differ = sizes.is_empty() || kind == CollectiveKind::ReduceScatter;
        let chosen = self.chosen.iter().find(|(known, _)| may_differ && *known == kind.operation());
        let chosen =
            chosen.map(|(_, algorithm)| *algorithm).filter(|algorithm| algorithm.runs_on(ranks));
        chosen.unwrap_or_else(|| default_algorithm(kind, ranks, size, sizes))
    }
}

/// A list such as `bcast=chain-4:64K,allreduce=rab1`, with names of Orrery or SimGrid.
///
/// ```
/// use orrery_play::trace::actions::CollectiveAlgorithms;
/// let algorithms: CollectiveAlgorithms = "allreduce=rdb,bcast=pipeline:8K".parse()?;
/// assert_eq!(algorithms, "allreduce=recursive-doubling,bcast=pipeline:8K".parse()?);
/// assert!("bcast=ring".parse::<CollectiveAlgorithms>().is_err());
/// # Ok::<(), orrery_base::file::Fault>(())
/// ```
impl FromStr for CollectiveAlgorithms {
    type Err = Fault;

    fn from_str(text: &str) -> Result<Self, Fault> {
        let mut algorithms = Self::default();
        for entry in text.split(',').map(str::trim).filter(|entry| !entry.is_empty()) {
            let (kind, name) = entry.split_once('=').ok_or_else(|| {
                Fault::new(format_args!(
                    "{entry:?}: expected OPERATION=ALGORITHM, such as allreduce=rabenseifner"
                ))
            })?;
            let kind: schedule::CollectiveKind =
                kind.trim().replace('_', "-").parse().map_err(Fault::new)?;
            let algorithm = match simgrid_algorithm(kind, name.trim()) {
                Some(algorithm) => algorithm,
                None => name.trim().parse().map_err(Fault::new)?,
            };
            algorithms = algorithms.with(kind, algorithm).ok_or_else(|| {
                let names = kind.algorithms().iter().map(ToString::to_string);
                let advice = advice(&algorithm.to_string(), "its algorithms", names);
                Fault::new(format_args!("{kind} has no algorithm {algorithm}; {advice}"))
            })?;
        }
        Ok(algorithms)
    }
}

/// The algorithm with a name of SimGrid (its options `smpi/bcast` and so on); `None` for other
/// names. Source: "SMPI: simulate MPI applications", SimGrid's manual, section on collective
/// algorithms.
fn simgrid_algorithm(kind: schedule::CollectiveKind, name: &str) -> Option<Algorithm> {
    use orrery_program::schedule::CollectiveKind as Kind;
    Some(match (kind, name) {
        (_, "ompi_basic_linear") if kind == Kind::Alltoall || kind == Kind::Barrier => {
            Algorithm::LinearNonblocking
        }
        (Kind::Alltoall, "basic_linear") => Algorithm::LinearNonblocking,
        (_, "ompi_basic_linear" | "flattree" | "flat_tree") => Algorithm::Linear,
        (_, "ompi_binomial" | "binomial_tree") => Algorithm::Binomial,
        (_, "ompi_linear_sync") => Algorithm::LinearSync,
        (_, "ompi_pipeline") => Algorithm::Pipeline(Bytes::ZERO),
        (_, "ompi_chain") => Algorithm::Chain(4, Bytes::ZERO),
        (_, "ompi_binary") => Algorithm::Binary(Bytes::ZERO),
        (_, "ompi_in_order_binary") => Algorithm::InOrderBinary(Bytes::ZERO),
        (_, "ompi_split_bintree") => Algorithm::SplitBinary(Bytes::ZERO),
        (_, "scatter_rdb_allgather") => Algorithm::ScatterAllgather,
        (_, "scatter_LR_allgather") => Algorithm::ScatterAllgatherRing,
        (_, "rab" | "rab1") => Algorithm::Rabenseifner,
        (Kind::Allreduce, "lr") | (_, "ompi_ring") => Algorithm::Ring,
        (Kind::Allreduce, "redbcast") => Algorithm::NonOverlapping,
        (Kind::Allreduce, "ompi_ring_segmented") => Algorithm::SegmentedRing(Bytes::new(1 << 20)),
        (_, "rdb" | "mpich_rdb" | "ompi_recursivedoubling") => Algorithm::RecursiveDoubling,
        (_, "ompi_basic_recursivehalving") => Algorithm::RecursiveHalving,
        (_, "ompi_neighborexchange") => Algorithm::NeighborExchange,
        (Kind::Alltoall, "pair") => Algorithm::ExclusiveOr,
        (Kind::Alltoall, "ring" | "ompi_pairwise") | (Kind::ReduceScatter, "mpich_pair") => {
            Algorithm::Pairwise
        }
        (Kind::Barrier, "ompi_bruck") => Algorithm::Dissemination,
        (Kind::Barrier, "ompi_doublering") => Algorithm::DoubleRing,
        (Kind::Barrier, "ompi_tree") => Algorithm::Tree,
        _ => return None,
    })
}

/// A collective operation of a rank of a communicator.
#[derive(Debug, Clone, Copy)]
pub(super) struct Participation<'a> {
    pub(super) kind: CollectiveKind,
    /// The number of the rank in the communicator.
    pub(super) rank: usize,
    /// The number of ranks of the communicator.
    pub(super) ranks: usize,
    /// The root in the communicator.
    pub(super) root: usize,
    /// The size of the block, the vector or, of a reduce-scatter, an element.
    pub(super) size: Bytes,
    /// The size of the block of each rank, for operations with a list of sizes.
    pub(super) sizes: &'a [Bytes],
}

impl<'a> Participation<'a> {
    /// The schedule of the operation; `None` if nothing is to be done.
    pub(super) fn call(&self, algorithms: &CollectiveAlgorithms) -> Option<Call<'a>> {
        let Self { kind, rank, ranks, root, size, sizes } = *self;
        if ranks < 2 {
            return None;
        }
        if kind == CollectiveKind::AlltoallV {
            let (sent, received) = sizes.split_at(ranks);
            return Some(Call::exchange(rank, sent, received));
        }
        let algorithm = algorithms.of(kind, ranks, size, sizes);
        let call = Call::new(kind.operation(), algorithm, ranks, root, size);
        // The size of a reduce-scatter is that of an element.
        let own = (kind != CollectiveKind::ReduceScatter).then_some((rank, size));
        Some(if sizes.is_empty() { call } else { call.with_sizes(sizes, own) })
    }
}

impl CollectiveKind {
    /// The operation without the distinction of lists of sizes.
    pub const fn operation(self) -> schedule::CollectiveKind {
        match self {
            Self::Barrier => schedule::CollectiveKind::Barrier,
            Self::Broadcast => schedule::CollectiveKind::Broadcast,
            Self::Reduce => schedule::CollectiveKind::Reduce,
            Self::Allreduce => schedule::CollectiveKind::Allreduce,
            Self::Gather | Self::GatherV => schedule::CollectiveKind::Gather,
            Self::Scatter | Self::ScatterV => schedule::CollectiveKind::Scatter,
            Self::Allgather | Self::AllgatherV => schedule::CollectiveKind::Allgather,
            Self::Alltoall | Self::AlltoallV => schedule::CollectiveKind::Alltoall,
            Self::Scan => schedule::CollectiveKind::Scan,
            Self::ExclusiveScan => schedule::CollectiveKind::Exscan,
            Self::ReduceScatter => schedule::CollectiveKind::ReduceScatter,
        }
    }
}

/// The algorithm that SimGrid uses by default.
fn default_algorithm(
    kind: CollectiveKind,
    ranks: usize,
    size: Bytes,
    sizes: &[Bytes],
) -> Algorithm {
    match kind {
        CollectiveKind::Broadcast => Algorithm::Binomial,
        CollectiveKind::Alltoall => alltoall_algorithm(ranks, size),
        CollectiveKind::ReduceScatter if sizes.iter().any(|other| *other != sizes[0]) => {
            let elements = sizes.iter().copied().sum::<Bytes>().get() / size.get().max(1);
            if elements > MAX_DOUBLING_ELEMENTS {
                Algorithm::Pairwise
            } else {
                Algorithm::RecursiveDoubling
            }
        }
        _ => Algorithm::LinearNonblocking,
    }
}

/// The maximum number of elements of a reduce-scatter by recursive doubling.
const MAX_DOUBLING_ELEMENTS: u64 = 524_288;

use Algorithm::{Bruck, ExclusiveOr as Pairwise, LinearNonblocking as Linear};

/// SimGrid's table `alltoall__ompi`: the minimum number of ranks of a row, and its algorithms with
/// the size in bytes below which each is used. Variants with synchronization are linear too.
const ALLTOALL_TABLE: [(usize, &[(u64, Algorithm)]); 12] = [
    (
        2,
        &[
            (2, Pairwise),
            (4, Linear),
            (16, Pairwise),
            (64, Linear),
            (256, Pairwise),
            (4096, Linear),
            (32_768, Pairwise),
            (1_048_576, Linear),
            (u64::MAX, Pairwise),
        ],
    ),
    (3, &[(524_288, Linear), (1_048_576, Pairwise), (u64::MAX, Linear)]),
    (8, &[(u64::MAX, Linear)]),
    (16, &[(4, Linear), (512, Bruck), (u64::MAX, Linear)]),
    (32, &[(512, Bruck), (u64::MAX, Linear)]),
    (64, &[(1024, Bruck), (262_144, Linear), (u64::MAX, Pairwise)]),
    (128, &[(1024, Bruck), (262_144, Linear), (u64::MAX, Pairwise)]),
    (256, &[(1024, Bruck), (32_768, Linear), (u64::MAX, Pairwise)]),
    (512, &[(512, Bruck), (262_144, Linear), (u64::MAX, Pairwise)]),
    (1024, &[(512, Bruck), (u64::MAX, Linear)]),
    (2048, &[(1024, Bruck), (u64::MAX, Linear)]),
    (4096, &[(2048, Bruck), (u64::MAX, Linear)]),
];

/// The algorithm of an alltoall for a number of ranks and a size of the block.
fn alltoall_algorithm(ranks: usize, size: Bytes) -> Algorithm {
    let rows = ALLTOALL_TABLE
        .iter()
        .rev()
        .find(|(min_ranks, _)| ranks >= *min_ranks)
        .map_or(&[][..], |(_, rows)| rows);
    let row = rows.iter().find(|(below, _)| size.get() < *below);
    let algorithm = row.map_or(Linear, |(_, algorithm)| *algorithm);
    // Pairs need a power of two; SimGrid aborts otherwise.
    if algorithm.runs_on(ranks) { algorithm } else { Linear }
}
