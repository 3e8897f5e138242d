//! The data of the choice of terms, and the score of a formula on them.

use super::exponents::{EXPONENT_COUNT, Exponent};
use crate::numeric::{mean, median, robust_deviation};
use crate::scaling::observations::{Group, Observations};

/// The distance from the median of a point, in robust standard deviations, beyond which a run is an outlier.
const OUTLIER_DEVIATIONS: f64 = 4.0;

/// The weighted data of a fit: one row per point, with the mean time of its runs without outliers.
pub(super) struct WeightedPoints {
    /// The variables of each point.
    pub(super) points: Vec<Vec<f64>>,
    /// The weight of each row, √runs/mean, so that errors are relative and have equal variance.
    pub(super) weights: Vec<f64>,
    /// The relative variance of a single run, pooled over the points; 0 without repetitions.
    pub(super) variance: f64,
    /// The degrees of freedom of the variance.
    pub(super) degrees: f64,
    /// The right-hand side of each row: weight × mean.
    pub(super) target: Vec<f64>,
}

impl WeightedPoints {
    /// The rows for the variables `names`.
    pub(super) fn of(observations: &Observations, names: &[String]) -> Self {
        let groups = &observations.groups;
        let (mut squares, mut degrees) = (0.0, 0.0);
        let (mut weights, mut target) = (Vec::with_capacity(groups.len()), Vec::with_capacity(groups.len()));
        for group in groups {
            let kept = without_outliers(&group.seconds);
            let mean = mean(&kept);
            squares += kept.iter().map(|seconds| (seconds / mean - 1.0).powi(2)).sum::<f64>();
            degrees += (kept.len() - 1) as f64;
            let root = (kept.len() as f64).sqrt();
            weights.push(root / mean);
            target.push(root);
        }
        let values = |group: &Group| {
            let variables = &group.kind_variables[0].1;
            names.iter().map(|name| variables.get(name).unwrap_or(1.0)).collect()
        };
        let points = groups.iter().map(values).collect();
        let variance = if degrees > 0.0 { squares / degrees } else { 0.0 };
        Self { points, weights, variance, degrees, target }
    }

    /// The values of one variable.
    pub(super) fn column(&self, variable: usize) -> Vec<f64> {
        self.points.iter().map(|point| point[variable]).collect()
    }
}

/// The times without outliers.
fn without_outliers(seconds: &[f64]) -> Vec<f64> {
    let deviation = (seconds.len() >= 5).then(|| robust_deviation(seconds)).flatten().unwrap_or(0.0);
    if deviation <= 0.0 {
        return if seconds.len() > 2 && deviation <= 0.0 && seconds.len() < 5 {
            vec![median(seconds)]
        } else {
            seconds.to_vec()
        };
    }
    let middle = median(seconds);
    seconds.iter().copied().filter(|seconds| (seconds - middle).abs() <= OUTLIER_DEVIATIONS * deviation).collect()
}

/// The penalty of one step of oddity: a factor e in prior probability.
const ODDITY_PENALTY: f64 = 2.0;

/// The squared relative rounding error.
const ROUNDING_VARIANCE: f64 = 1e-13;

/// The score of a formula: −2·log of its posterior probability, up to a constant. Lower is better.
///
/// Errors are normal with a variance that is estimated from repeated runs and residuals: (ν + n)·ln(ν·s² + RSS). A factor
/// has the penalty 2·ln(number of exponents), more if the exponent is unusual; a coefficient has the penalty ln(n) of the
/// Bayesian information criterion (Schwarz 1978).
pub(super) struct Score {
    points: f64,
    degrees: f64,
    squares: f64,
}

impl Score {
    /// The score for these data.
    pub(super) fn new(points: &WeightedPoints) -> Self {
        Self { points: points.target.len() as f64, degrees: points.degrees, squares: points.degrees * points.variance }
    }

    /// The part of the squared residual.
    pub(super) fn residuals(&self, residual: f64) -> f64 {
        let rounding = ROUNDING_VARIANCE * self.points;
        (self.degrees + self.points) * (self.squares + residual.max(0.0) + rounding).ln()
    }

    /// The penalty of a factor.
    pub(super) fn factor(exponent: Exponent) -> f64 {
        2.0 * (EXPONENT_COUNT as f64).ln() + ODDITY_PENALTY * exponent.oddity()
    }

    /// The penalty of the coefficients other than the constant.
    pub(super) fn coefficients(&self, count: usize) -> f64 {
        self.points.ln() * count as f64
    }
}
