//! The removal of links that no time needs.

use super::estimation::{AGAIN, Solution, estimate, evidence};
use super::selection::MIN_GAIN;
use super::trials::Measured;
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
