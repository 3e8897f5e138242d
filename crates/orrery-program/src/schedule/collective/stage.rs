//! The stages of each algorithm: a collective operation is a sequence of stages.

use super::data::Layout;
use super::exchange::Pattern;
use super::exchange_stage::{Order, Participant};
use super::linear::{Content, Linear, Peer};
use super::space::Space;
use super::step::{Arrival, Step};
use super::tree::Tree;
use super::tree_stage::{TreeKind, TreeRank};
use super::{Algorithm, CollectiveKind, Data};
use orrery_base::units::Bytes;

/// A stage of a collective operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Stage {
    /// Along a tree of all ranks.
    Along(TreeKind, Tree),
    /// A binomial gather of the largest power of two of the ranks.
    FoldedGather,
    /// Exchanges of all ranks.
    Exchange(Pattern),
    /// Exchanges whose sends are posted before the receives.
    SendFirst(Pattern),
    /// Exchanges of the largest power of two of the ranks.
    Folded(Pattern),
    /// Ranks beyond the largest power of two leave their data with the rank below.
    Fold(Content),
    /// The ranks that left their data receive the result.
    Unfold(Content),
    /// Messages between a rank and all others.
    Linear(Linear),
}

/// The ranks, the blocks and the stages of an operation.
#[derive(Debug, Clone, Copy)]
pub struct Call<'a> {
    pub(super) ranks: usize,
    pub(super) root: usize,
    pub(super) layout: Layout<'a>,
    stages: Stages,
}

impl<'a> Call<'a> {
    /// An operation with a block of equal size for each rank, or on a vector.
    pub fn new(
        kind: CollectiveKind,
        algorithm: Algorithm,
        ranks: usize,
        root: usize,
        size: Bytes,
    ) -> Self {
        let layout = match kind {
            CollectiveKind::Barrier => Layout::EMPTY,
            // The blocks of all ranks, each in segments.
            _ if matches!(algorithm, Algorithm::LinearSplit(_)) => {
                Layout::vector(size * ranks as u64, ranks, algorithm.segment())
            }
            kind if kind.has_blocks() => Layout::Equal { block: size },
            _ => Layout::vector(size, parts(kind, algorithm, ranks), algorithm.segment()),
        };
        Self { ranks, root, layout, stages: stages(kind, algorithm, ranks) }
    }

    /// The same operation with a block of its own size for each rank, by absolute rank; in `own` a
    /// rank and its size state another size of that rank's block.
    #[must_use]
    pub fn with_sizes(self, sizes: &'a [Bytes], own: Option<(usize, Bytes)>) -> Self {
        Self { layout: Layout::Sizes { sizes, own }, ..self }
    }

    /// An alltoall in which a rank sends and receives blocks of these sizes.
    pub fn exchange(rank: usize, sent: &'a [Bytes], received: &'a [Bytes]) -> Self {
        let layout = Layout::Exchanged { rank, sent, received };
        Self { ranks: sent.len(), root: 0, layout, stages: list([Stage::Linear(Linear::Ordered)]) }
    }

    /// The step of a rank with an index; `None` after the last one.
    pub fn step(&self, rank: usize, index: usize) -> Option<Step> {
        let mut index = index;
        for stage in self.stages.into_iter().flatten() {
            let part = self.part(stage, rank);
            match part.step(index) {
                Some(step) => return Some(step),
                None => index -= part.len(),
            }
        }
        None
    }

    /// The steps of a rank in order.
    pub(crate) fn steps(self, rank: usize) -> impl Iterator<Item = Step> {
        let parts = self.stages.into_iter().flatten().map(move |stage| self.part(stage, rank));
        parts.flat_map(Part::steps)
    }

    /// The number of steps of a rank in all stages.
    pub(super) fn len(&self, rank: usize) -> usize {
        let lengths = self.stages.into_iter().flatten().map(|stage| self.part(stage, rank).len());
        lengths.fold(0, usize::saturating_add)
    }

