//! The removal of links that no time needs.

use super::alternation::alternate;
use super::estimation::{AGAIN, FIRST, Solution, estimate, evidence};
use super::selection::{MIN_GAIN, PairTime, cost};
use super::trials::{Measured, Trials};
use crate::comm::ports::Uplinks;
use crate::comm::{FitError, Observations, Ports};
use orrery_base::numeric::Estimate;
use orrery_cluster::platform::Processor;

/// The evidence for a link, in units of the smallest gain, below which its removal is tried.
const DOUBTFUL: f64 = 10.0;

/// The evidence for a link, in units of the smallest gain, that is enough: further sets are not
/// simulated.
const CERTAIN: f64 = 40.0;

/// The smallest slowdown of a pair by which a link counts: protocols and busy cores slow concurrent
/// messages by some per cent, too.
const MIN_SLOWDOWN: f64 = 1.15;

/// Removes links as long as simulations explain the times as well without them, the least needed
/// first.
///
/// A selection contains too many, since shares are equal only nearly.
pub(super) fn prune(mut solution: Solution, measured: &Measured<'_>) -> Solution {
    let mut known = Vec::new();
    loop {
        let links = solution.selection.groups.len();
        solution = without_idle(solution, measured);
        if solution.selection.groups.len() < links {
            known.clear();
        }
        let mut evidence = evidence(&solution, measured, CERTAIN * MIN_GAIN, &known);
        let least = evidence.iter().enumerate().min_by(|a, b| a.1.total_cmp(b.1));
        let Some((link, _)) = least.filter(|(_, evidence)| **evidence < DOUBTFUL * MIN_GAIN) else {
            return solution;
        };
        let mut fewer = solution.selection.clone();
        fewer.remove(link);
        // The others may take its part: only their new estimates show how much it is needed.
        let fewer = estimate(fewer, measured, AGAIN);
        if fewer.cost() - solution.cost() >= MIN_GAIN {
            return solution;
        }
        solution = fewer;
        evidence.remove(link);
        known = evidence;
    }
}

/// Removes links that hardly slow any pair, the weakest first, apart from those of these groups.
pub(super) fn without_weak(
    mut solution: Solution,
    needed: &[Vec<Processor>],
    measured: &Measured<'_>,
) -> Solution {
    loop {
        let selection = &solution.selection;
        let others =
            (0..selection.groups.len()).filter(|&link| !needed.contains(&selection.groups[link]));
        let slowdowns = others.map(|link| (link, selection.slowdown(link)));
        let weakest = slowdowns
            .min_by(|a, b| a.1.total_cmp(&b.1))
            .filter(|(_, slowdown)| *slowdown < MIN_SLOWDOWN);
        let Some((link, _)) = weakest else { return solution };
        solution.selection.remove(link);
        solution = without_idle(estimate(solution.selection, measured, AGAIN), measured);
    }
}

/// Removes links that determine no time.
pub(super) fn without_idle(mut solution: Solution, measured: &Measured<'_>) -> Solution {
    loop {
        let delays = solution.uplinks.byte_delay().iter().enumerate();
        let idle: Vec<usize> =
            delays.filter(|(_, delay)| delay.samples == Some(0)).map(|(link, _)| link).collect();
        if idle.is_empty() {
            return solution;
        }
        idle.iter().rev().for_each(|&link| solution.selection.remove(link));
        solution = estimate(solution.selection, measured, AGAIN);
    }
}

/// The part of the squared errors that may be left with a further link: one that no set saturates
/// is kept only if it explains most of what the others leave.
const MAX_PART_LEFT: f64 = 0.5;

/// The part of the expected squared errors by noise that is left at least, whatever links explain.
const MIN_PART_OF_NOISE: f64 = 0.75;

/// The solution with a further link, that of one of these groups, and the other parameters, if they
/// explain most of the errors, or the reason why these could not be estimated with it; `None` if no
/// group does.
///
/// The shares of a link depend on all links of a route. Without one that is not saturated, shares
/// and the delays of the others are some per cent off. Before the other parameters are known with
/// the links, larger errors hide this, and the link is pruned.
pub(super) fn readmit(
    solution: &Solution,
    groups: &[Vec<Processor>],
    observations: &Observations,
    measured: &Measured<'_>,
) -> Option<(Solution, Option<Ports>, Option<FitError>)> {
    let cost = solution.cost();
    let explains_most =
        |found: &Solution| cost - found.cost() >= MIN_GAIN && found.cost() <= MAX_PART_LEFT * cost;
    let with_group = |group: &Vec<Processor>| {
        let further = solution
            .selection
            .with_group(group.clone())
            .filter(|further| is_tree(&further.groups))?;
        Some(estimate(further, measured, FIRST)).filter(explains_most)
    };
    // No link explains the noise of the readings.
    let noise: f64 = solution.selection.times.iter().map(PairTime::noise).sum();
    if cost < MIN_GAIN || MIN_PART_OF_NOISE * noise > MAX_PART_LEFT * cost {
        return None;
    }
    let found =
        groups.iter().filter_map(with_group).min_by(|a, b| a.cost().total_cmp(&b.cost()))?;
    let links = found.selection.groups.len();
    let mut failure = None;
    let (found, ports) = alternate(found, observations, measured, &mut failure);
    let is_better = found.selection.groups.len() == links && explains_most(&found);
    is_better.then_some((found, ports, failure))
}

/// The increase of the squared errors without a link, in units of their variance.
pub(super) fn evidence_of_shares(solution: &Solution, link: usize, measured: &Measured<'_>) -> f64 {
    let selection = &solution.selection;
    let mut delays = selection.delays.clone();
    delays[link] = 0.0;
    let all: Vec<usize> = (0..measured.sets.len()).collect();
    cost(&selection.times, &Trials::new(selection, measured).times(&delays, &all)) - solution.cost()
}

/// The candidates that have no link among these, nor have the processors outside them: they may
/// share one that no set saturates.
pub(super) fn unidentified(
    candidates: Vec<Vec<Processor>>,
    links: &[Vec<Processor>],
    known: &[Processor],
) -> Vec<Vec<Processor>> {
    let other = |group: &Vec<Processor>| {
        known.iter().copied().filter(|one| group.binary_search(one).is_err()).collect::<Vec<_>>()
    };
    let mut left: Vec<Vec<Processor>> = Vec::new();
    for group in candidates {
        let is_found = links.contains(&group) || links.contains(&other(&group));
        let fits = is_tree(&[links, std::slice::from_ref(&group)].concat());
        if !is_found && fits && !left.contains(&other(&group)) {
            left.push(group);
        }
    }
    left
}

/// Returns true if of two groups one contains the other, or they have no processor in common.
pub(super) fn is_tree(groups: &[Vec<Processor>]) -> bool {
    Uplinks::new(groups.to_vec(), vec![Estimate::exact(0.0); groups.len()]).is_some()
}
