//! The selection of terms: all plausible sums of terms of the families of programs, each with its
//! posterior probability.
//!
//! A sum is scored by its likelihood, its number of coefficients and the prior probability of its
//! terms. The family of a known program is a dictionary of probable terms; general sums have
//! products of x^i·log2(x)^j. Families compete by their scores only. All sums with a good score are
//! plausible: a few represent them in the model (Hoeting, Madigan, Raftery, Volinsky, "Bayesian
//! model averaging: a tutorial", 1999).

mod dictionary;
mod exponents;
mod general;
mod least_squares;
mod score;
mod search;

pub(super) use dictionary::{Dictionary, SumPrior};
pub(super) use general::General;
pub(super) use score::{FAR, PLAUSIBLE_WINDOW};

use super::observations::Observations;
use super::regression::{Column, Regression, time};
use super::terms::TermFamily;
use exponents::Formula;
use least_squares::Basis;
use orrery_base::numeric::median;
use score::{Score, WeightedPoints};

/// A family of sums.
pub(super) enum Family {
    /// The sums of the terms of a known program.
    Dictionary(Dictionary),
    /// The sums of any products.
    General(General),
}

/// The terms of a sum.
#[derive(Debug, Clone, PartialEq)]
enum SumTerms {
    /// Terms of a dictionary, by index.
    Subset(Vec<usize>),
    /// Products, and a constant unless it is 0.
    Products { formula: Formula, has_constant: bool },
}

/// A sum of terms of a family.
#[derive(Debug, Clone)]
struct Sum {
    /// −2·log of its posterior probability, up to a constant.
    score: f64,
    /// The time with all variables at a multiple of their largest values, in seconds.
    far: f64,
    /// False if it has a product whose coefficient does not differ significantly from 0.
    is_detected: bool,
    terms: SumTerms,
    /// The index of the family.
    family: usize,
}

/// A plausible sum with its posterior probability.
#[derive(Debug, Clone)]
pub(super) struct PlausibleSum {
    pub(super) probability: f64,
    pub(super) family: TermFamily,
    pub(super) columns: Vec<Column>,
}

/// The plausible sums of all families, the best first.
pub(super) struct Selection {
    pub(super) sums: Vec<PlausibleSum>,
    /// The posterior probability of each family.
    pub(super) families: Vec<(TermFamily, f64)>,
}

impl Selection {
    /// Selects the plausible sums.
    pub(super) fn of(families: &[Family], observations: &Observations) -> Self {
        let prior = match families {
            [family] => family.name().prior(),
            _ => None,
        };
        let mut points = prior.map_or_else(
            || WeightedPoints::of(observations),
            |prior| WeightedPoints::with_prior(observations, &prior),
        );
        let mut found = all_sums(families, &points);
        // Repeated runs show which of them are outliers; among single runs only the distance from a
        // sum does.
        if points.degrees == 0
            && let Some(best) = found.iter().min_by(|a, b| a.score.total_cmp(&b.score))
            && let Some(weights) =
                outlier_weights(&families[best.family].residuals(&best.terms, &points))
        {
            points.reweight(&weights);
            found = all_sums(families, &points);
        }
        let probabilities = probabilities(&found, families.len());
        let plausible = |(probability, sum): (f64, Sum)| {
            let family = &families[sum.family];
            PlausibleSum { probability, family: family.name(), columns: family.columns(&sum.terms) }
        };
        Self {
            sums: representatives(found).into_iter().map(plausible).collect(),
            families: families.iter().map(Family::name).zip(probabilities).collect(),
        }
    }
}

/// How well the best sum of some families describes runs.
#[derive(Debug, Clone, Copy)]
pub(super) struct BestSum {
    /// −2·log of its posterior probability, up to a constant that is proportional to the number of
    /// points; infinite without a sum.
    pub(super) score: f64,
    /// The sum of its squared weighted residuals.
    pub(super) square: f64,
    /// The number of its parameters: a coefficient of each term, and the exponents of one.
    pub(super) parameters: usize,
}

impl BestSum {
    /// The best sum of these families.
    pub(super) fn of(families: &[Family], observations: &Observations) -> Self {
        let points = WeightedPoints::of(observations).with_known_misfit();
        let sums = all_sums(families, &points);
        let Some(best) = sums.iter().min_by(|a, b| a.score.total_cmp(&b.score)) else {
            return Self { score: f64::INFINITY, square: 0.0, parameters: 0 };
        };
        let family = &families[best.family];
        let residuals = family.residuals(&best.terms, &points);
        Self {
            score: best.score,
            square: residuals.iter().map(|residual| residual * residual).sum(),
            parameters: family.columns(&best.terms).len() + 1,
        }
    }
}

/// The prior probability of known programs if the runs have their variables.
const KNOWN_PROGRAM: f64 = 0.9;

