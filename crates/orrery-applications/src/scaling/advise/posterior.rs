//! The posterior of the times of candidate points: jointly normal, updated by runs.

use super::advisor::is_mix;
use crate::run::{Configuration, Share};
use crate::scaling::measured::OwnRuns;
use crate::scaling::point_time::PointTime;
use crate::scaling::{Alternative, Coefficient, ForecastError, Point, TermModel, Uncertainty};
use orrery_base::numeric::expected_excess;

/// The difference of times that counts as a tie, relative to the time: the rounding errors of sums
/// of terms.
const TIE: f64 = 1e-12;

/// The identity of a point for a model: its configuration and the variables of the model.
pub(super) type PointKey = (Configuration, Vec<Option<u64>>);

/// The key of a point: equal for points that the model does not distinguish.
pub(super) fn point_key(model: &TermModel, point: &Point) -> PointKey {
    let mut configuration = point.configuration.clone();
    configuration.shares.sort();
    let variables = point.element_variables(configuration.shares.first());
    (configuration, model.ranges.keys().map(|name| variables.get(name).map(f64::to_bits)).collect())
}

/// A point with its terms and its time.
#[derive(Debug, Clone)]
pub(super) struct CandidatePoint {
    pub(super) point: Point,
    /// The terms of each kind that takes part.
    pub(super) kind_terms: Vec<Vec<f64>>,
    /// The terms of each kind in each alternative sum of the model.
    pub(super) alternative_terms: Vec<Vec<Vec<f64>>>,
    /// The terms of the slowest kind.
    pub(super) terms: Vec<f64>,
    /// The time by the model and by the point's own runs.
    pub(super) time: PointTime,
}

impl CandidatePoint {
    /// A point with its own runs, if it has any.
    pub(super) fn new(
        model: &TermModel,
        uncertainty: &Uncertainty,
        point: Point,
        own: Option<&OwnRuns>,
    ) -> Result<Self, ForecastError> {
        // A forecast succeeds only if all terms are defined.
        let seconds = model.forecast(&point, 0.95)?.seconds.get();
        let shares = &point.configuration.shares;
        let terms_of = |share: Option<&Share>, coefficients: &[Coefficient]| {
            let kind = share.map(|share| share.kind.as_str());
            let variables = point.element_variables(share);
            let value = |c: &Coefficient| {
                if c.applies_to(kind) { c.term.value(&variables).unwrap_or(0.0) } else { 0.0 }
            };
            coefficients.iter().map(value).collect::<Vec<f64>>()
        };
        let of_kinds = |coefficients: &[Coefficient]| -> Vec<Vec<f64>> {
            if shares.is_empty() {
                vec![terms_of(None, coefficients)]
            } else {
                shares.iter().map(|share| terms_of(Some(share), coefficients)).collect()
            }
        };
        let kind_terms = of_kinds(&model.coefficients);
        let alternative_terms =
            model.alternatives.iter().map(|other| of_kinds(&other.coefficients)).collect();
        let values: Vec<f64> = model.coefficients.iter().map(|c| c.estimate.value).collect();
        let terms =
            kind_terms.iter().max_by(|a, b| dot(a, &values).total_cmp(&dot(b, &values))).cloned();
        let time =
            PointTime::of_model(seconds, Some(uncertainty), own.map_or(&[], |own| &own.seconds));
        Ok(Self { terms: terms.unwrap_or_default(), kind_terms, alternative_terms, time, point })
    }
}

/// The deviations of a time that points have in common, each with its standard deviation in
/// seconds: that of mixes of kinds, and the difference √p·(f_a − f) of each alternative sum of terms
/// with probability p. With them the covariance is that of the mixture of all sums.
fn common_deviations(model: &TermModel, point: &CandidatePoint, mix_deviation: f64) -> Vec<f64> {
    let of_alternative = |(alternative, terms): (&Alternative, &Vec<Vec<f64>>)| {
        let values: Vec<f64> = alternative.coefficients.iter().map(|c| c.estimate.value).collect();
        let seconds = terms.iter().map(|terms| dot(terms, &values)).fold(0.0, f64::max);
        alternative.probability.max(0.0).sqrt() * (seconds - point.time.model_seconds)
    };
    let of_mixes = if is_mix(&point.point) { mix_deviation * point.time.seconds() } else { 0.0 };
    let alternatives = model.alternatives.iter().zip(&point.alternative_terms);
    let deviations = alternatives.map(of_alternative).chain([of_mixes]);
    deviations.map(|deviation| (1.0 - point.time.own_weight) * deviation).collect()
}

