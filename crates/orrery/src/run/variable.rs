//! The names of variables that have a meaning of their own. All other names are the application's.

/// The size of the problem: N of a matrix N×N.
pub const PROBLEM_SIZE: &str = "n";

/// The number of processes: P = Σ (elements of a kind) × (processes on each).
pub const PROCESSES: &str = "processes";

/// The rows of the process grid P×Q.
pub const GRID_ROWS: &str = "p";

/// The columns of the process grid P×Q.
pub const GRID_COLUMNS: &str = "q";

/// The block size of a block-cyclic distribution, NB of HPL.
pub const BLOCK_SIZE: &str = "block";

/// 1 where several processing elements take part in a run, 0 where one has all processes: only several communicate over
/// the network.
pub const SPANS_ELEMENTS: &str = "between_elements";

/// The processes on each processing element: M_i of the kind that is looked at.
pub const PROCESSES_PER_ELEMENT: &str = "per_element";
