//! The fit of times with categories: T = f(x)·Π effect(level).
//!
//! Categories are labels and codes that vary, such as the broadcast of HPL. The sum of terms f is
//! fitted to the times divided by the effects, and ln(effect) to ln(t/f) by least squares on the
//! levels, in turn, until the effects do not change. An effect, or an interaction of two
//! categories, is kept if it pays by an information criterion.

mod candidates;
mod regression;

use std::collections::BTreeMap;

use super::application::ExecutionTimeModel;
use super::effects::Effects;
use super::fit::FittedTerms;
use super::observations::FitError;
use super::point::Point;
use super::term_model::TermModel;
use super::uncertainty::Uncertainty;
use crate::run::{Run, hpl, variable};
use candidates::{Candidate, candidates};
use orrery_base::units::Seconds;
use regression::{Category, Row, SelectedEffects};

pub(super) use candidates::levels_of;

/// The largest number of rounds in which terms and effects are fitted.
const MAX_ROUNDS: usize = 5;

/// The change of ln(effect) below which a round is the last.
const MIN_CHANGE: f64 = 1e-3;

/// Fits terms and the effects of categories; `fit` fits terms alone. Runs without categories have
/// terms alone.
///
/// A block size or another code that terms can contain is a category if that is more probable.
///
/// # Errors
///
/// Those of `fit`.
pub(super) fn fit_categories(
    runs: &[&Run],
    fit: impl Fn(&[&Run]) -> Result<FittedTerms, FitError>,
) -> Result<FittedTerms, FitError> {
    let (optional, mut chosen): (Vec<Candidate>, Vec<Candidate>) =
        candidates(runs).into_iter().partition(|candidate| candidate.is_optional);
    let is_block = |candidate: &Candidate| candidate.name == variable::BLOCK_SIZE;
    if chosen.is_empty() && optional.iter().all(is_block) {
        return fit(runs);
    }
    let points = point_indices(runs, &[&chosen, &optional]);
    let mut best = fit_with(runs, &points, &chosen, &fit);
    for candidate in &optional {
        // The effect of the block size without other effects is a matter of terms.
        if is_block(candidate)
            && best.as_ref().is_some_and(|(_, fitted)| fitted.model.effects.is_empty())
        {
            continue;
        }
        let with: Vec<Candidate> = chosen.iter().chain([candidate]).cloned().collect();
        let fitted = fit_with(runs, &points, &with, &fit);
        let paying = fitted.filter(|(_, fitted)| {
            let effects = &fitted.model.effects;
            effects.categories().contains(&candidate.name.as_str())
                && (is_block(candidate) || !is_monotonic(effects, &candidate.name))
        });
        if let Some((score, fitted)) = paying
            && best.as_ref().is_none_or(|(least, _)| score < *least)
        {
            best = Some((score, fitted));
            chosen = with;
        }
    }
    match best {
        Some((_, fitted)) => Ok(fitted),
        None => fit(runs),
    }
}

/// Returns true if the factor of the levels of a numeric category only rises or only falls.
fn is_monotonic(effects: &Effects, category: &str) -> bool {
    let own = effects
        .effects
        .iter()
        .filter(|effect| effect.categories == [category])
        .flat_map(|effect| &effect.levels);
    let mut factors: Vec<(f64, f64)> = own
        .filter_map(|level| Some((level.levels[0].parse::<f64>().ok()?, level.factor)))
        .collect();
    factors.sort_by(|a, b| a.0.total_cmp(&b.0));
    let factors = || factors.iter().map(|(_, factor)| *factor);
    factors().is_sorted() || factors().rev().is_sorted()
}

/// The index of the point of each run: runs of a point have equal variables, configuration and
/// levels.
fn point_indices(runs: &[&Run], candidates: &[&[Candidate]]) -> Vec<usize> {
    let mut indices = BTreeMap::new();
    let key = |(index, run): (usize, &&Run)| {
        let variables: Vec<u64> = run.variables.values().map(|value| value.to_bits()).collect();
        let levels: Vec<String> =
            candidates.iter().copied().flatten().map(|c| c.levels[index].clone()).collect();
        (variables, run.configuration.clone(), levels)
    };
    let mut index = |key| {
        let next = indices.len();
        *indices.entry(key).or_insert(next)
    };
    runs.iter().enumerate().map(key).map(&mut index).collect()
}

