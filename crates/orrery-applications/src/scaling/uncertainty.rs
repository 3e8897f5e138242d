//! The uncertainty of a term model and its estimation.

use serde::{Deserialize, Serialize};

use super::noise::RegionNoise;
use super::observations::Observations;
use super::point_time::MIN_SPREAD_DEGREES;
use super::regression::{Regression, time};
use super::terms::FamilyPrior;
use orrery_base::numeric::{mean, robust_deviation};

/// The clipping distance of runs from the mean of their point, in robust standard deviations.
const CLIP_DEVIATIONS: f64 = 4.0;

/// The least ratio of the longest to the shortest time for which the spread depends on the time.
const MIN_TIME_RATIO: f64 = 3.0;

/// The least relative variance: the square of the rounding error.
const MIN_VARIANCE: f64 = 1e-30;

/// The residuals of a point.
struct PointResiduals {
    /// T̂ in seconds.
    time: f64,
    /// The weighted mean of t/T̂ − 1 over the runs.
    mean: f64,
    /// The number of runs.
    runs: f64,
    /// The variance of t/T̂ over the runs; `None` for a single run.
    variance: Option<f64>,
}

/// The uncertainty of a term model: covariance of the coefficients, lack of fit of points, and
/// spread of repeated runs.
///
/// The variance of a run's time T̂ at a point x, relative to T̂², is xᵀΣx/T̂² + τ² + σ²(T̂):
/// coefficients, lack of fit and spread. The first part grows outside the measured range. σ²(T̂) =
/// σ₁²·T̂^slope, because long runs usually vary less.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Uncertainty {
    /// Σ: the covariance of the coefficients, in their order.
    pub covariance: Vec<Vec<f64>>,
    /// The degrees of freedom of Σ.
    pub covariance_degrees: f64,
    /// τ: the relative standard deviation of points about the model, in excess of the spread of
    /// runs.
    pub misfit: f64,
    /// The degrees of freedom of τ.
    pub misfit_degrees: f64,
    /// σ₁²: the relative variance of repeated runs that take one second; 0 without repetitions.
    pub spread_variance: f64,
    /// The exponent of T̂ in σ²(T̂).
    pub spread_slope: f64,
    /// The degrees of freedom of σ.
    pub spread_degrees: f64,
}

/// A variance with its degrees of freedom.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Variance {
    pub(super) value: f64,
    pub(super) degrees: f64,
}

impl Uncertainty {
    /// σ²(T̂), relative to T̂².
    pub(super) fn spread(&self, seconds: f64) -> f64 {
        self.spread_variance * seconds.powf(self.spread_slope)
    }

    /// The variance of a single run at a point, relative to its time.
    pub(super) fn of_run(&self, terms: &[f64], seconds: f64) -> Variance {
        self.of_mean(terms, seconds, 1)
    }

    /// The variance of the mean of repeated runs at a point, relative to its time.
    pub(super) fn of_mean(&self, terms: &[f64], seconds: f64, runs: usize) -> Variance {
        let misfit = Variance { value: self.misfit.powi(2), degrees: self.misfit_degrees };
        let spread =
            Variance { value: self.spread(seconds) / runs as f64, degrees: self.spread_degrees };
        satterthwaite_sum(&[self.of_coefficients(terms, seconds), misfit, spread])
    }

    /// Multiplies the variances of the coefficients and of the lack of fit, and limits their
    /// degrees of freedom.
    pub(super) fn widen(&mut self, factor: f64, degrees: f64) {
        self.covariance.iter_mut().flatten().for_each(|value| *value *= factor);
        self.misfit *= factor.sqrt();
        self.covariance_degrees = self.covariance_degrees.min(degrees);
        self.misfit_degrees = self.misfit_degrees.min(degrees);
    }

