//! The delays per byte of shared links, from simulations of exchanges as flows.

use super::selection::{PairTime, Selection, cost};
use super::trials::{Measured, Trials};
use crate::comm::ports::Uplinks;
use crate::model::fit::exchange_times::PairEnd;
use orrery_base::numeric::{Estimate, Interval, LeastSquares, parallel_map, student_quantile};

/// The largest number of linear problems for an estimate that is not near its solution. With fewer,
/// links are pruned that are needed.
pub(super) const FIRST: usize = 12;
/// The largest number of linear problems for an estimate after a small change.
pub(super) const AGAIN: usize = 2;

/// The relative change of delays at which iterations end.
const CONVERGED: f64 = 1e-10;

/// The part of an interval below which a change of a delay does not matter.
pub(super) const SMALL_PART: f64 = 0.02;

/// The relative change of delays up to which their effects stay as they are.
const SMALL_CHANGE: f64 = 0.01;

/// The smallest part of a time that is proportional to a delay that it estimates.
const MIN_PART: f64 = 0.02;

/// The largest factor by which a delay changes in one iteration.
const MAX_FACTOR: f64 = 2.0;

/// The weight with which each delay stays as it is, relative to a median time that it determines.
const INERTIA: f64 = 1e-6;

/// The standard deviation of readings that do not differ, relative to them.
const ASSUMED_DEVIATION: f64 = 1e-9;

/// The effect of the delays on a time.
pub(super) struct Effect {
    /// The number of the time.
    pub(super) time: usize,
    /// The derivative of the time by the delay of each link that affects it.
    terms: Vec<(usize, f64)>,
}

/// Links with estimated delays.
pub(super) struct Solution {
    /// The links.
    pub(super) selection: Selection,
    /// The delays per byte with their intervals.
    pub(super) uplinks: Uplinks,
    /// The explained time of each pair of each set \[s\].
    pub(super) explained: Vec<f64>,
}

impl Solution {
    /// Simulates the explained times again, with other ports.
    pub(super) fn simulate(&mut self, measured: &Measured<'_>) {
        let all: Vec<usize> = (0..measured.sets.len()).collect();
        self.explained = Trials::new(&self.selection, measured).times(&self.selection.delays, &all);
        self.explained
            .iter_mut()
            .zip(&self.selection.times)
            .for_each(|(one, time)| *one = one.max(time.alone));
    }

    /// The squared relative errors of the explained times, in units of their variance.
    pub(super) fn cost(&self) -> f64 {
        cost(&self.selection.times, &self.explained)
    }

    /// The squared relative error of each explained time, in units of its variance.
    pub(super) fn squared_errors(&self) -> impl Iterator<Item = f64> {
        self.explained
            .iter()
            .zip(&self.selection.times)
            .map(|(&explained, time)| time.squared_error(explained))
    }

    /// The links with the delays of the selection, and with their intervals, moved along, if all
    /// have one.
    pub(super) fn joint_uplinks(&self) -> Uplinks {
        let estimates = self.uplinks.byte_delay();
        if estimates.iter().any(|estimate| estimate.interval.is_none()) {
            return self.trial_uplinks();
        }
        let moved = |(&value, estimate): (&f64, &Estimate)| {
            let move_end = |end: f64| (end + value - estimate.value).max(0.0);
            let interval = estimate.interval.map(|Interval { low, high, level }| Interval {
                low: move_end(low),
                high: move_end(high),
                level,
            });
            Estimate { value, interval, ..*estimate }
        };
        self.uplinks
            .clone()
            .with_byte_delay(self.selection.delays.iter().zip(estimates).map(moved).collect())
    }

    /// The links with the delays of the selection, which an alternation may have moved on, without
    /// intervals.
    pub(super) fn trial_uplinks(&self) -> Uplinks {
        let delays = self.selection.delays.iter().map(|&delay| Estimate::exact(delay));
        self.uplinks.clone().with_byte_delay(delays.collect())
    }
}

/// Estimates the delays of a selection by least squares.
///
/// With the order of events fixed, the time of a flow is linear in the delays of the links that
/// bound it: each iteration solves the linear problem whose coefficients a simulation returns
/// (Gauss and Newton).
pub(super) fn estimate(
    mut selection: Selection,
    measured: &Measured<'_>,
    iterations: usize,
) -> Solution {
    let trials = Trials::new(&selection, measured);
    let all: Vec<usize> = (0..measured.sets.len()).collect();
    let (mut explained, mut effects) = linearised(&selection, &trials);
    let mut computed_at = selection.delays.clone();
    let mut estimates = Vec::new();
    for left in (0..iterations).rev() {
        estimates = solve(&selection, &explained, &effects, measured.level);
        let has_moved = |(new, old): (&Estimate, &f64)| {
            let width = new.interval.map_or(0.0, |interval| interval.high - interval.low);
            (new.value - old).abs() > (CONVERGED * old).max(SMALL_PART * width)
        };
        let is_settled = !estimates.iter().zip(&selection.delays).any(has_moved);
        // The coefficients hold near the present delays: a longer step could skip the solution.
        let before = selection.delays.clone();
        for (delay, solved) in selection.delays.iter_mut().zip(&estimates) {
            *delay = solved.value.clamp(*delay / MAX_FACTOR, *delay * MAX_FACTOR);
        }
        // The last small step changes the times linearly and saves a simulation.
        if is_settled {
            for Effect { time, terms } in &effects {
                let change = terms
                    .iter()
                    .map(|&(link, term)| term * (selection.delays[link] - before[link]));
                explained[*time] += change.sum::<f64>();
            }
            break;
        }
        let is_near = |(new, old): (&f64, &f64)| (new - old).abs() <= SMALL_CHANGE * old;
        // Near the delays of the last linearization its coefficients are good enough, and after the
        // last step none are needed: plain simulations cost less than derivatives.
        if left == 0 || selection.delays.iter().zip(&computed_at).all(is_near) {
            explained = trials.times(&selection.delays, &all);
        } else {
            (explained, effects) = linearised(&selection, &trials);
            computed_at.clone_from(&selection.delays);
        }
    }
    let uplinks = Uplinks::new(selection.groups.clone(), estimates).unwrap_or_default();
    explained
        .iter_mut()
        .zip(&selection.times)
        .for_each(|(explained, time)| *explained = explained.max(time.alone));
    Solution { selection, uplinks, explained }
}

