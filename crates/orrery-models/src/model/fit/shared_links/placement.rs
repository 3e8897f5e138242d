//! Corrections of the groups that sets of exchanges suggest, one processor at a time.

use std::collections::BTreeMap;

use super::estimation::{AGAIN, Solution, estimate};
use super::selection::{MIN_GAIN, cost};
use super::trials::{Measured, Trials};
use orrery_base::numeric::parallel_map;
use orrery_cluster::platform::Processor;
use orrery_measure::sample::{MeasuredSet, unlocated};

/// The mean squared error of the times of a processor, in units of their variance, from which its
/// group may be wrong.
const SUSPICIOUS: f64 = 2.0;

/// The increase of the squared errors, in units of the smallest gain, from which a move is given
/// up.
const HOPELESS: f64 = 40.0;

/// The largest number of processors whose group is doubted after a move.
const MAX_SUSPECTS: usize = 6;

/// The largest number of changes of rates in simulations of moves: each message that ends changes
/// those of its set.
const MAX_CHANGES: usize = 50_000_000;

/// Puts processors that were never slowed, as slow as they are, into the groups whose links their
/// messages load; returns those for which two groups explain the times equally well.
pub(super) fn place(mut solution: Solution, measured: &Measured<'_>) -> (Solution, Vec<Processor>) {
    let mut left = MAX_CHANGES;
    let mut unplaced = Vec::new();
    for one in unlocated(measured.sets) {
        let (better, is_sure) = best_move(&solution, one, measured, &mut left);
        solution = better.unwrap_or(solution);
        unplaced.extend((!is_sure).then_some(one));
    }
    (solution, unplaced)
}

/// Moves processors whose times are explained badly to other groups as long as this explains them
/// better.
///
/// Suggested groups are wrong about processors with slow ports: links hardly slow their pairs. But
/// their messages slow those of other processors, which a simulation shows.
pub(super) fn correct(mut solution: Solution, measured: &Measured<'_>) -> Solution {
    let mut left = MAX_CHANGES;
    let mut open = suspects(&solution);
    while let Some(one) = open.pop() {
        if let (Some(better), _) = best_move(&solution, one, measured, &mut left) {
            open = suspects(&better);
            solution = better;
        }
    }
    solution
}

/// Tries to move a processor into each other group. Returns the solution of the best move if it
/// explains the times better, and true if its gain or loss is clear, and larger than that of other
/// moves.
///
/// Groups are compared in the sets that contain the processor, with the delays that the links have.
/// Where a move changes the load of a link, its delay changes by the square root of the inverse
/// ratio of the loads: by less than in sets with the processor only, since it explains the others,
/// too. The delays of the best groups are estimated again. `left` is the number of changes of rates
/// that simulations may still take, from which those of the moves are subtracted; none is tried if
/// it does not suffice.
fn best_move(
    solution: &Solution,
    one: Processor,
    measured: &Measured<'_>,
    left: &mut usize,
) -> (Option<Solution>, bool) {
    let selection = &solution.selection;
    let ranges = selection.ranges(measured.sets.len());
    let is_in = |set: &MeasuredSet| set.set.pairs().iter().any(|&(i, j)| i == one || j == one);
    let sets = || measured.sets.iter().enumerate().filter(|(_, set)| is_in(set));
    let wanted: Vec<usize> = sets().map(|(number, _)| number).collect();
    let changes: usize = sets().map(|(_, set)| set.set.pairs().len().pow(2)).sum();
    let cost_of =
        |set: usize, explained: &[f64]| cost(&selection.times[ranges[set].clone()], explained);
    let targets = (0..selection.groups.len()).map(Some).chain([None]);
    let moves: Vec<Vec<Vec<Processor>>> =
        targets.filter_map(|target| selection.moved(one, target)).collect();
    let Some(less) = left.checked_sub(changes * moves.len()) else { return (None, false) };
    *left = less;
    let load = |group: &Vec<Processor>| {
        sets().map(|(_, set)| crossing_pairs(set, group)).sum::<usize>().max(1) as f64
    };
    let loads: Vec<f64> = selection.groups.iter().map(load).collect();
    // The increase of the squared errors; a hopeless move is simulated in some of the sets only.
    let cost_of_move = |number: usize| {
        let mut increase = 0.0;
        let trials = Trials::of_groups(moves[number].clone(), &selection.delays, measured);
        let scaled = |(link, group): (usize, &Vec<Processor>)| {
            let is_same = *group == selection.groups[link];
            selection.delays[link] * if is_same { 1.0 } else { (loads[link] / load(group)).sqrt() }
        };
        let delays: Vec<f64> = moves[number].iter().enumerate().map(scaled).collect();
        for &set in &wanted {
            let present = &solution.explained[ranges[set].clone()];
            increase += cost_of(set, &trials.times(&delays, &[set])) - cost_of(set, present);
            if increase > HOPELESS * MIN_GAIN {
                break;
            }
        }
        increase
    };
    let mut costs: Vec<(f64, usize)> =
        parallel_map(moves.len(), cost_of_move).into_iter().zip(0..).collect();
    costs.sort_by(|a, b| a.0.total_cmp(&b.0));
    let is_sure = costs.len() < 2 || costs[1].0 - costs[0].0 >= MIN_GAIN;
    let Some(&(least, best)) = costs.first() else { return (None, true) };
    if least > HOPELESS * MIN_GAIN {
        return (None, true);
    }
    let best = estimate(selection.with_groups(moves[best].clone()), measured, AGAIN);
    let gain = solution.cost() - best.cost();
    ((gain >= MIN_GAIN).then_some(best), is_sure && gain.abs() >= MIN_GAIN)
}

/// The number of pairs of a set that pass the link of a group.
fn crossing_pairs(set: &MeasuredSet, group: &[Processor]) -> usize {
    let is_in = |one: &Processor| group.binary_search(one).is_ok();
    set.set.pairs().iter().filter(|(i, j)| is_in(i) != is_in(j)).count()
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
