use super::normal_equations::NormalEquations;

/// A weighted linear least-squares problem with sparse rows and non-negative unknowns.
///
/// minimise Σ_e w_e² (Σ_k a_ek·x_k − y_e)² over x ≥ 0. Each row has been divided by the standard deviation of its
/// observation when w_e = 1/σ_e.
#[derive(Debug, Clone, Default)]
pub struct LeastSquares {
    unknowns: usize,
    pub(super) blocks: Vec<Vec<usize>>,
    /// The terms of all rows, one row after the other, and where each row ends.
    terms: Vec<(u32, f64)>,
    ends: Vec<usize>,
    pub(super) observations: Vec<f64>,
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
        Self { unknowns, ..Self::default() }
    }

    /// The same with blocks of at most two unknowns that no row of another block touches: they are eliminated first, and
    /// the equations that remain are as few as the other unknowns. Rows that join blocks are allowed and cost that gain.
    ///
    /// # Panics
    ///
    /// When a block has more than two unknowns: a bug of the caller.
    #[must_use]
    pub fn with_blocks(mut self, blocks: Vec<Vec<usize>>) -> Self {
        assert!(blocks.iter().all(|block| block.len() <= 2), "blocks have two unknowns at the most");
        self.blocks = blocks;
        self
    }

    /// Adds the row Σ coefficient × unknown = observation with its weight.
    pub fn push(&mut self, terms: impl IntoIterator<Item = (usize, f64)>, observation: f64, weight: f64) {
        self.terms.extend(terms.into_iter().map(|(unknown, factor)| (unknown as u32, factor * weight)));
        self.ends.push(self.terms.len());
        self.observations.push(observation * weight);
    }

    /// The rows in order.
    pub(super) fn rows(&self) -> impl Iterator<Item = &[(u32, f64)]> {
        let begins = std::iter::once(0).chain(self.ends.iter().copied());
        begins.zip(&self.ends).map(|(begin, &end)| &self.terms[begin..end])
    }

    /// How many unknowns there are.
    pub fn unknowns(&self) -> usize {
        self.unknowns
    }

    /// The standard deviation of each unknown for observations of unit variance after weighting, no unknown being held
    /// at zero.
    ///
    /// # Errors
    ///
    /// When the rows do not determine the unknowns, with those concerned.
    pub fn deviations(&self) -> Result<Vec<f64>, Unidentified> {
        NormalEquations::of(self).deviations()
    }

    /// Solves it by block principal pivoting on the normal equations, each solution refined on the rows themselves.
    ///
    /// Unknowns are free or held at zero; those that break the conditions of Karush, Kuhn and Tucker change sides, all
    /// of them as long as their number falls, else the last one alone, which cannot cycle. Source: Kim, Park, "Fast
    /// nonnegative matrix factorization: an active-set-like method and comparisons", SIAM J. Sci. Comput. 33 (2011),
    /// after Portugal, Júdice, Vicente (1994).
    ///
    /// # Errors
    ///
    /// When the rows do not determine the unknowns, with those concerned.
    pub fn solve(&self) -> Result<Solution, Unidentified> {
        self.solve_from(vec![true; self.unknowns])
    }

    /// Solves it as [`LeastSquares::solve`] does, beginning with the unknowns that are probably free: those of the
    /// solution of a similar problem.
    ///
    /// # Errors
    ///
    /// As [`LeastSquares::solve`].
    pub fn solve_from(&self, free: Vec<bool>) -> Result<Solution, Unidentified> {
        let equations = NormalEquations::of(self);
        let mut free = free;
        let mut fewest = self.unknowns + 1;
        let mut patience = 3;
        loop {
            let scaled = equations.solve(&free)?;
            let gradient = equations.gradient(&scaled);
            let breaks = |k: usize| if free[k] { scaled[k] < 0.0 } else { gradient[k] < -equations.tolerance() };
            let broken: Vec<usize> = (0..self.unknowns).filter(|&k| breaks(k)).collect();
            let Some(&last) = broken.last() else {
                let residual = equations.residuals(&scaled).iter().map(|r| r * r).sum();
                return Ok(Solution { values: equations.unscale(&scaled), residual, free });
            };
            if broken.len() < fewest {
                (fewest, patience) = (broken.len(), 3);
            } else if patience > 0 {
                patience -= 1;
            } else {
                free[last] = !free[last];
                continue;
            }
            for k in broken {
                free[k] = !free[k];
            }
        }
    }
}
