//! The plausible sums of any program: sums of products of x^i·log2(x)^j.
//!
//! Exponents follow the performance model normal form of Calotoiu, Hoefler, Poke, Wolf, "Using
//! automated performance modeling to find scalability bugs in complex codes" (2013). Each product
//! has exponents of its own.

use super::exponents::{FactorValues, Formula, MAX_VARIABLES};
use super::score::{FAR, WeightedPoints};
use super::search::Search;
use super::{Sum, SumTerms};
use crate::run::variable;
use crate::scaling::observations::{FitError, Observations};
use crate::scaling::regression::Column;
use crate::scaling::terms::{Role, Term};

/// The general family for given runs.
pub(in crate::scaling) struct General {
    names: Vec<String>,
    values: Vec<FactorValues>,
}

impl General {
    /// The sums of products of the variables that vary.
    pub(in crate::scaling) fn new(observations: &Observations) -> Result<Self, FitError> {
        let names = variables(observations)?;
        let values = |name: &String| {
            let column = observations
                .groups
                .iter()
                .map(|group| group.kind_variables[0].1.get(name).unwrap_or(1.0));
            FactorValues::of(&column.collect::<Vec<f64>>())
        };
        Ok(Self { values: names.iter().map(values).collect(), names })
    }

    /// The plausible sums, by a search of formulas with good scores.
    pub(super) fn plausible(&self, points: &WeightedPoints) -> Vec<Sum> {
        let mut search = Search::new(points, &self.values);
        let (plausible, undetected) = search.run();
        let sum = |(is_detected, (score, formula))| {
            let (far, has_constant) = search.time_at(&formula, FAR)?;
            Some(Sum {
                score,
                far,
                is_detected,
                terms: SumTerms::Products { formula, has_constant },
                family: 0,
            })
        };
        let plausible = plausible.into_iter().map(|scored| (true, scored));
        plausible
            .chain(undetected.into_iter().map(|scored| (false, scored)))
            .filter_map(sum)
            .collect()
    }

    /// The weighted columns of a formula.
    pub(super) fn rows(&self, formula: &Formula, points: &WeightedPoints) -> Vec<Vec<f64>> {
        Search::new(points, &self.values).columns(formula)
    }

    /// The columns of a formula, with or without the constant.
    pub(super) fn columns(&self, formula: &Formula, has_constant: bool) -> Vec<Column> {
        let column = |term: Term| Column { term, role: Role::Computation, kind: None };
        let products = formula.products.iter().map(|product| {
            let factors = self.names.iter().zip(product);
            column(Term {
                factors: factors
                    .filter_map(|(name, exponent)| Some(exponent.as_ref()?.factor(name)))
                    .collect(),
            })
        });
        // Earlier columns have preference if columns are proportional.
        products.chain(has_constant.then(|| column(Term::default()))).collect()
    }
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
    let names: Vec<String> =
        varying.into_iter().filter(|name| !derived(name)).map(str::to_owned).collect();
    let positive = |name: &&String| observations.ranges[*name].0 > 0.0;
    match names.len() {
        0 => Err(FitError::NoRuns),
        1..=MAX_VARIABLES => Ok(names.iter().filter(positive).cloned().collect()),
        _ => Err(FitError::Other(format!(
            "{} variables vary ({}), general terms contain at most {MAX_VARIABLES}; select runs in \
                which some are constant",
            names.len(),
            names.join(", ")
        ))),
    }
}
