//! Estimates for a component that is too large to count.

use std::collections::BTreeMap;

use rand::rngs::ChaCha8Rng;
use rand::{RngExt, SeedableRng};

use super::count::{Counted, Entry, sweep};
use super::graph::{Bipartite, Plan, narrower_plan};
use orrery_base::numeric::{Interval, student_quantile};

/// The method of estimating penalties if there are too many sets to count.
///
/// The count is repeated 32 times, each time on a random selection of the states, drawn without
/// bias: the number N of all sets and the number N_c of those in which a transfer sends keep their
/// expectation. N / N_c is the ratio of the sums over the repetitions, with the interval of the
/// jackknife. The penalty is the largest N / N_c of the transfers of a source; so is each end of
/// its interval, where the intervals of k transfers have the level 1 − (1 − `level`) / k
/// (Bonferroni). The interval holds with about the probability `level`; it is an estimate and no
/// proof. As the maximum of numbers with errors, the value itself is biased upwards. One bound is
/// certain: the penalty is at least the number of transfers that leave the source. The work is
/// bounded for every graph. The same seed gives the same numbers.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Sampling {
    /// The seed of the random selection.
    pub seed: u64,
    /// The confidence level of the intervals, between 0 and 1.
    pub level: f64,
}

impl Default for Sampling {
    fn default() -> Self {
        Self { seed: 0, level: 0.95 }
    }
}

/// The number of repetitions of the count.
const REPETITIONS: usize = 32;

/// The intended number of state transitions in one repetition of the count.
const TARGET_STEPS: usize = 1 << 18;

/// The smallest and the largest number of states that are kept of a layer.
const KEPT_STATES: (usize, usize) = (64, 8192);

/// The largest number of state transitions in one repetition of the count; a component that may
/// need more is not sampled.
const MAX_STEPS: usize = 1 << 21;

/// The estimates for one component.
pub(super) struct Sampled {
    /// The expected counts.
    pub(super) counted: Counted,
    /// The interval of the penalty of each source.
    pub(super) intervals: Vec<Interval>,
}

/// Samples a graph whose sources are on the left; `None` if no set was found, or if the graph is
/// too large.
pub(super) fn sample(graph: &Bipartite, sampling: &Sampling) -> Option<Sampled> {
    let plan = narrower_plan(graph);
    match plan.slots {
        0..=64 => sample_within::<1>(graph, &plan, sampling),
        65..=128 => sample_within::<2>(graph, &plan, sampling),
        129..=512 => sample_within::<8>(graph, &plan, sampling),
        _ => None,
    }
}

/// As [`sample`], with states of this number of words.
fn sample_within<const WORDS: usize>(
    graph: &Bipartite,
    plan: &Plan,
    sampling: &Sampling,
) -> Option<Sampled> {
    let steps_per_state: usize =
        plan.turns.iter().map(|turn| turn.shared.len() + turn.own.len() + 1).sum();
    let kept = (TARGET_STEPS / steps_per_state).clamp(KEPT_STATES.0, KEPT_STATES.1);
    if kept * steps_per_state > MAX_STEPS {
        return None;
    }
    let counted = (0..REPETITIONS).filter_map(|repetition| {
        let mut rng = ChaCha8Rng::seed_from_u64(sampling.seed);
        rng.set_stream(repetition as u64);
        sweep(graph, plan, |entries: &mut Vec<Entry<WORDS>>| {
            thin(entries, kept, &mut rng);
            true
        })
    });
    let repetitions = with_common_exponent(counted.collect());
    let sum = repetitions.iter().fold(zero(graph, &repetitions), |sum, one| plus(sum, one, 1.0));
    let ratio = |counted: &Counted, pair: usize| counted.all / counted.with[pair];
    if !(0..graph.pairs.len()).all(|pair| ratio(&sum, pair).is_finite()) {
        return None;
    }
    let without: Vec<Counted> =
        repetitions.iter().map(|one| plus(sum.clone(), one, -1.0)).collect();
    let mut quantiles = BTreeMap::new();
    let interval = |pairs: &Vec<usize>| {
        let least =
            pairs.iter().map(|&pair| graph.pairs[pair].transfers.len()).sum::<usize>() as f64;
        let quantile = *quantiles.entry(pairs.len()).or_insert_with(|| {
            student_quantile(
                REPETITIONS as f64 - 1.0,
                1.0 - (1.0 - sampling.level) / pairs.len() as f64,
            )
        });
        let (low, high) = pairs
            .iter()
            .map(|&pair| {
                let half = quantile
                    * jackknife_deviation(without.iter().map(|counted| ratio(counted, pair)));
                (ratio(&sum, pair) - half, ratio(&sum, pair) + half)
            })
            .fold((least, least), |(low, high), (from, to)| (low.max(from), high.max(to)));
        Interval { low, high, level: sampling.level }
    };
    let intervals = graph.lefts.iter().map(interval).collect();
    let mean = |count: f64| count / REPETITIONS as f64;
    let with = sum.with.iter().copied().map(mean).collect();
    Some(Sampled {
        counted: Counted { all: mean(sum.all), with, exponent: sum.exponent },
        intervals,
    })
}

