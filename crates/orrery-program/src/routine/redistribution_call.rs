use std::fmt;

use super::call::{MAX_DIMENSION, MAX_ELEMENTS};
use super::{Caterpillar, Grid, Layout, ProcessGrid, Redistribution, RoutineError, StepSchedule};
use crate::kernel::Precision;
use crate::schedule::{Algorithm, Collective, CollectiveKind, Cursor, Operation, Rank, Schedule};
use orrery_base::file::Fault;
use orrery_base::units::Bytes;

/// A call of `pdgemr2d`: the copy of an m×n matrix from one grid of processes to another one.
///
/// Process (i, j) of each grid is rank i·q + j of its own numbers of columns q: both grids consist
/// of the first ranks.
///
/// ```
/// use orrery_program::kernel::Precision;
/// use orrery_program::routine::{Grid, RedistributionCall};
/// use orrery_base::units::Bytes;
/// let grid = |rows, columns| Grid { rows, columns, block: 64 };
/// let call = RedistributionCall::new(Precision::Double, [1024; 2], grid(2, 2), grid(1, 4))?;
/// assert_eq!((call.to_string(), call.processes()), ("pdgemr2d".to_owned(), 4));
/// // A quarter of the matrix before and after.
/// assert_eq!(call.space(), Bytes::new(2 * 8 * 512 * 512));
/// # Ok::<(), orrery_program::routine::RoutineError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RedistributionCall {
    precision: Precision,
    dimensions: [u64; 2],
    from: Grid,
    to: Grid,
}

impl RedistributionCall {
    /// What the routine does, in a few words.
    pub const ABOUT: &'static str = "copy of a matrix to another grid";

    /// A copy of a matrix of m rows and n columns.
    ///
    /// # Errors
    ///
    /// When a dimension or a block is 0 or larger than 2³¹, when the matrix has more than 2⁵⁹
    /// elements, or when a grid has no process or more than 2²⁰.
    pub fn new(
        precision: Precision,
        dimensions: [u64; 2],
        from: Grid,
        to: Grid,
    ) -> Result<Self, RoutineError> {
        let mut named = dimensions.into_iter().zip(['m', 'n']);
        if let Some((value, name)) = named.find(|(value, _)| *value == 0 || *value > MAX_DIMENSION)
        {
            return Err(RoutineError::MatrixDimension { name, value });
        }
        let [m, n] = dimensions;
        if m.saturating_mul(n) > MAX_ELEMENTS {
            return Err(RoutineError::Elements { m, n });
        }
        for grid in [from, to] {
            grid.check()?;
        }
        Ok(Self { precision, dimensions, from, to })
    }

    /// The name of the routine in a precision.
    pub fn name(precision: Precision) -> String {
        format!("p{precision}gemr2d")
    }

    /// The precision of a routine by its name; `None` if the name is that of another routine.
    pub fn precision_of(name: &str) -> Option<Precision> {
        Precision::ALL.into_iter().find(|precision| Self::name(*precision) == name)
    }

    /// The precision.
    pub fn precision(&self) -> Precision {
        self.precision
    }

    /// The dimensions m and n.
    pub fn dimensions(&self) -> [u64; 2] {
        self.dimensions
    }

    /// The grid before.
    pub fn from(&self) -> Grid {
        self.from
    }

    /// The grid after.
    pub fn to(&self) -> Grid {
        self.to
    }

    /// The number of processes of the larger grid.
    pub fn processes(&self) -> u64 {
        self.from.processes().max(self.to.processes())
    }

    /// What each process has to send.
    ///
    /// # Errors
    ///
    /// When the layouts repeat after too many blocks.
    pub fn redistribution(&self) -> Result<Redistribution, Fault> {
        let [m, n] = self.dimensions;
        let layout = |Grid { rows, columns, block }| {
            // A single block of the whole matrix and one that exceeds it are the same.
            let block = block.min(m.max(n));
            Layout::new(ProcessGrid::new(rows, columns)?, (m, n), (block, block))
        };
        Redistribution::new(layout(self.from)?, layout(self.to)?, self.precision.element())
    }

    /// The memory of the matrix before and after at the process with the largest parts, without the
    /// work space of the library.
    pub fn space(&self) -> Bytes {
        let part = |grid: Grid| {
            let [m, n] = self.dimensions;
            grid.count_before(m, 0, grid.rows).saturating_mul(grid.count_before(n, 0, grid.columns))
        };
        let elements = part(self.from).saturating_add(part(self.to));
        Bytes::new(elements.saturating_mul(self.precision.element().get()))
    }
}

/// What the processes of a call of `pdgemr2d` do: all of them agree on the grids and blocks, then
/// the messages of the [`Caterpillar`]. Copies into and out of buffers are left out.
///
/// With P processes the agreement is a minimum of 2P + 20 numbers of 6 bytes at all of them, by
/// recursive doubling.
///
/// Source: `REDIST/SRC/pdgemr.c` of ScaLAPACK 2.2, traces of it.
#[derive(Debug, Clone)]
pub struct RedistributionProgram<'a> {
    agreement: Collective,
    messages: Caterpillar<'a>,
}

impl<'a> RedistributionProgram<'a> {
    /// The program of a redistribution among the first ranks.
    pub fn new(redistribution: &'a Redistribution) -> Self {
        let messages = redistribution.caterpillar();
        let ranks = messages.ranks();
        let block = Bytes::new(6 * (2 * ranks as u64 + 20));
        let (kind, algorithm) = (CollectiveKind::Allreduce, Algorithm::RecursiveDoubling);
        Self { agreement: Collective { kind, algorithm, root: Rank(0), ranks, block }, messages }
    }
}

impl Schedule for RedistributionProgram<'_> {
    fn ranks(&self) -> usize {
        self.messages.ranks()
    }

    fn next(&self, rank: Rank, cursor: &mut Cursor) -> Option<Operation> {
        if cursor.statement == 0 {
            if let Some(operation) = self.agreement.next(rank, cursor) {
                return Some(operation);
            }
            *cursor = Cursor { statement: 1, step: 0 };
        }
        let mut own = Cursor { statement: cursor.statement - 1, step: cursor.step };
        let operation = self.messages.next(rank, &mut own);
        *cursor = Cursor { statement: own.statement + 1, step: own.step };
        operation
    }
}

impl StepSchedule for RedistributionProgram<'_> {
    fn steps(&self) -> usize {
        self.messages.steps() + 1
    }
}

impl fmt::Display for RedistributionCall {
    /// Writes the name of the routine.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&Self::name(self.precision))
    }
}
