use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use rand_distr::{ChiSquared, Distribution, StandardNormal};

use super::belief::Belief;
use super::place::{Place, dot};
use crate::scaling::{TermModel, Uncertainty};

/// How many worlds are drawn: a probability of 0.95 is then known to about 0.01.
const COUNT: usize = 500;

/// Fewer degrees of freedom have no variance; so many are taken then.
const LEAST_DEGREES: f64 = 3.0;

/// Worlds as they may be, and what is believed in each.
#[derive(Debug, Clone)]
pub(super) struct Worlds<'a> {
    places: &'a [Place],
    /// The times of all places, by world.
    truths: Vec<Vec<f64>>,
    /// What is believed in each: the times of all places, then the coefficients.
    means: Vec<Vec<f64>>,
    noise: ChaCha8Rng,
}

/// How well a decision stands.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Worth {
    /// The share of worlds in which the choice is good enough.
    pub(super) probability: f64,
    /// What the choice loses on average, relative to the best.
    pub(super) loss: f64,
}

impl<'a> Worlds<'a> {
    pub(super) fn draw(model: &TermModel, uncertainty: &Uncertainty, places: &'a [Place], seed: u64) -> Self {
        let mut noise = ChaCha8Rng::seed_from_u64(seed);
        let root = root(&uncertainty.covariance);
        let values: Vec<f64> = model.coefficients.iter().map(|c| c.estimate.value).collect();
        let believed: Vec<f64> = places.iter().map(Place::seconds).chain(values.iter().copied()).collect();
        let mut truths = Vec::with_capacity(COUNT);
        for _ in 0..COUNT {
            let scale = student(uncertainty.covariance_degrees, &mut noise);
            let normal: Vec<f64> = values.iter().map(|_| StandardNormal.sample(&mut noise)).collect();
            let drawn: Vec<f64> =
                values.iter().zip(&root).map(|(value, row)| (value + scale * dot(row, &normal)).max(0.0)).collect();
            let scale = student(uncertainty.misfit_degrees, &mut noise);
            let time = |place: &Place| {
                let model = place.views.iter().map(|terms| dot(terms, &drawn)).fold(0.0, f64::max);
                let normal: f64 = StandardNormal.sample(&mut noise);
                let time = place.in_world(model) + scale * place.misfit.sqrt() * normal;
                // No run takes less than a hundredth of what is believed of it.
                time.max(0.01 * place.seconds())
            };
            truths.push(places.iter().map(time).collect());
        }
        Self { places, truths, means: vec![believed; COUNT], noise }
    }

    /// Makes a run in each world.
    pub(super) fn observe(&mut self, belief: &Belief, run: usize) {
        let Some(gain) = belief.gain(run) else { return };
        for (truth, means) in self.truths.iter().zip(&mut self.means) {
            let normal: f64 = StandardNormal.sample(&mut self.noise);
            let surprise = truth[run] + belief.noise(run) * normal - believed(self.places, means, run);
            means.iter_mut().zip(&gain).for_each(|(mean, gain)| *mean += gain * surprise);
        }
    }

    /// How well a decision between alternatives stands, where a choice within this part of the best is good enough.
    pub(super) fn judge(&self, alternatives: &[usize], within: f64) -> Worth {
        let (mut good, mut lost) = (0, 0.0);
        for (truth, means) in self.truths.iter().zip(&self.means) {
            let timed = alternatives.iter().map(|&place| (believed(self.places, means, place), place));
            let choice = timed.min_by(|a, b| a.0.total_cmp(&b.0)).map_or(0, |(_, place)| place);
            let least = alternatives.iter().map(|&place| truth[place]).fold(f64::INFINITY, f64::min);
            let loss = truth[choice] / least - 1.0;
            good += usize::from(loss <= within);
            lost += loss;
        }
        let worlds = self.truths.len() as f64;
        Worth { probability: good as f64 / worlds, loss: lost / worlds }
    }
}

/// The time of a place that is believed: the slowest kind by the coefficients that are believed, which need not be the one
/// whose terms the place has.
fn believed(places: &[Place], means: &[f64], place: usize) -> f64 {
    let (mean, coefficients) = (means[place], &means[places.len()..]);
    let place = &places[place];
    let slowest = place.views.iter().map(|terms| dot(terms, coefficients)).fold(f64::NEG_INFINITY, f64::max);
    mean + (1.0 - place.own) * (slowest - dot(&place.terms, coefficients))
}

/// √(ν/χ²_ν): with it, a normal number is one of Student's distribution.
fn student(degrees: f64, noise: &mut ChaCha8Rng) -> f64 {
    let degrees = degrees.max(LEAST_DEGREES);
    if degrees > 1e4 {
        return 1.0;
    }
    ChiSquared::new(degrees).map_or(1.0, |squares| (degrees / squares.sample(noise)).sqrt())
}

/// L with LLᵀ = Σ. Rows are scaled to unit length first: powers of n differ by many orders of magnitude.
fn root(covariance: &[Vec<f64>]) -> Vec<Vec<f64>> {
    let count = covariance.len();
    let scales: Vec<f64> = (0..count).map(|k| covariance[k][k].max(0.0).sqrt()).collect();
    let correlation = |k: usize, l: usize| {
        let scale = scales[k] * scales[l];
        let shared = if scale > 0.0 { covariance[k][l] / scale } else { 0.0 };
        // A little more on the diagonal, since correlations of nearly 1 are rounded.
        if k == l { 1.0 + 1e-9 } else { shared }
    };
    let lower = nalgebra::DMatrix::from_fn(count, count, correlation).cholesky().map(|root| root.l());
    let entry = |k: usize, l: usize| match &lower {
        Some(lower) => lower[(k, l)] * scales[k],
        None if k == l => scales[k],
        None => 0.0,
    };
    (0..count).map(|k| (0..count).map(|l| entry(k, l)).collect()).collect()
}
