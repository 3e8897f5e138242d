//! The significance of shared links, by the misfit of the times together.

use std::collections::BTreeMap;

use super::estimation::{AGAIN, FIRST, Solution, estimate};
use super::pruning::{is_tree, without_idle};
use super::selection::{MIN_GAIN, PairTime, SIMULATION_TOLERANCE};
use super::trials::Measured;
use orrery_base::numeric::{LeastSquares, normal_p_value, normal_score, parallel_map};
use orrery_cluster::platform::Processor;

/// The largest probability that any of the groups seems to share a link, by which a link is kept.
const MAX_PROBABILITY: f64 = 0.01;

/// The smallest effect of a link on a set, in squared standard deviations, by which the set counts.
const MIN_EFFECT: f64 = 1.0;

/// The weight of a host's effect of 0, relative to that of a time: it determines effects that no
/// time shows.
const HOST_INERTIA: f64 = 1e-3;

/// The smallest part of the effect of a link, as the others and the hosts leave it, that times show.
const MIN_SLOPE: f64 = 0.5;

/// The probability of evidence as large as that for a link if no group shares one.
///
/// The link changes the logarithm of the explained time t by x_t, after the delays of the others
/// are estimated again; r_t is the logarithm of the measured time to that explained without the
/// link, both in units of the deviation of readings and simulations. Hosts may be slow where others
/// are busy: both are reduced by the sum of an effect of each processor of the pair, by least
/// squares. The slope b = Σ x·r/Σ x² has the variance Σ_s (Σ_{t∈s} x·(r − b·x))²/(Σ x²)² over the
/// sets s, whatever errors of a set have in common, with a degree of freedom less than the sets that
/// the link changes; or φ/Σ x² with the mean squared error φ of all times, at least 1. The larger
/// probability of b by Student's distribution counts, multiplied by the number of processors, which
/// bounds that of groups (Bonferroni).
pub(super) fn p_value(solution: &Solution, link: usize, measured: &Measured<'_>) -> f64 {
    let mut fewer = solution.selection.clone();
    fewer.remove(link);
    let without = estimate(fewer, measured, AGAIN);
    let times = &solution.selection.times;
    let logarithms = |of: fn(&PairTime, f64, f64) -> f64| -> Vec<f64> {
        let explained = solution.explained.iter().zip(&without.explained);
        let value = |(time, (&with, &without)): (&PairTime, (&f64, &f64))| {
            of(time, with, without).ln() / time.deviation.hypot(SIMULATION_TOLERANCE)
        };
        times.iter().zip(explained).map(value).collect()
    };
    let processors = measured.ports.processors();
    let changes = without_hosts(times, logarithms(|_, with, without| with / without), processors);
    let rests =
        without_hosts(times, logarithms(|time, _, without| time.together / without), processors);
    let effect: f64 = changes.iter().map(|change| change * change).sum();
    let score: f64 = changes.iter().zip(&rests).map(|(change, rest)| change * rest).sum();
    let slope = score / effect;
    // Also if the link has no effect.
    if slope.is_nan() || slope < MIN_SLOPE {
        return 1.0;
    }
    // For each set the score of the errors that are left, and the effect of the link.
    let mut sets: BTreeMap<usize, (f64, f64)> = BTreeMap::new();
    let mut squares = 0.0;
    for ((time, change), rest) in times.iter().zip(&changes).zip(&rests) {
        let error = rest - slope * change;
        squares += error * error;
        let set = sets.entry(time.set).or_default();
        *set = (set.0 + change * error, set.1 + change * change);
    }
    let degrees =
        (times.len() as f64 - (solution.selection.groups.len() + processors) as f64).max(1.0);
    let misfit = (squares / degrees).max(1.0);
    let of_sets: f64 = sets.values().map(|(score, _)| score * score).sum();
    let changed = sets.values().filter(|(_, effect)| *effect > MIN_EFFECT).count() as f64;
    let tests = [(of_sets, changed - 1.0), (misfit * effect, degrees)];
    let p = tests.map(|(variance, degrees)| {
        let ratio = score / variance.max(f64::MIN_POSITIVE).sqrt();
        normal_p_value(normal_score(ratio, degrees.max(1.0)))
    });
    (p[0].max(p[1]) * processors as f64).min(1.0)
}

/// The values of times less the effects of the hosts of their pairs that explain them best.
fn without_hosts(times: &[PairTime], values: Vec<f64>, processors: usize) -> Vec<f64> {
    let hosts = |time: &PairTime| [time.pair.0.index(), time.pair.1.index()];
    let mut problem = LeastSquares::new(processors);
    for (time, &value) in times.iter().zip(&values) {
        problem.push(hosts(time).map(|one| (one, 1.0)), value, 1.0);
    }
    for one in 0..processors {
        problem.push([(one, 1.0)], 0.0, HOST_INERTIA);
    }
    let Ok(solution) = problem.solve() else { return values };
    let effect = |time| hosts(time).map(|one| solution.values[one]).iter().sum::<f64>();
    times.iter().zip(values).map(|(time, value)| value - effect(time)).collect()
}

/// Removes links for which evidence is not significant, the least significant first, apart from
/// those of `needed`. Before, a link is replaced by that of a smaller candidate, such as a host, if
/// this explains the times as well: a union with another group can take the place of one.
pub(super) fn significant(
    mut solution: Solution,
    candidates: &[Vec<Processor>],
    needed: &[Vec<Processor>],
    measured: &Measured<'_>,
) -> Solution {
    while let Some(better) = with_smaller_group(&solution, candidates, measured) {
        solution = without_idle(better, measured);
    }
    loop {
        let groups = &solution.selection.groups;
        let others: Vec<usize> =
            (0..groups.len()).filter(|&link| !needed.contains(&groups[link])).collect();
        let values = parallel_map(others.len(), |one| p_value(&solution, others[one], measured));
        let worst = others.into_iter().zip(values).max_by(|a, b| a.1.total_cmp(&b.1));
        let Some((link, _)) = worst.filter(|(_, p)| *p > MAX_PROBABILITY) else { return solution };
        solution.selection.remove(link);
        solution = without_idle(estimate(solution.selection, measured, AGAIN), measured);
    }
}

/// The solution with a link of a candidate in place of one that contains it and the group of another
/// link, if it explains the times as well as misfit shows.
fn with_smaller_group(
    solution: &Solution,
    candidates: &[Vec<Processor>],
    measured: &Measured<'_>,
) -> Option<Solution> {
    let groups = &solution.selection.groups;
    let contains = |outer: &[Processor], inner: &[Processor]| {
        inner.len() < outer.len() && inner.iter().all(|one| outer.binary_search(one).is_ok())
    };
    let misfit = solution.cost() / solution.selection.times.len().max(1) as f64;
    let limit = solution.cost() + MIN_GAIN * misfit.max(1.0);
    let mut best: Option<Solution> = None;
    for (link, group) in groups.iter().enumerate() {
        if !groups.iter().any(|inner| contains(group, inner)) {
            continue;
        }
        for candidate in candidates.iter().filter(|one| contains(group, one)) {
            if groups.contains(candidate) {
                continue;
            }
            let mut replaced = groups.clone();
            replaced[link].clone_from(candidate);
            if !is_tree(&replaced) {
                continue;
            }
            let found = estimate(solution.selection.with_groups(replaced), measured, FIRST);
            if found.cost() < best.as_ref().map_or(limit, Solution::cost) {
                best = Some(found);
            }
        }
    }
    best
}
