//! The score of a formula: −2·log of its posterior probability, up to a constant. Lower is better.

use super::data::WeightedPoints;

/// The squared relative rounding error.
const ROUNDING_VARIANCE: f64 = 1e-13;

/// The score of formulas on given data.
///
/// With n points, ν degrees of freedom of repeated runs with the squared deviations S, a squared residual R and k
/// coefficients, it is (ν + n)·ln((S + R)/(ν + n − k)) + k·ln n + prior: the Bayesian information criterion (Schwarz 1978)
/// with an unbiased variance.
pub(super) struct Score {
    points: f64,
    degrees: f64,
    squares: f64,
}

impl Score {
    /// The score for these data.
    pub(super) fn new(points: &WeightedPoints) -> Self {
        let count = points.target.len() as f64;
        Self { points: count, degrees: points.degrees, squares: points.squares + ROUNDING_VARIANCE * count }
    }

    /// The variance of a row of weight 1.
    pub(super) fn variance(&self, residual: f64, coefficients: usize) -> f64 {
        (self.squares + residual) / (self.degrees + self.points - coefficients as f64).max(1.0)
    }

    /// The score of a squared residual with this number of coefficients and this prior penalty.
    pub(super) fn of(&self, residual: f64, coefficients: usize, prior: f64) -> f64 {
        let observations = self.degrees + self.points;
        let free = observations - coefficients as f64;
        if free < 0.5 {
            return f64::INFINITY;
        }
        observations * ((self.squares + residual) / free).ln() + self.points.ln() * coefficients as f64 + prior
    }
}
