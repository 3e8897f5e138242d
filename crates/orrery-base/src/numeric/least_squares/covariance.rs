use nalgebra::DMatrix;

use super::normal_equations::NormalEquations;
use crate::numeric::parallel_map;

/// The covariance (AᵀA)⁻¹ of all unknowns of a least-squares problem, with all of them free;
/// entries are computed on demand.
///
/// With loadings l_u (the row of an unknown of the core in the identity, or of −B⁻¹·Cᵀ for an
/// unknown of a block) it is l_uᵀ·S⁻¹·l_v, plus the entry of B⁻¹ for two unknowns of one block.
pub struct Covariance {
    equations: NormalEquations,
    /// The lower triangle of S⁻¹.
    core: DMatrix<f64>,
}

/// The number of unknowns of a parallel task, independent of the number of threads.
const UNKNOWNS_PER_TASK: usize = 4096;

impl Covariance {
    /// The covariance of these equations, whose core has the inverse with this lower triangle.
    pub(super) fn new(equations: NormalEquations, core: DMatrix<f64>) -> Self {
        Self { equations, core }
    }

    /// Returns the covariance of two unknowns.
    pub fn entry(&self, a: usize, b: usize) -> f64 {
        let others = self.equations.loadings(b);
        let through_core: f64 = self
            .equations
            .loadings(a)
            .into_iter()
            .flat_map(|one| others.iter().map(move |other| (one, *other)))
            .map(|((p, x), (q, y))| x * y * self.core[(p.max(q), p.min(q))])
            .sum();
        through_core + self.equations.within_block(a, b)
    }

    /// Returns the standard error of each unknown.
    pub fn deviations(&self) -> Vec<f64> {
        let unknowns = self.equations.unknowns();
        let deviations = parallel_map(unknowns.div_ceil(UNKNOWNS_PER_TASK), |task| {
            let first = task * UNKNOWNS_PER_TASK;
            let members = first..unknowns.min(first + UNKNOWNS_PER_TASK);
            members.map(|unknown| self.entry(unknown, unknown).max(0.0).sqrt()).collect::<Vec<_>>()
        });
        deviations.concat()
    }
}