    /// The variance of the difference of the typical times of two points, relative to the longer.
    pub(super) fn of_difference(
        &self,
        one: &[f64],
        other: &[f64],
        seconds: (f64, f64),
    ) -> Variance {
        let longer = seconds.0.max(seconds.1);
        let differences: Vec<f64> = one.iter().zip(other).map(|(a, b)| a - b).collect();
        let shares = (seconds.0 / longer).powi(2) + (seconds.1 / longer).powi(2);
        let misfit = Variance { value: self.misfit.powi(2) * shares, degrees: self.misfit_degrees };
        satterthwaite_sum(&[self.of_coefficients(&differences, longer), misfit])
    }

    /// xᵀΣx/T²: the variance due to the coefficients.
    pub(super) fn of_coefficients(&self, terms: &[f64], seconds: f64) -> Variance {
        let row = |row: &Vec<f64>| row.iter().zip(terms).map(|(c, x)| c * x).sum::<f64>();
        let square: f64 = self.covariance.iter().zip(terms).map(|(c, x)| row(c) * x).sum();
        Variance { value: square.max(0.0) / (seconds * seconds), degrees: self.covariance_degrees }
    }
}

/// The sum of independent variances, with the degrees of freedom of Satterthwaite (1946).
pub(super) fn satterthwaite_sum(parts: &[Variance]) -> Variance {
    let value: f64 = parts.iter().map(|part| part.value).sum();
    let weight: f64 = parts
        .iter()
        .filter(|part| part.value > 0.0)
        .map(|part| part.value.powi(2) / part.degrees.max(1.0))
        .sum();
    Variance { value, degrees: if weight > 0.0 { value * value / weight } else { f64::INFINITY } }
}

