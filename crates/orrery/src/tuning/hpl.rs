//! The input of HPL, the benchmark that solves dense linear equations.

/// What is decided about a run of HPL. All else is as HPL comes, with one panel of lookahead and broadcasts along the
/// modified ring.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Input {
    /// The order N of the matrix.
    pub order: u64,
    /// The block size NB.
    pub block: u32,
    /// Rows and columns of the process grid, P and Q.
    pub grid: (u32, u32),
    /// How ranks are put into the grid.
    pub mapping: Mapping,
}

/// How ranks are put into the process grid.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mapping {
    /// Rank r at row ⌊r/Q⌋ and column r mod Q: neighbours in rank, such as those of a host, are in one row.
    Rows,
    /// Rank r at row r mod P and column ⌊r/P⌋: neighbours in rank are in one column.
    Columns,
}

/// An input that HPL cannot run.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum InputError {
    /// A number is 0.
    #[error("the {what} is 0; give a whole number from 1")]
    Zero {
        /// Which number.
        what: &'static str,
    },
    /// The grid has another number of processes.
    #[error("the grid of {} x {} has no {processes} processes; give one whose sides have that product", grid.0, grid.1)]
    Grid {
        /// Rows and columns.
        grid: (u32, u32),
        /// The number of processes.
        processes: u64,
    },
}

/// The longest title that is written: HPL reads lines of limited length.
const TITLE: usize = 120;

impl Input {
    /// HPL.dat for so many processes: 31 lines that are read by their position, the value first and what it is after it.
    /// The first two are titles that say why the input is so.
    ///
    /// # Errors
    ///
    /// A number of 0, and a grid of another number of processes.
    pub fn text(&self, processes: u64, why: &str) -> Result<String, InputError> {
        let Self { order, block, grid: (p, q), mapping } = *self;
        let numbers = [("order N", order), ("block size", block.into()), ("grid's number of rows", p.into())];
        let zero = numbers.into_iter().chain([("grid's number of columns", q.into())]).find(|(_, number)| *number == 0);
        if let Some((what, _)) = zero {
            return Err(InputError::Zero { what });
        }
        if u64::from(p) * u64::from(q) != processes {
            return Err(InputError::Grid { grid: self.grid, processes });
        }
        let pmap = u8::from(mapping == Mapping::Columns);
        let title: String = why.split_whitespace().collect::<Vec<_>>().join(" ").chars().take(TITLE).collect();
        let values: [(String, &str); 29] = [
            ("HPL.out".into(), "output file name (if any)"),
            ("6".into(), "device out (6=stdout,7=stderr,file)"),
            ("1".into(), "# of problems sizes (N)"),
            (order.to_string(), "Ns"),
            ("1".into(), "# of NBs"),
            (block.to_string(), "NBs"),
            (pmap.to_string(), "PMAP process mapping (0=Row-,1=Column-major)"),
            ("1".into(), "# of process grids (P x Q)"),
            (p.to_string(), "Ps"),
            (q.to_string(), "Qs"),
            ("16.0".into(), "threshold"),
            ("1".into(), "# of panel fact"),
            ("2".into(), "PFACTs (0=left, 1=Crout, 2=Right)"),
            ("1".into(), "# of recursive stopping criterium"),
            ("4".into(), "NBMINs (>= 1)"),
            ("1".into(), "# of panels in recursion"),
            ("2".into(), "NDIVs"),
            ("1".into(), "# of recursive panel fact."),
            ("1".into(), "RFACTs (0=left, 1=Crout, 2=Right)"),
            ("1".into(), "# of broadcast"),
            ("1".into(), "BCASTs (0=1rg,1=1rM,2=2rg,3=2rM,4=Lng,5=LnM)"),
            ("1".into(), "# of lookahead depth"),
            ("1".into(), "DEPTHs (>=0)"),
            ("2".into(), "SWAP (0=bin-exch,1=long,2=mix)"),
            ("64".into(), "swapping threshold"),
            ("0".into(), "L1 in (0=transposed,1=no-transposed) form"),
            ("0".into(), "U  in (0=transposed,1=no-transposed) form"),
            ("1".into(), "Equilibration (0=no,1=yes)"),
            ("8".into(), "memory alignment in double (> 0)"),
        ];
        let lines = values.map(|(value, meaning)| format!("{value:<12} {meaning}\n"));
        Ok(format!("HPL input file written by Orrery\n{title}\n{}", lines.concat()))
    }
}
