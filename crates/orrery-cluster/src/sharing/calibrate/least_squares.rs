//! Least squares of penalties that are the maximum of linear pieces.

use super::data::{CalibrationData, ErrorModel};
use crate::sharing::law::{Piece, largest};
use crate::sharing::{ParameterError, Transfer};
use orrery_base::file::Fault;
use orrery_base::numeric::{Estimate, Interval, LowerTriangle, SymmetricMatrix, student_quantile};

/// The N coefficients of a law, or their slopes.
type Vector<const N: usize> = [f64; N];

/// The pieces of the penalty of an observed slowdown, and the slowdown.
type Observation<'a, const N: usize> = (&'a [Piece<N>], f64);

/// The largest number of iterations from one starting point.
const MAX_ITERATIONS: usize = 200;

/// The largest step, relative to the coefficients, at which an iteration has converged.
const STEP_TOLERANCE: f64 = 1e-14;

/// A pivot below this fraction of its diagonal element counts as zero.
const RANK_TOLERANCE: f64 = 1e-11;

/// The best fit over all starting points.
pub(in crate::sharing) struct LeastSquares<const N: usize> {
    /// The coefficients that minimise the sum of squares.
    pub(in crate::sharing) coefficients: Vector<N>,
    /// The Cholesky factor of JᵀJ, where J is the Jacobian of the relative residuals.
    factor: LowerTriangle,
    /// The rows of J.
    rows: Vec<Vector<N>>,
    errors: ErrorModel,
    readings: u64,
}

/// The fault of estimates outside the range of their parameters.
pub(in crate::sharing) fn no_law(error: &ParameterError) -> Fault {
    Fault::new(format!("the best fit is not a valid law: {error}; measure more schemes"))
}

impl<const N: usize> LeastSquares<N> {
    /// Minimises Σ (P / y − 1)² over all observed slowdowns y, from each starting point; the best
    /// minimum counts. `pieces` returns the pieces of each transfer's penalty P. Each parameter has
    /// a name in files and the description of the experiment that identifies it, for the error.
    pub(in crate::sharing) fn fit(
        data: &dyn CalibrationData,
        parameters: [(&str, &str); N],
        pieces: &dyn Fn(&[Transfer]) -> Vec<Vec<Piece<N>>>,
        starts: impl Iterator<Item = Vector<N>>,
    ) -> Result<Self, Fault> {
        let schemes: Vec<_> =
            data.schemes().into_iter().map(|(all, readings)| (pieces(all), readings)).collect();
        let observations: Vec<Observation<N>> = schemes
            .iter()
            .flat_map(|(pieces, readings)| readings.iter().map(|&(k, y)| (&pieces[k][..], y)))
            .collect();
        if let Some(&(_, value)) = observations.iter().find(|(_, y)| !(y.is_finite() && *y > 0.0)) {
            return Err(Fault::new(format!(
                "a time among others divided by the time alone is {value}, not a finite number above 0; \
                    correct the times of the scheme, or measure it again"
            )));
        }
        let unidentified = |k: usize| {
            let (parameter, experiment) = parameters[k];
            Fault::new(format!(
                "the measured schemes do not identify {parameter}; also measure this: {experiment} \
                    (if it was measured, this network shows no effect of {parameter})"
            ))
        };
        let minima = starts.map(|start| minimize(start, &observations));
        let best = minima.reduce(|best, other| if other.1 < best.1 { other } else { best });
        let (coefficients, _) = best.ok_or_else(|| unidentified(0))?;
        let (normal, _) = normal_equations(&observations, &coefficients);
        let factor = normal.cholesky(RANK_TOLERANCE).map_err(unidentified)?;
        let rows = observations.iter().map(|one| jacobian_row(one, &coefficients)).collect();
        let residuals: Vec<f64> =
            observations.iter().map(|one| residual(one, &coefficients)).collect();
        let errors = data.errors(&residuals, N);
        Ok(Self { coefficients, factor, rows, errors, readings: data.readings() })
    }