/// Estimates the uncertainty of a regression; `None` if there are as many coefficients as points,
/// no repeated runs, and no other sum.
///
/// Repeated runs only improve the mean of their point. The lack of fit τ² is chosen such that Σ_g
/// e_g²/(τ² + σ²(T̂_g)/n_g) equals its degrees of freedom (DerSimonian, Laird 1986, for
/// regressions: Paule, Mandel 1982). The covariance of the coefficients that are not zero is Σ =
/// (Bᵀ W B)⁻¹.
///
/// A sum with as many coefficients as points has the lack of fit of `other`, another sum for the
/// same runs. A `prior` of the lack of fit is averaged with that of the points by their degrees of
/// freedom.
pub(super) fn uncertainty(
    regression: &Regression,
    observations: &Observations,
    other: Option<&Uncertainty>,
    prior: Option<FamilyPrior>,
) -> Option<Uncertainty> {
    let points = residuals(regression, observations);
    // The relative change of the time of each point in each direction; a direction that changes no
    // time is not free.
    let change = |direction: &Vec<f64>| -> Vec<f64> {
        regression
            .terms
            .iter()
            .zip(&points)
            .map(|(terms, point)| time(terms, direction) / point.time)
            .collect()
    };
    let directions = regression.directions.iter().map(|direction| (direction, change(direction)));
    let free: Vec<(&Vec<f64>, Vec<f64>)> =
        directions.filter(|(_, changes)| changes.iter().any(|change| change.abs() > 0.0)).collect();
    let degrees = observations.groups.len().checked_sub(free.len())? as f64;
    // A few repeated runs among many points would give the variance their few degrees of freedom.
    let is_known =
        |spread: &Spread| spread.degrees >= MIN_SPREAD_DEGREES || spread.degrees >= degrees;
    let spread = Spread::of(&points).moderated(observations.noise, &points);
    let spread = Some(spread).filter(is_known).unwrap_or_default();
    let is_saturated = degrees < 0.5;
    let other = other.filter(|_| prior.is_none());
    if is_saturated && spread.degrees < 0.5 && other.is_none() && prior.is_none() {
        return None;
    }
    let rows: Vec<Vec<f64>> = (0..points.len())
        .map(|row| free.iter().map(|(_, changes)| changes[row]).collect())
        .collect();
    let noise: Vec<f64> =
        points.iter().map(|point| spread.variance(point.time) / point.runs).collect();
    let excess = |misfit: f64| {
        let weights: Vec<f64> =
            noise.iter().map(|noise| 1.0 / (misfit + noise).max(MIN_VARIANCE)).collect();
        let (shift, covariance) = weighted_least_squares(&rows, &weights, &points)?;
        let left = |((row, point), weight): ((&Vec<f64>, &PointResiduals), &f64)| {
            weight * (point.mean - time(row, &shift)).powi(2)
        };
        Some((rows.iter().zip(&points).zip(&weights).map(left).sum::<f64>() - degrees, covariance))
    };
    let largest = points.iter().map(|point| point.mean.powi(2)).sum::<f64>().max(MIN_VARIANCE);
    // Without repeated runs the whole variance is lack of fit.
    let least = if noise.iter().all(|&noise| noise <= 0.0) { MIN_VARIANCE } else { 0.0 };
    let (mut low, mut high) = (least, largest);
    let misfit = if is_saturated {
        other.map_or(least, |other| other.misfit.powi(2).max(least))
    } else if excess(least)?.0 <= 0.0 {
        least
    } else {
        for _ in 0..60 {
            let middle = if low > 0.0 { (low * high).sqrt() } else { f64::midpoint(low, high) };
            if excess(middle)?.0 > 0.0 { low = middle } else { high = middle }
        }
        high
    };
    let own_degrees = if is_saturated { 0.0 } else { degrees };
    let prior_degrees = prior.map_or(0.0, |prior| prior.degrees as f64);
    let misfit = prior.map_or(misfit, |prior| {
        (prior_degrees * prior.misfit.powi(2) + own_degrees * misfit)
            / (prior_degrees + own_degrees)
    });
    let (_, small) = excess(misfit)?;
    let count = regression.values.len();
    let mut covariance = vec![vec![0.0; count]; count];
    for ((one, _), row) in free.iter().zip(&small) {
        for ((other, _), variance) in free.iter().zip(row) {
            for (k, a) in one.iter().enumerate().filter(|(_, a)| a.abs() > 0.0) {
                other.iter().zip(&mut covariance[k]).for_each(|(b, sum)| *sum += a * b * variance);
            }
        }
    }
    let degrees = other
        .filter(|_| is_saturated)
        .map_or(degrees + prior_degrees, |other| other.misfit_degrees);
    let share = misfit / (misfit + mean(&noise)).max(f64::MIN_POSITIVE);
    let own =
        |share: f64, degrees: f64| if share > 0.0 { share * share / degrees.max(1.0) } else { 0.0 };
    let covariance_degrees = 1.0 / (own(share, degrees) + own(1.0 - share, spread.degrees));
    Some(Uncertainty {
        covariance,
        covariance_degrees,
        misfit: misfit.sqrt(),
        misfit_degrees: degrees,
        spread_variance: spread.at_one,
        spread_slope: spread.slope,
        spread_degrees: spread.degrees,
    })
}

/// The residuals of all points.
fn residuals(regression: &Regression, observations: &Observations) -> Vec<PointResiduals> {
    let groups = observations.groups.iter().zip(&regression.weights).zip(regression.times());
    groups
        .map(|((group, weights), time)| {
            let errors: Vec<f64> =
                group.seconds.iter().map(|seconds| seconds / time - 1.0).collect();
            let whole: f64 = weights.iter().sum();
            let centre = errors.iter().zip(weights).map(|(e, w)| e * w).sum::<f64>() / whole;
            let bound = (errors.len() >= 5).then(|| robust_deviation(&errors)).flatten();
            let bound = bound
                .filter(|&bound| bound > 0.0)
                .map_or(f64::INFINITY, |deviation| CLIP_DEVIATIONS * deviation);
            let middle = mean(&errors);
            let squares =
                errors.iter().map(|e| (e - middle).clamp(-bound, bound).powi(2)).sum::<f64>();
            let variance = (errors.len() > 1).then(|| squares / (errors.len() - 1) as f64);
            PointResiduals { time, mean: centre, runs: errors.len() as f64, variance }
        })
        .collect()
}

/// The relative variance of repeated runs, σ²(T̂) = σ₁²·T̂^slope.
#[derive(Debug, Default)]
struct Spread {
    at_one: f64,
    slope: f64,
    degrees: f64,
}

