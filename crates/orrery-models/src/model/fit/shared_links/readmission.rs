//! Links that no set of exchanges saturates, but that change the shares of other links.

use super::alternation::alternate;
use super::estimation::{FIRST, Solution, estimate};
use super::selection::{MIN_GAIN, PairTime, cost};
use super::trials::{Measured, Trials};
use crate::comm::ports::Uplinks;
use crate::comm::{Observations, Ports};
use orrery_base::numeric::Estimate;
use orrery_cluster::platform::Processor;

/// The part of the squared errors that may be left with a further link: one that no set saturates
/// is kept only if it explains most of what the others leave.
const MAX_PART_LEFT: f64 = 0.5;

/// The part of the expected squared errors by noise that is left at least, whatever links explain.
const MIN_PART_OF_NOISE: f64 = 0.75;

/// The solution with a further link, that of one of these groups, and the other parameters, if they
/// explain most of the errors; `None` if no group does.
///
/// The shares of a link depend on all links of a route. Without one that is not saturated, shares
/// and the delays of the others are some per cent off. Before the other parameters are known with
/// the links, larger errors hide this, and the link is pruned.
pub(super) fn readmit(
    solution: &Solution,
    groups: &[Vec<Processor>],
    observations: &Observations,
    measured: &Measured<'_>,
) -> Option<(Solution, Option<Ports>)> {
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
    let (found, ports) = alternate(found, observations, measured);
    (found.selection.groups.len() == links && explains_most(&found)).then_some((found, ports))
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
fn is_tree(groups: &[Vec<Processor>]) -> bool {
    Uplinks::new(groups.to_vec(), vec![Estimate::exact(0.0); groups.len()]).is_some()
}