/// Fits terms and effects with these candidates, with the information criterion; `None` if the
/// terms cannot be fitted.
fn fit_with(
    runs: &[&Run],
    points: &[usize],
    candidates: &[Candidate],
    fit: &impl Fn(&[&Run]) -> Result<FittedTerms, FitError>,
) -> Option<(f64, FittedTerms)> {
    let categories: Vec<Category> = candidates.iter().map(category).collect();
    let of_run = |run: usize| {
        let each = candidates.iter().zip(&categories);
        each.map(|(candidate, own)| {
            own.levels.binary_search(&candidate.levels[run]).unwrap_or_default()
        })
        .collect()
    };
    let mut rows: Vec<Row> = Vec::new();
    for (run, &point) in points.iter().enumerate() {
        if point == rows.len() {
            rows.push(Row { levels: of_run(run), target: 0.0 });
        }
    }
    let mut changed: Vec<Run> = runs.iter().map(|run| without(run, candidates)).collect();
    let mut before = vec![0.0; rows.len()];
    for round in 1.. {
        let mut fitted = fit(&changed.iter().collect::<Vec<_>>()).ok()?;
        let mut sums = vec![(0.0, 0.0); rows.len()];
        for ((run, changed), &point) in runs.iter().zip(&changed).zip(points) {
            let seconds = fitted.model.slowest(&Point::of(changed))?.seconds;
            let (sum, count) = sums[point];
            sums[point] = (sum + (run.seconds.get() / seconds).ln(), count + 1.0);
        }
        rows.iter_mut().zip(sums).for_each(|(row, (sum, count))| row.target = sum / count);
        if rows.iter().any(|row| !row.target.is_finite()) {
            return None;
        }
        let selected = SelectedEffects::of(&categories, &rows)?;
        let logarithm = |row: &Row| selected.logarithm(row, &categories);
        let after: Vec<f64> = rows.iter().map(logarithm).collect();
        let change = before.iter().zip(&after).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        if change < MIN_CHANGE || round == MAX_ROUNDS {
            let score =
                selected.criterion() + term_parameters(&fitted.model) * (rows.len() as f64).ln();
            add(&mut fitted, selected.effects(&categories), selected.parameters(), candidates);
            return Some((score, fitted));
        }
        for ((changed, run), &point) in changed.iter_mut().zip(runs).zip(points) {
            divide(changed, run, after[point].exp());
        }
        before = after;
    }
    None
}

/// The category of a candidate.
fn category(candidate: &Candidate) -> Category {
    let mut levels = candidate.levels.clone();
    levels.sort_unstable();
    levels.dedup();
    let is_parameter = candidate.name == variable::BLOCK_SIZE || hpl::is_parameter(&candidate.name);
    Category { name: candidate.name.clone(), levels, is_parameter }
}

/// A run without the variables that are categories.
fn without(run: &Run, candidates: &[Candidate]) -> Run {
    let mut run = run.clone();
    run.variables.retain(|name, _| candidates.iter().all(|candidate| candidate.name != *name));
    run
}

/// Sets the times of a run to those of another, divided by a factor.
fn divide(run: &mut Run, other: &Run, factor: f64) {
    let divided = |seconds: Seconds| Seconds::new(seconds.get() / factor);
    run.seconds = divided(other.seconds);
    for (part, other) in run.parts.iter_mut().zip(&other.parts) {
        part.computation = divided(other.computation);
        part.communication = divided(other.communication);
    }
}

impl ExecutionTimeModel {
    /// This model without effects, and runs with their times divided by the effects of their
    /// levels: their errors are those of the model with effects.
    pub fn at_mean_levels<'a>(&self, runs: impl IntoIterator<Item = &'a Run>) -> (Self, Vec<Run>) {
        let Some(terms) = self.as_terms().filter(|terms| !terms.effects.is_empty()) else {
            return (self.clone(), runs.into_iter().cloned().collect());
        };
        let divided = |run: &Run| {
            let mut divided = run.clone();
            let effect = terms.effects.factor(&terms.known_levels(&run.labels, &run.variables));
            divide(&mut divided, run, effect.unwrap_or(1.0));
            divided
        };
        (terms.scaled(1.0, 0.0).into(), runs.into_iter().map(divided).collect())
    }
}

/// The number of coefficients and of selected exponents of a sum of terms.
fn term_parameters(model: &TermModel) -> f64 {
    model.coefficients.iter().map(|c| 1.0 + c.term.factors.len() as f64).sum()
}

/// Adds effects to a fit; numeric candidates without an effect are unused variables.
fn add(fitted: &mut FittedTerms, effects: Effects, parameters: f64, candidates: &[Candidate]) {
    let used = effects.categories();
    let unused = candidates
        .iter()
        .filter(|candidate| candidate.is_numeric && !used.contains(&candidate.name.as_str()));
    fitted.unused_variables.extend(unused.map(|candidate| candidate.name.clone()));
    if effects.is_empty() {
        return;
    }
    let model = &mut fitted.model;
    model.uncertainty.iter_mut().for_each(|uncertainty| reduce_degrees(uncertainty, parameters));
    for alternative in &mut model.alternatives {
        alternative
            .uncertainty
            .iter_mut()
            .for_each(|uncertainty| reduce_degrees(uncertainty, parameters));
    }
    model.effects = effects;
}

/// Subtracts the parameters of the effects from the degrees of freedom of the variance that
/// contains the residuals.
fn reduce_degrees(uncertainty: &mut Uncertainty, parameters: f64) {
    let reduced = |degrees: f64| (degrees - parameters).max(1.0);
    if uncertainty.spread_degrees >= uncertainty.misfit_degrees {
        let degrees = reduced(uncertainty.spread_degrees);
        uncertainty.spread_variance *= uncertainty.spread_degrees / degrees;
        uncertainty.spread_degrees = degrees;
    } else {
        let degrees = reduced(uncertainty.misfit_degrees);
        uncertainty.misfit *= (uncertainty.misfit_degrees / degrees).sqrt();
        uncertainty.misfit_degrees = degrees;
    }
}