    /// The part of a rank in a stage.
    fn part(&self, stage: Stage, rank: usize) -> Part<'a> {
        let Self { ranks, root, layout, .. } = *self;
        let (all, folded) = (Space::all(ranks, root), Space::folded(ranks, root));
        let participant = |pattern, order, space: Space| {
            let node = space.number(rank);
            node.map_or(Part::None, |node| {
                Part::Exchange(Participant { pattern, order, space, layout, node })
            })
        };
        let node = |kind, tree, space: Space| {
            space
                .number(rank)
                .map_or(Part::None, |node| Part::Tree(TreeRank { kind, tree, space, layout, node }))
        };
        match stage {
            Along(kind, tree) => node(kind, tree, all),
            FoldedGather => node(TreeKind::Gather, Tree::KNomial(2), folded),
            Exchange(pattern) => participant(pattern, Order::ReceiveFirst, all),
            Stage::SendFirst(pattern) => participant(pattern, Order::SendFirst, all),
            Folded(pattern) => participant(pattern, Order::ReceiveFirst, folded),
            Fold(content) | Unfold(content) => {
                let relative = (rank + ranks - root) % ranks;
                let goes_back = matches!(stage, Unfold(_));
                if relative < 2 * folded.absent {
                    Part::Fold(self.fold(relative, content, goes_back))
                } else {
                    Part::None
                }
            }
            Stage::Linear(stage) => Part::Linear(Peer { stage, rank, ranks, root, layout }),
        }
    }

    /// The message between a rank, given relative to the root, and its neighbour, one of which is
    /// absent: from the absent to the present one, or back if `goes_back`.
    fn fold(&self, relative: usize, content: Content, goes_back: bool) -> Folding {
        let is_present = relative.is_multiple_of(2);
        let absent = if is_present { relative + 1 } else { relative };
        let absolute = |relative: usize| (relative + self.root) % self.ranks;
        let neighbour = absolute(if is_present { absent } else { absent - 1 });
        let data = match content {
            Content::Empty => Data::Empty,
            Content::Own => Data::Blocks { first: absent, count: 1 },
            Content::All | Content::Combined if self.layout.is_empty() => Data::Empty,
            Content::All | Content::Combined => {
                Data::Blocks { first: 0, count: self.layout.count(self.ranks) }
            }
        };
        let is_combined = content == Content::Combined;
        Folding { neighbour, data, sends: is_present == goes_back, is_combined }
    }
}

