//! The score of a sum of terms: −2·log of its posterior probability, up to a constant. Lower is
//! better.

use std::f64::consts::PI;

use super::least_squares::MAX_COLUMNS;
use crate::scaling::observations::Observations;
use crate::scaling::terms::FamilyPrior;
use orrery_base::numeric::{ln_gamma, mean, median};

/// The squared relative rounding error.
const ROUNDING_VARIANCE: f64 = 1e-12;

/// The ratio of the variances of points and repeated runs above which a sum is in doubt.
const LARGE_MISFIT: f64 = 4.0;

/// The score above the best up to which a sum is plausible: a posterior probability of 1 % of that
/// of the best.
pub(in crate::scaling) const PLAUSIBLE_WINDOW: f64 = 9.2;

/// The relative misfit that a law is known to have when laws of few points are compared.
const KNOWN_MISFIT: f64 = 0.01;

/// The degrees of freedom of that misfit.
const KNOWN_MISFIT_DEGREES: usize = 2;

/// The score of sums of terms on given data.
///
/// Before the runs, each coefficient is uniform between 0 and the value at which its term alone
/// takes the whole time of a point, and the variance v is unknown. With n points, ν degrees of
/// freedom of repeated runs with the squared deviations S, the squared residual R and k
/// coefficients, f = ν + n − k and v = (S + R)/f, the score is (ν + n)·ln v + f·ln(f/2) − 2·ln
/// Γ(f/2) + Σ_j max(0, ln(o_j²/2πv)) + prior. o_j is the length of the column of term j orthogonal
/// to the columns before, in units of the largest coefficient; a coefficient about which the runs
/// say nothing costs nothing. Source: Bernardo, Smith, "Bayesian theory" (1994), section 6.1 and
/// appendix A.2.
///
/// If points differ from the sum by more than repeated runs from each other, the points have a
/// variance R/(n − k) of their own, for ln n more; the lower score counts. Otherwise many
/// repetitions would make a sum certain that is only a little less wrong than another.
pub(super) struct Score {
    points: usize,
    degrees: usize,
    squares: f64,
    /// f·ln(f/2) − 2·ln Γ(f/2) by the number of coefficients: of all degrees of freedom, and of the
    /// points.
    pooled: Vec<f64>,
    of_points: Vec<f64>,
    /// The part of repeated runs if points have a variance of their own.
    of_runs: f64,
    /// True if the degrees of freedom are those of a prior of the variance of points.
    is_prior: bool,
}

/// The part of the score that repeated runs or points have by their degrees of freedom: f·ln(f/2) −
/// 2·ln Γ(f/2).
fn of_degrees(degrees: usize) -> f64 {
    let half = degrees as f64 / 2.0;
    if degrees == 0 { 0.0 } else { 2.0 * (half * half.ln() - ln_gamma(half)) }
}

/// [`of_degrees`] of `free` degrees of freedom, which `table` has by the number of coefficients as
/// far as it reaches.
fn of_free(table: &[f64], coefficients: usize, free: usize) -> f64 {
    table.get(coefficients).copied().unwrap_or_else(|| of_degrees(free))
}

/// What the data say about a coefficient: ln(o²/2π) for a column of this squared orthogonal length,
/// relative to the largest coefficient.
pub(super) fn information(orthogonal: f64) -> f64 {
    (orthogonal / (2.0 * PI)).ln()
}

impl Score {
    /// The score for these data.
    pub(super) fn new(points: &WeightedPoints) -> Self {
        let (count, degrees) = (points.target.len(), points.degrees);
        let squares = points.squares + ROUNDING_VARIANCE * count as f64;
        let table =
            |most: usize| (0..=MAX_COLUMNS).map(|k| of_degrees(most.saturating_sub(k))).collect();
        let of_runs = if degrees > 0 {
            degrees as f64 * (squares / degrees as f64).ln()
                + of_degrees(degrees)
                + (count as f64).ln()
        } else {
            0.0
        };
        Self {
            points: count,
            degrees,
            squares,
            pooled: table(degrees + count),
            of_points: table(count),
            of_runs,
            is_prior: points.is_prior,
        }
    }

