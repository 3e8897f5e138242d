//! Collective operations as schedules of point-to-point messages.
//!
//! An algorithm is a sequence of stages: a tree, rounds of exchanges, or messages between a rank
//! and all others. A stage says which [blocks](Data) each message carries; sizes follow from them,
//! and a test plays the blocks and checks that each rank ends with those that MPI requires.

mod algorithm;
mod bine;
mod data;
mod exchange;
mod exchange_stage;
mod kind;
mod linear;
mod sizes;
mod space;
mod split;
mod stage;
mod step;
mod tree;
mod tree_stage;

use serde::{Deserialize, Serialize};

pub use algorithm::Algorithm;
pub use data::Data;
pub use kind::CollectiveKind;
pub use step::{Arrival, Step};

pub use sizes::DataSizes;
use space::Space;
pub use stage::Call;

use super::{Cursor, Operation, Rank, Request, Schedule, Tag, Transfer};
use orrery_base::units::Bytes;

/// A collective operation with its algorithm, root, number of ranks and size.
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
    /// The size of the block of one rank, or that of the vector (see
    /// [`CollectiveKind::has_blocks`]).
    pub block: Bytes,
}

impl Schedule for Collective {
    fn ranks(&self) -> usize {
        self.ranks
    }

    fn next(&self, rank: Rank, cursor: &mut Cursor) -> Option<Operation> {
        let step = self.step(rank, cursor.advance())?;
        Some(self.call().operation(step, Tag(0), 0))
    }
}

impl Collective {
    /// A step of a rank with the blocks that it moves; `None` after the last one.
    pub fn step(&self, rank: Rank, index: usize) -> Option<Step> {
        if self.ranks < 2 {
            return None;
        }
        self.call().step(rank.index(), index)
    }

    /// The steps of a rank in order.
    pub fn steps(&self, rank: Rank) -> impl Iterator<Item = Step> {
        let call = (self.ranks > 1).then(|| self.call());
        call.into_iter().flat_map(move |call| call.steps(rank.index()))
    }

    /// The number of operations of all ranks, the largest number if there are more.
    pub fn operations(&self) -> u64 {
        if self.ranks < 2 {
            return 0;
        }
        let call = self.call();
        (0..self.ranks).fold(0, |sum: u64, rank| sum.saturating_add(call.len(rank) as u64))
    }

    /// The numbers of some blocks, counted from the root on; the block from rank s to rank d of an
    /// alltoall has the number s·p + d.
    pub fn blocks(&self, data: Data) -> Vec<usize> {
        data.blocks(self.space(), self.call().layout.count(self.ranks))
    }

    /// The number of bytes of some blocks.
    pub fn bytes(&self, data: Data) -> Bytes {
        self.call().layout.bytes(data, self.space())
    }

    /// The number of blocks: p for operations with blocks of ranks, p² for an alltoall, otherwise
    /// the number of parts of the vector.
    pub fn block_count(&self) -> usize {
        match self.kind {
            CollectiveKind::Alltoall => self.ranks * self.ranks,
            _ => self.call().layout.count(self.ranks),
        }
    }

    /// All ranks, numbered from the root on.
    fn space(&self) -> Space {
        Space::all(self.ranks, self.root.index())
    }

    /// The ranks, blocks and stages of the operation.
    fn call(&self) -> Call<'static> {
        Call::new(self.kind, self.algorithm, self.ranks, self.root.index(), self.block)
    }
}

impl Call<'_> {
    /// The operation of a step. Requests are numbered from `first_request` on.
    pub fn operation(&self, step: Step, tag: Tag, first_request: u32) -> Operation {
        let size = |data| self.layout.bytes(data, Space::all(self.ranks, self.root));
        let send = |to: usize, data| Transfer::Send { to: Rank(to as u32), size: size(data), tag };
        let receive = |Arrival { from, data, .. }: Arrival| Transfer::Receive {
            from: Rank(from as u32),
            size: size(data),
            tag,
        };
        let request = |request| Request(first_request + request);
        match step {
            Step::Send { to, data } | Step::PassOn { to, data, .. } => {
                Operation::Do(send(to, data))
            }
            Step::Receive(arrival) => Operation::Do(receive(arrival)),
            Step::PostSend { to, data, request: number } => {
                Operation::Post(send(to, data), request(number))
            }
            Step::PostReceive(arrival, number) => {
                Operation::Post(receive(arrival), request(number))
            }
            Step::Wait(number) => Operation::Wait(request(number)),
            Step::Combine { data, .. } => Operation::Combine(size(data)),
        }
    }
}