/// Drops entries until at most this number is left. Entries of large weight stay; each other one
/// that stays represents some that do not.
///
/// An entry of w ways stays with the probability min(1, w/c), where c is such that `kept` entries
/// stay on average; if w < c, it then counts as c. So sums over the ways keep their expectation.
/// Draws are systematic, with one random number. Source: Fearnhead, Clifford, "On-line inference
/// for hidden Markov models via particle filters", J. R. Stat. Soc. B 65 (2003).
fn thin<const WORDS: usize>(entries: &mut Vec<Entry<WORDS>>, kept: usize, rng: &mut ChaCha8Rng) {
    if entries.len() <= kept {
        return;
    }
    let threshold = thinning_threshold(entries.iter().map(|entry| entry.ways).collect(), kept);
    let mut until_next = threshold * rng.random::<f64>();
    entries.retain_mut(|entry| {
        if entry.ways >= threshold {
            return true;
        }
        until_next -= entry.ways;
        let stays = until_next < 0.0;
        if stays {
            until_next += threshold;
            entry.weight = threshold / entry.ways;
            entry.ways = threshold;
        }
        stays
    });
}

/// The c with Σ min(1, w/c) = `kept` over these numbers of ways w.
fn thinning_threshold(mut ways: Vec<f64>, kept: usize) -> f64 {
    ways.sort_by(|a, b| b.total_cmp(a));
    // The sum of all but the largest ones.
    let mut rest: f64 = ways.iter().sum();
    for (large, &next) in ways.iter().take(kept).enumerate() {
        let threshold = rest / (kept - large) as f64;
        if next < threshold {
            return threshold;
        }
        rest -= next;
    }
    ways[kept]
}

/// The same counts, scaled to the largest exponent of all.
fn with_common_exponent(mut all: Vec<Counted>) -> Vec<Counted> {
    let exponent = all.iter().map(|one| one.exponent).max().unwrap_or(0);
    for one in &mut all {
        let scale = 2.0_f64.powi(one.exponent - exponent);
        one.all *= scale;
        one.with.iter_mut().for_each(|count| *count *= scale);
        one.exponent = exponent;
    }
    all
}

/// Counts of zero for each pair of the graph, with the exponent of `alike`, which have one in
/// common.
fn zero(graph: &Bipartite, alike: &[Counted]) -> Counted {
    let exponent = alike.first().map_or(0, |one| one.exponent);
    Counted { all: 0.0, with: vec![0.0; graph.pairs.len()], exponent }
}

/// The sum of counts and `factor` times others with the same exponent.
fn plus(mut sum: Counted, one: &Counted, factor: f64) -> Counted {
    sum.all += factor * one.all;
    sum.with.iter_mut().zip(&one.with).for_each(|(sum, one)| *sum += factor * one);
    sum
}

/// The standard deviation by the jackknife: √((n−1)/n · Σ (x_r − x̄)²), where x_r is the estimate
/// without repetition r.
fn jackknife_deviation(without: impl Iterator<Item = f64> + Clone) -> f64 {
    let count = REPETITIONS as f64;
    let mean = without.clone().sum::<f64>() / count;
    let squares: f64 = without.map(|x| (x - mean).powi(2)).sum();
    let deviation = (squares * (count - 1.0) / count).sqrt();
    if deviation.is_nan() { f64::INFINITY } else { deviation }
}
