//! The delays per byte of shared links, from simulations of exchanges as flows.

use super::selection::{PairTime, Selection};
use super::trials::{Measured, Trials};
use crate::comm::ports::Uplinks;
use crate::numeric::{Estimate, LeastSquares, student_quantile};
use crate::simulate::SimulationError;

/// The largest numbers of linear problems for the first estimate, and after a change of the other parameters.
pub(super) const FIRST: usize = 12;
pub(super) const AGAIN: usize = 2;

/// The relative change of delays at which iterations end.
const CONVERGED: f64 = 1e-10;

/// The part of an interval below which a change of a delay does not matter.
pub(super) const SMALL_PART: f64 = 0.02;

/// The relative change of delays up to which their effects stay as they are.
const SMALL_CHANGE: f64 = 0.01;

/// The relative change of a delay from which its effect on times is computed.
const DIFFERENCE: f64 = 1e-4;

/// The smallest part of a time that is proportional to a delay that it estimates.
const MIN_PART: f64 = 0.02;

/// The largest factor by which a delay changes in one iteration.
const MAX_FACTOR: f64 = 2.0;

/// The weight with which each delay stays as it is, relative to a median time that it determines.
const INERTIA: f64 = 1e-6;

/// The standard deviation of readings that do not differ, relative to them.
const ASSUMED_DEVIATION: f64 = 1e-9;

/// The effect of the delays on a time.
struct Effect {
    /// The number of the time.
    time: usize,
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
    /// The squared relative errors of the explained times, in units of their variance.
    pub(super) fn cost(&self) -> f64 {
        self.selection.cost(&self.explained)
    }

    /// The squared relative error of each explained time, in units of its variance.
    pub(super) fn squared_errors(&self) -> impl Iterator<Item = f64> {
        self.explained.iter().zip(&self.selection.times).map(|(&explained, time)| time.squared_error(explained))
    }

    /// The links with the delays of the selection, which an alternation may have moved on, without intervals.
    pub(super) fn trial_uplinks(&self) -> Uplinks {
        let delays = self.selection.delays.iter().map(|&delay| Estimate::exact(delay));
        self.uplinks.clone().with_byte_delay(delays.collect())
    }
}

/// Estimates the delays of a selection by least squares.
///
/// With the order of events fixed, the time of a flow is linear in the delays of the links that bound it: each iteration
/// solves the linear problem whose coefficients are found by a small change of each delay (Gauss and Newton).
pub(super) fn estimate(
    mut selection: Selection,
    measured: &Measured<'_>,
    iterations: usize,
) -> Result<Solution, SimulationError> {
    let numbers: Vec<usize> = (0..measured.sets.len()).collect();
    let mut estimates = Vec::new();
    let mut trials = Trials::new(&selection, measured);
    let mut explained = trials.times(&selection.delays, &numbers)?;
    let mut known: Option<(Vec<f64>, Vec<Effect>)> = None;
    for _ in 0..iterations {
        let is_near = |(new, old): (&f64, &f64)| (new - old).abs() <= SMALL_CHANGE * old;
        let reused = known.take().filter(|(at, _)| selection.delays.iter().zip(at).all(is_near));
        let (at, effects) = match reused {
            Some(known) => known,
            None => (selection.delays.clone(), effects(&selection, &explained, &mut trials)?),
        };
        let solved = solve(&selection, &explained, &effects, measured.level);
        let has_moved = |(new, old): (&Estimate, &f64)| {
            let width = new.interval.map_or(0.0, |interval| interval.high - interval.low);
            (new.value - old).abs() > (CONVERGED * old).max(SMALL_PART * width)
        };
        let is_settled = !solved.iter().zip(&selection.delays).any(has_moved);
        for (delay, solved) in selection.delays.iter_mut().zip(&solved) {
            *delay = solved.value.clamp(*delay / MAX_FACTOR, *delay * MAX_FACTOR);
        }
        explained = trials.times(&selection.delays, &numbers)?;
        (estimates, known) = (solved, Some((at, effects)));
        if is_settled {
            break;
        }
    }
    let uplinks = Uplinks::new(selection.groups.clone(), estimates).unwrap_or_default();
    explained.iter_mut().zip(&selection.times).for_each(|(explained, time)| *explained = explained.max(time.alone));
    Ok(Solution { selection, uplinks, explained })
}

