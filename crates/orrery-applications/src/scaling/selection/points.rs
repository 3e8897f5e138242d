//! The data of the selection of terms: one weighted row per point.

use crate::scaling::observations::Observations;
use orrery_base::numeric::{mean, median, pooled_relative_deviation};

/// The distance from the median of a point, in standard deviations, beyond which a run is an
/// outlier.
const OUTLIER_DEVIATIONS: f64 = 4.0;

/// The point at which plausible sums are ordered by their times, as a multiple of the largest value
/// of each variable.
pub(super) const FAR: f64 = 4.0;

/// The weighted data of a fit: one row per point, with the mean time of its runs without outliers.
pub(super) struct WeightedPoints {
    /// The weight of each row, √runs/mean, so that errors are relative and have equal variance.
    pub(super) weights: Vec<f64>,
    /// The right-hand side of each row: weight × mean.
    pub(super) target: Vec<f64>,
    /// The sum of squared relative deviations of runs from the mean of their point.
    pub(super) squares: f64,
    /// The degrees of freedom of `squares`.
    pub(super) degrees: usize,
}

impl WeightedPoints {
    /// The rows of these runs.
    pub(super) fn of(observations: &Observations) -> Self {
        let groups = &observations.groups;
        let deviation = pooled_relative_deviation(groups.iter().map(|group| &group.seconds));
        let (mut squares, mut degrees) = (0.0, 0);
        let (mut weights, mut target) =
            (Vec::with_capacity(groups.len()), Vec::with_capacity(groups.len()));
        for group in groups {
            let kept = without_outliers(&group.seconds, deviation);
            let mean = mean(&kept);
            squares += kept.iter().map(|seconds| (seconds / mean - 1.0).powi(2)).sum::<f64>();
            degrees += kept.len() - 1;
            let root = (kept.len() as f64).sqrt();
            weights.push(root / mean);
            target.push(root);
        }
        Self { weights, target, squares, degrees }
    }

    /// Multiplies the weights of rows by these factors.
    pub(super) fn reweight(&mut self, factors: &[f64]) {
        for rows in [&mut self.weights, &mut self.target] {
            rows.iter_mut().zip(factors).for_each(|(row, factor)| *row *= factor);
        }
    }
}

/// The times of a point without outliers; `deviation` is the relative standard deviation of runs.
fn without_outliers(seconds: &[f64], deviation: f64) -> Vec<f64> {
    if seconds.len() < 3 {
        return seconds.to_vec();
    }
    let middle = median(seconds);
    // Rounding errors are no outliers.
    let bound = middle * (OUTLIER_DEVIATIONS * deviation).max(1e-9);
    let near: Vec<f64> =
        seconds.iter().copied().filter(|seconds| (seconds - middle).abs() <= bound).collect();
    // Outliers are few: of two values that alternate, neither is one.
    if 2 * near.len() < seconds.len() { seconds.to_vec() } else { near }
}
