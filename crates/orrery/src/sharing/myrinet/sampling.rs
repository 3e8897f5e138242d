//! The estimate of a component that is too large to count.

use std::collections::BTreeMap;

use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

use super::bipartite::Bipartite;
use super::count::narrower;
use super::order::Plan;
use super::sweep::{Counted, Entry, sweep};
use super::thin::thin;
use crate::numeric::{Interval, student_quantile};

/// How penalties are estimated where sets are too many to count.
///
/// The count is repeated 32 times, each time keeping some of the states only, drawn without bias: both the number N of all
/// sets and the number N_c of those in which a transfer sends keep their expectation. N / N_c is the ratio of the sums over
/// the repetitions, with the interval of the jackknife over them. The penalty is the greatest N / N_c of the transfers of
/// a source; so is each end of its interval, where the intervals of k transfers have the level 1 − (1 − `level`) / k
/// (Bonferroni). It then holds with about the probability `level`, which is a statement of statistics and not a proof;
/// as the greatest of numbers with errors, the value itself leans to the high side. One bound is certain: the penalty is no
/// less than the number of transfers that leave the source. The work is bounded whatever the graph. Same seed, same
/// numbers.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Sampling {
    /// Decides what is drawn.
    pub seed: u64,
    /// The probability of the intervals, between 0 and 1.
    pub level: f64,
}

impl Default for Sampling {
    fn default() -> Self {
        Self { seed: 0, level: 0.95 }
    }
}

/// How often the count is repeated.
const REPETITIONS: usize = 32;

/// How many steps one repetition takes if that leaves enough states.
const STEPS: usize = 1 << 18;

/// How many states are kept of a layer, at least and at most.
const KEPT: (usize, usize) = (64, 8192);

/// A repetition never takes more steps.
const MOST_STEPS: usize = 1 << 21;

/// What was found for one component.
pub(super) struct Sampled {
    /// The expected counts.
    pub(super) counted: Counted,
    /// The intervals of the penalties of each source on the left.
    pub(super) intervals: Vec<Interval>,
}

/// Samples a graph whose sources are on the left.
pub(super) fn sample(graph: &Bipartite, sampling: &Sampling) -> Option<Sampled> {
    let plan = narrower(graph);
    match plan.slots {
        0..=64 => within::<1>(graph, &plan, sampling),
        65..=128 => within::<2>(graph, &plan, sampling),
        129..=512 => within::<8>(graph, &plan, sampling),
        _ => None,
    }
}

fn within<const WORDS: usize>(graph: &Bipartite, plan: &Plan, sampling: &Sampling) -> Option<Sampled> {
    let steps: usize = plan.turns.iter().map(|turn| turn.shared.len() + turn.own.len() + 1).sum();
    let most = (STEPS / steps).clamp(KEPT.0, KEPT.1);
    if most * steps > MOST_STEPS {
        return None;
    }
    let counted = (0..REPETITIONS).filter_map(|repetition| {
        let mut rng = ChaCha8Rng::seed_from_u64(sampling.seed);
        rng.set_stream(repetition as u64);
        sweep(graph, plan, |entries: &mut Vec<Entry<WORDS>>| {
            thin(entries, most, &mut rng);
            true
        })
    });
    let repetitions = alike(counted.collect());
    let sum = repetitions.iter().fold(nothing(graph, &repetitions), |sum, one| plus(sum, one, 1.0));
    let ratio = |counted: &Counted, pair: usize| counted.all / counted.with[pair];
    if !(0..graph.pairs.len()).all(|pair| ratio(&sum, pair).is_finite()) {
        return None;
    }
    let without: Vec<Counted> = repetitions.iter().map(|one| plus(sum.clone(), one, -1.0)).collect();
    let mut quantiles = BTreeMap::new();
    let of_source = |pairs: &Vec<usize>| {
        let certain = pairs.iter().map(|&pair| graph.pairs[pair].transfers.len()).sum::<usize>() as f64;
        let quantile = *quantiles.entry(pairs.len()).or_insert_with(|| {
            student_quantile(REPETITIONS as f64 - 1.0, 1.0 - (1.0 - sampling.level) / pairs.len() as f64)
        });
        let (low, high) = pairs
            .iter()
            .map(|&pair| {
                let half = quantile * deviation(without.iter().map(|counted| ratio(counted, pair)));
                (ratio(&sum, pair) - half, ratio(&sum, pair) + half)
            })
            .fold((certain, certain), |(low, high), (least, most)| (low.max(least), high.max(most)));
        Interval { low, high, level: sampling.level }
    };
    let intervals = graph.lefts.iter().map(of_source).collect();
    let mean = |count: f64| count / REPETITIONS as f64;
    let with = sum.with.iter().copied().map(mean).collect();
    Some(Sampled { counted: Counted { all: mean(sum.all), with, exponent: sum.exponent }, intervals })
}

/// The same counts with one common exponent, the largest.
fn alike(mut all: Vec<Counted>) -> Vec<Counted> {
    let exponent = all.iter().map(|one| one.exponent).max().unwrap_or(0);
    for one in &mut all {
        let scale = 2.0_f64.powi(one.exponent - exponent);
        one.all *= scale;
        one.with.iter_mut().for_each(|count| *count *= scale);
        one.exponent = exponent;
    }
    all
}

fn nothing(graph: &Bipartite, alike: &[Counted]) -> Counted {
    let exponent = alike.first().map_or(0, |one| one.exponent);
    Counted { all: 0.0, with: vec![0.0; graph.pairs.len()], exponent }
}

fn plus(mut sum: Counted, one: &Counted, times: f64) -> Counted {
    sum.all += times * one.all;
    sum.with.iter_mut().zip(&one.with).for_each(|(sum, one)| *sum += times * one);
    sum
}

/// The standard deviation by the jackknife: √((n−1)/n · Σ (x_r − x̄)²), x_r the estimate without the repetition r.
fn deviation(without: impl Iterator<Item = f64> + Clone) -> f64 {
    let count = REPETITIONS as f64;
    let mean = without.clone().sum::<f64>() / count;
    let squares: f64 = without.map(|x| (x - mean).powi(2)).sum();
    let deviation = (squares * (count - 1.0) / count).sqrt();
    if deviation.is_nan() { f64::INFINITY } else { deviation }
}
