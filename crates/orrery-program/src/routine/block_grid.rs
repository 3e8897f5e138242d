use std::fmt;
use std::ops::Range;

use super::RoutineError;
use super::call::{MAX_DIMENSION, MAX_PROCESSES};
use super::cyclic::gcd;
use super::layout::no_grid;
use super::stage::Axis;

/// A grid of p rows and q columns of processes, over which matrices are distributed block by block.
///
/// All matrices of a routine have square blocks of the same size, and process (0, 0) has the first
/// one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Grid {
    /// The number of rows of processes p.
    pub rows: u32,
    /// The number of columns of processes q.
    pub columns: u32,
    /// The number of rows and columns of a block R.
    pub block: u64,
}

impl Grid {
    /// The number of processes p·q.
    pub fn processes(self) -> u64 {
        u64::from(self.rows) * u64::from(self.columns)
    }

    /// Checks the block and the number of processes.
    pub(super) fn check(self) -> Result<(), RoutineError> {
        if self.block == 0 || self.block > MAX_DIMENSION {
            return Err(RoutineError::Block(self.block));
        }
        if self.processes() == 0 || self.processes() > MAX_PROCESSES {
            return Err(no_grid(self.rows, self.columns).into());
        }
        Ok(())
    }

    /// The least common multiple of the numbers of rows and columns.
    pub(super) fn common_multiple(self) -> u32 {
        let (rows, columns) = (u64::from(self.rows), u64::from(self.columns));
        (rows / gcd(rows, columns) * columns) as u32
    }

    /// The number of processes along a direction: p for [`Axis::Rows`], q for [`Axis::Columns`].
    pub(super) fn along(self, axis: Axis) -> u32 {
        match axis {
            Axis::Rows => self.rows,
            Axis::Columns => self.columns,
        }
    }

    /// The number of indices below `end` that the row or column `process` of the grid has, of
    /// `processes` rows or columns.
    pub(super) fn count_before(self, end: u64, process: u32, processes: u32) -> u64 {
        let (process, processes) = (u64::from(process), u64::from(processes));
        let (blocks, rest) = (end / self.block, end % self.block);
        let whole = blocks / processes + u64::from(process < blocks % processes);
        whole * self.block + if process == blocks % processes { rest } else { 0 }
    }

    /// The number of indices of a range that are in blocks whose numbers have the same remainder as
    /// `block` modulo `period`.
    pub(super) fn common(self, range: Range<u64>, block: u64, period: u32) -> u64 {
        let remainder = (block % u64::from(period)) as u32;
        let before = |end| self.count_before(end, remainder, period);
        before(range.end) - before(range.start)
    }

    /// The row or column of the grid, of `processes` of them, that has a row or column of a matrix.
    pub(super) fn owner(self, index: u64, processes: u32) -> u32 {
        ((index / self.block) % u64::from(processes)) as u32
    }
}

impl fmt::Display for Grid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&format!("{}x{}", self.rows, self.columns))
    }
}
