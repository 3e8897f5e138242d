//! The representatives of the plausible formulas.

use super::formula::Formula;
use super::search::{Scored, Search};

/// The largest number of formulas that represent those besides the best.
const MAX_ALTERNATIVES: usize = 16;

/// The point at which formulas are compared, as a multiple of the largest measured value of each variable.
const FAR: f64 = 4.0;

/// The best formula and representatives of the others, each with its posterior probability.
///
/// The others are ordered by their times far outside the measured range and divided into groups of equal probability,
/// each of which its most probable formula represents.
pub(super) fn representatives(found: Vec<Scored>, search: &Search) -> Vec<(f64, Formula)> {
    let Some((best, _)) = found.first() else { return Vec::new() };
    let best = *best;
    let weight = |score: f64| (0.5 * (best - score)).exp();
    let whole: f64 = found.iter().map(|(score, _)| weight(*score)).sum();
    let mut found = found.into_iter();
    let first = found.next().map(|(_, formula)| formula);
    let mut others: Vec<(f64, f64, Formula)> = found
        .filter_map(|(score, formula)| Some((search.time_at(&formula, FAR)?, weight(score) / whole, formula)))
        .collect();
    others.sort_by(|a, b| a.0.total_cmp(&b.0).then_with(|| a.2.cmp(&b.2)));
    let mass: f64 = others.iter().map(|(_, probability, _)| probability).sum();
    let mut groups: Vec<Option<(f64, f64, Formula)>> = vec![None; MAX_ALTERNATIVES];
    let mut passed = 0.0;
    for (_, probability, formula) in others {
        let group = ((passed + 0.5 * probability) / mass * MAX_ALTERNATIVES as f64) as usize;
        passed += probability;
        let group = &mut groups[group.min(MAX_ALTERNATIVES - 1)];
        *group = match group.take() {
            Some((sum, most, known)) if most >= probability => Some((sum + probability, most, known)),
            Some((sum, ..)) => Some((sum + probability, probability, formula)),
            None => Some((probability, probability, formula)),
        };
    }
    let others = groups.into_iter().flatten().map(|(probability, _, formula)| (probability, formula));
    first.map(|formula| (1.0 - mass, formula)).into_iter().chain(others).collect()
}
