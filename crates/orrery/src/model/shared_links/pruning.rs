//! The removal of links that no time needs.

use super::estimation::{AGAIN, Solution, estimate, evidence};
use super::selection::MIN_GAIN;
use super::trials::Measured;
use crate::simulate::SimulationError;

/// The evidence for a link, in units of the smallest gain, below which its removal is tried.
const DOUBTFUL: f64 = 10.0;

/// Removes links as long as simulations explain the times as well without them, the least needed first.
///
/// A selection contains too many, since shares are equal only nearly.
pub(super) fn prune(mut solution: Solution, measured: &Measured<'_>) -> Result<Solution, SimulationError> {
    loop {
        let links = 0..solution.selection.groups.len();
        let idle: Vec<usize> = links.filter(|&link| solution.uplinks.byte_delay()[link].samples == Some(0)).collect();
        let mut fewer = solution.selection.clone();
        if idle.is_empty() {
            let evidence = evidence(&solution.selection, measured)?;
            let least = evidence.iter().enumerate().min_by(|a, b| a.1.total_cmp(b.1));
            let Some((link, _)) = least.filter(|(_, evidence)| **evidence < DOUBTFUL * MIN_GAIN) else {
                return Ok(solution);
            };
            fewer.remove(link);
        } else {
            idle.iter().rev().for_each(|&link| fewer.remove(link));
        }
        // The others may take its part: only their new estimates show how much it is needed.
        let fewer = estimate(fewer, measured, AGAIN)?;
        if idle.is_empty() && fewer.cost() - solution.cost() >= MIN_GAIN {
            return Ok(solution);
        }
        solution = fewer;
    }
}
