//! The posterior of the times of candidate points: jointly normal, updated by runs.

use std::collections::BTreeMap;

use crate::numeric::{expected_excess, mean};
use crate::run::{Configuration, Run, Share};
use crate::scaling::{Coefficient, ForecastError, Point, TermModel, Uncertainty};

/// From this number of repeated runs on, the spread of runs and the lack of fit are estimated separately.
const MIN_SPREAD_DEGREES: f64 = 5.0;

/// The identity of a point for a model: its configuration and the variables of the model.
pub(super) type PointKey = (Configuration, Vec<Option<u64>>);

/// The key of a point.
pub(super) fn point_key(model: &TermModel, point: &Point) -> PointKey {
    let mut configuration = point.configuration.clone();
    configuration.shares.sort();
    let variables = point.element_variables(configuration.shares.first());
    (configuration, model.ranges.keys().map(|name| variables.get(name).map(f64::to_bits)).collect())
}

/// The measured times in seconds by point.
pub(super) fn measured_times(model: &TermModel, runs: &[Run]) -> BTreeMap<PointKey, Vec<f64>> {
    let mut times: BTreeMap<PointKey, Vec<f64>> = BTreeMap::new();
    for run in runs {
        times.entry(point_key(model, &Point::of(run))).or_default().push(run.seconds.get());
    }
    times
}

/// A point with its terms, its measured times and the variances of its time.
#[derive(Debug, Clone)]
pub(super) struct CandidatePoint {
    pub(super) point: Point,
    /// The terms of each kind that takes part.
    pub(super) kind_terms: Vec<Vec<f64>>,
    /// The terms of the slowest kind.
    pub(super) terms: Vec<f64>,
    /// T̂: the time of the model, in seconds.
    pub(super) model_seconds: f64,
    /// k: the weight of the point's own runs against the model; 0 without runs.
    pub(super) own_weight: f64,
    /// The mean of the point's own runs in seconds; T̂ without runs.
    pub(super) measured_mean: f64,
    /// The variance of the time given the coefficients, in s².
    pub(super) residual_variance: f64,
    /// The variance of a single run about the time of the point, in s².
    pub(super) run_variance: f64,
}

impl CandidatePoint {
    /// A point with the times of its runs in seconds, if it has any.
    pub(super) fn new(
        model: &TermModel,
        uncertainty: &Uncertainty,
        point: Point,
        times: Option<&Vec<f64>>,
    ) -> Result<Self, ForecastError> {
        // A forecast succeeds only if all terms are defined.
        let seconds = model.forecast(&point, 0.95)?.seconds.get();
        let shares = &point.configuration.shares;
        let terms_of = |share: Option<&Share>| {
            let kind = share.map(|share| share.kind.as_str());
            let variables = point.element_variables(share);
            let value = |c: &Coefficient| {
                if c.applies_to(kind) { c.term.value(&variables).unwrap_or(0.0) } else { 0.0 }
            };
            model.coefficients.iter().map(value).collect::<Vec<f64>>()
        };
        let kind_terms: Vec<Vec<f64>> = if shares.is_empty() {
            vec![terms_of(None)]
        } else {
            shares.iter().map(|share| terms_of(Some(share))).collect()
        };
        let values: Vec<f64> = model.coefficients.iter().map(|c| c.estimate.value).collect();
        let terms = kind_terms.iter().max_by(|a, b| dot(a, &values).total_cmp(&dot(b, &values))).cloned();
        let (misfit, spread) = variances(uncertainty, seconds);
        let (misfit, run_variance) = (misfit * seconds * seconds, spread * seconds * seconds);
        let runs = times.map_or(0.0, |times| times.len() as f64);
        let own_weight = if runs > 0.0 && misfit > 0.0 { misfit / (misfit + run_variance / runs) } else { 0.0 };
        let residual_variance = if runs > 0.0 { own_weight * run_variance / runs } else { misfit };
        let measured_mean = times.map_or(seconds, |times| mean(times));
        Ok(Self {
            terms: terms.unwrap_or_default(),
            kind_terms,
            model_seconds: seconds,
            own_weight,
            measured_mean,
            residual_variance,
            run_variance,
            point,
        })
    }

    /// f̂: the posterior mean of the time, in seconds.
    pub(super) fn seconds(&self) -> f64 {
        self.seconds_given(self.model_seconds)
    }

    /// The mean of the time in seconds, given the time of the model.
    pub(super) fn seconds_given(&self, model_seconds: f64) -> f64 {
        (1.0 - self.own_weight) * model_seconds + self.own_weight * self.measured_mean
    }
}

