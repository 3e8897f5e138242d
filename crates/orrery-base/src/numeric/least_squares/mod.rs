use std::sync::Arc;

mod block;
mod block_structure;
mod covariance;
mod dense;
mod linear_solvers;
mod nonnegative;
mod normal_equations;
mod rows;
mod updatable;

pub use covariance::Covariance;
pub use dense::least_squares;
pub use nonnegative::{RobustFit, nonnegative_from, nonnegative_least_squares, robust_nonnegative};
pub use normal_equations::Unidentified;
pub use rows::SparseRows;
pub use updatable::{Solution, UpdatableLeastSquares};

use block_structure::BlockStructure;

/// A weighted linear least-squares problem with sparse rows and non-negative unknowns.
///
/// It minimises Σ_e w_e²·(Σ_k a_ek·x_k − y_e)² over x ≥ 0. Weights w_e = 1/σ_e are the inverse
/// standard deviations of the observations y_e.
#[derive(Debug, Clone)]
pub struct LeastSquares {
    structure: Arc<BlockStructure>,
    rows: SparseRows,
}

impl LeastSquares {
    /// A problem with a number of unknowns and no rows.
    pub fn new(unknowns: usize) -> Self {
        Self { structure: Arc::new(BlockStructure::new(unknowns, [])), rows: SparseRows::new() }
    }

    /// Declares blocks of one or two unknowns that share no row; they are eliminated first, so that
    /// the remaining equations are as many as the other unknowns.
    ///
    /// Rows that contain unknowns of two blocks are allowed and undo this gain.
    ///
    /// # Panics
    ///
    /// If a block has no unknown or more than two.
    #[must_use]
    pub fn with_blocks(self, blocks: impl IntoIterator<Item = Vec<usize>>) -> Self {
        Self {
            structure: Arc::new(BlockStructure::new(self.structure.unknowns(), blocks)),
            rows: self.rows,
        }
    }

    /// Inserts rows, already multiplied by their weights, before the existing ones.
    #[must_use]
    pub fn with_rows(self, mut rows: SparseRows) -> Self {
        rows.append(&self.rows);
        Self { rows, ..self }
    }

    /// Converts the problem for repeated solutions between which additional rows are replaced.
    pub fn updatable(self) -> UpdatableLeastSquares {
        UpdatableLeastSquares::new(self.structure, self.rows)
    }

    /// Appends the row Σ coefficient × unknown = observation with its weight; terms are pairs of an
    /// unknown and its coefficient.
    pub fn push(
        &mut self,
        terms: impl IntoIterator<Item = (usize, f64)>,
        observation: f64,
        weight: f64,
    ) {
        self.rows.push(terms, observation, weight);
    }

    /// The number of unknowns.
    pub fn unknowns(&self) -> usize {
        self.structure.unknowns()
    }

    /// The standard error of each unknown, √diag (AᵀA)⁻¹ of the weighted rows, ignoring the
    /// constraint x ≥ 0.
    ///
    /// # Errors
    ///
    /// Returns the unidentified unknowns if the rows do not determine all.
    pub fn deviations(&self) -> Result<Vec<f64>, Unidentified> {
        Ok(self.covariance()?.deviations())
    }

    /// The covariance of the unknowns, as of [`deviations`](Self::deviations).
    ///
    /// # Errors
    ///
    /// When the data do not determine the unknowns.
    pub fn covariance(&self) -> Result<Covariance, Unidentified> {
        self.clone().updatable().covariance()
    }

    /// Solves the problem by block principal pivoting on the normal equations; solutions are
    /// refined on the rows.
    ///
    /// Each unknown is free or fixed at zero. All unknowns that violate the KKT
    /// (Karush–Kuhn–Tucker) conditions are exchanged between the two sets, as long as their number
    /// decreases; the unknowns of a block take the best sets for that block. Source: Kim, Park,
    /// "Fast nonnegative matrix factorization: an active-set-like method and comparisons", SIAM J.
    /// Sci. Comput. 33 (2011), after Portugal, Júdice, Vicente (1994). If their number stops
    /// decreasing, as with large noise, an active set method with a monotonically decreasing sum of
    /// squares takes over: Lawson, Hanson, "Solving least squares problems" (1974), chapter 23,
    /// freeing several unknowns at a time.
    ///
    /// # Errors
    ///
    /// Returns the unidentified unknowns if the rows do not determine all.
    pub fn solve(&self) -> Result<Solution, Unidentified> {
        self.clone().updatable().solve(&vec![true; self.unknowns()])
    }
}
