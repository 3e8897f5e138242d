use serde::{Deserialize, Serialize};

use super::{Cursor, Operation, Rank, Schedule};

/// A schedule that is stored operation by operation.
#[derive(Debug, Clone, Default, PartialEq, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Explicit {
    ranks: Vec<Vec<Operation>>,
}

impl Explicit {
    /// Creates a schedule from the operations of rank 0, of rank 1, ….
    pub fn new(ranks: Vec<Vec<Operation>>) -> Self {
        Self { ranks }
    }
}

impl Schedule for Explicit {
    fn ranks(&self) -> usize {
        self.ranks.len()
    }

    fn next(&self, rank: Rank, cursor: &mut Cursor) -> Option<Operation> {
        self.ranks.get(rank.index())?.get(cursor.advance()).copied()
    }
}