    /// The variance of a row of weight 1.
    pub(super) fn variance(&self, residual: f64, coefficients: usize) -> f64 {
        let free = self.points.saturating_sub(coefficients);
        if self.has_misfit(residual, free) {
            residual / free as f64
        } else {
            (self.squares + residual) / (self.degrees + free).max(1) as f64
        }
    }

    /// The score of a squared residual with this [`information`] on each coefficient and this prior
    /// penalty; infinite without degrees of freedom.
    pub(super) fn of(
        &self,
        residual: f64,
        information: &(impl Iterator<Item = f64> + Clone),
        prior: f64,
    ) -> f64 {
        let coefficients = information.clone().count();
        let known = |log_variance: f64| {
            information.clone().map(|ln| (ln - log_variance).max(0.0)).sum::<f64>()
        };
        let free = (self.degrees + self.points).saturating_sub(coefficients);
        if free == 0 {
            return f64::INFINITY;
        }
        let log_variance = ((self.squares + residual) / free as f64).ln();
        let all = (self.degrees + self.points) as f64;
        let mut likelihood =
            all * log_variance + of_free(&self.pooled, coefficients, free) + known(log_variance);
        let free = self.points.saturating_sub(coefficients);
        if self.has_misfit(residual, free) {
            let log_variance = (residual / free as f64).ln();
            let apart = self.of_runs
                + self.points as f64 * log_variance
                + of_free(&self.of_points, coefficients, free)
                + known(log_variance);
            likelihood = likelihood.min(apart);
        }
        likelihood + prior
    }

    /// Returns true if the variance of points about a sum is far above that of repeated runs.
    pub(super) fn differs_from_runs(&self, residual: f64, coefficients: usize) -> bool {
        let free = self.points.saturating_sub(coefficients);
        self.has_misfit(residual / LARGE_MISFIT, free)
    }

    /// Returns true if points differ from a sum by more than repeated runs from each other.
    fn has_misfit(&self, residual: f64, free: usize) -> bool {
        let is_larger = residual * self.degrees as f64 > self.squares * free as f64;
        !self.is_prior && self.degrees > 0 && free > 0 && is_larger
    }
}

/// The point at which plausible sums are ordered by their times, as a multiple of the largest value
/// of each variable.
pub(in crate::scaling) const FAR: f64 = 4.0;

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
    /// True if `squares` and `degrees` are those of a prior, and not of repeated runs.
    is_prior: bool,
}

impl WeightedPoints {
    /// The rows of these runs.
    pub(super) fn of(observations: &Observations) -> Self {
        let groups = &observations.groups;
        let (mut squares, mut degrees) = (0.0, 0);
        let (mut weights, mut target) =
            (Vec::with_capacity(groups.len()), Vec::with_capacity(groups.len()));
        for group in groups {
            let kept = group.near();
            let mean = mean(&kept);
            squares += kept.iter().map(|seconds| (seconds / mean - 1.0).powi(2)).sum::<f64>();
            degrees += kept.len() - 1;
            let root = (kept.len() as f64).sqrt();
            weights.push(root / mean);
            target.push(root);
        }
        Self { weights, target, squares, degrees, is_prior: false }
    }

    /// The rows of these runs for sums whose misfit is known from other programs: it counts more
    /// than the spread of repeated runs, so that points have equal weights.
    pub(super) fn with_prior(observations: &Observations, prior: &FamilyPrior) -> Self {
        let groups = observations.groups.iter();
        let weights: Vec<f64> = groups.map(|group| 1.0 / median(&group.seconds)).collect();
        Self {
            target: vec![1.0; weights.len()],
            weights,
            squares: prior.degrees as f64 * prior.misfit.powi(2),
            degrees: prior.degrees,
            is_prior: true,
        }
    }

    /// The same with a misfit of 1 % that is known beforehand: without it, a law that passes through
    /// few points by chance would seem certain.
    pub(super) fn with_known_misfit(mut self) -> Self {
        self.squares += KNOWN_MISFIT_DEGREES as f64 * KNOWN_MISFIT.powi(2);
        self.degrees += KNOWN_MISFIT_DEGREES;
        self
    }

    /// Multiplies the weights of rows by these factors.
    pub(super) fn reweight(&mut self, factors: &[f64]) {
        for rows in [&mut self.weights, &mut self.target] {
            rows.iter_mut().zip(factors).for_each(|(row, factor)| *row *= factor);
        }
    }
}
