use std::collections::BTreeMap;

use super::chain::{clearly_better, forward_errors};
use super::library::terms;
use super::observations::Observations;
use super::regression::{Column, Regression, columns};
use super::{Coefficient, ScalingError, TermFamily, TermModel, assess, general};
use crate::numeric::{Estimate, Interval, mean, student_quantile};
use crate::run::{Run, variable};

/// How runs are fitted.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TermOptions {
    /// The family of the terms; `None` lets families compete.
    pub family: Option<TermFamily>,
    /// The probability of the coefficients' intervals.
    pub level: f64,
}

impl Default for TermOptions {
    fn default() -> Self {
        Self { family: None, level: 0.95 }
    }
}

/// A fitted model, and how the families did that it was chosen from.
#[derive(Debug, Clone, PartialEq)]
pub struct FittedTerms {
    /// The model.
    pub model: TermModel,
    /// The mean relative error of each family that could be fitted, when it had learned from the smaller problems and was
    /// asked for the larger ones; `None` where there are too few points to ask.
    pub forecast_errors: Vec<(TermFamily, Option<f64>)>,
    /// Families that these runs are too few for.
    pub skipped_families: Vec<(TermFamily, ScalingError)>,
    /// Variables that vary in the runs and are in no term of the model.
    pub unused_variables: Vec<String>,
}

/// Fits the runs of one region: the default method.
///
/// Terms come from the families of HPL, ScaLAPACK and general programs. Each family is fitted with relative weights,
/// robustly, and with no coefficient below zero; of several that apply, the first that no other beats clearly in
/// forecasting the larger problems from the smaller ones is taken.
///
/// # Errors
///
/// When there are no runs, numbers that are none, runs of one point only, or fewer points than coefficients; when runs
/// differ in which variables they have; when the family that was asked for does not explain a variable that varies.
pub fn fit_terms<'a>(
    runs: impl IntoIterator<Item = &'a Run>,
    options: TermOptions,
) -> Result<FittedTerms, ScalingError> {
    let runs: Vec<&Run> = runs.into_iter().collect();
    let observations = Observations::of(&runs)?;
    let families: Vec<TermFamily> = match options.family {
        Some(family) => vec![family],
        None => TermFamily::ALL.into_iter().collect(),
    };
    let mut fitted: Vec<(TermFamily, Regression)> = Vec::new();
    let (mut refused, mut passed_over) = (None, Vec::new());
    for family in families {
        match regression(family, &observations) {
            Ok(regression) => fitted.push((family, regression)),
            Err(error @ ScalingError::TooFew { .. }) => passed_over.push((family, error)),
            // That a family is not meant for these runs tells less than what keeps another from them.
            Err(error) => match refused {
                None | Some(ScalingError::Unexplained { .. }) => refused = Some(error),
                Some(_) => {}
            },
        }
    }
    // Families that come to the same terms are the same model.
    let mut different: Vec<(TermFamily, Regression)> = Vec::new();
    for (family, regression) in fitted {
        if different.iter().all(|(_, other)| other.columns != regression.columns) {
            different.push((family, regression));
        }
    }
    let (chosen, contest) = contest(&different, &observations);
    let Some((family, regression)) = different.into_iter().nth(chosen) else {
        let too_few = passed_over.into_iter().next().map(|(_, error)| error);
        return Err(too_few.or(refused).unwrap_or(ScalingError::NoRuns));
    };
    let model = model(family, &regression, &observations, options.level);
    let taken = |name: &str| model.coefficients.iter().any(|c| c.term.factors.iter().any(|f| f.variable == name));
    let given = |name: &&str| observations.groups[0].point.variables.contains_key(*name);
    let without_part = observations.varying().into_iter().filter(given).filter(|name| !taken(name)).map(str::to_owned);
    let without_part = without_part.collect();
    Ok(FittedTerms { model, forecast_errors: contest, skipped_families: passed_over, unused_variables: without_part })
}

