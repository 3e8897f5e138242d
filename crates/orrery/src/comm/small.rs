//! Least squares along critical paths for models of few parameters, the same for all processors.

use super::rows::play;
use super::{FitError, NamedParameters, Observation, Observations};
use crate::numeric::{Estimate, Interval, LeastSquares, Solution, SparseRows};
use crate::platform::Processor;
use crate::sample::Experiment;

/// After so many solutions the best one is taken, though paths still change.
const MOST: usize = 30;

/// After so many solutions that are no better the search ends.
const PATIENCE: usize = 3;

/// A gain of squared residuals below this part of them is none.
const WORTH_WHILE: f64 = 1e-6;

/// Estimates the parameters of a model by its name, with their intervals.
///
/// The first rows come from the parameters `made_for`, for which each experiment shows what it is made to show; rows and
/// solutions then follow each other as in [`lmo::paths`](super::lmo::paths).
///
/// # Errors
///
/// When the observations do not identify the parameters.
pub(super) fn estimates<N: NamedParameters>(
    model: &'static str,
    observations: &Observations,
    list: &[Observation],
    made_for: &[f64],
    network: impl Fn(&[f64]) -> N,
    level: f64,
) -> Result<Vec<Estimate>, FitError> {
    let list: Vec<&Observation> = list.iter().collect();
    let unidentified = |open: &[usize]| {
        let network = network(made_for);
        let parameters = open.iter().map(|&p| network.parameter(p as u32).to_string()).collect();
        FitError::Unidentified { model, parameters }
    };
    let problem = |rows: &SparseRows| LeastSquares::new(made_for.len()).with_rows(rows.clone());
    let mut rows = play(network(made_for), made_for, &list, None, 0)?;
    let mut best: Option<(SparseRows, Solution, f64)> = None;
    let mut since_best = 0;
    for _ in 0..MOST {
        let solution = match problem(&rows).solve() {
            Ok(solution) => solution,
            Err(_) if best.is_some() => break,
            Err(open) => return Err(unidentified(&open.0)),
        };
        let next = play(network(&solution.values), &solution.values, &list, Some(&rows), 0)?;
        let cost: f64 = next.residuals(&solution.values).map(|residual| residual * residual).sum();
        let settled = next == rows;
        since_best += 1;
        if best.as_ref().is_none_or(|(.., least)| cost < least * (1.0 - WORTH_WHILE)) {
            best = Some((rows, solution, cost));
            since_best = 0;
        }
        if settled || since_best >= PATIENCE {
            break;
        }
        rows = next;
    }
    let (rows, solution, cost) = best.unwrap_or_else(|| unreachable!("the first solution is the best so far"));
    let deviations = problem(&rows).deviations().map_err(|open| unidentified(&open.0))?;
    let degrees = list.len().saturating_sub(made_for.len()) as f64;
    let excess = (degrees > 0.0).then(|| cost / degrees);
    let factor = observations.half_width_factor(level, excess, degrees);
    let mut samples = vec![0; made_for.len()];
    for (row, observation) in list.iter().enumerate() {
        rows.terms(row).for_each(|(parameter, _)| samples[parameter] += observation.count);
    }
    let each = solution.values.iter().zip(deviations).zip(samples);
    let estimate = |((value, deviation), samples): ((&f64, f64), u64)| {
        // The sum with 0 is never −0.
        let not_below = |value: f64| value.max(0.0) + 0.0;
        let value = not_below(*value);
        let interval = |half: f64| Interval { low: not_below(value - half), high: value + half, level };
        Estimate { value, interval: factor.map(|factor| interval(factor * deviation)), samples: Some(samples) }
    };
    Ok(each.map(estimate).collect())
}

/// A time and a size to make first parameters of: a small part of the shortest observation, so that all waits are longer,
/// and the largest message.
pub(super) fn scale(list: &[Observation]) -> (f64, f64) {
    let shortest = list.iter().map(|one| one.seconds).filter(|seconds| *seconds > 0.0).fold(f64::INFINITY, f64::min);
    let largest = list.iter().map(|one| one.experiment.size().get()).max().unwrap_or(1).max(1);
    (if shortest.is_finite() { shortest / 1000.0 } else { 1e-9 }, largest as f64)
}

/// The same observation of processors 0 and 1, for networks of two.
pub(super) fn on_two(one: &Observation) -> Observation {
    let (i, j) = (Processor(0), Processor(1));
    let experiment = match one.experiment {
        Experiment::RoundTrip { size, reply, .. } => Experiment::RoundTrip { i, j, size, reply },
        Experiment::Train { train, .. } => Experiment::Train { i, j, train },
        other => other,
    };
    Observation { experiment, ..*one }
}
