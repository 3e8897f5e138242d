//! General terms for any program: products of x^i·log2(x)^j, selected by their fit and their simplicity.
//!
//! Exponents and the shape of formulas follow the performance model normal form of Calotoiu, Hoefler, Poke, Wolf, "Using
//! automated performance modeling to find scalability bugs in complex codes" (2013). They are selected by their posterior
//! probability: the spread of repeated runs separates small terms from noise, and common exponents have a higher prior.

mod data;
mod exponents;
mod formula;
mod least_squares;

use data::{Score, WeightedPoints};
use exponents::{Exponent, FactorValues};
use formula::{Formula, best_exponents, best_formula};

use super::observations::{FitError, Observations};
use super::regression::Column;
use super::terms::{Role, Term};
use crate::run::variable;

/// The least number of points for a term besides the constant.
const MIN_POINTS: usize = 3;

/// The largest number of variables that terms combine.
const MAX_VARIABLES: usize = 4;

/// The number of exponents that are tried per variable, for one, two, three and four variables.
const MAX_TRIED_EXPONENTS: [usize; MAX_VARIABLES] = [usize::MAX, 6, 4, 3];

/// The columns of the terms with the highest posterior probability.
pub(super) fn select_columns(observations: &Observations) -> Result<Vec<Column>, FitError> {
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
    let points = WeightedPoints::of(observations, &names);
    let values: Vec<FactorValues> = (0..names.len()).map(|v| FactorValues::of(&points.column(v))).collect();
    let score = Score::new(&points);
    let tried: Vec<Vec<Exponent>> = if names.len() == 1 {
        vec![values[0].all().collect()]
    } else {
        (0..names.len())
            .map(|v| best_exponents(&points, &score, &values[v], v, MAX_TRIED_EXPONENTS[names.len() - 1]))
            .collect()
    };
    let best = best_formula(&points, &score, &values, &tried);
    Ok(columns(&best, &names))
}

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
        _ => Err(FitError::TooManyVariables { names }),
    }
}

/// The columns of a formula and the constant.
fn columns(formula: &Formula, names: &[String]) -> Vec<Column> {
    let column = |term: Term| Column { term, role: Role::Computation, kind: None };
    let products = formula.products.iter().map(|product| {
        let factors = product.iter().map(|&(v, exponent)| exponent.factor(&names[v])).collect();
        column(Term { factors })
    });
    // Earlier columns have preference if columns are proportional.
    products.chain([column(Term::default())]).collect()
}
