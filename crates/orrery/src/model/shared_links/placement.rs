//! The groups of processors that are too slow to be slowed by others.

use super::estimation::{AGAIN, Solution, estimate};
use super::selection::MIN_GAIN;
use super::trials::Measured;
use crate::platform::Processor;
use crate::sample::unlocated;
use crate::simulate::SimulationError;

/// The largest number of processors that are placed; each takes simulations of all sets for each group.
const MAX_PLACED: usize = 16;

/// Adds each processor whose pairs are never slowed to the group whose link its messages load: the times of other pairs there
/// are explained best. Returns the processors for which two groups explain them equally well, too.
pub(super) fn place(
    mut solution: Solution,
    measured: &Measured<'_>,
) -> Result<(Solution, Vec<Processor>), SimulationError> {
    let open = unlocated(measured.sets);
    let mut unplaced: Vec<Processor> = open.iter().skip(MAX_PLACED).copied().collect();
    for &one in open.iter().take(MAX_PLACED) {
        let groups = solution.selection.groups.len();
        let mut candidates = vec![estimate(solution.selection.clone(), measured, AGAIN)?];
        for group in 0..groups {
            candidates.push(estimate(solution.selection.with_member(one, group), measured, AGAIN)?);
        }
        candidates.sort_by(|a, b| a.cost().total_cmp(&b.cost()));
        let is_sure = candidates.get(1).is_none_or(|second| second.cost() - candidates[0].cost() >= MIN_GAIN);
        if !is_sure {
            unplaced.push(one);
        }
        solution = candidates.swap_remove(0);
    }
    unplaced.sort_unstable();
    Ok((solution, unplaced))
}