impl Spread {
    /// Fits the slope to the logarithms of variance and time, weighted by runs, and σ₁² to the mean
    /// of the variances.
    fn of(points: &[PointResiduals]) -> Self {
        let known: Vec<(f64, f64, f64)> = points
            .iter()
            .filter_map(|point| Some((point.time.ln(), point.variance?, point.runs - 1.0)))
            .filter(|(_, variance, _)| *variance > 0.0)
            .collect();
        let weight: f64 = known.iter().map(|(_, _, weight)| weight).sum();
        if known.is_empty() {
            return Self::default();
        }
        let average = |of: &dyn Fn(&(f64, f64, f64)) -> f64| {
            known.iter().map(|p| p.2 * of(p)).sum::<f64>() / weight
        };
        let (x, y) = (average(&|p| p.0), average(&|p| p.1.ln()));
        let square = average(&|p| (p.0 - x).powi(2));
        let extent = known.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), p| {
            (low.min(p.0), high.max(p.0))
        });
        let wide = known.len() >= 4 && extent.1 - extent.0 > MIN_TIME_RATIO.ln();
        let slope = if wide { average(&|p| (p.0 - x) * (p.1.ln() - y)) / square } else { 0.0 };
        // All points with repeated runs count, including those with equal times.
        let repeated = points.iter().filter_map(|point| Some((point, point.variance?)));
        let (sum, runs) = repeated.fold((0.0, 0.0), |(sum, runs), (point, variance)| {
            let weight = point.runs - 1.0;
            (sum + weight * variance / point.time.powf(slope), runs + weight)
        });
        Self { at_one: sum / runs, slope, degrees: runs }
    }

    /// The variance with that of all regions of the program, weighted by degrees of freedom.
    fn moderated(self, noise: Option<RegionNoise>, points: &[PointResiduals]) -> Self {
        let Some(RegionNoise { variance, degrees }) = noise else { return self };
        // The variance of all regions is that at the typical time of this one.
        let logarithms: Vec<f64> = points.iter().map(|point| point.time.ln()).collect();
        let others = variance * (-self.slope * mean(&logarithms)).exp();
        let whole = self.degrees + degrees;
        let at_one = (self.degrees * self.at_one + degrees * others) / whole;
        Self { at_one, degrees: whole, ..self }
    }

    /// σ²(T̂).
    fn variance(&self, time: f64) -> f64 {
        self.at_one * time.powf(self.slope)
    }
}

/// Weighted least squares of the mean residuals: the solution and (BᵀWB)⁻¹; `None` if the matrix is
/// singular.
fn weighted_least_squares(
    rows: &[Vec<f64>],
    weights: &[f64],
    points: &[PointResiduals],
) -> Option<(Vec<f64>, Vec<Vec<f64>>)> {
    let count = rows.first().map_or(0, Vec::len);
    // Columns are scaled to unit length because powers of n differ by many orders of magnitude.
    let scale =
        |k: usize| rows.iter().zip(weights).map(|(row, w)| w * row[k] * row[k]).sum::<f64>().sqrt();
    let scales: Vec<f64> = (0..count).map(scale).collect();
    let products = nalgebra::DMatrix::from_fn(count, count, |k, l| {
        rows.iter().zip(weights).map(|(row, w)| w * row[k] * row[l]).sum::<f64>()
            / (scales[k] * scales[l])
    });
    let inverse = products.cholesky()?.inverse();
    let right: Vec<f64> = (0..count)
        .map(|k| {
            rows.iter()
                .zip(weights)
                .zip(points)
                .map(|((row, w), point)| w * row[k] * point.mean)
                .sum::<f64>()
                / scales[k]
        })
        .collect();
    let solution = (0..count)
        .map(|k| (0..count).map(|l| inverse[(k, l)] * right[l]).sum::<f64>() / scales[k])
        .collect();
    let covariance = (0..count)
        .map(|k| (0..count).map(|l| inverse[(k, l)] / (scales[k] * scales[l])).collect())
        .collect();
    Some((solution, covariance))
}