/// The part of a rank in a stage.
enum Part<'a> {
    None,
    Tree(TreeRank<'a>),
    Exchange(Participant<'a>),
    Fold(Folding),
    Linear(Peer<'a>),
}

/// The message of a fold.
#[derive(Debug, Clone, Copy)]
struct Folding {
    neighbour: usize,
    data: Data,
    sends: bool,
    is_combined: bool,
}

impl Part<'_> {
    /// The number of steps.
    fn len(&self) -> usize {
        match self {
            Self::None => 0,
            Self::Tree(node) => node.len(),
            Self::Exchange(participant) => participant.len(),
            Self::Fold(fold) => 1 + usize::from(fold.is_combined && !fold.sends),
            Self::Linear(peer) => peer.len(),
        }
    }

    /// The steps in order.
    fn steps(self) -> impl Iterator<Item = Step> {
        let len = if let Self::Linear(_) = self { usize::MAX } else { self.len() };
        (0..len).map_while(move |index| self.known_step(index))
    }

    /// The step with an index; `None` after the last one.
    fn step(&self, index: usize) -> Option<Step> {
        match self {
            Self::Linear(_) => self.known_step(index),
            _ if index >= self.len() => None,
            _ => self.known_step(index),
        }
    }

    /// The step with an index, which is below the number of steps except in a linear stage.
    fn known_step(&self, index: usize) -> Option<Step> {
        match self {
            Self::None => None,
            Self::Linear(peer) => peer.step(index),
            Self::Tree(node) => node.step(index),
            Self::Exchange(participant) => participant.step(index),
            Self::Fold(Folding { neighbour, data, sends: true, .. }) => {
                Some(Step::Send { to: *neighbour, data: *data })
            }
            Self::Fold(Folding { neighbour: from, data, is_combined, .. }) => Some(if index == 0 {
                Step::Receive(Arrival { from: *from, data: *data, is_combined: *is_combined })
            } else {
                Step::Combine { from: *from, data: *data }
            }),
        }
    }
}

/// The number of messages in each direction that a linear alltoall with synchronisation has in
/// flight.
const WINDOW: usize = 4;

/// The stages of an operation in order, at most four; none if the operation does not have the
/// algorithm.
type Stages = [Option<Stage>; 4];

/// The number of parts into which an algorithm divides a vector.
fn parts(kind: CollectiveKind, algorithm: Algorithm, ranks: usize) -> usize {
    match algorithm {
        Algorithm::SplitBinary(_) => 2,
        Algorithm::ScatterAllgather
        | Algorithm::ScatterAllgatherRing
        | Algorithm::Rabenseifner
        | Algorithm::Ring
        | Algorithm::SegmentedRing(_) => ranks,
        Algorithm::Bine if kind == CollectiveKind::Allreduce => ranks,
        _ => 1,
    }
}

/// The stages of an algorithm; none if the operation does not have it.
fn stages(kind: CollectiveKind, algorithm: Algorithm, ranks: usize) -> Stages {
    match kind {
        CollectiveKind::Barrier => barrier(algorithm),
        CollectiveKind::Broadcast => broadcast(algorithm),
        CollectiveKind::Scatter => scatter(algorithm),
        CollectiveKind::Gather => gather(algorithm),
        CollectiveKind::Allgather => allgather(algorithm, ranks),
        CollectiveKind::Alltoall => alltoall(algorithm, ranks),
        CollectiveKind::Reduce => reduce(algorithm),
        CollectiveKind::Allreduce => allreduce(algorithm),
        CollectiveKind::ReduceScatter => reduce_scatter(algorithm),
        CollectiveKind::Scan => scan(algorithm, false),
        CollectiveKind::Exscan => scan(algorithm, true),
    }
}

/// The list of at most four stages.
fn list<const N: usize>(stages: [Stage; N]) -> Stages {
    let mut list = [None; 4];
    list.iter_mut().zip(stages).for_each(|(place, stage)| *place = Some(stage));
    list
}

use Stage::{Along, Exchange, Fold, Folded, FoldedGather, Unfold};

/// The stages of a barrier.
fn barrier(algorithm: Algorithm) -> Stages {
    let binomial = Tree::KNomial(2);
    match algorithm {
        Algorithm::Linear => {
            list([Along(TreeKind::Gather, Tree::Flat), Along(TreeKind::Broadcast, Tree::Flat)])
        }
        Algorithm::LinearNonblocking => {
            list([Stage::Linear(Linear::Arrive), Stage::Linear(Linear::FromRoot(Content::Empty))])
        }
        Algorithm::DoubleRing => list([Stage::Linear(Linear::TwiceAround)]),
        Algorithm::RecursiveDoubling => {
            list([Fold(Content::Empty), Folded(Pattern::DoublingBarrier), Unfold(Content::Empty)])
        }
        Algorithm::Dissemination => list([Exchange(Pattern::Dissemination)]),
        Algorithm::Tree => {
            list([Along(TreeKind::Gather, binomial), Along(TreeKind::Broadcast, binomial)])
        }
        _ => list([]),
    }
}

/// The stages of a broadcast.
fn broadcast(algorithm: Algorithm) -> Stages {
    let scatter = Along(TreeKind::Scatter, Tree::KNomial(2));
    match algorithm {
        Algorithm::SplitBinary(_) => {
            list([Along(TreeKind::HalvesBroadcast, Tree::KAry(2)), Exchange(Pattern::SwapHalves)])
        }
        Algorithm::ScatterAllgather => list([
            scatter,
            Fold(Content::Own),
            Folded(Pattern::DoublingAllgather),
            Unfold(Content::All),
        ]),
        Algorithm::ScatterAllgatherRing => list([scatter, Exchange(Pattern::RingAllgather)]),
        _ => Tree::of(algorithm).map_or(list([]), |tree| list([Along(TreeKind::Broadcast, tree)])),
    }
}

/// The stages of a scatter.
fn scatter(algorithm: Algorithm) -> Stages {
    match algorithm {
        Algorithm::Linear => list([Along(TreeKind::Scatter, Tree::Flat)]),
        Algorithm::LinearNonblocking => list([Stage::Linear(Linear::FromRoot(Content::Own))]),
        Algorithm::LinearSync => list([Stage::Linear(Linear::SynchronizedFromRoot)]),
        Algorithm::LinearSplit(_) => list([Stage::Linear(Linear::SplitFromRoot)]),
        Algorithm::Binomial => list([Along(TreeKind::Scatter, Tree::KNomial(2))]),
        _ => list([]),
    }
}

/// The stages of a gather.
fn gather(algorithm: Algorithm) -> Stages {
    match algorithm {
        Algorithm::Linear => list([Along(TreeKind::Gather, Tree::Flat)]),
        Algorithm::LinearNonblocking => list([Stage::Linear(Linear::ToRoot(Content::Own))]),
        Algorithm::LinearSync => list([Stage::Linear(Linear::SynchronizedToRoot)]),
        Algorithm::LinearSplit(_) => list([Stage::Linear(Linear::SplitToRoot)]),
        Algorithm::Binomial => list([Along(TreeKind::Gather, Tree::KNomial(2))]),
        _ => list([]),
    }
}

/// The stages of an allgather.
fn allgather(algorithm: Algorithm, ranks: usize) -> Stages {
    let folded = |pattern| list([Fold(Content::Own), Folded(pattern), Unfold(Content::All)]);
    match algorithm {
        Algorithm::LinearNonblocking => list([Stage::Linear(Linear::AllToAll)]),
        Algorithm::NeighborExchange if ranks.is_multiple_of(2) => {
            list([Exchange(Pattern::NeighborAllgather)])
        }
        Algorithm::Ring | Algorithm::NeighborExchange => list([Exchange(Pattern::RingAllgather)]),
        Algorithm::RecursiveDoubling => folded(Pattern::DoublingAllgather),
        Algorithm::Bruck => list([Exchange(Pattern::BruckAllgather(2))]),
        Algorithm::KBruck(base) => list([Exchange(Pattern::BruckAllgather(base.into()))]),
        Algorithm::Sparbit => list([Exchange(Pattern::Sparbit)]),
        Algorithm::Bine => folded(Pattern::BineAllgather),
        _ => list([]),
    }
}

/// The stages of an alltoall.
fn alltoall(algorithm: Algorithm, ranks: usize) -> Stages {
    match algorithm {
        Algorithm::LinearNonblocking => list([Stage::Linear(Linear::Rotated)]),
        Algorithm::LinearSync => list([Stage::Linear(Linear::Windowed(WINDOW))]),
        Algorithm::Pairwise => list([Exchange(Pattern::PairwiseAlltoall)]),
        Algorithm::ExclusiveOr if ranks.is_power_of_two() => {
            list([Stage::SendFirst(Pattern::ExclusiveOrAlltoall)])
        }
        Algorithm::Bruck => list([Stage::SendFirst(Pattern::BruckAlltoall)]),
        _ => list([]),
    }
}

/// The stages of a reduction to the root.
fn reduce(algorithm: Algorithm) -> Stages {
    match algorithm {
        Algorithm::LinearNonblocking => list([Stage::Linear(Linear::ToRoot(Content::Combined))]),
        Algorithm::Rabenseifner => {
            list([Fold(Content::Combined), Folded(Pattern::HalvingReduceScatter), FoldedGather])
        }
        _ => Tree::of(algorithm).map_or(list([]), |tree| list([Along(TreeKind::Reduce, tree)])),
    }
}

/// The stages of an allreduce.
fn allreduce(algorithm: Algorithm) -> Stages {
    let binomial = Tree::KNomial(2);
    let folded = |scatter, gather| {
        list([Fold(Content::Combined), Folded(scatter), Folded(gather), Unfold(Content::All)])
    };
    let doubling = |pattern| list([Fold(Content::Combined), Folded(pattern), Unfold(Content::All)]);
    match algorithm {
        Algorithm::Linear => {
            list([Along(TreeKind::Reduce, Tree::Flat), Along(TreeKind::Broadcast, Tree::Flat)])
        }
        Algorithm::LinearNonblocking => list([
            Stage::Linear(Linear::ToRoot(Content::Combined)),
            Along(TreeKind::Broadcast, binomial),
        ]),
        Algorithm::NonOverlapping => {
            list([Along(TreeKind::Reduce, binomial), Along(TreeKind::Broadcast, binomial)])
        }
        Algorithm::RecursiveDoubling => doubling(Pattern::DoublingCombine),
        Algorithm::Ring | Algorithm::SegmentedRing(_) => {
            list([Exchange(Pattern::RingReduceScatter), Exchange(Pattern::RingAllgather)])
        }
        Algorithm::Rabenseifner => {
            folded(Pattern::HalvingReduceScatter, Pattern::DoublingAllgather)
        }
        Algorithm::Bine => folded(Pattern::BineReduceScatter, Pattern::BineAllgather),
        Algorithm::BineDoubling => doubling(Pattern::BineCombine),
        _ => list([]),
    }
}

/// The stages of a reduce-scatter.
fn reduce_scatter(algorithm: Algorithm) -> Stages {
    let binomial = Tree::KNomial(2);
    match algorithm {
        Algorithm::LinearNonblocking => list([
            Stage::Linear(Linear::ToRoot(Content::Combined)),
            Stage::Linear(Linear::FromRoot(Content::Own)),
        ]),
        Algorithm::NonOverlapping => {
            list([Along(TreeKind::Reduce, binomial), Along(TreeKind::Scatter, binomial)])
        }
        Algorithm::Pairwise => list([Stage::SendFirst(Pattern::PairwiseReduceScatter)]),
        Algorithm::RecursiveHalving => list([
            Fold(Content::Combined),
            Folded(Pattern::HalvingReduceScatter),
            Unfold(Content::Own),
        ]),
        Algorithm::RecursiveDoubling => list([Stage::SendFirst(Pattern::DoublingReduceScatter)]),
        Algorithm::Ring => list([Exchange(Pattern::RingReduceScatter)]),
        Algorithm::Bine => list([
            Fold(Content::Combined),
            Folded(Pattern::BineReduceScatter),
            Unfold(Content::Own),
        ]),
        _ => list([]),
    }
}

/// The stages of a scan, inclusive or exclusive.
fn scan(algorithm: Algorithm, is_exclusive: bool) -> Stages {
    match algorithm {
        Algorithm::Linear => list([Stage::Linear(Linear::Upwards { is_exclusive })]),
        Algorithm::LinearNonblocking => list([Stage::Linear(Linear::ToHigher { is_exclusive })]),
        Algorithm::RecursiveDoubling => list([Exchange(Pattern::DoublingScan { is_exclusive })]),
        _ => list([]),
    }
}