    /// The estimates of parameters with these values and these slopes in the coefficients.
    ///
    /// With relative residuals r the coefficients change by −(JᵀJ)⁻¹Jᵀ·dr, so a parameter with the
    /// slopes s changes by a·dr with a = −J·(JᵀJ)⁻¹·s. Its variance follows from that of the
    /// residuals.
    pub(in crate::sharing) fn estimates(
        &self,
        values: Vector<N>,
        slopes: &[Vector<N>; N],
        level: f64,
    ) -> [Estimate; N] {
        std::array::from_fn(|k| {
            let direction = self.factor.solve(&slopes[k]);
            let weights: Vec<f64> = self
                .rows
                .iter()
                .map(|row| row.iter().zip(&direction).map(|(a, b)| a * b).sum())
                .collect();
            let interval = self.errors.variance_of_sum(&weights).map(|(variance, freedom)| {
                let half = if variance > 0.0 {
                    student_quantile(freedom, level) * variance.sqrt()
                } else {
                    0.0
                };
                Interval { low: values[k] - half, high: values[k] + half, level }
            });
            Estimate { value: values[k], interval, samples: Some(self.readings) }
        })
    }
}

/// Minimises the sum of squared relative residuals from one starting point by the method of
/// Levenberg and Marquardt, with the piece that is largest at the current point as the local linear
/// model. Returns the coefficients and the sum.
fn minimize<const N: usize>(start: Vector<N>, observations: &[Observation<N>]) -> (Vector<N>, f64) {
    let (mut best, mut best_squares) = (start, sum_of_squares(observations, &start));
    let mut damping = 1e-3;
    for _ in 0..MAX_ITERATIONS {
        let (normal, gradient) = normal_equations(observations, &best);
        let damped = SymmetricMatrix::from_lower(N, |i, j| {
            let entry = normal.lower(i, j);
            if i == j { entry + damping * entry.max(1e-12) } else { entry }
        });
        let Ok(factor) = damped.cholesky(RANK_TOLERANCE) else { break };
        let step = factor.solve(&gradient);
        let trial: Vector<N> = std::array::from_fn(|k| best[k] - step[k]);
        let squares = sum_of_squares(observations, &trial);
        let has_converged = (0..N).all(|k| step[k].abs() <= STEP_TOLERANCE * (1.0 + best[k].abs()));
        if squares < best_squares {
            (best, best_squares) = (trial, squares);
            damping = (damping * 0.1).max(1e-15);
        } else {
            damping *= 10.0;
        }
        if has_converged || damping > 1e12 {
            break;
        }
    }
    (best, best_squares)
}

/// The sum of the squared relative residuals P / y − 1.
fn sum_of_squares<const N: usize>(
    observations: &[Observation<N>],
    coefficients: &Vector<N>,
) -> f64 {
    observations.iter().map(|one| residual(one, coefficients).powi(2)).sum()
}

/// The relative residual P / y − 1.
fn residual<const N: usize>((pieces, y): &Observation<N>, coefficients: &Vector<N>) -> f64 {
    largest(pieces, coefficients).value(coefficients) / y - 1.0
}

/// The derivatives of the relative residual by the coefficients.
fn jacobian_row<const N: usize>(
    (pieces, y): &Observation<N>,
    coefficients: &Vector<N>,
) -> Vector<N> {
    largest(pieces, coefficients).slopes.map(|slope| slope / y)
}

/// JᵀJ and Jᵀr, where r are the relative residuals and J their Jacobian.
fn normal_equations<const N: usize>(
    observations: &[Observation<N>],
    coefficients: &Vector<N>,
) -> (SymmetricMatrix, Vector<N>) {
    let (mut normal, mut gradient) = ([[0.0; N]; N], [0.0; N]);
    for one in observations {
        let (row, residual) = (jacobian_row(one, coefficients), residual(one, coefficients));
        for i in 0..N {
            gradient[i] += row[i] * residual;
            (0..=i).for_each(|j| normal[i][j] += row[i] * row[j]);
        }
    }
    (SymmetricMatrix::from_lower(N, |i, j| normal[i][j]), gradient)
}