/// The prior probability of each family.
fn priors(families: &[Family]) -> Vec<f64> {
    let known = families.iter().filter(|family| matches!(family, Family::Dictionary(_))).count();
    let prior = |family: &Family| match family {
        Family::Dictionary(_) => KNOWN_PROGRAM / known as f64,
        Family::General(_) => 1.0 - KNOWN_PROGRAM,
    };
    families.iter().map(prior).collect()
}

/// The plausible sums of each family.
fn all_sums(families: &[Family], points: &WeightedPoints) -> Vec<Sum> {
    let priors = priors(families);
    let of_family = |(index, family): (usize, &Family)| {
        let penalty = -2.0 * priors[index].ln();
        let sums = match family {
            Family::Dictionary(dictionary) => dictionary.plausible(points),
            Family::General(general) => general.plausible(points),
        };
        sums.into_iter().map(move |sum| Sum { family: index, score: sum.score + penalty, ..sum })
    };
    families.iter().enumerate().flat_map(of_family).collect()
}

impl PartialEq for Family {
    /// Returns true for the same terms.
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Dictionary(a), Self::Dictionary(b)) => a.columns == b.columns,
            (Self::General(_), Self::General(_)) => true,
            _ => false,
        }
    }
}

impl Family {
    /// The name of the family.
    fn name(&self) -> TermFamily {
        match self {
            Self::Dictionary(dictionary) => dictionary.family,
            Self::General(_) => TermFamily::General,
        }
    }

    /// The columns of a sum of this family.
    fn columns(&self, terms: &SumTerms) -> Vec<Column> {
        match (self, terms) {
            (Self::Dictionary(dictionary), SumTerms::Subset(chosen)) => dictionary.columns(chosen),
            (Self::General(general), SumTerms::Products { formula, has_constant }) => {
                general.columns(formula, *has_constant)
            }
            _ => Vec::new(),
        }
    }

    /// The weighted residuals of a sum.
    fn residuals(&self, terms: &SumTerms, points: &WeightedPoints) -> Vec<f64> {
        let rows = match (self, terms) {
            (Self::Dictionary(dictionary), SumTerms::Subset(chosen)) => {
                dictionary.rows(chosen, points)
            }
            (Self::General(general), SumTerms::Products { formula, .. }) => {
                general.rows(formula, points)
            }
            _ => Vec::new(),
        };
        let values = orrery_base::numeric::nonnegative_least_squares(&rows, &points.target);
        let fitted =
            |row: usize| rows.iter().zip(&values).map(|(column, c)| column[row] * c).sum::<f64>();
        points.target.iter().enumerate().map(|(row, target)| target - fitted(row)).collect()
    }
}

/// The score of a regression of all terms of a dictionary; terms with free coefficients count.
pub(super) fn score_of(regression: &Regression, observations: &Observations) -> f64 {
    let points = WeightedPoints::of(observations);
    let weighted = |seconds: Vec<f64>| {
        seconds.iter().zip(&points.weights).map(|(s, w)| s * w).collect::<Vec<f64>>()
    };
    let times = weighted(regression.times());
    let residual =
        times.iter().zip(&points.target).map(|(time, target)| (time - target).powi(2)).sum();
    let change = |direction: &Vec<f64>| {
        weighted(regression.terms.iter().map(|terms| time(terms, direction)).collect())
    };
    let rows: Vec<Vec<f64>> = regression.directions.iter().map(change).collect();
    let Some(basis) =
        Basis::of(&rows.iter().map(Vec::as_slice).collect::<Vec<_>>(), &points.target)
    else {
        return f64::INFINITY;
    };
    let terms = regression.columns.len();
    Score::new(&points).of(
        residual,
        &basis.information(),
        dictionary::prior(rows.len().min(terms), terms),
    )
}

/// The factors of rows for Huber's weights if a few residuals are large; `None` if none or many
/// are.
fn outlier_weights(residuals: &[f64]) -> Option<Vec<f64>> {
    let sizes: Vec<f64> = residuals.iter().map(|residual| residual.abs()).collect();
    let bound = OUTLIER_DEVIATIONS * 1.4826 * median(&sizes).max(1e-9);
    let outliers = sizes.iter().filter(|size| **size > bound).count();
    let few = outliers > 0 && outliers <= sizes.len() / MIN_POINTS_PER_OUTLIER;
    few.then(|| sizes.iter().map(|size| (bound / size).min(1.0).sqrt()).collect())
}

/// The distance of a point from a sum, in robust standard deviations, beyond which it is an
/// outlier.
const OUTLIER_DEVIATIONS: f64 = 5.0;

/// The number of points for each outlier below which the sum is in doubt, not the points.
const MIN_POINTS_PER_OUTLIER: usize = 8;

/// The largest number of sums that represent those besides the best.
const MAX_ALTERNATIVES: usize = 16;

/// The posterior probability of each of `families` families.
fn probabilities(found: &[Sum], families: usize) -> Vec<f64> {
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
fn representatives(mut found: Vec<Sum>) -> Vec<(f64, Sum)> {
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
