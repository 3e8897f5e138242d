//! Stages in rounds: in each round a rank sends to one rank while it receives from another.

use super::Data;
use super::bine;
use super::data::Layout;
use super::space::Space;

/// The rule of the partners and of the blocks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Pattern {
    /// Each block along the ring.
    RingAllgather,
    /// Partial blocks along the ring, segment by segment.
    RingReduceScatter,
    /// All blocks of a group of 2^k ranks to its neighbour group.
    DoublingAllgather,
    /// Half of the blocks to the other half of the group.
    HalvingReduceScatter,
    /// The whole vector.
    DoublingCombine,
    /// All vectors up to this rank; they count only for higher ranks.
    DoublingScan {
        is_exclusive: bool,
    },
    /// Bruck's algorithm to the base k.
    BruckAllgather(usize),
    NeighborAllgather,
    Sparbit,
    /// The own contribution to each block to its owner.
    PairwiseReduceScatter,
    /// All blocks but those of the own group; groups that are cut off forward them.
    DoublingReduceScatter,
    PairwiseAlltoall,
    ExclusiveOrAlltoall,
    BruckAlltoall,
    /// An empty message to r + 2^k.
    Dissemination,
    /// Empty messages to the partners of recursive doubling.
    DoublingBarrier,
    /// The two halves of a vector between the subtrees of a binary tree.
    SwapHalves,
    BineAllgather,
    BineReduceScatter,
    /// The whole vector, with the partners of Bine trees.
    BineCombine,
}

/// A message out and a message in; either may be absent. Ranks are numbers in the space.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Exchange {
    pub(super) to: Option<(usize, Data)>,
    pub(super) from: Option<(usize, Data)>,
    /// The rank from which the blocks sent were received, if they are passed on before they are
    /// combined with own ones.
    pub(super) origin: Option<usize>,
    /// True if the blocks received are combined with own ones, at once or in a later round.
    pub(super) is_combined: bool,
    /// The blocks that are combined with own ones after the exchange: the rank that sent them, the
    /// blocks, and how often.
    pub(super) combination: Option<(usize, Data, usize)>,
}

impl Exchange {
    /// Both messages, without combination.
    fn new(to: usize, sent: Data, from: usize, received: Data) -> Self {
        Self { to: Some((to, sent)), from: Some((from, received)), ..Self::default() }
    }

    /// An exchange with one rank, without combination.
    fn with(partner: usize, sent: Data, received: Data) -> Self {
        Self::new(partner, sent, partner, received)
    }

    /// The same exchange, after which the blocks received are combined with own ones this number of
    /// times.
    fn combined(self, times: usize) -> Self {
        let combination = self.from.map(|(from, data)| (from, data, times));
        Self { is_combined: true, combination, ..self }
    }
}

impl Pattern {
    /// The number of rounds.
    pub(super) fn rounds(self, space: Space, layout: &Layout<'_>) -> usize {
        let n = space.size();
        let log2_up = n.next_power_of_two().ilog2() as usize;
        match self {
            Self::RingAllgather
            | Self::PairwiseReduceScatter
            | Self::PairwiseAlltoall
            | Self::ExclusiveOrAlltoall => n - 1,
            Self::RingReduceScatter => (n - 1).saturating_mul(layout.segments()),
            Self::NeighborAllgather => n / 2,
            Self::BruckAllgather(k) => {
                std::iter::successors(Some(1_usize), |power| power.checked_mul(k))
                    .take_while(|&power| power < n)
                    .count()
            }
            Self::DoublingReduceScatter => log2_up * (log2_up + 3) / 2,
            Self::SwapHalves => 1,
            _ => log2_up,
        }
    }

    /// True if every round of every rank is one exchange with both messages.
    pub(super) const fn is_uniform(self) -> bool {
        !matches!(
            self,
            Self::DoublingScan { .. }
                | Self::BruckAllgather(_)
                | Self::Sparbit
                | Self::DoublingReduceScatter
                | Self::SwapHalves
        )
    }

    /// True if the blocks received are combined with own ones in every exchange.
    pub(super) const fn combines(self) -> bool {
        matches!(
            self,
            Self::RingReduceScatter
                | Self::HalvingReduceScatter
                | Self::DoublingCombine
                | Self::PairwiseReduceScatter
                | Self::BineReduceScatter
                | Self::BineCombine
        )
    }

    /// The number of exchanges of a rank in a round that are in flight together.
    pub(super) fn count(self, space: Space, round: usize) -> usize {
        match self {
            Self::BruckAllgather(k) => {
                let power = k.pow(round as u32);
                (k - 1).min((space.size() - 1) / power)
            }
            Self::Sparbit => sparbit_blocks(space.size(), round),
            _ => 1,
        }
    }

