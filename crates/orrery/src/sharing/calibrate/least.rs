//! Least squares of penalties that are the greatest of linear pieces.

use crate::sharing::piece::{Piece, UNKNOWNS, greatest};

/// The unknowns.
pub(super) type Vector = [f64; UNKNOWNS];
/// A square matrix of them.
pub(super) type Matrix = [Vector; UNKNOWNS];

/// The pieces of the penalty of one reading, and the reading.
pub(super) type Observation<'a> = (&'a [Piece], f64);

/// After so many steps a start has come to its end.
const STEPS: usize = 200;

/// Steps shorter than this part of the unknowns end it.
const SHORT: f64 = 1e-14;

/// What one start came to.
#[derive(Debug, Clone, Copy)]
pub(super) struct Best {
    pub(super) unknowns: Vector,
    /// Σ of the squared relative errors.
    pub(super) squares: f64,
}

/// Minimises Σ (P / y − 1)² from one start by steps of Levenberg and Marquardt: the pieces that decide are taken as they
/// are at the present point, each being linear.
pub(super) fn from(start: Vector, observations: &[Observation]) -> Best {
    let mut best = Best { unknowns: start, squares: squares(observations, &start) };
    let mut damping = 1e-3;
    for _ in 0..STEPS {
        let (normal, slope) = equations(observations, &best.unknowns);
        let mut damped = normal;
        (0..UNKNOWNS).for_each(|k| damped[k][k] += damping * normal[k][k].max(1e-12));
        let Some(inverse) = inverse(&damped) else { break };
        let step = product(&inverse, &slope);
        let trial: Vector = std::array::from_fn(|k| best.unknowns[k] - step[k]);
        let trial_squares = squares(observations, &trial);
        let short = (0..UNKNOWNS).all(|k| step[k].abs() <= SHORT * (1.0 + best.unknowns[k].abs()));
        if trial_squares < best.squares {
            best = Best { unknowns: trial, squares: trial_squares };
            damping = (damping * 0.1).max(1e-15);
        } else {
            damping *= 10.0;
        }
        if short || damping > 1e12 {
            break;
        }
    }
    best
}

fn squares(observations: &[Observation], unknowns: &Vector) -> f64 {
    observations.iter().map(|one| residual(one, unknowns).powi(2)).sum()
}

/// The relative residual P / y − 1.
pub(super) fn residual((pieces, y): &Observation, unknowns: &Vector) -> f64 {
    greatest(pieces, unknowns).value(unknowns) / y - 1.0
}

/// Its slopes in the unknowns.
pub(super) fn row((pieces, y): &Observation, unknowns: &Vector) -> Vector {
    greatest(pieces, unknowns).factors.map(|factor| factor / y)
}

/// JᵀJ and Jᵀr of the relative residuals r.
pub(super) fn equations(observations: &[Observation], unknowns: &Vector) -> (Matrix, Vector) {
    let (mut normal, mut slope) = ([[0.0; UNKNOWNS]; UNKNOWNS], [0.0; UNKNOWNS]);
    for (pieces, y) in observations {
        let (row, residual) = (row(&(pieces, *y), unknowns), residual(&(pieces, *y), unknowns));
        for i in 0..UNKNOWNS {
            slope[i] += row[i] * residual;
            (0..UNKNOWNS).for_each(|j| normal[i][j] += row[i] * row[j]);
        }
    }
    (normal, slope)
}

pub(super) fn product(matrix: &Matrix, vector: &Vector) -> Vector {
    matrix.map(|row| row.iter().zip(vector).map(|(a, b)| a * b).sum())
}

/// The first unknown that the equations do not tell from those before it.
pub(super) fn untold(normal: &Matrix) -> Option<usize> {
    factor(normal).err()
}

/// The inverse of a positive definite matrix.
pub(super) fn inverse(matrix: &Matrix) -> Option<Matrix> {
    let lower = factor(matrix).ok()?;
    let mut columns = [[0.0; UNKNOWNS]; UNKNOWNS];
    for (unit, column) in columns.iter_mut().enumerate() {
        for i in 0..UNKNOWNS {
            let known: f64 = (0..i).map(|k| lower[i][k] * column[k]).sum();
            column[i] = (f64::from(u8::from(i == unit)) - known) / lower[i][i];
        }
        for i in (0..UNKNOWNS).rev() {
            let known: f64 = (i + 1..UNKNOWNS).map(|k| lower[k][i] * column[k]).sum();
            column[i] = (column[i] - known) / lower[i][i];
        }
    }
    Some(columns)
}

/// A pivot below this part of its diagonal entry is rounding.
const RANK: f64 = 1e-11;

/// Cholesky's factor, or the first column without a pivot.
fn factor(matrix: &Matrix) -> Result<Matrix, usize> {
    let mut lower = [[0.0; UNKNOWNS]; UNKNOWNS];
    for i in 0..UNKNOWNS {
        for j in 0..=i {
            let rest = matrix[i][j] - (0..j).map(|k| lower[i][k] * lower[j][k]).sum::<f64>();
            if i != j {
                lower[i][j] = rest / lower[j][j];
            } else if rest > RANK * matrix[i][i] {
                lower[i][i] = rest.sqrt();
            } else {
                return Err(i);
            }
        }
    }
    Ok(lower)
}
