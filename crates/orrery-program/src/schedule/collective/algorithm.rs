use std::fmt;
use std::str::FromStr;

use orrery_base::file::Fault;
use orrery_base::units::{Bytes, UnknownName};

/// The algorithm of a collective operation, with its fan-out and the size of the segments into
/// which it divides the vector (0 if it does not). In texts both follow the name: `knomial-4:8K`.
///
/// Names follow Open MPI's component coll/tuned. v is the rank relative to the root: (rank − root)
/// mod p, and q the largest power of two up to p.
///
/// ```
/// use orrery_program::schedule::Algorithm;
/// use orrery_base::units::Bytes;
/// assert_eq!("knomial-3".parse(), Ok(Algorithm::KNomial(3, Bytes::ZERO)));
/// assert_eq!("chain:64K".parse(), Ok(Algorithm::Chain(4, Bytes::new(65536))));
/// assert_eq!(Algorithm::KBruck(4).to_string(), "k-bruck-4");
/// assert_eq!(Algorithm::Pipeline(Bytes::new(8192)).to_string(), "pipeline:8K");
/// assert_eq!("linear:4K".parse(), Ok(Algorithm::LinearSplit(Bytes::new(4096))));
/// ```
// The noise of simulated machines depends on the hash and therefore on the numbers of the variants.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(isize)]
pub enum Algorithm {
    /// The root, or rank 0, exchanges messages with the other ranks one by one in increasing order.
    /// In a scan each rank receives from the rank below and sends to the rank above.
    Linear = 0,
    /// The binomial tree: v has the children v + 2^k for all 2^k below the lowest set bit of v (for
    /// the root: below p). The largest subtree is served first, or gathered last.
    Binomial = 1,
    /// In step k of 1 to p − 1 each rank r sends a block to r + 1 while it receives one from r − 1
    /// (mod p).
    Ring = 2,
    /// In step k of 1 to p − 1 each rank r sends a block to r + k while it receives one from r − k
    /// (mod p).
    Pairwise = 3,
    /// As [`Self::Linear`], but all messages of a rank are posted together. In an alltoall and an
    /// allgather each rank posts messages from and to all ranks, in a scan from all ranks below and
    /// to all ranks above.
    LinearNonblocking = 4,
    /// A linear scatter or gather whose messages each wait for an empty message of their receiver;
    /// a linear alltoall with at most 4 messages in each direction at a time.
    LinearSync = 5,
    /// This number of chains that begin at the root.
    Chain(u8, Bytes) = 6,
    /// One chain through all ranks.
    Pipeline(Bytes) = 7,
    /// A tree whose nodes have two children: those of v on level l (v from 2^l − 1 on) are v + 2^l
    /// and v + 2·2^l.
    Binary(Bytes) = 8,
    /// Each half of the vector along one of the two subtrees of a binary tree, then an exchange of
    /// halves between pairs of ranks of the two subtrees.
    SplitBinary(Bytes) = 9,
    /// A binary tree whose subtrees have consecutive ranks: the last rank combines the first half,
    /// the second half, itself.
    InOrderBinary(Bytes) = 10,
    /// The k-nomial tree: v has the children v + j·k^i, for 0 < j < k and all k^i below the lowest
    /// nonzero digit of v to the base k.
    KNomial(u8, Bytes) = 11,
    /// A binomial scatter of p parts of the vector, then an allgather by recursive doubling.
    /// Source: van de Geijn.
    ScatterAllgather = 12,
    /// A binomial scatter of p parts of the vector, then an allgather along a ring.
    ScatterAllgatherRing = 13,
    /// A reduce-scatter along a ring, in one pass for each segment of the blocks, then an allgather
    /// along a ring.
    SegmentedRing(Bytes) = 14,
    /// In step k each rank exchanges with rank XOR 2^k all that it has. If p is not a power of two,
    /// p − q ranks leave their data with a neighbour before and receive the result after it.
    RecursiveDoubling = 15,
    /// In step k each rank exchanges half of what it had with rank XOR q/2^(k+1). Other p as in
    /// recursive doubling.
    RecursiveHalving = 16,
    /// In step k each rank r sends up to 2^k blocks to r − 2^k (alltoall: those with bit k of their
    /// distance to r + 2^k).
    Bruck = 17,
    /// Bruck's algorithm to the base k, with k − 1 messages in each step.
    KBruck(u8) = 18,
    /// Ranks exchange two blocks alternately with the rank above and the rank below; along a ring
    /// if p is odd.
    NeighborExchange = 19,
    /// The distances of recursive doubling in descending order, each block in a message of its own.
    /// Source: Loch and Koslovski, "Sparbit: a new logarithmic-cost and data locality-aware MPI
    /// Allgather algorithm", 2021.
    Sparbit = 20,
    /// A reduce-scatter by recursive halving, then an allgather by recursive doubling, or a
    /// binomial gather at the root.
    Rabenseifner = 21,
    /// A reduction to one rank, then a broadcast or a scatter, all along binomial trees.
    NonOverlapping = 22,
    /// In step k of 1 to p − 1 each rank exchanges blocks with rank XOR k; p must be a power of
    /// two.
    ExclusiveOr = 23,
    /// In step k each rank r sends to r + 2^k and receives from r − 2^k (mod p).
    Dissemination = 24,
    /// A message that goes around the ring twice.
    DoubleRing = 25,
    /// Messages up a binomial tree, then down.
    Tree = 26,
    /// Binomial trees of negabinary numbers, whose partners are nearer: in step k rank r exchanges
    /// with r ± (1 − (−2)^(k+1))/3. An allreduce is a reduce-scatter and an allgather. Source: De
    /// Sensi and others, "Bine trees: enhancing collective operations by optimizing communication
    /// locality", SC 2025.
    Bine = 27,
    /// Recursive doubling with the partners of Bine trees.
    BineDoubling = 28,
    /// As [`Self::Linear`] for a scatter or a gather, with blocks in segments: the root handles a
    /// segment of all ranks, then the next one. In a gather it requests each further segment of a
    /// rank by an empty message. In texts `linear` with a segment. Source: Lastovetsky, Rychkov,
    /// O'Flynn, "A software tool for accurate estimation of parameters of heterogeneous
    /// communication models", 2008, section 4.
    LinearSplit(Bytes) = 29,
}

