use super::bordered::Bordered;
use super::{LeastSquares, Unidentified};

/// The normal equations N·z = d of a least-squares problem, its columns scaled to unit length: x = z / length.
pub(super) struct NormalEquations<'a> {
    problem: &'a LeastSquares,
    lengths: Vec<f64>,
    matrix: Bordered,
    size: f64,
}

/// How often a solution is refined on the rows; twice regains the digits that squaring the condition costs.
const REFINEMENTS: usize = 3;

/// Steps that are smaller than this part of the solution add nothing.
const ENOUGH: f64 = 1e-13;

impl<'a> NormalEquations<'a> {
    pub(super) fn of(problem: &'a LeastSquares) -> Self {
        let unknowns = problem.unknowns();
        let mut squares = vec![0.0; unknowns];
        problem.rows().flatten().for_each(|&(k, factor)| squares[k as usize] += factor * factor);
        let lengths: Vec<f64> = squares.into_iter().map(|s: f64| if s > 0.0 { s.sqrt() } else { 1.0 }).collect();
        let blocks = if Bordered::fits(unknowns, &problem.blocks, problem.rows()) { &problem.blocks[..] } else { &[] };
        let mut matrix = Bordered::new(unknowns, blocks);
        for row in problem.rows() {
            matrix.add(&row.iter().map(|&(k, factor)| (k as usize, factor / lengths[k as usize])));
        }
        let size = problem.observations.iter().map(|y| y * y).sum::<f64>().sqrt();
        Self { problem, lengths, matrix, size }
    }

    /// Gradients above minus this count as zero.
    pub(super) fn tolerance(&self) -> f64 {
        1e-12 * self.size
    }

    /// The standard deviations of the unknowns: √diag(N⁻¹), in the problem's own units.
    pub(super) fn deviations(&self) -> Result<Vec<f64>, Unidentified> {
        let variances = self.matrix.factor(&vec![true; self.lengths.len()])?.inverse_diagonal();
        Ok(variances.iter().zip(&self.lengths).map(|(variance, length)| variance.max(0.0).sqrt() / length).collect())
    }

    /// The solution with the unknowns that are not free held at zero.
    pub(super) fn solve(&self, free: &[bool]) -> Result<Vec<f64>, Unidentified> {
        let mut z = vec![0.0; free.len()];
        let factor = self.matrix.factor(free)?;
        for _ in 0..=REFINEMENTS {
            let descent: Vec<f64> = self.gradient(&z).iter().map(|gradient| -gradient).collect();
            let step = factor.solve(&descent);
            z.iter_mut().zip(&step).zip(free).filter(|(_, free)| **free).for_each(|((z, step), _)| *z += step);
            let largest = |values: &[f64]| values.iter().fold(0.0, |most: f64, value| most.max(value.abs()));
            if largest(&step) <= ENOUGH * largest(&z) {
                break;
            }
        }
        Ok(z)
    }

    /// The weighted residuals A·x − y.
    pub(super) fn residuals(&self, z: &[f64]) -> Vec<f64> {
        let x: Vec<f64> = z.iter().zip(&self.lengths).map(|(z, length)| z / length).collect();
        let rows = self.problem.rows().zip(&self.problem.observations);
        rows.map(|(row, y)| row.iter().map(|&(k, factor)| factor * x[k as usize]).sum::<f64>() - y).collect()
    }

    /// Half the gradient of the sum of squares: Aᵀ(A·x − y), by scaled columns.
    pub(super) fn gradient(&self, z: &[f64]) -> Vec<f64> {
        let mut gradient = vec![0.0; z.len()];
        for (row, residual) in self.problem.rows().zip(self.residuals(z)) {
            for &(k, factor) in row {
                gradient[k as usize] += factor * residual;
            }
        }
        gradient.iter_mut().zip(&self.lengths).for_each(|(gradient, length)| *gradient /= length);
        gradient
    }

    pub(super) fn unscale(&self, z: &[f64]) -> Vec<f64> {
        z.iter().zip(&self.lengths).map(|(z, length)| (z / length).max(0.0)).collect()
    }
}
