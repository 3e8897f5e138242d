use super::layout::no_grid;
use crate::schedule::Rank;
use orrery_base::file::Fault;

/// A grid of processes, p rows by q columns; process (i, j) has the number i·q + j.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProcessGrid {
    rows: u32,
    columns: u32,
    /// The rank of each process, by number.
    ranks: Vec<Rank>,
}

impl ProcessGrid {
    /// The grid whose processes are the first p·q ranks, row by row.
    ///
    /// # Errors
    ///
    /// When the grid has no process, or more than 2²⁰.
    ///
    /// ```
    /// use orrery_program::routine::ProcessGrid;
    /// use orrery_program::schedule::Rank;
    /// let grid = ProcessGrid::new(2, 3)?;
    /// assert_eq!((grid.processes(), grid.rank(1, 0)), (6, Rank(3)));
    /// # Ok::<(), orrery_base::file::Fault>(())
    /// ```
    pub fn new(rows: u32, columns: u32) -> Result<Self, Fault> {
        let processes = u64::from(rows) * u64::from(columns);
        if processes == 0 || processes > MAX_PROCESSES {
            return Err(no_grid(rows, columns));
        }
        Ok(Self { rows, columns, ranks: Rank::first(processes as usize).collect() })
    }

    /// The grid whose processes are these ranks, row by row.
    ///
    /// # Errors
    ///
    /// As [`ProcessGrid::new`], and when the number of ranks is not p·q or a rank occurs twice.
    pub fn with_ranks(rows: u32, columns: u32, ranks: Vec<Rank>) -> Result<Self, Fault> {
        let processes = u64::from(rows) * u64::from(columns);
        if processes == 0 || processes > MAX_PROCESSES {
            return Err(no_grid(rows, columns));
        }
        let mut sorted = ranks.clone();
        sorted.sort_unstable();
        sorted.dedup();
        if ranks.len() as u64 != processes || sorted.len() != ranks.len() {
            let different = sorted.len();
            return Err(Fault::new(format!(
                "the number of different ranks is {different}, but a grid of {rows}x{columns} \
                    needs {processes}; name a different rank for each process"
            )));
        }
        Ok(Self { rows, columns, ranks })
    }

    /// The number of rows p.
    pub fn rows(&self) -> u32 {
        self.rows
    }

    /// The number of columns q.
    pub fn columns(&self) -> u32 {
        self.columns
    }

    /// The number of processes p·q.
    pub fn processes(&self) -> usize {
        self.ranks.len()
    }

    /// The ranks of the processes, row by row.
    pub fn ranks(&self) -> &[Rank] {
        &self.ranks
    }

    /// The rank of process (i, j); i and j are taken modulo p and q.
    pub fn rank(&self, row: u32, column: u32) -> Rank {
        self.ranks[((row % self.rows) * self.columns + column % self.columns) as usize]
    }
}

/// The largest number of processes of a grid.
const MAX_PROCESSES: u64 = 1 << 20;
