use super::{Cyclic, ProcessGrid};
use orrery_base::units::Bytes;

/// The reason why a matrix cannot be laid out on a grid.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum LayoutError {
    /// A grid without processes, or with too many.
    #[error("a grid of {rows}x{columns} processes; a grid has 1 to 1048576 processes")]
    Grid {
        /// The number of rows.
        rows: u32,
        /// The number of columns.
        columns: u32,
    },
    /// The ranks are not those of a grid.
    #[error(
        "{different} different ranks for a grid of {rows}x{columns}; name a different rank for \
            each process"
    )]
    Ranks {
        /// The number of rows.
        rows: u32,
        /// The number of columns.
        columns: u32,
        /// The number of different ranks.
        different: usize,
    },
    /// Blocks without rows or columns.
    #[error("a block of 0; a block has at least one row and column")]
    EmptyBlock,
    /// The process of the first block is not in the grid.
    #[error(
        "process {first} has the first block, but there are {processes} processes, numbered from 0"
    )]
    First {
        /// The process.
        first: u32,
        /// The number of processes.
        processes: u32,
    },
    /// Too many rows or columns.
    #[error("{0} rows or columns; at most 1099511627776 are possible")]
    Extent(u64),
    /// Matrices of different shapes.
    #[error(
        "{0} rows or columns before the redistribution and {1} after it; both must be the same"
    )]
    DifferentExtents(u64, u64),
    /// The common pattern of two layouts is too long.
    #[error(
        "the layouts repeat only after {0} blocks; at most 67108864 are possible; use larger blocks"
    )]
    Blocks(u64),
    /// Too many processes for a schedule by matchings.
    #[error(
        "{0} processes in a dimension; schedules by matchings are limited to {1}; use the \
            caterpillar"
    )]
    TooManyForMatching(usize, usize),
}

/// A matrix on a grid of processes, in blocks of rows and columns that the rows and columns of the
/// grid have in turn.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Layout {
    /// The grid.
    pub grid: ProcessGrid,
    /// The distribution of the rows of the matrix over those of the grid.
    pub rows: Cyclic,
    /// The distribution of the columns of the matrix over those of the grid.
    pub columns: Cyclic,
}

impl Layout {
    /// The layout of an m×n matrix in blocks of mb×nb, of which process (0, 0) has the first.
    ///
    /// # Errors
    ///
    /// When blocks are empty.
    ///
    /// ```
    /// use orrery_program::routine::{Layout, ProcessGrid};
    /// use orrery_base::units::Bytes;
    /// let layout = Layout::new(ProcessGrid::new(2, 3)?, (1000, 1000), (64, 64))?;
    /// // Eight blocks of 64 rows; five blocks of 64 columns and the last one, of 40.
    /// assert_eq!(layout.largest_part(Bytes::new(8)), Bytes::new(512 * 360 * 8));
    /// # Ok::<(), orrery_program::routine::LayoutError>(())
    /// ```
    pub fn new(
        grid: ProcessGrid,
        matrix: (u64, u64),
        block: (u64, u64),
    ) -> Result<Self, LayoutError> {
        let rows = Cyclic::new(matrix.0, block.0, grid.rows(), 0)?;
        let columns = Cyclic::new(matrix.1, block.1, grid.columns(), 0)?;
        Ok(Self { grid, rows, columns })
    }

    /// The memory of the process with the largest part of the matrix, whose elements have this
    /// size.
    pub fn largest_part(&self, element: Bytes) -> Bytes {
        let elements = self.rows.largest_count().saturating_mul(self.columns.largest_count());
        Bytes::new(elements.saturating_mul(element.get()))
    }
}
