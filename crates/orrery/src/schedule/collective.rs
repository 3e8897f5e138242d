//! Collective operations as schedules of point-to-point messages.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use super::{Cursor, Operation, Rank, Request, Schedule, Tag, Transfer};
use crate::units::{Bytes, UnknownName};

/// A collective operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum CollectiveKind {
    /// The root sends a block of its own to each rank.
    Scatter,
    /// The root receives a block from each rank.
    Gather,
    /// Each rank receives a block from each rank, the same for all.
    Allgather,
    /// Each rank sends a block of its own to each rank.
    Alltoall,
}

/// The algorithm of a collective operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Algorithm {
    /// The root sends to or receives from the other ranks one by one in increasing order.
    Linear,
    /// The messages follow the binomial tree of relative ranks (rank − root) mod p: rank v has the children v + 2^k for
    /// all 2^k below the lowest set bit of v (for the root: below p). Each message carries the blocks of the whole
    /// subtree. A scatter serves the largest subtree first (descending k), a gather receives it last.
    Binomial,
    /// In step k of 1 to p − 1 each rank r sends to r + 1 the block that it received in the step before, at first its own,
    /// while it receives the next one from r − 1 (mod p).
    Ring,
    /// In step k of 1 to p − 1 each rank r sends its block to r + k while it receives one from r − k (mod p).
    Pairwise,
}

impl CollectiveKind {
    /// All kinds.
    pub const ALL: [Self; 4] = [Self::Scatter, Self::Gather, Self::Allgather, Self::Alltoall];
    /// The kinds with a root.
    pub const ROOTED: [Self; 2] = [Self::Scatter, Self::Gather];

    /// Returns true if the data come from or go to a root.
    pub const fn has_root(self) -> bool {
        matches!(self, Self::Scatter | Self::Gather)
    }

    /// The algorithms that carry out the operation.
    pub const fn algorithms(self) -> &'static [Algorithm] {
        match self {
            Self::Scatter | Self::Gather => &[Algorithm::Linear, Algorithm::Binomial],
            Self::Allgather => &[Algorithm::Ring],
            Self::Alltoall => &[Algorithm::Pairwise],
        }
    }

    /// The keyword in files and on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Scatter => "scatter",
            Self::Gather => "gather",
            Self::Allgather => "allgather",
            Self::Alltoall => "alltoall",
        }
    }
}

impl Algorithm {
    /// All algorithms.
    pub const ALL: [Self; 4] = [Self::Linear, Self::Binomial, Self::Ring, Self::Pairwise];

    /// The keyword in files and on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Linear => "linear",
            Self::Binomial => "binomial",
            Self::Ring => "ring",
            Self::Pairwise => "pairwise",
        }
    }
}

impl fmt::Display for CollectiveKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl fmt::Display for Algorithm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for CollectiveKind {
    type Err = UnknownName;

    fn from_str(text: &str) -> Result<Self, UnknownName> {
        UnknownName::find("collective operation", text, &Self::ALL, |kind| kind.name())
    }
}

impl FromStr for Algorithm {
    type Err = UnknownName;

    fn from_str(text: &str) -> Result<Self, UnknownName> {
        UnknownName::find("algorithm", text, &Self::ALL, |algorithm| algorithm.name())
    }
}

/// A collective operation with its algorithm, root, number of ranks and size of the block of one rank.
///
/// If the algorithm is not one of [`CollectiveKind::algorithms`], it has no operations.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Collective {
    /// The operation.
    pub kind: CollectiveKind,
    /// The algorithm.
    pub algorithm: Algorithm,
    /// The rank that the data come from or go to; rank 0 for operations without a root.
    pub root: Rank,
    /// The number of ranks.
    pub ranks: usize,
    /// The size of the block of one rank.
    pub block: Bytes,
}

impl Schedule for Collective {
    fn ranks(&self) -> usize {
        self.ranks
    }

