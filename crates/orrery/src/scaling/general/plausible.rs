//! The representatives of the plausible formulas.

use super::data::WeightedPoints;
use super::exponents::{Exponent, FactorValues};
use super::formula::{Formula, Product};
use super::search::Scored;

/// The largest number of formulas that represent those besides the best.
const MAX_ALTERNATIVES: usize = 16;

/// The distance at which formulas are compared, as a multiple of the largest measured value of each variable.
const FAR: f64 = 4.0;

/// The best formula and representatives of the others, each with its posterior probability.
///
/// The others are ordered by their times far outside the measured range and divided into groups of equal probability,
/// each of which its most probable formula represents.
pub(super) fn representatives(
    found: Vec<Scored>,
    points: &WeightedPoints,
    coefficients: impl Fn(&Formula) -> Option<Vec<f64>>,
) -> Vec<(f64, Formula)> {
    let Some((best, _)) = found.first() else { return Vec::new() };
    let best = *best;
    let weight = |score: f64| (0.5 * (best - score)).exp();
    let whole: f64 = found.iter().map(|(score, _)| weight(*score)).sum();
    let far: Vec<FactorValues> = (0..points.variables())
        .map(|variable| FactorValues::of(&[FAR * points.column(variable).into_iter().fold(0.0, f64::max)]))
        .collect();
    let mut found = found.into_iter();
    let first = found.next().map(|(_, formula)| formula);
    let mut others: Vec<(f64, f64, Formula)> = found
        .filter_map(|(score, formula)| {
            let time = far_time(&formula, &coefficients(&formula)?, &far);
            Some((time, weight(score) / whole, formula))
        })
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

/// The time of a formula at a point with these values of factors; the coefficient of the constant is the first.
fn far_time(formula: &Formula, coefficients: &[f64], far: &[FactorValues]) -> f64 {
    let factor =
        |(exponent, far): (&Option<Exponent>, &FactorValues)| exponent.map_or(1.0, |exponent| far.values(exponent)[0]);
    let value = |product: &Product| product.iter().zip(far).map(factor).product::<f64>();
    let products = std::iter::once(1.0).chain(formula.products.iter().map(value));
    products.zip(coefficients).map(|(value, coefficient)| value * coefficient).sum()
}
