use super::centre::Centres;
use super::exponents::{COUNT, Exponent};

/// What a step of oddity costs: a factor e in probability beforehand.
const ODDITY: f64 = 2.0;

/// Squared relative errors below this are rounding.
const ROUNDING: f64 = 1e-13;

/// −2·log of the posterior probability of a formula, up to a constant: the lower, the likelier.
///
/// Errors are normal with a variance that the repeated runs and the residuals tell together: (ν + n)·ln(ν·s² + RSS). A
/// factor is one of as many as there are exponents, which costs 2·ln(exponents), more where it is odd; a coefficient
/// costs ln(n), as in the Bayesian information criterion (Schwarz 1978).
pub(super) struct Score {
    points: f64,
    degrees: f64,
    squares: f64,
}

impl Score {
    pub(super) fn new(centres: &Centres) -> Self {
        let points = centres.target.len() as f64;
        Self { points, degrees: centres.degrees, squares: centres.degrees * centres.variance }
    }

    /// The part of the residuals, of so many rows.
    pub(super) fn residuals(&self, residual: f64) -> f64 {
        let rounding = ROUNDING * self.points;
        (self.degrees + self.points) * (self.squares + residual.max(0.0) + rounding).ln()
    }

    /// The part of a factor.
    pub(super) fn factor(exponent: Exponent) -> f64 {
        2.0 * (COUNT as f64).ln() + ODDITY * exponent.oddity()
    }

    /// The part of the coefficients beside the constant.
    pub(super) fn coefficients(&self, count: usize) -> f64 {
        self.points.ln() * count as f64
    }
}