/// The regression of one family.
fn regression(family: TermFamily, observations: &Observations) -> Result<Regression, ScalingError> {
    let unexplained = |name: &str| {
        let (run, name) = (observations.first.clone(), name.to_owned());
        Err(ScalingError::Unexplained { run, family: family.name(), name })
    };
    let columns = if family == TermFamily::General {
        if observations.kinds.len() > 1 {
            return unexplained("the kind of the elements");
        }
        general::choose(observations)?
    } else {
        let known = |name: &str| observations.ranges.contains_key(name);
        let terms = if known(variable::PROBLEM_SIZE) { terms(family, &known) } else { Vec::new() };
        let takes = |name: &str| terms.iter().any(|c| c.term.factors.iter().any(|factor| factor.variable == name));
        // On a grid that is given, the number of processes says nothing new; nor does a grid to who takes it for a square.
        let follows = |name: &str| match name {
            variable::PROCESSES => takes(variable::GRID_ROWS) && takes(variable::GRID_COLUMNS),
            variable::GRID_ROWS | variable::GRID_COLUMNS => {
                family == TermFamily::Scalapack && takes(variable::PROCESSES)
            }
            variable::SPANS_ELEMENTS => takes(variable::PROCESSES),
            _ => false,
        };
        if let Some(name) = observations.varying().into_iter().find(|name| !takes(name) && !follows(name)) {
            return unexplained(name);
        }
        columns(&terms, observations)
    };
    let too_few = |needed| {
        let (run, points) = (observations.first.clone(), observations.groups.len());
        ScalingError::TooFew { run, points, model: format!("the family {}", family.name()), needed }
    };
    let regression = Regression::of(&columns, observations).ok_or_else(|| too_few(0))?;
    let needed = regression.columns.len();
    if needed > observations.groups.len() { Err(too_few(needed)) } else { Ok(regression) }
}

/// The place of the family that is taken, and the errors of all.
fn contest(
    fitted: &[(TermFamily, Regression)],
    observations: &Observations,
) -> (usize, Vec<(TermFamily, Option<f64>)>) {
    if fitted.len() < 2 {
        return (0, fitted.iter().map(|(family, _)| (*family, None)).collect());
    }
    let least = fitted.iter().map(|(_, regression)| regression.columns.len() + 1).max().unwrap_or(2);
    let errors = |(family, _): &(TermFamily, Regression)| {
        forward_errors(observations, least, &|before, after| regression(*family, before).ok()?.predict(after))
    };
    let errors: Vec<Option<Vec<f64>>> = fitted.iter().map(errors).collect();
    let mut chosen = 0;
    for place in 1..fitted.len() {
        let better = match (&errors[chosen], &errors[place]) {
            (Some(incumbent), Some(challenger)) => clearly_better(challenger, incumbent),
            (None, Some(_)) => true,
            (_, None) => false,
        };
        if better {
            chosen = place;
        }
    }
    let told = fitted.iter().zip(&errors).map(|((family, _), errors)| (*family, errors.as_ref().map(|e| mean(e))));
    (chosen, told.collect())
}

/// The model of a regression: the terms that have a part in it.
fn model(family: TermFamily, regression: &Regression, observations: &Observations, level: f64) -> TermModel {
    let kept: Vec<usize> = (0..regression.values.len()).filter(|&k| regression.values[k] > 0.0).collect();
    let uncertainty = assess::assess(regression, observations).map(|mut whole| {
        whole.covariance = kept.iter().map(|&k| kept.iter().map(|&l| whole.covariance[k][l]).collect()).collect();
        whole
    });
    let runs = observations.runs();
    let coefficient = |(place, &k): (usize, &usize)| {
        let Column { term, role, kind } = regression.columns[k].clone();
        let value = regression.values[k];
        let interval = uncertainty.as_ref().map(|u| {
            let half = student_quantile(u.covariance_degrees, level) * u.covariance[place][place].max(0.0).sqrt();
            Interval { low: (value - half).max(0.0), high: value + half, level }
        });
        let estimate = Estimate { value, interval, samples: Some(runs as u64) };
        Coefficient { term, role, kind: kind.map(|kind| observations.kinds[kind].clone()), estimate }
    };
    let coefficients = kept.iter().enumerate().map(coefficient).collect();
    let ranges: BTreeMap<_, _> = observations.ranges.clone();
    let kinds = observations.kinds.clone();
    TermModel { family, coefficients, uncertainty, ranges, kinds, runs, points: observations.groups.len() }
}
