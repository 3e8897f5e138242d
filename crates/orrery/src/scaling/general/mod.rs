//! Terms of any program: products of x^i·log2(x)^j, chosen by how well they explain the runs and how simple they are.
//!
//! Exponents and the shape of formulas follow the performance model normal form of Calotoiu, Hoefler, Poke, Wolf, "Using
//! automated performance modeling to find scalability bugs in complex codes" (2013). They are chosen by their posterior
//! probability: the spread of repeated runs is known, which tells a small term from noise, and plain exponents are
//! likelier beforehand than odd ones.

mod centre;
mod exponents;
mod formula;
mod lines;
mod score;

use super::observations::Observations;
use super::regression::Column;
use super::{Role, ScalingError, Term};
use crate::run::variable;
use centre::Centres;
use exponents::{Exponent, Exponents};
use formula::Formula;
use score::Score;

/// The fewest points that say anything of a term beside a constant.
const LEAST_POINTS: usize = 3;

/// The most variables that a term combines.
const MOST_VARIABLES: usize = 4;

/// How many exponents are tried for each of one, two, three and four variables.
const TRIED: [usize; MOST_VARIABLES] = [usize::MAX, 6, 4, 3];

/// The terms that probably explain the runs.
pub(super) fn choose(observations: &Observations) -> Result<Vec<Column>, ScalingError> {
    let names = variables(observations)?;
    // A constant and a term go through any two points.
    if observations.groups.len() < LEAST_POINTS {
        return Err(ScalingError::TooFew {
            run: observations.first.clone(),
            points: observations.groups.len(),
            model: "the family general".to_owned(),
            needed: LEAST_POINTS,
        });
    }
    let centres = Centres::of(observations, &names);
    let exponents: Vec<Exponents> = (0..names.len()).map(|v| Exponents::of(&centres.column(v))).collect();
    let score = Score::new(&centres);
    let tried: Vec<Vec<Exponent>> = if names.len() == 1 {
        vec![exponents[0].all().collect()]
    } else {
        (0..names.len()).map(|v| lines::likeliest(&centres, &score, &exponents[v], v, TRIED[names.len() - 1])).collect()
    };
    let best = formula::search(&centres, &score, &exponents, &tried);
    Ok(columns(&best, &names))
}

/// The variables that vary and do not follow from others, such as the number of processes of a grid that is given.
fn variables(observations: &Observations) -> Result<Vec<String>, ScalingError> {
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
        0 => Err(ScalingError::NoRuns),
        1..=MOST_VARIABLES => Ok(names.iter().filter(positive).cloned().collect()),
        _ => Err(ScalingError::TooMany { names }),
    }
}

fn columns(formula: &Formula, names: &[String]) -> Vec<Column> {
    let column = |term: Term| Column { term, role: Role::Computation, kind: None };
    let products = formula.products.iter().map(|product| {
        let factors = product.iter().map(|&(v, exponent)| exponent.factor(&names[v])).collect();
        column(Term { factors })
    });
    // The leading term first: it is rather kept.
    products.chain([column(Term::default())]).collect()
}