    /// The exchange with an index below [`count`](Self::count) of the rank with the number `node`
    /// in a round.
    pub(super) fn exchange(
        self,
        node: usize,
        round: usize,
        index: usize,
        space: Space,
        layout: &Layout<'_>,
    ) -> Exchange {
        let n = space.size();
        let above = |distance: usize| (node + distance) % n;
        let below = |distance: usize| (node + n - distance) % n;
        let all = if layout.is_empty() {
            Data::Empty
        } else {
            Data::Blocks { first: 0, count: layout.count(space.ranks) }
        };
        match self {
            Self::RingAllgather => {
                let segments = layout.segments();
                let blocks = |number: usize| match space.blocks(number, 1) {
                    Data::Blocks { first, count } => {
                        Data::Blocks { first: first * segments, count: count * segments }
                    }
                    other => other,
                };
                Exchange::new(above(1), blocks(below(round)), below(1), blocks(below(round + 1)))
            }
            Self::RingReduceScatter => {
                let segments = layout.segments();
                let (segment, round) = (round / (n - 1), round % (n - 1));
                let block =
                    |number: usize| Data::Blocks { first: number * segments + segment, count: 1 };
                Exchange::new(
                    above(1),
                    block(below(round + 1)),
                    below(1),
                    block(below((round + 2) % n)),
                )
                .combined(1)
            }
            Self::DoublingAllgather => {
                let partner = node ^ (1 << round);
                let group = |member: usize| space.blocks(member >> round << round, 1 << round);
                Exchange::with(partner, group(node), group(partner))
            }
            Self::HalvingReduceScatter => {
                let width = n >> (round + 1);
                let partner = node ^ width;
                let half = |member: usize| space.blocks(member & !(width - 1), width);
                Exchange::with(partner, half(partner), half(node)).combined(1)
            }
            Self::DoublingCombine => Exchange::with(node ^ (1 << round), all, all).combined(1),
            Self::DoublingScan { is_exclusive } => {
                let partner = node ^ (1 << round);
                if partner >= n {
                    return Exchange::default();
                }
                // What comes from lower ranks counts for the result, too; the first of an exclusive
                // scan is the result.
                let is_first = node & ((1 << round) - 1) == 0;
                let combinations = 1 + usize::from(partner < node && !(is_exclusive && is_first));
                Exchange::with(partner, all, all).combined(combinations)
            }
            Self::BruckAllgather(k) => {
                let power = k.pow(round as u32);
                let distance = power * (index + 1);
                let count = power.min(n - distance);
                Exchange::new(
                    below(distance),
                    space.blocks(node, count),
                    above(distance),
                    space.blocks(above(distance), count),
                )
            }
            Self::NeighborAllgather => neighbor(node, round, space),
            Self::Sparbit => {
                let distance = n.next_power_of_two() >> (round + 1);
                let block = |number: usize| space.blocks(number, 1);
                Exchange::new(
                    above(distance),
                    block(below(2 * index * distance % n)),
                    below(distance),
                    block(below((2 * index + 1) * distance % n)),
                )
            }
            Self::PairwiseReduceScatter => {
                let distance = round + 1;
                let (own, other) = (space.blocks(node, 1), space.blocks(above(distance), 1));
                Exchange::new(above(distance), other, below(distance), own).combined(1)
            }
            Self::DoublingReduceScatter => doubling_reduce_scatter(node, round, space),
            Self::PairwiseAlltoall => {
                let (to, from) = (above(round + 1), below(round + 1));
                Exchange::new(
                    to,
                    Data::Pair { from: node, to },
                    from,
                    Data::Pair { from, to: node },
                )
            }
            Self::ExclusiveOrAlltoall => {
                let partner = node ^ (round + 1);
                let sent = Data::Pair { from: node, to: partner };
                Exchange::with(partner, sent, Data::Pair { from: partner, to: node })
            }
            Self::BruckAlltoall => {
                let (to, from, bit) = (above(1 << round), below(1 << round), round as u32);
                Exchange::new(
                    to,
                    Data::Bruck { at: node, bit },
                    from,
                    Data::Bruck { at: from, bit },
                )
            }
            Self::Dissemination => {
                Exchange::new(above(1 << round), Data::Empty, below(1 << round), Data::Empty)
            }
            Self::DoublingBarrier => Exchange::with(node ^ (1 << round), Data::Empty, Data::Empty),
            Self::SwapHalves => swap_halves(node, n, layout.segments()),
            Self::BineAllgather => {
                let step = n.ilog2() - 1 - round as u32;
                let partner = bine::partner(node, step, n);
                let reached = |at: usize| Data::Reachable { at, step: step + 1 };
                Exchange::with(partner, reached(node), reached(partner))
            }
            Self::BineReduceScatter => {
                let step = round as u32;
                let partner = bine::partner(node, step, n);
                let reached = |at: usize| Data::Reachable { at, step: step + 1 };
                Exchange::with(partner, reached(partner), reached(node)).combined(1)
            }
            Self::BineCombine => {
                Exchange::with(bine::partner(node, round as u32, n), all, all).combined(1)
            }
        }
    }
}