/// τ² and σ² relative to T̂². With hardly any repeated runs they cannot be separated; each is then half of their sum.
fn variances(uncertainty: &Uncertainty, seconds: f64) -> (f64, f64) {
    let (misfit, spread) = (uncertainty.misfit.powi(2), uncertainty.spread(seconds));
    if uncertainty.spread_degrees >= MIN_SPREAD_DEGREES {
        (misfit, spread)
    } else {
        [f64::midpoint(misfit, spread); 2].into()
    }
}

/// The joint normal distribution of the times of candidate points, in seconds, and of the coefficients.
#[derive(Debug, Clone)]
pub(super) struct Posterior {
    /// The means of the points.
    means: Vec<f64>,
    /// The covariance of the points, followed by the coefficients.
    covariance: Vec<Vec<f64>>,
    /// The variance of the mean of the repetitions of a point about its time.
    noise: Vec<f64>,
}

impl Posterior {
    /// The distribution before any advised run. A run of a point is repeated `repetitions` times.
    pub(super) fn new(points: &[CandidatePoint], uncertainty: &Uncertainty, repetitions: u32) -> Self {
        let covariance_times_terms = |point: &CandidatePoint| {
            uncertainty.covariance.iter().map(|row| dot(row, &point.terms)).collect::<Vec<f64>>()
        };
        let products: Vec<Vec<f64>> = points.iter().map(covariance_times_terms).collect();
        let count = points.len();
        let entry = |i: usize, j: usize| match (i.checked_sub(count), j.checked_sub(count)) {
            (Some(k), Some(l)) => uncertainty.covariance[k][l],
            (Some(k), None) => (1.0 - points[j].own_weight) * products[j][k],
            (None, Some(l)) => (1.0 - points[i].own_weight) * products[i][l],
            (None, None) => {
                let (a, b) = (&points[i], &points[j]);
                let residual = if i == j { a.residual_variance } else { 0.0 };
                (1.0 - a.own_weight) * (1.0 - b.own_weight) * dot(&a.terms, &products[j]) + residual
            }
        };
        let size = count + uncertainty.covariance.len();
        Self {
            means: points.iter().map(CandidatePoint::seconds).collect(),
            covariance: (0..size).map(|i| (0..size).map(|j| entry(i, j)).collect()).collect(),
            noise: points.iter().map(|point| point.run_variance / f64::from(repetitions)).collect(),
        }
    }

    /// The mean time of a point in seconds.
    pub(super) fn mean(&self, point: usize) -> f64 {
        self.means[point]
    }

    /// The standard deviation of a measurement of a point about its time, in seconds.
    pub(super) fn measurement_deviation(&self, point: usize) -> f64 {
        self.noise[point].sqrt()
    }

    /// The point with the shortest mean time, the first of equals.
    pub(super) fn best(&self, alternatives: &[usize]) -> usize {
        let best = alternatives.iter().copied().min_by(|&a, &b| self.mean(a).total_cmp(&self.mean(b)));
        best.unwrap_or_default()
    }

    /// The Kalman gain of a run: the change of the mean of each point and coefficient per second of innovation; `None` if
    /// the run carries no information.
    pub(super) fn gain(&self, run: usize) -> Option<Vec<f64>> {
        let variance = self.covariance[run][run] + self.noise[run];
        (variance > 0.0 && self.covariance[run][run] > 0.0)
            .then(|| self.covariance[run].iter().map(|shared| shared / variance).collect())
    }

    /// Conditions the covariance on a run: C − C_r C_rᵀ/(C_rr + v_r).
    pub(super) fn condition_on(&mut self, run: usize) {
        let Some(gain) = self.gain(run) else { return };
        let shared = self.covariance[run].clone();
        for (row, gain) in self.covariance.iter_mut().zip(gain) {
            row.iter_mut().zip(&shared).for_each(|(entry, shared)| *entry -= gain * shared);
        }
    }

    /// The reduction of the expected loss of a decision by a run, relative to the time of the choice: the sum over the
    /// other alternatives of E max(0, f_choice − f_other − δ·f_choice), before minus after the run.
    pub(super) fn loss_reduction(&self, run: usize, choice: usize, alternatives: &[usize], tolerance: f64) -> f64 {
        let (own, time) = (&self.covariance[run], self.means[choice]);
        let run_variance = own[run] + self.noise[run];
        if run_variance <= 0.0 {
            return 0.0;
        }
        let of_pair = |&other: &usize| {
            let variance =
                self.covariance[choice][choice] + self.covariance[other][other] - 2.0 * self.covariance[choice][other];
            let variance_after = variance - (own[choice] - own[other]).powi(2) / run_variance;
            let margin = self.means[other] - time + tolerance * time;
            let loss = |variance: f64| expected_excess(margin, variance.max(0.0).sqrt());
            loss(variance) - loss(variance_after)
        };
        alternatives.iter().filter(|&&other| other != choice).map(of_pair).sum::<f64>() / time
    }
}

/// The scalar product.
pub(super) fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}
