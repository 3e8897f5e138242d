use super::bine;
use super::space::Space;
use orrery_base::units::Bytes;

/// The blocks that a message of a collective operation carries. Blocks of ranks are counted from
/// that of the root.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Data {
    /// No bytes: the message only synchronises.
    Empty,
    /// Consecutive blocks, modulo the number of blocks.
    Blocks {
        /// The first block.
        first: usize,
        /// The number of blocks.
        count: usize,
    },
    /// The block of one rank for another, in an alltoall.
    Pair {
        /// The rank whose block it is.
        from: usize,
        /// The rank that receives it in the end.
        to: usize,
    },
    /// The blocks of an alltoall by Bruck's algorithm that are at a rank before a step, and whose
    /// distance has the bit of the step.
    Bruck {
        /// The rank.
        at: usize,
        /// The number of the bit.
        bit: u32,
    },
    /// The blocks of the ranks that a rank reaches in the Bine butterfly from a step on.
    Reachable {
        /// The number of the rank among the q ranks of the butterfly.
        at: usize,
        /// The step.
        step: u32,
    },
}

/// How the blocks of a collective operation divide its bytes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Layout<'a> {
    /// One vector of `total` bytes in `parts` equal parts, each in `segments` segments of `segment`
    /// bytes (the last one shorter).
    Vector { total: Bytes, parts: usize, segments: usize, segment: Bytes },
    /// A block of equal size for each rank.
    Equal { block: Bytes },
    /// A block for each rank, by absolute rank. A rank may state another size of its own block than
    /// the list.
    Sizes { sizes: &'a [Bytes], own: Option<(usize, Bytes)> },
    /// The blocks of one rank in an alltoall: those that it sends to each rank, and those that it
    /// receives from each.
    Exchanged { rank: usize, sent: &'a [Bytes], received: &'a [Bytes] },
}

impl Data {
    /// The numbers of the blocks, of which there are `count`; the block from rank s to rank d of an
    /// alltoall has the number s·p + d.
    pub(super) fn blocks(self, space: Space, count: usize) -> Vec<usize> {
        let ranks = space.ranks;
        match self {
            Self::Empty => Vec::new(),
            Self::Blocks { first, count: n } => {
                (first..first + n).map(|block| block % count).collect()
            }
            Self::Pair { from, to } => vec![from * ranks + to],
            Self::Bruck { at, bit } => {
                let distances = (0..ranks).filter(|distance| distance >> bit & 1 == 1);
                let block = |distance: usize| {
                    let from = (at + ranks - distance % (1 << bit)) % ranks;
                    from * ranks + (from + distance) % ranks
                };
                distances.map(block).collect()
            }
            Self::Reachable { at, step } => {
                let folded = Space::folded(ranks, space.root);
                let reached = bine::reachable(at, step, folded.size());
                reached.into_iter().flat_map(|number| folded.blocks_of(number)).collect()
            }
        }
    }
}

impl Layout<'_> {
    /// No bytes.
    pub(super) const EMPTY: Self =
        Self::Vector { total: Bytes::ZERO, parts: 0, segments: 1, segment: Bytes::ZERO };

    /// A vector of `total` bytes in equal parts, each in segments of at most `segment` bytes; 0 for
    /// a single segment.
    pub(super) fn vector(total: Bytes, parts: usize, segment: Bytes) -> Self {
        if segment == Bytes::ZERO {
            return Self::Vector { total, parts, segments: 1, segment: total };
        }
        let segments = total.get().div_ceil(parts as u64).div_ceil(segment.get()).max(1) as usize;
        Self::Vector { total, parts, segments, segment }
    }

    /// The number of blocks of an operation of this number of ranks.
    pub(super) fn count(&self, ranks: usize) -> usize {
        match *self {
            Self::Vector { parts, segments, .. } => parts.saturating_mul(segments),
            Self::Equal { .. } | Self::Sizes { .. } => ranks,
            Self::Exchanged { .. } => ranks * ranks,
        }
    }

    /// The number of segments of each part.
    pub(super) const fn segments(&self) -> usize {
        match *self {
            Self::Vector { segments, .. } => segments,
            _ => 1,
        }
    }

    /// Returns true for a vector that is not divided, or in segments only.
    pub(super) const fn is_one_part(&self) -> bool {
        matches!(*self, Self::Vector { parts: 1, .. })
    }

    /// Returns true if there are no bytes, as in a barrier.
    pub(super) const fn is_empty(&self) -> bool {
        matches!(*self, Self::Vector { parts: 0, .. })
    }

    /// The number of bytes of each block, and the number of blocks, the first ones, that are one
    /// byte longer. Without segments.
    pub(super) const fn block_sizes(&self) -> (u64, u64) {
        match *self {
            Self::Vector { total, parts, .. } if parts > 0 => {
                (total.get() / parts as u64, total.get() % parts as u64)
            }
            Self::Equal { block } => (block.get(), 0),
            _ => (0, 0),
        }
    }

    /// The number of bytes before a block of a vector.
    fn offset(total: Bytes, parts: usize, segments: usize, segment: Bytes, block: usize) -> u64 {
        // The first parts are one byte longer if the division has a rest.
        let (length, longer) = (total.get() / parts as u64, total.get() % parts as u64);
        let part = |part: usize| part as u64 * length + (part as u64).min(longer);
        let (index, inside) = (block / segments, (block % segments) as u64);
        let (begin, end) = (part(index), part((index + 1).min(parts)));
        begin + inside.saturating_mul(segment.get()).min(end - begin)
    }

    /// The number of bytes of some blocks.
    pub(super) fn bytes(&self, data: Data, space: Space) -> Bytes {
        let ranks = space.ranks;
        match (*self, data) {
            (Self::Vector { total, parts, segments, segment }, Data::Blocks { first, count }) => {
                let blocks = parts * segments;
                let offset = |block| Self::offset(total, parts, segments, segment, block);
                let (first, end) = (first % blocks, first % blocks + count);
                Bytes::new(if end <= blocks {
                    offset(end) - offset(first)
                } else {
                    total.get() - offset(first) + offset(end - blocks)
                })
            }
            (Self::Equal { block }, Data::Blocks { count, .. }) => block * count as u64,
            (Self::Equal { block }, Data::Pair { .. }) => block,
            (Self::Equal { block }, Data::Bruck { bit, .. }) => {
                let distance = 1 << bit;
                let rest = (ranks % (2 * distance)).saturating_sub(distance);
                block * (ranks / (2 * distance) * distance + rest) as u64
            }
            (Self::Equal { block }, Data::Reachable { step, .. }) if ranks.is_power_of_two() => {
                block * (ranks >> step) as u64
            }
            (Self::Exchanged { rank, sent, received }, Data::Pair { from, to }) => {
                if from == rank {
                    sent[to]
                } else {
                    received[from]
                }
            }
            (Self::Sizes { sizes, own }, Data::Blocks { first, count }) => {
                let size = |rank: usize| match own {
                    Some((own, size)) if own == rank => size,
                    _ => sizes[rank],
                };
                (first..first + count).map(|block| size((block + space.root) % ranks)).sum()
            }
            (
                Self::Sizes { .. } | Self::Vector { .. } | Self::Equal { .. },
                Data::Reachable { .. },
            ) => {
                let blocks = data.blocks(space, ranks).into_iter();
                blocks.map(|first| self.bytes(Data::Blocks { first, count: 1 }, space)).sum()
            }
            // No data; other combinations do not occur.
            _ => Bytes::ZERO,
        }
    }
}
