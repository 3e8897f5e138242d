use std::sync::Arc;

use super::SparseRows;
use super::partition::Partition;
use super::varying::UpdatableLeastSquares;

/// A weighted linear least-squares problem with sparse rows and non-negative unknowns.
///
/// minimise Σ_e w_e² (Σ_k a_ek·x_k − y_e)² over x ≥ 0. Each row has been divided by the standard deviation of its
/// observation when w_e = 1/σ_e.
#[derive(Debug, Clone)]
pub struct LeastSquares {
    partition: Arc<Partition>,
    rows: SparseRows,
}

/// What least squares came to.
#[derive(Debug, Clone, PartialEq)]
pub struct Solution {
    /// The unknowns, none negative.
    pub values: Vec<f64>,
    /// Σ of the squared weighted residuals.
    pub residual: f64,
    /// Which unknowns are not held at zero.
    pub free: Vec<bool>,
}

/// Unknowns that the rows do not determine: some combination of them changes no observation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unidentified(pub Vec<usize>);

impl LeastSquares {
    /// A problem of so many unknowns and no rows.
    pub fn new(unknowns: usize) -> Self {
        Self { partition: Arc::new(Partition::new(unknowns, [])), rows: SparseRows::new() }
    }

    /// The same with blocks of one or two unknowns that no row of another block touches: they are eliminated first, and
    /// the equations that remain are as few as the other unknowns. Rows that join blocks are allowed and cost that gain.
    ///
    /// # Panics
    ///
    /// When a block has none or more than two unknowns: a bug of the caller.
    #[must_use]
    pub fn with_blocks(self, blocks: impl IntoIterator<Item = Vec<usize>>) -> Self {
        Self { partition: Arc::new(Partition::new(self.partition.unknowns(), blocks)), rows: self.rows }
    }

    /// The same with these rows before those that it has.
    #[must_use]
    pub fn with_rows(self, mut rows: SparseRows) -> Self {
        rows.append(&self.rows);
        Self { rows, ..self }
    }

    /// The same, to be solved time and again with further rows that are exchanged between two solutions.
    pub(crate) fn varying(self) -> UpdatableLeastSquares {
        UpdatableLeastSquares::new(self.partition, self.rows)
    }

    /// Adds the row Σ coefficient × unknown = observation with its weight.
    pub fn push(&mut self, terms: impl IntoIterator<Item = (usize, f64)>, observation: f64, weight: f64) {
        self.rows.push(terms, observation, weight);
    }

    /// How many unknowns there are.
    pub fn unknowns(&self) -> usize {
        self.partition.unknowns()
    }

    /// The standard deviation of each unknown for observations of unit variance after weighting, no unknown being held
    /// at zero.
    ///
    /// # Errors
    ///
    /// When the rows do not determine the unknowns, with those concerned.
    pub fn deviations(&self) -> Result<Vec<f64>, Unidentified> {
        self.clone().varying().deviations()
    }

    /// Solves it by block principal pivoting on the normal equations, each solution refined on the rows themselves.
    ///
    /// Unknowns are free or held at zero; those that break the conditions of Karush, Kuhn and Tucker change sides, all of
    /// them, as long as their number falls now and then. The unknowns of a block change to the sides that are best for the
    /// block. Source: Kim, Park, "Fast nonnegative matrix factorization: an active-set-like method and comparisons", SIAM
    /// J. Sci. Comput. 33 (2011), after Portugal, Júdice, Vicente (1994). Where noise is so large that their number does
    /// not fall, the way is downhill, which cannot come back to where it was: Lawson, Hanson, "Solving least squares
    /// problems" (1974), chapter 23, with several unknowns set free at a time.
    ///
    /// # Errors
    ///
    /// When the rows do not determine the unknowns, with those concerned.
    pub fn solve(&self) -> Result<Solution, Unidentified> {
        self.clone().varying().solve(&vec![true; self.unknowns()])
    }
}