impl Algorithm {
    /// All algorithms, with the usual fan-out of those that have one; a linear algorithm in
    /// segments is a variant of the linear one.
    pub const ALL: [Self; 29] = [
        Self::Linear,
        Self::Binomial,
        Self::Ring,
        Self::Pairwise,
        Self::LinearNonblocking,
        Self::LinearSync,
        Self::Chain(4, Bytes::ZERO),
        Self::Pipeline(Bytes::ZERO),
        Self::Binary(Bytes::ZERO),
        Self::SplitBinary(Bytes::ZERO),
        Self::InOrderBinary(Bytes::ZERO),
        Self::KNomial(4, Bytes::ZERO),
        Self::ScatterAllgather,
        Self::ScatterAllgatherRing,
        Self::SegmentedRing(Bytes::ZERO),
        Self::RecursiveDoubling,
        Self::RecursiveHalving,
        Self::Bruck,
        Self::KBruck(4),
        Self::NeighborExchange,
        Self::Sparbit,
        Self::Rabenseifner,
        Self::NonOverlapping,
        Self::ExclusiveOr,
        Self::Dissemination,
        Self::DoubleRing,
        Self::Tree,
        Self::Bine,
        Self::BineDoubling,
    ];

    /// The largest fan-out.
    pub const MAX_FANOUT: u8 = 64;