    fn next(&self, rank: Rank, cursor: &mut Cursor) -> Option<Operation> {
        let step = cursor.advance();
        match (self.kind, self.algorithm) {
            (CollectiveKind::Scatter | CollectiveKind::Gather, Algorithm::Linear) => self.linear(rank, step),
            (CollectiveKind::Scatter | CollectiveKind::Gather, Algorithm::Binomial) => self.binomial(rank, step),
            (CollectiveKind::Allgather, Algorithm::Ring) => self.send_receive(rank, step, |_| 1),
            (CollectiveKind::Alltoall, Algorithm::Pairwise) => self.send_receive(rank, step, |round| round),
            _ => None,
        }
    }
}

impl Collective {
    /// Returns operation `step` of a rank in the linear algorithm of a scatter or gather.
    fn linear(&self, rank: Rank, step: usize) -> Option<Operation> {
        if rank != self.root {
            return (step == 0).then(|| self.exchange_with_parent(self.root, 1));
        }
        let peer = if step < self.root.index() { step } else { step + 1 };
        (peer < self.ranks).then(|| self.exchange_with_child(Rank(peer as u32), 1))
    }

    /// Returns operation `step` of a rank in the binomial algorithm of a scatter or gather.
    fn binomial(&self, rank: Rank, step: usize) -> Option<Operation> {
        let p = self.ranks;
        let relative = (rank.index() + p - self.root.index()) % p;
        let absolute = |v: usize| Rank(((v + self.root.index()) % p) as u32);
        // The children are relative + 2^k for k < height, up to p − 1.
        let height = if relative == 0 { usize::BITS - (p - 1).leading_zeros() } else { relative.trailing_zeros() };
        let children = (0..height).take_while(|k| relative + (1 << k) < p).count();
        let blocks = |v: usize, k: u32| (p - v).min(1 << k) as u64;
        let parent =
            |height: u32| self.exchange_with_parent(absolute(relative - (1 << height)), blocks(relative, height));
        let child =
            |k: usize| self.exchange_with_child(absolute(relative + (1 << k)), blocks(relative + (1 << k), k as u32));
        if self.kind == CollectiveKind::Gather {
            return match step {
                _ if step < children => Some(child(step)),
                _ => (step == children && relative != 0).then(|| parent(height)),
            };
        }
        match step {
            _ if relative == 0 => (step < children).then(|| child(children - 1 - step)),
            0 => Some(parent(height)),
            _ => (step <= children).then(|| child(children - step)),
        }
    }

    /// Returns operation `step` of a rank that in each round k of 1 to p − 1 sends a block to the rank `distance(k)` above and
    /// receives one from as far below: the receive is posted, the block is sent, and the receive is waited for.
    fn send_receive(&self, rank: Rank, step: usize, distance: impl Fn(usize) -> usize) -> Option<Operation> {
        let (round, part, p) = (step / 3 + 1, step % 3, self.ranks);
        if round >= p {
            return None;
        }
        let (tag, size, distance) = (Tag(0), self.block, distance(round));
        let neighbour = |distance: usize| Rank(((rank.index() + distance) % p) as u32);
        let request = Request(round as u32);
        Some(match part {
            0 => Operation::Post(Transfer::Receive { from: neighbour(p - distance), size, tag }, request),
            1 => Operation::Do(Transfer::Send { to: neighbour(distance), size, tag }),
            _ => Operation::Wait(request),
        })
    }

    /// The transfer between this rank and its parent in the tree.
    fn exchange_with_parent(self, parent: Rank, blocks: u64) -> Operation {
        let transfer = if self.kind == CollectiveKind::Gather { Operation::send } else { Operation::receive };
        transfer(parent, self.block * blocks)
    }

    /// The transfer between this rank and one of its children in the tree.
    fn exchange_with_child(self, child: Rank, blocks: u64) -> Operation {
        let transfer = if self.kind == CollectiveKind::Gather { Operation::receive } else { Operation::send };
        transfer(child, self.block * blocks)
    }
}