/// The exchange of a rank in a round of neighbour exchange with an even number of ranks: pairs of
/// ranks hold pairs of blocks, and a rank sends the pair that it received in the round before.
fn neighbor(node: usize, round: usize, space: Space) -> Exchange {
    let n = space.size();
    let is_even = node.is_multiple_of(2);
    let partner =
        if is_even == round.is_multiple_of(2) { (node + 1) % n } else { (node + n - 1) % n };
    if round == 0 {
        return Exchange::with(partner, space.blocks(node, 1), space.blocks(partner, 1));
    }
    // The pair that a rank has received in a round: alternately from above and from below.
    let received = |node: usize, round: usize| {
        let (pairs, pair, steps) = (n / 2, node / 2, round.div_ceil(2));
        let goes_up = node.is_multiple_of(2) == round.is_multiple_of(2);
        let pair = if goes_up { pair + steps } else { pair + pairs - steps };
        space.blocks(pair % pairs * 2, 2)
    };
    Exchange::with(partner, received(node, round - 1), received(partner, round - 1))
}

/// The number of blocks that each rank sends in a round of Sparbit. After a round with distance d
/// each rank has the blocks at all multiples of d below p.
const fn sparbit_blocks(ranks: usize, round: usize) -> usize {
    let distance = ranks.next_power_of_two() >> (round + 1);
    (ranks - 1) / distance - (ranks - 1) / (2 * distance)
}

/// The exchange of halves between the subtrees of a binary tree: of ranks 2k + 1 and 2k + 2; the
/// last rank of an even number has no partner and receives the second half from the root.
fn swap_halves(node: usize, n: usize, segments: usize) -> Exchange {
    let half =
        |second: bool| Data::Blocks { first: if second { segments } else { 0 }, count: segments };
    let is_alone = n.is_multiple_of(2);
    match node {
        0 if is_alone => Exchange { to: Some((n - 1, half(true))), ..Exchange::default() },
        0 => Exchange::default(),
        _ if is_alone && node == n - 1 => {
            Exchange { from: Some((0, half(true))), ..Exchange::default() }
        }
        _ if node.is_multiple_of(2) => Exchange::with(node - 1, half(true), half(false)),
        _ => Exchange::with(node + 1, half(false), half(true)),
    }
}

/// Recursive doubling in which ranks exchange all blocks but those of their own groups.
///
/// Step k of the doubling takes k + 2 rounds: the exchange; up to k rounds in which the ranks of a
/// group whose neighbour group is cut off pass on what those with a partner received; the
/// combination of what was received. Source: MPICH.
fn doubling_reduce_scatter(node: usize, round: usize, space: Space) -> Exchange {
    let n = space.size();
    let (mut step, mut round) = (0, round);
    while round > step + 1 {
        round -= step + 2;
        step += 1;
    }
    let width = 1 << step;
    // Groups of the rank and of its partner in this step.
    let partner = node ^ width;
    let (own, other) = (node & !(width - 1), partner & !(width - 1));
    let all_but = |group: usize| {
        let inside = (group + width).min(n) - group.min(n);
        space.blocks((group + inside) % n, n - inside)
    };
    // Ranks of the own group below this one have a partner; those between pass data on in a tree of
    // halves.
    let with_partner = n.saturating_sub(own + width);
    let is_cut_off = other + width > n;
    let has_data = |rank: usize, half: usize| rank < (node & !(2 * half - 1)) + with_partner;
    let sender = |half: usize| {
        let peer = node ^ half;
        (is_cut_off && peer < node && has_data(peer, half) && !has_data(node, half)).then_some(peer)
    };
    let halves = || (1..=step).map(|round| width >> round);
    let source = if partner < n { Some(partner) } else { halves().find_map(sender) };
    let received = source.map(|source| (source, all_but(other)));
    match round {
        0 if partner < n => {
            Exchange { is_combined: true, ..Exchange::with(partner, all_but(own), all_but(other)) }
        }
        0 => Exchange::default(),
        round if round <= step => {
            let half = width >> round;
            let peer = node ^ half;
            let passes_on =
                is_cut_off && peer > node && has_data(node, half) && !has_data(peer, half);
            Exchange {
                to: passes_on.then(|| (peer, all_but(other))),
                origin: source.filter(|_| passes_on),
                from: received.filter(|(source, _)| sender(half) == Some(*source)),
                is_combined: true,
                ..Exchange::default()
            }
        }
        _ => Exchange {
            combination: received.map(|(source, data)| (source, data, 1)),
            ..Exchange::default()
        },
    }
}
