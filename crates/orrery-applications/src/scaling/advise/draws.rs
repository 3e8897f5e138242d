//! Monte Carlo draws from the posterior: the probability that a choice is good, and its expected
//! loss.

use rand::rngs::ChaCha8Rng;
use rand::{RngExt as _, SeedableRng};
use rand_distr::{ChiSquared, Distribution, StandardNormal};

use super::advisor::is_mix;
use super::posterior::{CandidatePoint, Posterior, dot, first_shortest};
use crate::scaling::{Coefficient, TermModel, Uncertainty};

/// The number of draws: the standard error of a probability of 0.95 is then 0.01.
const DRAWS: usize = 500;

/// The least degrees of freedom of a Student scale; with fewer the variance is infinite.
const MIN_DEGREES: f64 = 3.0;

/// The shortest drawn time, relative to its posterior mean.
const MIN_RELATIVE_TIME: f64 = 0.01;

/// Draws of the true times, each with its own posterior means.
#[derive(Debug)]
pub(super) struct PosteriorDraws<'a> {
    points: &'a [CandidatePoint],
    /// The true times of all points, by draw.
    true_times: Vec<Vec<f64>>,
    /// The posterior means by draw: the times of all points, then the coefficients.
    means: Vec<Vec<f64>>,
    rng: ChaCha8Rng,
}

/// The probability that a choice is good, and its expected loss.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct ChoiceQuality {
    /// The share of draws in which the choice is within the tolerance of the best.
    pub(super) probability: f64,
    /// The mean loss of the choice, relative to the best time.
    pub(super) expected_loss: f64,
    /// The mean loss of the choice in seconds.
    pub(super) lost_seconds: f64,
}

impl<'a> PosteriorDraws<'a> {
    /// Draws true times from the posterior: each draw is of one of the plausible sums of terms, by
    /// their probabilities.
    pub(super) fn new(
        model: &TermModel,
        uncertainty: &Uncertainty,
        points: &'a [CandidatePoint],
        mix_deviation: f64,
        seed: u64,
    ) -> Self {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let sums = Sum::all(model, uncertainty);
        let means: Vec<f64> = points
            .iter()
            .map(|point| point.time.seconds())
            .chain(sums[0].values.iter().copied())
            .collect();
        let mut true_times = Vec::with_capacity(DRAWS);
        for _ in 0..DRAWS {
            let drawn = if sums.len() > 1 { Sum::draw(&sums, rng.random()) } else { 0 };
            let coefficients = sums[drawn].draw_coefficients(&mut rng);
            let of_mixes = if mix_deviation > 0.0 {
                let normal: f64 = StandardNormal.sample(&mut rng);
                (mix_deviation * normal).exp()
            } else {
                1.0
            };
            let scale = student_scale(uncertainty.misfit_degrees, &mut rng);
            let time = |point: &CandidatePoint| {
                let kind_terms = match drawn {
                    0 => &point.kind_terms,
                    other => &point.alternative_terms[other - 1],
                };
                let model_seconds =
                    kind_terms.iter().map(|terms| dot(terms, &coefficients)).fold(0.0, f64::max);
                let factor = if is_mix(&point.point) { of_mixes } else { 1.0 };
                let normal: f64 = StandardNormal.sample(&mut rng);
                let time = point.time.seconds_given(factor * model_seconds)
                    + scale * point.time.residual_variance.sqrt() * normal;
                time.max(MIN_RELATIVE_TIME * point.time.seconds())
            };
            true_times.push(points.iter().map(time).collect());
        }
        Self { points, true_times, means: vec![means; DRAWS], rng }
    }

    /// Simulates a run in each draw and updates its posterior means.
    pub(super) fn simulate_run(&mut self, posterior: &Posterior, run: usize) {
        let Some(gain) = posterior.gain(run) else { return };
        for (truth, means) in self.true_times.iter().zip(&mut self.means) {
            let normal: f64 = StandardNormal.sample(&mut self.rng);
            let measured = truth[run] + posterior.measurement_deviation(run) * normal;
            let innovation = measured - mean_time(self.points, means, run);
            means.iter_mut().zip(&gain).for_each(|(mean, gain)| *mean += gain * innovation);
        }
    }

