use std::io::BufRead;
use std::ops::Range;
use std::path::Path;

use super::{GoalError, reader};

/// Stands for any source, or any tag.
pub const ANY: u32 = u32::MAX;

/// What an operation does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum OperationKind {
    /// Sends a message.
    Send,
    /// Receives a message.
    Receive,
    /// Computes for some time.
    Calculate,
}

/// One operation of a rank.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Operation {
    /// The bytes of a message, the nanoseconds of a computation.
    pub size: u64,
    /// The rank that it belongs to.
    pub rank: u32,
    /// The other rank of a message; [`ANY`] source of a receive.
    pub peer: u32,
    /// The tag of a message; [`ANY`] of a receive.
    pub tag: u32,
    /// The line where it stands.
    pub line: u32,
    /// The processor of the rank that it takes.
    pub cpu: u8,
    /// The network interface of the rank that it takes.
    pub nic: u8,
    /// What it does.
    pub kind: OperationKind,
}

/// The operations of all ranks with what waits for what.
#[derive(Debug, Clone, Default)]
pub struct GoalGraph {
    pub(super) ranks: u32,
    pub(super) operations: Vec<Operation>,
    /// Where the followers of each operation end in `followers`.
    pub(super) ends: Vec<u32>,
    /// Operations that wait: for the end of one, or (with the highest bit set) for its start.
    pub(super) followers: Vec<u32>,
}

/// Marks a follower that waits for the start; operations have numbers below.
pub(in crate::trace) const FOR_START: u32 = 1 << 31;

impl GoalGraph {
    /// Reads a text; `name` is its name in errors. The text is read line by line and not kept.
    ///
    /// # Errors
    ///
    /// The first thing that is wrong, with its line and column.
    pub fn read(text: impl BufRead, name: impl AsRef<Path>) -> Result<Self, GoalError> {
        reader::read(text, name.as_ref())
    }

    /// How many ranks there are.
    pub fn ranks(&self) -> u32 {
        self.ranks
    }

    /// All operations, those of a rank next to each other.
    pub fn operations(&self) -> &[Operation] {
        &self.operations
    }

    /// Where the operations of each rank stand.
    pub(super) fn of_ranks(&self) -> Vec<Range<u32>> {
        let mut all = vec![0..0; self.ranks as usize];
        let mut first = 0;
        for own in self.operations.chunk_by(|a, b| a.rank == b.rank) {
            let end = first + own.len() as u32;
            all[own[0].rank as usize] = first..end;
            first = end;
        }
        all
    }

    /// The operations that wait for this one, and whether for its start rather than its end.
    pub fn followers(&self, operation: u32) -> impl Iterator<Item = (u32, bool)> + '_ {
        let begin = if operation == 0 { 0 } else { self.ends[operation as usize - 1] };
        let all = &self.followers[begin as usize..self.ends[operation as usize] as usize];
        all.iter().map(|&follower| (follower & !FOR_START, follower & FOR_START != 0))
    }
}