    /// The name without the fan-out.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Linear | Self::LinearSplit(_) => "linear",
            Self::LinearNonblocking => "linear-nb",
            Self::LinearSync => "linear-sync",
            Self::Binomial => "binomial",
            Self::Ring => "ring",
            Self::Pairwise => "pairwise",
            Self::Chain(..) => "chain",
            Self::Pipeline(_) => "pipeline",
            Self::Binary(_) => "binary",
            Self::SplitBinary(_) => "split-binary",
            Self::InOrderBinary(_) => "in-order-binary",
            Self::KNomial(..) => "knomial",
            Self::ScatterAllgather => "scatter-allgather",
            Self::ScatterAllgatherRing => "scatter-allgather-ring",
            Self::SegmentedRing(_) => "segmented-ring",
            Self::RecursiveDoubling => "recursive-doubling",
            Self::RecursiveHalving => "recursive-halving",
            Self::Bruck => "bruck",
            Self::KBruck(_) => "k-bruck",
            Self::NeighborExchange => "neighbor-exchange",
            Self::Sparbit => "sparbit",
            Self::Rabenseifner => "rabenseifner",
            Self::NonOverlapping => "non-overlapping",
            Self::ExclusiveOr => "exclusive-or",
            Self::Dissemination => "dissemination",
            Self::DoubleRing => "double-ring",
            Self::Tree => "tree",
            Self::Bine => "bine",
            Self::BineDoubling => "bine-doubling",
        }
    }

    /// The number of chains or of children, or the base; `None` for algorithms without one.
    pub const fn fanout(self) -> Option<u8> {
        match self {
            Self::Chain(fanout, _) | Self::KNomial(fanout, _) | Self::KBruck(fanout) => {
                Some(fanout)
            }
            _ => None,
        }
    }

    /// The algorithm with another fan-out; `None` if it has none or if the fan-out is not valid (1
    /// to 64 chains, bases 2 to 64).
    pub fn with_fanout(self, fanout: u8) -> Option<Self> {
        let valid = |min: u8| (min..=Self::MAX_FANOUT).contains(&fanout);
        match self {
            Self::Chain(_, segment) => valid(1).then_some(Self::Chain(fanout, segment)),
            Self::KNomial(_, segment) => valid(2).then_some(Self::KNomial(fanout, segment)),
            Self::KBruck(_) => valid(2).then_some(Self::KBruck(fanout)),
            _ => None,
        }
    }

    /// The maximum size of a segment; 0 if the vector is not divided.
    pub const fn segment(self) -> Bytes {
        match self {
            Self::Chain(_, segment)
            | Self::KNomial(_, segment)
            | Self::Pipeline(segment)
            | Self::Binary(segment)
            | Self::SplitBinary(segment)
            | Self::InOrderBinary(segment)
            | Self::SegmentedRing(segment)
            | Self::LinearSplit(segment) => segment,
            _ => Bytes::ZERO,
        }
    }

    /// The algorithm with segments of another size, 0 for no division; `None` if it cannot divide
    /// the vector. The binomial tree is that to the base 2.
    pub fn with_segment(self, segment: Bytes) -> Option<Self> {
        Some(match self {
            Self::Chain(fanout, _) => Self::Chain(fanout, segment),
            Self::KNomial(base, _) => Self::KNomial(base, segment),
            Self::Binomial if segment != Bytes::ZERO => Self::KNomial(2, segment),
            Self::Linear | Self::LinearSplit(_) if segment == Bytes::ZERO => Self::Linear,
            Self::Linear | Self::LinearSplit(_) => Self::LinearSplit(segment),
            Self::Pipeline(_) => Self::Pipeline(segment),
            Self::Binary(_) => Self::Binary(segment),
            Self::SplitBinary(_) => Self::SplitBinary(segment),
            Self::InOrderBinary(_) => Self::InOrderBinary(segment),
            Self::SegmentedRing(_) => Self::SegmentedRing(segment),
            _ => return None,
        })
    }

    /// The simplest of the algorithms that carry out a vector or block of this size by the same
    /// messages: without segments if one segment holds it all.
    ///
    /// ```
    /// use orrery_program::schedule::Algorithm;
    /// use orrery_base::units::Bytes;
    /// let pipeline = Algorithm::Pipeline(Bytes::new(8192));
    /// assert_eq!(pipeline.simplest(Bytes::new(4096)), Algorithm::Pipeline(Bytes::ZERO));
    /// assert_eq!(pipeline.simplest(Bytes::new(9000)), pipeline);
    /// ```
    #[must_use]
    pub fn simplest(self, size: Bytes) -> Self {
        let is_divided = self.segment() < size;
        match self.with_segment(Bytes::ZERO).filter(|_| !is_divided).unwrap_or(self) {
            Self::KNomial(2, Bytes::ZERO) => Self::Binomial,
            Self::SegmentedRing(Bytes::ZERO) => Self::Ring,
            other => other,
        }
    }

    /// Returns true if the algorithm runs on this number of ranks.
    pub const fn runs_on(self, ranks: usize) -> bool {
        !matches!(self, Self::ExclusiveOr) || ranks.is_power_of_two()
    }
}

impl fmt::Display for Algorithm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let fanout = self.fanout().map(|fanout| format!("-{fanout}")).unwrap_or_default();
        let segment = Some(self.segment()).filter(|size| *size != Bytes::ZERO);
        let segment = segment.map(|size| format!(":{size}")).unwrap_or_default();
        f.pad(&format!("{}{fanout}{segment}", self.name()))
    }
}

impl FromStr for Algorithm {
    type Err = Fault;

    fn from_str(text: &str) -> Result<Self, Fault> {
        let (name, segment) =
            text.split_once(':').map_or((text, None), |(name, size)| (name, Some(size)));
        let named = |name: &str| Self::ALL.into_iter().find(|algorithm| algorithm.name() == name);
        let with_fanout =
            || name.rsplit_once('-').and_then(|(name, fanout)| Some((named(name)?, fanout)));
        let algorithm = match (named(name), with_fanout()) {
            (Some(algorithm), _) => algorithm,
            (None, Some((algorithm, fanout))) if algorithm.fanout().is_some() => {
                let valid = fanout.parse().ok().and_then(|fanout| algorithm.with_fanout(fanout));
                valid.ok_or_else(|| {
                    let name = algorithm.name();
                    Fault::new(format!(
                        "{text:?}: the fan-out of {name} is a whole number from 2 to 64; write \
                            {name}-4"
                    ))
                })?
            }
            _ => {
                let known = Self::ALL.iter().map(|algorithm| algorithm.name()).collect();
                return Err(UnknownName { what: "algorithm", name: text.to_owned(), known }.into());
            }
        };
        let Some(segment) = segment else { return Ok(algorithm) };
        let name = algorithm.name();
        match segment.parse() {
            Ok(size) if size != Bytes::ZERO => algorithm.with_segment(size).ok_or_else(|| {
                Fault::new(format!("{text:?}: {name} has no segments; write {name}"))
            }),
            _ => Err(Fault::new(format!(
                "{text:?}: a segment has a size of at least 1 byte; write {name}:64K, or {name} \
                    without segments"
            ))),
        }
    }
}

orrery_base::serde_as_text!(Algorithm);
