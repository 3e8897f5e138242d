//! What the processes of a grid do in a step of a routine.

use std::ops::Range;

use super::Grid;
use crate::kernel::KernelRoutine;

/// A direction of a grid and of the matrices on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Axis {
    /// Down a column: rows of a matrix are distributed over the rows of the grid.
    Rows,
    /// Along a row: columns of a matrix are distributed over the columns of the grid.
    Columns,
}

impl Axis {
    /// The other direction.
    pub(super) fn other(self) -> Self {
        match self {
            Self::Rows => Self::Columns,
            Self::Columns => Self::Rows,
        }
    }
}

/// A process of a grid, by its row and its column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Process {
    pub(super) row: u32,
    pub(super) column: u32,
}

impl Process {
    /// Its number along a direction.
    pub(super) fn coordinate(self, axis: Axis) -> u32 {
        match axis {
            Axis::Rows => self.row,
            Axis::Columns => self.column,
        }
    }

    /// The process with another number along a direction.
    pub(super) fn with(self, axis: Axis, coordinate: u32) -> Self {
        match axis {
            Axis::Rows => Self { row: coordinate, ..self },
            Axis::Columns => Self { column: coordinate, ..self },
        }
    }
}

/// A number of rows or columns that a process has.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Local {
    /// The same at all processes.
    All(u64),
    /// Those of a range that are in the process's row or column of the grid.
    Part(Axis, Range<u64>),
}

impl Local {
    /// The number of rows or columns that a process has.
    pub(super) fn count(&self, grid: Grid, process: Process) -> u64 {
        match self {
            Self::All(count) => *count,
            Self::Part(axis, range) => {
                let before =
                    |end| grid.count_before(end, process.coordinate(*axis), grid.along(*axis));
                before(range.end).saturating_sub(before(range.start))
            }
        }
    }
}

/// The processes of a row, of a column, one of them, or all.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Place {
    row: Option<u32>,
    column: Option<u32>,
}

impl Place {
    /// All processes.
    pub(super) const ALL: Self = Self { row: None, column: None };

    /// The processes with a number along a direction.
    pub(super) fn on(axis: Axis, coordinate: u32) -> Self {
        match axis {
            Axis::Rows => Self { row: Some(coordinate), column: None },
            Axis::Columns => Self { row: None, column: Some(coordinate) },
        }
    }

    /// The place of one process.
    pub(super) fn at(Process { row, column }: Process) -> Self {
        Self { row: Some(row), column: Some(column) }
    }

    /// Returns true if a process is one of them.
    pub(super) fn contains(self, process: Process) -> bool {
        self.row.is_none_or(|row| row == process.row)
            && self.column.is_none_or(|column| column == process.column)
    }
}

/// The processes that communicate, and what each of them has.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Communication {
    /// The processes that differ only in this direction communicate with each other.
    pub(super) along: Axis,
    /// The rows and the columns of the message of a process.
    pub(super) size: [Local; 2],
    /// The processes that take part.
    pub(super) place: Place,
}

/// The order of the processes in a broadcast.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Order {
    /// Along the ring of the processes in ascending order.
    Increasing,
    /// Along the ring of the processes in descending order.
    Decreasing,
    /// Along both halves of the ring.
    Split,
    /// That of the broadcasts of the MPI library.
    Native,
}

/// The orders of broadcasts down columns and along rows of the grid.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Orders {
    pub(super) rows: Order,
    pub(super) columns: Order,
}

impl Orders {
    /// The same order in both directions.
    pub(super) fn both(order: Order) -> Self {
        Self { rows: order, columns: order }
    }

    /// The orders for large matrices: rings, except where a ring is chosen already.
    pub(super) fn with_rings(self, ring: Order) -> Self {
        let chosen = |order| if order == Order::Native { ring } else { order };
        Self { rows: chosen(self.rows), columns: chosen(self.columns) }
    }

    /// The order of broadcasts along a direction.
    pub(super) fn along(self, axis: Axis) -> Order {
        match axis {
            Axis::Rows => self.rows,
            Axis::Columns => self.columns,
        }
    }
}

/// A step of a routine, in which processes do the same with their own parts of matrices.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Stage {
    /// Calls of a kernel on local parts, this number of times.
    Kernel {
        routine: KernelRoutine,
        variant: &'static str,
        dimensions: [Local; 3],
        count: Local,
        place: Place,
    },
    /// A broadcast from the process with this coordinate.
    Broadcast { message: Communication, root: u32, order: Order },
    /// A message.
    Send { message: Communication, from: u32, to: u32 },
    /// Messages in both directions.
    Exchange { message: Communication, between: [u32; 2] },
    /// A sum at the process with this coordinate, or at all processes, by the MPI library.
    Sum { message: Communication, root: Option<u32> },
    /// A combination at the process with this coordinate, along a binomial tree.
    Combine { message: Communication, root: u32 },
    /// A message from the process with this coordinate to each other one, of the size that the
    /// other one has.
    Spread { message: Communication, from: u32 },
    /// The common indices of a part of a row or column of the grid, and of one in the other
    /// direction: indices `range`, distributed along `axis` at the processes with the coordinate
    /// `at` in the other direction, for those with the coordinate `to` in this one, over which they
    /// are distributed in the other direction. If all processes in the other direction have them,
    /// those with the coordinate `to` take what they have themselves.
    Transpose { axis: Axis, range: Range<u64>, width: u64, at: u32, to: u32, is_replicated: bool },
    /// On a square grid, the part of a panel that a process has, for the process with exchanged
    /// coordinates.
    Mirror { message: Communication },
}