/// The evidence for each link in simulations: the increase of the squared relative errors without
/// it, in units of their variance. The sum over the sets ends where it exceeds `enough`. Links
/// whose evidence in `before` exceeds `enough` keep this evidence, without a simulation.
pub(super) fn evidence(
    solution: &Solution,
    measured: &Measured<'_>,
    enough: f64,
    before: &[f64],
) -> Vec<f64> {
    let Solution { selection, explained, .. } = solution;
    let trials = Trials::new(selection, measured);
    let ranges = selection.ranges(measured.sets.len());
    let without = |link: usize| {
        if let Some(&before) = before.get(link).filter(|before| **before > enough) {
            return before;
        }
        // The sets with most times that the link determines come first.
        let mut sets = selection.determined_sets(link);
        let bound = |set: usize| {
            selection.times[ranges[set].clone()]
                .iter()
                .filter(|time| selection.bound(time) == Some(link))
                .count()
        };
        sets.sort_by_cached_key(|&set| std::cmp::Reverse(bound(set)));
        let mut delays = selection.delays.clone();
        delays[link] = 0.0;
        let mut sum = 0.0;
        for set in sets {
            let (times, with) =
                (&selection.times[ranges[set].clone()], &explained[ranges[set].clone()]);
            let without = trials.times(&delays, &[set]);
            sum += cost(times, &without) - cost(times, with);
            if sum > enough {
                break;
            }
        }
        sum
    };
    parallel_map(selection.groups.len(), without)
}

/// The explained times, and the effects of the delays on all times that depend on them and are
/// longer than by themselves.
pub(super) fn linearised(selection: &Selection, trials: &Trials<'_>) -> (Vec<f64>, Vec<Effect>) {
    let mut explained = Vec::new();
    let mut effects = Vec::new();
    for (time, PairEnd { seconds, mut terms }) in
        trials.times_with_derivatives(&selection.delays).into_iter().enumerate()
    {
        terms.retain(|&(link, derivative)| {
            (derivative * selection.delays[link]).abs() > MIN_PART * seconds
        });
        if !terms.is_empty() && seconds > selection.times[time].alone * 0.999 {
            effects.push(Effect { time, terms });
        }
        explained.push(seconds);
    }
    (explained, effects)
}

/// The delays that solve the linear problem, with intervals that contain the disagreement of the
/// times.
pub(super) fn solve(
    selection: &Selection,
    explained: &[f64],
    effects: &[Effect],
    level: f64,
) -> Vec<Estimate> {
    let links = selection.groups.len();
    let mut problem = LeastSquares::new(links);
    let deviation = |time: &PairTime| time.together * time.deviation.max(ASSUMED_DEVIATION);
    let mut readings = vec![0_u64; links];
    for Effect { time, terms } in effects {
        let measured = &selection.times[*time];
        let present: f64 =
            terms.iter().map(|&(link, derivative)| derivative * selection.delays[link]).sum();
        // The time is linear around the present delays: what is left to explain, and what they
        // explain already.
        let observed = measured.together - explained[*time] + present;
        problem.push(terms.iter().copied(), observed, 1.0 / deviation(measured));
        terms.iter().for_each(|&(link, _)| readings[link] += measured.readings as u64);
    }
    let scale =
        effects.iter().map(|effect| selection.times[effect.time].deviation.max(ASSUMED_DEVIATION));
    let scale = scale.fold(f64::INFINITY, f64::min).min(1.0);
    // A very weak pull to the present delay determines links whose effect has vanished.
    for (link, &delay) in selection.delays.iter().enumerate() {
        problem.push([(link, 1.0)], delay, INERTIA / (delay * scale));
    }
    let exact = || selection.delays.iter().map(|&delay| Estimate::exact(delay)).collect();
    let (Ok(solution), Ok(deviations)) = (problem.solve(), problem.deviations()) else {
        return exact();
    };
    let residuals = effects.iter().map(|Effect { time, terms }| {
        let change: f64 = terms
            .iter()
            .map(|&(link, derivative)| {
                derivative * (solution.values[link] - selection.delays[link])
            })
            .sum();
        (selection.times[*time].together - explained[*time] - change)
            / deviation(&selection.times[*time])
    });
    let degrees = effects.len().saturating_sub(links) as f64;
    // Times that disagree by more than their noise widen the intervals, but never narrow them.
    let excess = residuals.map(|residual| residual * residual).sum::<f64>() / degrees.max(1.0);
    let has_spread = effects.iter().any(|effect| selection.times[effect.time].deviation > 0.0);
    let each = solution.values.iter().zip(deviations).zip(readings);
    let estimate = |((&value, deviation), readings): ((&f64, f64), u64)| {
        let half_width = student_quantile(degrees, level) * deviation * excess.max(1.0).sqrt();
        let half_width = (has_spread && degrees >= 1.0 && readings > 0).then_some(half_width);
        Estimate::not_negative(value, half_width, level, readings)
    };
    each.map(estimate).collect()
}