    /// The quality of a decision between alternatives: how often, over the draws, the choice is at
    /// most by the part `tolerance` slower than the best one, and its expected loss relative to the
    /// best time.
    pub(super) fn choice_quality(&self, alternatives: &[usize], tolerance: f64) -> ChoiceQuality {
        let (mut good, mut lost, mut lost_seconds) = (0, 0.0, 0.0);
        for (truth, means) in self.true_times.iter().zip(&self.means) {
            let choice = first_shortest(alternatives, |point| mean_time(self.points, means, point));
            let best = alternatives.iter().map(|&point| truth[point]).fold(f64::INFINITY, f64::min);
            let loss = truth[choice] / best - 1.0;
            good += usize::from(loss <= tolerance);
            lost += loss;
            lost_seconds += truth[choice] - best;
        }
        let draws = self.true_times.len() as f64;
        ChoiceQuality {
            probability: good as f64 / draws,
            expected_loss: lost / draws,
            lost_seconds: lost_seconds / draws,
        }
    }
}

/// A plausible sum of terms, prepared for draws of its coefficients.
struct Sum {
    probability: f64,
    values: Vec<f64>,
    /// The root of the covariance of the coefficients.
    factor: Vec<Vec<f64>>,
    degrees: f64,
}

impl Sum {
    /// The sum of a model and its alternatives.
    fn all(model: &TermModel, uncertainty: &Uncertainty) -> Vec<Self> {
        let sum = |probability, coefficients: &[Coefficient], uncertainty: &Uncertainty| Self {
            probability,
            values: coefficients.iter().map(|c| c.estimate.value).collect(),
            factor: cholesky_factor(&uncertainty.covariance),
            degrees: uncertainty.covariance_degrees,
        };
        let others = model.alternatives.iter().map(|other| match &other.uncertainty {
            Some(own) => sum(other.probability, &other.coefficients, own),
            None => sum(0.0, &other.coefficients, uncertainty),
        });
        std::iter::once(sum(model.probability(), &model.coefficients, uncertainty))
            .chain(others)
            .collect()
    }

    /// The place of the sum that a number between 0 and 1 draws.
    fn draw(sums: &[Self], number: f64) -> usize {
        let mut passed = 0.0;
        let drawn = sums.iter().position(|sum| {
            passed += sum.probability;
            number < passed
        });
        drawn.unwrap_or_default()
    }

    /// Coefficients of at least 0 from their Student distribution.
    fn draw_coefficients(&self, rng: &mut ChaCha8Rng) -> Vec<f64> {
        let scale = student_scale(self.degrees, rng);
        let normal: Vec<f64> = self.values.iter().map(|_| StandardNormal.sample(rng)).collect();
        let values = self.values.iter().zip(&self.factor);
        values.map(|(value, row)| (value + scale * dot(row, &normal)).max(0.0)).collect()
    }
}

/// The posterior mean time of a point in a draw: of the kind that is the slowest by the
/// coefficients of this draw.
fn mean_time(points: &[CandidatePoint], means: &[f64], point: usize) -> f64 {
    let (mean, coefficients) = (means[point], &means[points.len()..]);
    let point = &points[point];
    let slowest = point
        .kind_terms
        .iter()
        .map(|terms| dot(terms, coefficients))
        .fold(f64::NEG_INFINITY, f64::max);
    mean + (1.0 - point.time.own_weight) * (slowest - dot(&point.terms, coefficients))
}

/// A draw of √(ν/χ²_ν), which turns a normal variate into a Student variate.
fn student_scale(degrees: f64, rng: &mut ChaCha8Rng) -> f64 {
    let degrees = degrees.max(MIN_DEGREES);
    if degrees > 1e4 {
        return 1.0;
    }
    ChiSquared::new(degrees).map_or(1.0, |squares| (degrees / squares.sample(rng)).sqrt())
}

/// The lower triangular L with LLᵀ = Σ, computed on the correlation matrix because coefficients
/// differ by many orders of magnitude.
fn cholesky_factor(covariance: &[Vec<f64>]) -> Vec<Vec<f64>> {
    let count = covariance.len();
    let scales: Vec<f64> = (0..count).map(|k| covariance[k][k].max(0.0).sqrt()).collect();
    let correlation = |k: usize, l: usize| {
        let scale = scales[k] * scales[l];
        let shared = if scale > 0.0 { covariance[k][l] / scale } else { 0.0 };
        // The diagonal is raised slightly because correlations near 1 are rounded.
        if k == l { 1.0 + 1e-9 } else { shared }
    };
    let lower =
        nalgebra::DMatrix::from_fn(count, count, correlation).cholesky().map(|root| root.l());
    let entry = |k: usize, l: usize| match &lower {
        Some(lower) => lower[(k, l)] * scales[k],
        None if k == l => scales[k],
        None => 0.0,
    };
    (0..count).map(|k| (0..count).map(|l| entry(k, l)).collect()).collect()
}
