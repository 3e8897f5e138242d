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
mod formula;
mod general;
mod least_squares;
mod points;
mod representatives;
mod score;
mod search;

pub(super) use dictionary::Dictionary;
pub(super) use general::General;

use formula::Formula;
use least_squares::Basis;
use points::WeightedPoints;
use score::Score;

use super::observations::Observations;
use super::regression::{Column, Regression, time};
use super::terms::TermFamily;
use orrery_base::numeric::median;

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
        let mut points = WeightedPoints::of(observations);
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
        let probabilities = representatives::probabilities(&found, families.len());
        let plausible = |(probability, sum): (f64, Sum)| {
            let family = &families[sum.family];
            PlausibleSum { probability, family: family.name(), columns: family.columns(&sum.terms) }
        };
        Self {
            sums: representatives::of(found).into_iter().map(plausible).collect(),
            families: families.iter().map(Family::name).zip(probabilities).collect(),
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
