use serde::{Deserialize, Serialize};

use super::Algorithm;
use orrery_base::units::Bytes;

orrery_base::named_enum! {
    /// A collective operation.
    // The noise of simulated machines depends on the hash and therefore on the numbers of the
    // variants.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
    #[serde(rename_all = "kebab-case")]
    pub enum CollectiveKind: "collective operation" {
        /// The root sends a block of its own to each rank.
        Scatter = 0 => "scatter",
        /// The root receives a block from each rank.
        Gather = 1 => "gather",
        /// Each rank receives a block from each rank, the same for all.
        Allgather = 2 => "allgather",
        /// Each rank sends a block of its own to each rank.
        Alltoall = 3 => "alltoall",
        /// No rank continues before all ranks have begun.
        Barrier = 4 => "barrier",
        /// All ranks receive the vector of the root.
        #[serde(rename = "bcast")]
        Broadcast = 5 => "bcast",
        /// The vectors of all ranks are combined at the root.
        Reduce = 6 => "reduce",
        /// The vectors of all ranks are combined at all ranks.
        Allreduce = 7 => "allreduce",
        /// The vectors of all ranks are combined; each rank receives a block of the result.
        ReduceScatter = 8 => "reduce-scatter",
        /// Each rank receives the combination of the vectors of the ranks up to itself.
        Scan = 9 => "scan",
        /// Each rank receives the combination of the vectors of the ranks below itself.
        Exscan = 10 => "exscan",
    }
}

use Algorithm::{
    Binary, Bine, BineDoubling, Binomial, Bruck, Chain, Dissemination, DoubleRing, ExclusiveOr,
    InOrderBinary, KBruck, KNomial, Linear, LinearNonblocking, LinearSync, NeighborExchange,
    NonOverlapping, Pairwise, Pipeline, Rabenseifner, RecursiveDoubling, RecursiveHalving, Ring,
    ScatterAllgather, ScatterAllgatherRing, SegmentedRing, Sparbit, SplitBinary, Tree,
};

/// The size of the segments of a vector that is not divided.
const WHOLE: Bytes = Bytes::ZERO;

impl CollectiveKind {
    /// The operations whose linear algorithms have thresholds, and that campaigns measure by
    /// default.
    pub const SCATTER_GATHER: [Self; 2] = [Self::Scatter, Self::Gather];

    /// Returns true if the data come from or go to a root.
    pub const fn has_root(self) -> bool {
        matches!(self, Self::Broadcast | Self::Scatter | Self::Gather | Self::Reduce)
    }

    /// Returns true if vectors of several ranks are combined.
    pub const fn is_reduction(self) -> bool {
        matches!(
            self,
            Self::Reduce | Self::Allreduce | Self::ReduceScatter | Self::Scan | Self::Exscan
        )
    }

    /// Returns true if the size of the operation is that of a block of each rank; otherwise that of
    /// the whole vector.
    pub const fn has_blocks(self) -> bool {
        matches!(
            self,
            Self::Scatter | Self::Gather | Self::Allgather | Self::Alltoall | Self::ReduceScatter
        )
    }

    /// The algorithms that carry out the operation, with the usual fan-out and without segments.
    pub const fn algorithms(self) -> &'static [Algorithm] {
        match self {
            Self::Barrier => {
                &[Linear, LinearNonblocking, DoubleRing, RecursiveDoubling, Dissemination, Tree]
            }
            Self::Broadcast => &[
                Linear,
                Chain(4, WHOLE),
                Pipeline(WHOLE),
                Binary(WHOLE),
                SplitBinary(WHOLE),
                Binomial,
                KNomial(4, WHOLE),
                ScatterAllgather,
                ScatterAllgatherRing,
                Bine,
            ],
            Self::Scatter | Self::Gather => &[Linear, LinearNonblocking, LinearSync, Binomial],
            Self::Allgather => &[
                LinearNonblocking,
                Ring,
                RecursiveDoubling,
                Bruck,
                KBruck(4),
                NeighborExchange,
                Sparbit,
                Bine,
            ],
            Self::Alltoall => &[LinearNonblocking, LinearSync, Pairwise, ExclusiveOr, Bruck],
            Self::Reduce => &[
                Linear,
                LinearNonblocking,
                Chain(4, WHOLE),
                Pipeline(WHOLE),
                Binary(WHOLE),
                InOrderBinary(WHOLE),
                Binomial,
                KNomial(4, WHOLE),
                Rabenseifner,
                Bine,
            ],
            Self::Allreduce => &[
                Linear,
                LinearNonblocking,
                NonOverlapping,
                RecursiveDoubling,
                Ring,
                SegmentedRing(WHOLE),
                Rabenseifner,
                Bine,
                BineDoubling,
            ],
            Self::ReduceScatter => &[
                LinearNonblocking,
                NonOverlapping,
                Pairwise,
                RecursiveHalving,
                RecursiveDoubling,
                Ring,
                Bine,
            ],
            Self::Scan | Self::Exscan => &[Linear, LinearNonblocking, RecursiveDoubling],
        }
    }

    /// The algorithms that are measured, predicted and compared by default: linear and binomial of
    /// scatter and gather, whose other algorithms take nearly the same time as the linear one; all
    /// of other operations.
    pub const fn usual_algorithms(self) -> &'static [Algorithm] {
        match self {
            Self::Scatter | Self::Gather => &[Linear, Binomial],
            _ => self.algorithms(),
        }
    }

    /// The algorithms that run on this number of ranks.
    pub fn algorithms_on(self, ranks: usize) -> impl Iterator<Item = Algorithm> + Clone {
        self.algorithms().iter().copied().filter(move |algorithm| algorithm.runs_on(ranks))
    }

    /// Returns true if the operation has this algorithm, with any fan-out and, if it can divide its
    /// vector, any segments.
    pub fn has(self, algorithm: Algorithm) -> bool {
        // Only scatter and gather divide the blocks of a linear algorithm.
        let is_divided =
            matches!(algorithm, Algorithm::LinearSplit(_)) && !Self::SCATTER_GATHER.contains(&self);
        !is_divided && self.algorithms().iter().any(|known| known.name() == algorithm.name())
    }
}
