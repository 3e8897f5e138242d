//! Corrections of the groups that sets of exchanges suggest, one processor at a time.

use std::collections::BTreeMap;

use super::estimation::{AGAIN, Solution, estimate};
use super::selection::MIN_GAIN;
use super::trials::Measured;
use crate::platform::Processor;
use crate::sample::unlocated;
use crate::simulate::SimulationError;

/// The mean squared error of the times of a processor, in units of their variance, from which its group may be wrong.
const SUSPICIOUS: f64 = 2.0;

/// The largest number of processors whose group is doubted after a move.
const MAX_SUSPECTS: usize = 6;

/// The largest number of estimates of all links.
const MAX_ESTIMATES: usize = 400;

/// Moves processors to other groups as long as this explains the times better; returns the processors for which two groups
/// explain them equally well, too.
///
/// The suggestion is wrong about processors with slow ports: links hardly slow their pairs. But their messages slow those of
/// other processors, which a simulation shows.
pub(super) fn place(
    mut solution: Solution,
    measured: &Measured<'_>,
) -> Result<(Solution, Vec<Processor>), SimulationError> {
    let mut left = MAX_ESTIMATES;
    let mut unplaced = Vec::new();
    for one in unlocated(measured.sets) {
        let (better, is_sure) = best_move(&solution, one, measured, &mut left)?;
        solution = better.unwrap_or(solution);
        unplaced.extend((!is_sure).then_some(one));
    }
    let mut open = suspects(&solution);
    while let Some(one) = open.pop() {
        if let (Some(better), _) = best_move(&solution, one, measured, &mut left)? {
            open = suspects(&better);
            solution = better;
        }
    }
    Ok((solution, unplaced))
}

/// The solution with a processor in the group that explains the times best, if it is not there already, and true if all other
/// groups explain them less well.
fn best_move(
    solution: &Solution,
    one: Processor,
    measured: &Measured<'_>,
    left: &mut usize,
) -> Result<(Option<Solution>, bool), SimulationError> {
    let mut best: Option<Solution> = None;
    let mut costs = vec![solution.cost()];
    for target in (0..solution.selection.groups.len()).map(Some).chain([None]) {
        let Some(moved) = solution.selection.with_moved(one, target) else { continue };
        if *left == 0 {
            return Ok((None, false));
        }
        *left -= 1;
        let moved = estimate(moved, measured, AGAIN)?;
        costs.push(moved.cost());
        if best.as_ref().is_none_or(|best| moved.cost() < best.cost()) {
            best = Some(moved);
        }
    }
    costs.sort_by(f64::total_cmp);
    let is_sure = costs.len() < 2 || costs[1] - costs[0] >= MIN_GAIN;
    Ok((best.filter(|best| solution.cost() - best.cost() >= MIN_GAIN), is_sure))
}

/// The processors whose times are explained worst, the worst last.
fn suspects(solution: &Solution) -> Vec<Processor> {
    let mut errors: BTreeMap<Processor, (f64, f64)> = BTreeMap::new();
    for (time, error) in solution.selection.times.iter().zip(solution.squared_errors()) {
        for one in [time.pair.0, time.pair.1] {
            let (sum, count) = errors.entry(one).or_default();
            (*sum, *count) = (*sum + error, *count + 1.0);
        }
    }
    let means = errors.into_iter().map(|(one, (sum, count))| (one, sum / count));
    let mut means: Vec<(Processor, f64)> = means.filter(|(_, mean)| *mean > SUSPICIOUS).collect();
    means.sort_by(|a, b| a.1.total_cmp(&b.1));
    let first = means.len().saturating_sub(MAX_SUSPECTS);
    means[first..].iter().map(|(one, _)| *one).collect()
}
