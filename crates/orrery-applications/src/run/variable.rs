//! The names of variables with a fixed meaning. All other names are parameters of the application.

use std::collections::BTreeMap;

/// The problem size, such as the order N of a matrix.
pub const PROBLEM_SIZE: &str = "n";

/// The number of processes, P = Σ elements × processes per element over the kinds.
pub const PROCESSES: &str = "processes";

/// The number of rows P of the process grid P×Q.
pub const GRID_ROWS: &str = "p";

/// The number of columns Q of the process grid P×Q.
pub const GRID_COLUMNS: &str = "q";

/// The block size of a block-cyclic distribution (NB of HPL).
pub const BLOCK_SIZE: &str = "block";

/// 1 if several processing elements take part in a run and communicate over the network; 0 for one
/// element.
pub const SPANS_ELEMENTS: &str = "between_elements";

/// The number of processes on each processing element of a kind, Mᵢ.
pub const PROCESSES_PER_ELEMENT: &str = "per_element";

/// Variables as text, the problem size first: `n = 9600, block = 64, p = 1, q = 4`.
pub fn text(variables: &BTreeMap<String, f64>) -> String {
    let (size, others): (Vec<_>, Vec<_>) =
        variables.iter().partition(|(name, _)| *name == PROBLEM_SIZE);
    let texts = size.iter().chain(&others).map(|(name, value)| format!("{name} = {value}"));
    texts.collect::<Vec<_>>().join(", ")
}
