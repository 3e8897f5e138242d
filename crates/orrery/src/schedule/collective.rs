//! Collective operations as schedules of point-to-point messages.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use super::{Cursor, Operation, Rank, Schedule};
use crate::units::{Bytes, UnknownName};

/// A collective operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum CollectiveKind {
    /// The root sends a block of its own to each rank.
    Scatter,
    /// The root receives a block from each rank.
    Gather,
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
}

impl CollectiveKind {
    /// All kinds.
    pub const ALL: [Self; 2] = [Self::Scatter, Self::Gather];

    /// The keyword in files and on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Scatter => "scatter",
            Self::Gather => "gather",
        }
    }
}

impl Algorithm {
    /// All algorithms.
    pub const ALL: [Self; 2] = [Self::Linear, Self::Binomial];

    /// The keyword in files and on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Linear => "linear",
            Self::Binomial => "binomial",
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
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Collective {
    /// The operation.
    pub kind: CollectiveKind,
    /// The algorithm.
    pub algorithm: Algorithm,
    /// The rank that the data come from or go to.
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
        match self.algorithm {
            Algorithm::Linear => self.linear(rank, step),
            Algorithm::Binomial => self.binomial(rank, step),
        }
    }
}

impl Collective {
    /// Returns operation `step` of a rank in the linear algorithm.
    fn linear(&self, rank: Rank, step: usize) -> Option<Operation> {
        if rank != self.root {
            return (step == 0).then(|| self.exchange_with_parent(self.root, 1));
        }
        let peer = if step < self.root.index() { step } else { step + 1 };
        (peer < self.ranks).then(|| self.exchange_with_child(Rank(peer as u32), 1))
    }

    /// Returns operation `step` of a rank in the binomial algorithm.
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
        match self.kind {
            CollectiveKind::Scatter if relative == 0 => (step < children).then(|| child(children - 1 - step)),
            CollectiveKind::Scatter if step == 0 => Some(parent(height)),
            CollectiveKind::Scatter => (step <= children).then(|| child(children - step)),
            CollectiveKind::Gather if step < children => Some(child(step)),
            CollectiveKind::Gather => (step == children && relative != 0).then(|| parent(height)),
        }
    }

    /// The transfer between this rank and its parent in the tree.
    fn exchange_with_parent(self, parent: Rank, blocks: u64) -> Operation {
        match self.kind {
            CollectiveKind::Scatter => Operation::receive(parent, self.block * blocks),
            CollectiveKind::Gather => Operation::send(parent, self.block * blocks),
        }
    }

    /// The transfer between this rank and one of its children in the tree.
    fn exchange_with_child(self, child: Rank, blocks: u64) -> Operation {
        match self.kind {
            CollectiveKind::Scatter => Operation::send(child, self.block * blocks),
            CollectiveKind::Gather => Operation::receive(child, self.block * blocks),
        }
    }
}
