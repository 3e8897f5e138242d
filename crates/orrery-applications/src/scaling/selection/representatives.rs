//! The representatives of the plausible sums.

use super::Sum;

/// The largest number of sums that represent those besides the best.
const MAX_ALTERNATIVES: usize = 16;

/// The posterior probability of each of `families` families.
pub(super) fn probabilities(found: &[Sum], families: usize) -> Vec<f64> {
    let best = found.iter().map(|sum| sum.score).fold(f64::INFINITY, f64::min);
    let weight = |sum: &Sum| (0.5 * (best - sum.score)).exp();
    let whole: f64 = found.iter().map(weight).sum();
    let mut probabilities = vec![0.0; families];
    found.iter().for_each(|sum| probabilities[sum.family] += weight(sum) / whole);
    probabilities
}

/// The best sum and representatives of the others, each with its posterior probability.
///
/// The best sum has detected products only, because the score of a sum with an undetected product
/// is the joint score of many similar ones. The others are ordered by their times far outside the
/// measured range and divided into groups of equal probability; the most probable sum of a group
/// represents it.
pub(super) fn of(mut found: Vec<Sum>) -> Vec<(f64, Sum)> {
    // Equal scores keep the order of the families and of their sums.
    found.sort_by(|a, b| b.is_detected.cmp(&a.is_detected).then(a.score.total_cmp(&b.score)));
    let Some(best) = found.first().map(|sum| sum.score) else { return Vec::new() };
    let weight = |sum: &Sum| (0.5 * (best - sum.score)).exp();
    let whole: f64 = found.iter().map(weight).sum();
    let mut found = found.into_iter();
    let first = found.next();
    let mut others: Vec<Sum> = found.collect();
    others.sort_by(|a, b| a.far.total_cmp(&b.far));
    let mass: f64 = others.iter().map(|sum| weight(sum) / whole).sum();
    let mut groups: Vec<Option<(f64, Sum)>> = vec![None; MAX_ALTERNATIVES];
    let mut passed = 0.0;
    for sum in others {
        let probability = weight(&sum) / whole;
        let group = ((passed + 0.5 * probability) / mass * MAX_ALTERNATIVES as f64) as usize;
        passed += probability;
        let group = &mut groups[group.min(MAX_ALTERNATIVES - 1)];
        *group = match group.take() {
            Some((sum_of_group, most)) if most.score <= sum.score => {
                Some((sum_of_group + probability, most))
            }
            Some((sum_of_group, _)) => Some((sum_of_group + probability, sum)),
            None => Some((probability, sum)),
        };
    }
    first.map(|sum| (1.0 - mass, sum)).into_iter().chain(groups.into_iter().flatten()).collect()
}
