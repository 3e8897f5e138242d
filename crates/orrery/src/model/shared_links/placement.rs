//! Corrections of the groups that sets of exchanges suggest, one processor at a time.

use std::collections::BTreeMap;

use super::estimation::{AGAIN, Solution, estimate};
use super::selection::MIN_GAIN;
use super::trials::{Measured, Trials};
use crate::platform::Processor;
use crate::sample::unlocated;
use crate::simulate::SimulationError;

/// The mean squared error of the times of a processor, in units of their variance, from which its group may be wrong.
const SUSPICIOUS: f64 = 2.0;

/// The largest number of processors whose group is doubted after a move.
const MAX_SUSPECTS: usize = 6;

/// The largest number of changes of rates in simulations of moves: each message that ends changes those of its set.
const MAX_CHANGES: usize = 50_000_000;

/// Puts processors that were never slowed, as slow as they are, into the groups whose links their messages load; returns those
/// for which two groups explain the times equally well.
pub(super) fn place(
    mut solution: Solution,
    measured: &Measured<'_>,
) -> Result<(Solution, Vec<Processor>), SimulationError> {
    let mut left = MAX_CHANGES;
    let mut unplaced = Vec::new();
    for one in unlocated(measured.sets) {
        let (better, is_sure) = best_move(&solution, one, measured, &mut left)?;
        solution = better.unwrap_or(solution);
        unplaced.extend((!is_sure).then_some(one));
    }
    Ok((solution, unplaced))
}

/// Moves processors whose times are explained badly to other groups as long as this explains them better.
///
/// Suggested groups are wrong about processors with slow ports: links hardly slow their pairs. But their messages slow those
/// of other processors, which a simulation shows.
pub(super) fn correct(mut solution: Solution, measured: &Measured<'_>) -> Result<Solution, SimulationError> {
    let mut left = MAX_CHANGES;
    let mut open = suspects(&solution);
    while let Some(one) = open.pop() {
        if let (Some(better), _) = best_move(&solution, one, measured, &mut left)? {
            open = suspects(&better);
            solution = better;
        }
    }
    Ok(solution)
}

/// The solution with a processor in the group that explains the times best, if it is not there already, and true if all other
/// groups explain them less well.
///
/// Groups are compared with the delays that the links have; those of the best group are estimated again.
fn best_move(
    solution: &Solution,
    one: Processor,
    measured: &Measured<'_>,
    left: &mut usize,
) -> Result<(Option<Solution>, bool), SimulationError> {
    let all: Vec<usize> = (0..measured.sets.len()).collect();
    let changes: usize = measured.sets.iter().map(|set| set.set.pairs().len().pow(2)).sum();
    let mut moves = Vec::new();
    for target in (0..solution.selection.groups.len()).map(Some).chain([None]) {
        let Some(moved) = solution.selection.with_moved(one, target) else { continue };
        let Some(less) = left.checked_sub(changes) else { return Ok((None, false)) };
        *left = less;
        let explained = Trials::new(&moved, measured).times(&moved.delays, &all)?;
        moves.push((moved.cost(&explained), moved));
    }
    moves.sort_by(|a, b| a.0.total_cmp(&b.0));
    let is_sure = moves.len() < 2 || moves[1].0 - moves[0].0 >= MIN_GAIN;
    let Some((_, best)) = moves.into_iter().next() else { return Ok((None, true)) };
    let best = estimate(best, measured, AGAIN)?;
    let gain = solution.cost() - best.cost();
    Ok(((gain >= MIN_GAIN).then_some(best), is_sure && gain.abs() >= MIN_GAIN))
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
