use super::{Cyclic, ProcessGrid};
use orrery_base::file::Fault;
use orrery_base::units::Bytes;

/// The fault of a grid without processes, or with too many.
pub(super) fn no_grid(rows: u32, columns: u32) -> Fault {
    Fault::new(format!(
        "the grid {rows}x{columns} is impossible; give one of 1 to 1048576 processes"
    ))
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
    /// # Ok::<(), orrery_base::file::Fault>(())
    /// ```
    pub fn new(grid: ProcessGrid, matrix: (u64, u64), block: (u64, u64)) -> Result<Self, Fault> {
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