/// The evidence for each link in simulations: the increase of the squared relative errors without it, in units of their
/// variance.
pub(super) fn evidence(selection: &Selection, measured: &Measured<'_>) -> Result<Vec<f64>, SimulationError> {
    let mut trials = Trials::new(selection, measured);
    let mut cost = |delays: &[f64], wanted: &[usize]| -> Result<f64, SimulationError> {
        let explained = trials.times(delays, wanted)?;
        let of = selection.times.iter().filter(|time| wanted.contains(&time.set));
        Ok(explained.iter().zip(of).map(|(&explained, time)| time.squared_error(explained)).sum())
    };
    let without = |link: usize| {
        let wanted = selection.determined_sets(link);
        let mut delays = selection.delays.clone();
        delays[link] = 0.0;
        Ok(cost(&delays, &wanted)? - cost(&selection.delays, &wanted)?)
    };
    (0..selection.groups.len()).map(without).collect()
}

/// The effects of the delays on all times that depend on them and are longer than by themselves.
fn effects(selection: &Selection, explained: &[f64], trials: &mut Trials<'_>) -> Result<Vec<Effect>, SimulationError> {
    let mut terms = vec![Vec::new(); selection.times.len()];
    for link in 0..selection.groups.len() {
        let mut changed = selection.delays.clone();
        changed[link] *= 1.0 + DIFFERENCE;
        let wanted = selection.determined_sets(link);
        let affected = selection.times.iter().enumerate().filter(|(_, time)| wanted.contains(&time.set));
        for ((number, _), new) in affected.zip(trials.times(&changed, &wanted)?) {
            let derivative = (new - explained[number]) / (changed[link] - selection.delays[link]);
            if (derivative * selection.delays[link]).abs() > MIN_PART * explained[number] {
                terms[number].push((link, derivative));
            }
        }
    }
    let effects = terms.into_iter().enumerate().map(|(time, terms)| Effect { time, terms });
    Ok(effects
        .filter(|effect| {
            !effect.terms.is_empty() && explained[effect.time] > selection.times[effect.time].alone * 0.999
        })
        .collect())
}

/// The delays that solve the linear problem, with intervals that contain the disagreement of the times.
fn solve(selection: &Selection, explained: &[f64], effects: &[Effect], level: f64) -> Vec<Estimate> {
    let links = selection.groups.len();
    let mut problem = LeastSquares::new(links);
    let deviation = |time: &PairTime| time.together * time.deviation.max(ASSUMED_DEVIATION);
    let mut readings = vec![0_u64; links];
    for Effect { time, terms } in effects {
        let measured = &selection.times[*time];
        let present: f64 = terms.iter().map(|&(link, derivative)| derivative * selection.delays[link]).sum();
        let observed = measured.together - explained[*time] + present;
        problem.push(terms.iter().copied(), observed, 1.0 / deviation(measured));
        terms.iter().for_each(|&(link, _)| readings[link] += measured.readings as u64);
    }
    let scale = effects.iter().map(|effect| selection.times[effect.time].deviation.max(ASSUMED_DEVIATION));
    let scale = scale.fold(f64::INFINITY, f64::min).min(1.0);
    for (link, &delay) in selection.delays.iter().enumerate() {
        problem.push([(link, 1.0)], delay, INERTIA / (delay * scale));
    }
    let exact = || selection.delays.iter().map(|&delay| Estimate::exact(delay)).collect();
    let (Ok(solution), Ok(deviations)) = (problem.solve(), problem.deviations()) else { return exact() };
    let residuals = effects.iter().map(|Effect { time, terms }| {
        let change: f64 =
            terms.iter().map(|&(link, derivative)| derivative * (solution.values[link] - selection.delays[link])).sum();
        (selection.times[*time].together - explained[*time] - change) / deviation(&selection.times[*time])
    });
    let degrees = effects.len().saturating_sub(links) as f64;
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
