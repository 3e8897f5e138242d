use nalgebra::{Cholesky, DMatrix, DVector, Dyn, SymmetricEigen};

use super::{LeastSquares, Unidentified};

/// The normal equations N·z = d of a least-squares problem, its columns scaled to unit length: x = z / length.
pub(super) struct NormalEquations<'a> {
    problem: &'a LeastSquares,
    lengths: Vec<f64>,
    matrix: DMatrix<f64>,
    size: f64,
}

/// A pivot below this, in units of a column's squared length, means that the column depends on the others.
const DEPENDENT: f64 = 1e-12;

/// How often a solution is refined on the rows; twice regains the digits that squaring the condition costs.
const REFINEMENTS: usize = 3;

impl<'a> NormalEquations<'a> {
    pub(super) fn of(problem: &'a LeastSquares) -> Self {
        let unknowns = problem.unknowns();
        let mut squares = vec![0.0; unknowns];
        problem.rows.iter().flatten().for_each(|&(k, factor)| squares[k] += factor * factor);
        let lengths: Vec<f64> = squares.into_iter().map(|s: f64| if s > 0.0 { s.sqrt() } else { 1.0 }).collect();
        let mut matrix = DMatrix::zeros(unknowns, unknowns);
        for row in &problem.rows {
            for &(a, left) in row {
                for &(b, right) in row {
                    matrix[(a, b)] += (left / lengths[a]) * (right / lengths[b]);
                }
            }
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
        let inverse = factor(&self.matrix, |k| k)?.inverse();
        Ok((0..self.lengths.len()).map(|k| inverse[(k, k)].max(0.0).sqrt() / self.lengths[k]).collect())
    }

    /// The solution with the unknowns that are not free held at zero.
    pub(super) fn solve(&self, free: &[bool]) -> Result<Vec<f64>, Unidentified> {
        let places: Vec<usize> = (0..free.len()).filter(|&k| free[k]).collect();
        let mut z = vec![0.0; free.len()];
        if places.is_empty() {
            return Ok(z);
        }
        let factor = factor(&self.matrix.select_rows(&places).select_columns(&places), |k| places[k])?;
        for _ in 0..=REFINEMENTS {
            let gradient = self.gradient(&z);
            let step = factor.solve(&DVector::from_iterator(places.len(), places.iter().map(|&k| -gradient[k])));
            places.iter().zip(step.iter()).for_each(|(&k, step)| z[k] += step);
        }
        Ok(z)
    }

    /// The weighted residuals A·x − y.
    pub(super) fn residuals(&self, z: &[f64]) -> Vec<f64> {
        let rows = self.problem.rows.iter().zip(&self.problem.observations);
        rows.map(|(row, y)| row.iter().map(|&(k, factor)| factor * (z[k] / self.lengths[k])).sum::<f64>() - y).collect()
    }

    /// Half the gradient of the sum of squares: Aᵀ(A·x − y), by scaled columns.
    pub(super) fn gradient(&self, z: &[f64]) -> Vec<f64> {
        let mut gradient = vec![0.0; z.len()];
        for (row, residual) in self.problem.rows.iter().zip(self.residuals(z)) {
            for &(k, factor) in row {
                gradient[k] += factor / self.lengths[k] * residual;
            }
        }
        gradient
    }

    pub(super) fn unscale(&self, z: &[f64]) -> Vec<f64> {
        z.iter().zip(&self.lengths).map(|(z, length)| (z / length).max(0.0)).collect()
    }
}

/// The Cholesky factor of a part of the matrix whose k-th column is the unknown `name(k)`.
fn factor(matrix: &DMatrix<f64>, name: impl Fn(usize) -> usize) -> Result<Cholesky<f64, Dyn>, Unidentified> {
    match matrix.clone().cholesky() {
        Some(factor) if factor.l_dirty().diagonal().iter().all(|pivot| pivot * pivot > DEPENDENT) => Ok(factor),
        _ => Err(Unidentified(dependent(matrix).into_iter().map(name).collect())),
    }
}

/// The unknowns that take part in directions along which the sum of squares does not change.
fn dependent(matrix: &DMatrix<f64>) -> Vec<usize> {
    let eigen = SymmetricEigen::new(matrix.clone());
    let flat = |e: usize| eigen.eigenvalues[e] < DEPENDENT * matrix.nrows() as f64;
    let takes_part = |k: usize, e: usize| flat(e) && eigen.eigenvectors[(k, e)].abs() > 1e-6;
    (0..matrix.nrows()).filter(|&k| (0..matrix.nrows()).any(|e| takes_part(k, e))).collect()
}