/// The joint normal distribution of the times of candidate points, in seconds, and of the
/// coefficients.
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
    /// The times of all mixes of kinds have the relative deviation `mix_deviation` in common.
    pub(super) fn new(
        model: &TermModel,
        uncertainty: &Uncertainty,
        points: &[CandidatePoint],
        repetitions: u32,
        mix_deviation: f64,
    ) -> Self {
        let covariance_times_terms = |point: &CandidatePoint| {
            uncertainty.covariance.iter().map(|row| dot(row, &point.terms)).collect::<Vec<f64>>()
        };
        let products: Vec<Vec<f64>> = points.iter().map(covariance_times_terms).collect();
        let common: Vec<Vec<f64>> =
            points.iter().map(|point| common_deviations(model, point, mix_deviation)).collect();
        let count = points.len();
        let entry = |i: usize, j: usize| match (i.checked_sub(count), j.checked_sub(count)) {
            (Some(k), Some(l)) => uncertainty.covariance[k][l],
            (Some(k), None) => (1.0 - points[j].time.own_weight) * products[j][k],
            (None, Some(l)) => (1.0 - points[i].time.own_weight) * products[i][l],
            (None, None) => {
                let (a, b) = (&points[i], &points[j]);
                let residual = if i == j { a.time.residual_variance } else { 0.0 };
                (1.0 - a.time.own_weight) * (1.0 - b.time.own_weight) * dot(&a.terms, &products[j])
                    + dot(&common[i], &common[j])
                    + residual
            }
        };
        let size = count + uncertainty.covariance.len();
        Self {
            means: points.iter().map(|point| point.time.seconds()).collect(),
            covariance: (0..size).map(|i| (0..size).map(|j| entry(i, j)).collect()).collect(),
            noise: points
                .iter()
                .map(|point| point.time.run_variance / f64::from(repetitions))
                .collect(),
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
        first_shortest(alternatives, |point| self.mean(point))
    }

    /// The Kalman gain of a run: the change of the mean of each point and coefficient per second of
    /// innovation; `None` if the run carries no information.
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

    /// The reduction of the expected loss of a decision by a run, relative to the time of the
    /// choice: the sum over the other alternatives of E max(0, f_choice − f_other − δ·f_choice),
    /// before minus after the run.
    pub(super) fn loss_reduction(
        &self,
        run: usize,
        choice: usize,
        alternatives: &[usize],
        tolerance: f64,
    ) -> f64 {
        let (own, time) = (&self.covariance[run], self.means[choice]);
        let run_variance = own[run] + self.noise[run];
        if run_variance <= 0.0 {
            return 0.0;
        }
        let of_pair = |&other: &usize| {
            let variance = self.covariance[choice][choice] + self.covariance[other][other]
                - 2.0 * self.covariance[choice][other];
            let variance_after = variance - (own[choice] - own[other]).powi(2) / run_variance;
            let margin = self.means[other] - time + tolerance * time;
            let loss = |variance: f64| expected_excess(margin, variance.max(0.0).sqrt());
            loss(variance) - loss(variance_after)
        };
        alternatives.iter().filter(|&&other| other != choice).map(of_pair).sum::<f64>() / time
    }
}

/// The first of the points whose time equals the shortest one; 0 if there are none. Alternatives
/// are in the order of the search, which breaks ties in the same way for all choices.
pub(super) fn first_shortest(alternatives: &[usize], time: impl Fn(usize) -> f64) -> usize {
    let shortest = alternatives.iter().map(|&point| time(point)).fold(f64::INFINITY, f64::min);
    let first = alternatives.iter().copied().find(|&point| time(point) <= shortest * (1.0 + TIE));
    first.unwrap_or_default()
}

/// The scalar product.
pub(super) fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}
