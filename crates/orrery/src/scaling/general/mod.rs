//! General terms for any program: sums of products of x^i·log2(x)^j, selected by their posterior probability.
//!
//! Exponents follow the performance model normal form of Calotoiu, Hoefler, Poke, Wolf, "Using automated performance
//! modeling to find scalability bugs in complex codes" (2013). Each product has exponents of its own. A beam search adds
//! products and exchanges exponents; the score of a sum is that of Schwarz (1978) with a prior of the exponents. All sums
//! with a good score are plausible: a few represent them in the model (Hoeting, Madigan, Raftery, Volinsky, "Bayesian model
//! averaging: a tutorial", 1999).

mod data;
mod exponents;
mod formula;
mod least_squares;
mod plausible;
mod score;
mod search;

use data::WeightedPoints;
use exponents::FactorValues;
use formula::{Formula, MAX_VARIABLES};
use plausible::representatives;
use search::Search;

use super::observations::{FitError, Observations};
use super::regression::Column;
use super::terms::{Role, Term};
use crate::numeric::median;
use crate::run::variable;

/// The least number of points for a term besides the constant.
const MIN_POINTS: usize = 3;

/// The plausible sums of terms, each with its posterior probability; the best first.
pub(super) fn plausible_columns(observations: &Observations) -> Result<Vec<(f64, Vec<Column>)>, FitError> {
    let names = variables(observations)?;
    // A constant and a term fit any two points exactly.
    if observations.groups.len() < MIN_POINTS {
        return Err(FitError::TooFewPoints {
            run: observations.first.clone(),
            points: observations.groups.len(),
            model: "the family general".to_owned(),
            needed: MIN_POINTS,
        });
    }
    let mut points = WeightedPoints::of(observations, &names);
    let values: Vec<FactorValues> = (0..names.len()).map(|v| FactorValues::of(&points.column(v))).collect();
    let mut search = Search::new(&points, &values);
    let mut found = search.run();
    // Repeated runs show which of them are outliers; among single runs only the distance from a formula does.
    if points.degrees <= 0.0
        && let Some(weights) = found.first().and_then(|(_, best)| outlier_weights(&search.residuals(best)?))
    {
        points.reweight(&weights);
        search = Search::new(&points, &values);
        found = search.run();
    }
    let found = representatives(found, &search);
    Ok(found.into_iter().map(|(probability, formula)| (probability, columns(&formula, &names))).collect())
}

/// The factors of rows for Huber's weights if a few residuals are large; `None` if none or many are.
fn outlier_weights(residuals: &[f64]) -> Option<Vec<f64>> {
    let sizes: Vec<f64> = residuals.iter().map(|residual| residual.abs()).collect();
    let bound = OUTLIER_DEVIATIONS * 1.4826 * median(&sizes).max(1e-9);
    let outliers = sizes.iter().filter(|size| **size > bound).count();
    let few = outliers > 0 && outliers <= sizes.len() / MIN_POINTS_PER_OUTLIER;
    few.then(|| sizes.iter().map(|size| (bound / size).min(1.0).sqrt()).collect())
}

/// The distance of a point from a formula, in robust standard deviations, beyond which it is an outlier.
const OUTLIER_DEVIATIONS: f64 = 5.0;

/// The number of points for each outlier below which the formula is in doubt, not the points.
const MIN_POINTS_PER_OUTLIER: usize = 8;

/// The variables that vary and are not implied by others, as the number of processes is by a grid.
fn variables(observations: &Observations) -> Result<Vec<String>, FitError> {
    let varying = observations.varying();
    let grid = varying.contains(&variable::GRID_ROWS) || varying.contains(&variable::GRID_COLUMNS);
    let given = |name: &str| observations.groups[0].point.variables.contains_key(name);
    let derived = |name: &str| {
        name == variable::PROCESSES && grid && given(variable::GRID_ROWS)
            || (name == variable::GRID_ROWS || name == variable::GRID_COLUMNS) && !given(name)
    };
    let names: Vec<String> = varying.into_iter().filter(|name| !derived(name)).map(str::to_owned).collect();
    let positive = |name: &&String| observations.ranges[*name].0 > 0.0;
    match names.len() {
        0 => Err(FitError::NoRuns),
        1..=MAX_VARIABLES => Ok(names.iter().filter(positive).cloned().collect()),
        _ => Err(FitError::TooManyVariables { names, limit: MAX_VARIABLES }),
    }
}

/// The columns of a formula and the constant.
fn columns(formula: &Formula, names: &[String]) -> Vec<Column> {
    let column = |term: Term| Column { term, role: Role::Computation, kind: None };
    let products = formula.products.iter().map(|product| {
        let factors = names.iter().zip(product).filter_map(|(name, exponent)| Some(exponent.as_ref()?.factor(name)));
        column(Term { factors: factors.collect() })
    });
    // Earlier columns have preference if columns are proportional.
    products.chain([column(Term::default())]).collect()
}
