use std::ops::Range;

use orrery_base::units::Bytes;
use orrery_program::schedule::{Rank, Tag, Transfer};

/// The value of [`GoalOperation::peer`] or [`GoalOperation::tag`] that matches any source or any
/// tag.
pub const ANY: u32 = u32::MAX;

/// The kind of an operation of GOAL.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum OperationKind {
    /// Sends a message (`send`).
    Send,
    /// Receives a message (`recv`).
    Receive,
    /// Computes for a fixed time (`calc`).
    Calculate,
}

/// An operation of a rank: a send, a receive or a computation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GoalOperation {
    /// The size of the message in bytes, or the time of the computation in nanoseconds.
    pub size: u64,
    /// The rank of the operation.
    pub rank: u32,
    /// The other rank of a message; [`ANY`] for a receive from any source.
    pub peer: u32,
    /// The tag of a message; [`ANY`] for a receive of any tag.
    pub tag: u32,
    /// The number of its line, from 1.
    pub line: u32,
    /// The processor of the rank that it occupies.
    pub cpu: u8,
    /// The network interface of the rank that it occupies.
    pub nic: u8,
    /// The kind of the operation.
    pub kind: OperationKind,
}

impl GoalOperation {
    /// An operation without rank and line, on the first processor and interface.
    pub(super) const fn new(kind: OperationKind, peer: u32, tag: u32, size: u64) -> Self {
        Self { size, rank: 0, peer, tag, line: 0, cpu: 0, nic: 0, kind }
    }

    /// The transfer of a send or a receive.
    pub fn transfer(&self) -> Transfer {
        let (peer, tag, size) = (Rank(self.peer), Tag(self.tag), Bytes::new(self.size));
        match self.kind {
            OperationKind::Send => Transfer::Send { to: peer, size, tag },
            _ if self.peer == ANY => Transfer::ReceiveAny { size, tag },
            _ => Transfer::Receive { from: peer, size, tag },
        }
    }
}

/// A schedule in GOAL: the operations of all ranks and the dependencies between them.
#[derive(Debug, Clone, Default)]
pub struct GoalGraph {
    pub(super) ranks: u32,
    /// The operations; those of a rank are consecutive.
    pub(super) operations: Vec<GoalOperation>,
    /// The end of the dependents of each operation in `dependents`.
    pub(super) ends: Vec<u32>,
    /// The dependents of all operations, joined; [`START_FLAG`] marks those that wait for the
    /// start.
    pub(super) dependents: Vec<u32>,
}

/// The bit that marks a dependency on the start of an operation (`irequires`) instead of its end
/// (`requires`).
pub(super) const START_FLAG: u32 = 1 << 31;

/// The maximum number of operations of a graph: the highest bit of their numbers is [`START_FLAG`].
pub(in crate::trace) const MAX_OPERATIONS: u32 = START_FLAG;

impl GoalGraph {
    /// Makes a graph of operations, rank by rank, and the dependencies of each.
    pub(super) fn new(
        ranks: u32,
        operations: Vec<GoalOperation>,
        dependencies: &[Vec<u32>],
    ) -> Self {
        let mut dependents: Vec<Vec<u32>> = vec![Vec::new(); operations.len()];
        for (number, dependencies) in dependencies.iter().enumerate() {
            for dependency in dependencies {
                dependents[(dependency & !START_FLAG) as usize]
                    .push(number as u32 | dependency & START_FLAG);
            }
        }
        let mut ends = Vec::with_capacity(operations.len());
        let mut joined = Vec::new();
        for own in dependents {
            joined.extend(own);
            ends.push(joined.len() as u32);
        }
        Self { ranks, operations, ends, dependents: joined }
    }

    /// The number of ranks.
    pub fn ranks(&self) -> u32 {
        self.ranks
    }

    /// The operations; those of a rank are consecutive.
    pub fn operations(&self) -> &[GoalOperation] {
        &self.operations
    }

    /// The numbers of the operations of each rank.
    pub(super) fn operations_by_rank(&self) -> Vec<Range<u32>> {
        let mut all = vec![0..0; self.ranks as usize];
        let mut first = 0;
        for own in self.operations.chunk_by(|a, b| a.rank == b.rank) {
            let end = first + own.len() as u32;
            all[own[0].rank as usize] = first..end;
            first = end;
        }
        all
    }

    /// The operations that wait for an operation, each with true if it waits for the start instead
    /// of the end.
    pub fn dependents(&self, operation: u32) -> impl Iterator<Item = (u32, bool)> + '_ {
        let begin = if operation == 0 { 0 } else { self.ends[operation as usize - 1] };
        let all = &self.dependents[begin as usize..self.ends[operation as usize] as usize];
        all.iter().map(|&dependent| (dependent & !START_FLAG, dependent & START_FLAG != 0))
    }
}
