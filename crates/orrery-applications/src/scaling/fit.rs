//! The fit of term models: the selection of terms, and their regression.

use std::collections::BTreeMap;

use super::categories::fit_categories;
use super::effects::Effects;
use super::kind_costs::{CostBound, KindRegression};
use super::kind_fit::{KindFit, fit_kinds, score_of_kinds};
use super::law_change::LawChange;
use super::left_out::LeftOutForecasts;
use super::noise::RegionNoise;
use super::observations::{FitError, Group, Observations, run_name};
use super::outliers::are_near;
use super::point::Point;
use super::regression::{Column, Regression, columns};
use super::selection::{
    BestSum, Dictionary, Family, General, PLAUSIBLE_WINDOW, PlausibleSum, Selection,
};
use super::term_model::{Alternative, BoundedKind, Coefficient, TermModel};
use super::terms::{CandidateTerm, FamilyPrior, Role, Term, TermFamily, candidate_terms};
use super::uncertainty::{Uncertainty, uncertainty};
use crate::run::{Run, variable};
use orrery_base::numeric::{Estimate, Interval, mean, median, student_quantile};

/// The options of [`fit_terms`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TermOptions {
    /// The family of the terms; `None` selects the family with the best score.
    pub family: Option<TermFamily>,
    /// The confidence level of the intervals of coefficients.
    pub level: f64,
    /// The noise of all regions of the program, with which that of this one is moderated.
    pub noise: Option<RegionNoise>,
}

impl Default for TermOptions {
    fn default() -> Self {
        Self { family: None, level: 0.95, noise: None }
    }
}

/// A fitted model with the comparison of the families.
#[derive(Debug, Clone, PartialEq)]
pub struct FittedTerms {
    /// The model.
    pub model: TermModel,
    /// The posterior probability of each fitted family.
    pub families: Vec<(TermFamily, f64)>,
    /// The families that need more points.
    pub skipped_families: Vec<(TermFamily, FitError)>,
    /// The variables that vary in the runs but occur in no term of the model.
    pub unused_variables: Vec<String>,
    /// The places of the runs that differ from the like ones of their point by more than four standard
    /// deviations; they count for the spread of runs only.
    pub outlying_runs: Vec<usize>,
}

/// Fits a term model to the runs of one region; this is the default method.
///
/// Terms are from the families of HPL, ScaLAPACK and general programs, and are fitted by robust
/// nonnegative regression of relative errors. If elements are all alike, the model has the terms of
/// the sum with the best score, and other plausible sums as alternatives. With several kinds, or
/// with the times of parts, sums have all terms of a family, or some with a cost of each kind. Labels and codes that
/// change the time have effects of their levels.
///
/// # Errors
///
/// No runs; invalid numbers; a single point; fewer points than coefficients; runs with different
/// sets of variables; a requested family that does not contain a variable that varies.
pub fn fit_terms<'a>(
    runs: impl IntoIterator<Item = &'a Run>,
    options: TermOptions,
) -> Result<FittedTerms, FitError> {
    let runs: Vec<&Run> = runs.into_iter().collect();
    let mut fitted = fit_categories(&runs, |runs| fit_sum(runs, options))?;
    let outlying = are_near(&runs).into_iter().enumerate().filter(|(_, is_near)| !is_near);
    fitted.outlying_runs = outlying.map(|(place, _)| place).collect();
    let (first, point) = (runs[0], Point::of(runs[0]));
    if fitted.model.effects.is_empty() && runs.iter().all(|run| Point::of(run) == point) {
        return Err(FitError::Other(format!(
            "{}: there are runs of one point only ({point}); measure other problem sizes or other \
                numbers of processes",
            run_name(first, 0)
        )));
    }
    Ok(fitted)
}

/// Fits a sum of terms without effects of categories; a constant to the runs of a single point.
fn fit_sum(runs: &[&Run], options: TermOptions) -> Result<FittedTerms, FitError> {
    let mut observations = Observations::of(runs)?;
    observations.noise = options.noise;
    if let [point] = observations.groups.as_mut_slice() {
        point.parts = None;
    }
    let mut fitted = fit_observations(&observations, options)?;
    if let Some(change) = law_change(&fitted.model, &observations, options) {
        let upper = observations.restricted(|group| change.has(group));
        fitted = fit_observations(&upper, options)?;
        fitted.model.law_change = Some(change);
    }
    Ok(fitted)
}

/// Returns true if elements are all alike, and runs have no times of parts: terms are selected.
fn are_alike(observations: &Observations) -> bool {
    observations.kinds.len() < 2 && !observations.groups.iter().all(|group| group.parts.is_some())
}

/// Fits a sum of terms that holds for all points.
fn fit_observations(
    observations: &Observations,
    options: TermOptions,
) -> Result<FittedTerms, FitError> {
    let mut fit = Fit::new(observations, options);
    let (model, families) = if observations.groups.len() == 1 {
        (fit.constant()?, Vec::new())
    } else if are_alike(observations) {
        fit.selected_terms()?
    } else {
        fit.terms_of_kinds()?
    };
    let in_terms = |name: &str| model.variables().contains(&name);
    let unused_variables =
        observations.varying_freely().into_iter().filter(|name| !in_terms(name)).map(str::to_owned);
    let unused_variables = unused_variables.collect();
    Ok(FittedTerms {
        model,
        families,
        skipped_families: fit.skipped_families,
        unused_variables,
        outlying_runs: Vec::new(),
    })
}

/// A fit under way.
struct Fit<'a> {
    observations: &'a Observations,
    options: TermOptions,
    /// The error of a family that cannot contain the runs.
    unsupported: Option<FitError>,
    skipped_families: Vec<(TermFamily, FitError)>,
}

/// The least number of points to select terms: two terms fit any two points exactly.
const MIN_POINTS: usize = 3;

/// The error for fewer points.
fn too_few_points(family: TermFamily, observations: &Observations) -> FitError {
    FitError::TooFewPoints {
        run: observations.first.clone(),
        points: observations.groups.len(),
        model: format!("the family {}", family.name()),
        needed: MIN_POINTS,
    }
}

/// The prior odds of a family against the next one, if all terms of a family are fitted: the shape
/// of the grid matters to most programs with matrices, but a fit of all terms is penalised for each
/// of them.
const ODDS_OF_FIRST_FAMILY: f64 = 20.0;

/// A model with the probabilities of the families.
type Fitted = (TermModel, Vec<(TermFamily, f64)>);

/// The least typical error of a law, relative to the times, from which a change of it is sought.
const MIN_DOUBTFUL_ERROR: f64 = 0.03;

/// The change of the law of runs without kinds of elements; `None` if one law describes them. Searches
/// of configurations, which compare kinds, know one law only.
///
/// It is sought only where the model of a single law does not describe the runs, because that takes
/// a selection of terms for each side of each possible change.
fn law_change(
    model: &TermModel,
    observations: &Observations,
    options: TermOptions,
) -> Option<LawChange> {
    let square = |group: &Group| {
        let time = model.estimate(&group.point).ok()?.seconds.get();
        Some((time / median(&group.near()) - 1.0).powi(2))
    };
    let squares: Vec<f64> = observations.groups.iter().map(square).collect::<Option<_>>()?;
    let has_kinds = !observations.kinds.is_empty();
    if has_kinds || !are_alike(observations) || mean(&squares).sqrt() < MIN_DOUBTFUL_ERROR {
        return None;
    }
    LawChange::find(observations, |part| {
        let families = Fit::new(part, options).terms_of_families();
        BestSum::of(&families, part)
    })
}

impl<'a> Fit<'a> {
    /// A fit that begins.
    fn new(observations: &'a Observations, options: TermOptions) -> Self {
        Self { observations, options, unsupported: None, skipped_families: Vec::new() }
    }

    /// The families to fit, in the order of preference.
    ///
    /// Times that fall as one number grows are those of strong scaling: the other families know
    /// less of them.
    fn families(&self) -> Vec<TermFamily> {
        // General sums contain those of domains, where elements are all alike.
        let competes = |family: &TermFamily| match family {
            TermFamily::Strong => false,
            TermFamily::Domain2 | TermFamily::Domain3 => !are_alike(self.observations),
            _ => true,
        };
        let falls = || self.observations.falling_variable().is_some();
        match self.options.family {
            Some(family) => vec![family],
            None if falls() => vec![TermFamily::Strong],
            None => TermFamily::ALL.into_iter().filter(competes).collect(),
        }
    }

    /// Keeps the error of a family that was not fitted.
    fn skip(&mut self, family: TermFamily, error: FitError) {
        match (&error, &self.unsupported) {
            (FitError::TooFewPoints { .. }, _) => self.skipped_families.push((family, error)),
            // Other errors are more informative than an unsupported variable.
            (_, None | Some(FitError::UnsupportedVariable { .. })) => {
                self.unsupported = Some(error);
            }
            _ => {}
        }
    }

    /// The error if no family was fitted.
    fn error(&mut self) -> FitError {
        let too_few = self.skipped_families.pop().map(|(_, error)| error);
        too_few.or(self.unsupported.take()).unwrap_or(FitError::NoRuns)
    }

    /// The constant time of a single point.
    fn constant(&self) -> Result<TermModel, FitError> {
        let column = Column { term: Term::default(), role: Role::Computation, kind: None };
        let regression = Regression::of(&[column], self.observations).ok_or(FitError::NoRuns)?;
        let uncertainty = uncertainty(&regression, self.observations, None, None);
        Ok(model(
            TermFamily::General,
            &regression,
            self.observations,
            uncertainty,
            self.options.level,
        ))
    }

    /// The families that can contain the runs, with their terms.
    fn terms_of_families(&mut self) -> Vec<Family> {
        let observations = self.observations;
        let mut families = Vec::new();
        for family in self.families() {
            let terms = if family == TermFamily::General {
                General::new(observations).map(Family::General)
            } else {
                dictionary(family, observations).map(|terms| {
                    Family::Dictionary(Dictionary::new(
                        family,
                        &columns(&terms, observations),
                        observations,
                    ))
                })
            };
            match terms {
                Ok(_) if observations.groups.len() < MIN_POINTS => {
                    self.skip(family, too_few_points(family, observations));
                }
                // Families with the same terms are one.
                Ok(terms) if families.contains(&terms) => {}
                Ok(terms) => families.push(terms),
                Err(error) => self.skip(family, error),
            }
        }
        families
    }

    /// Elements that are all alike: selects the plausible sums of terms.
    fn selected_terms(&mut self) -> Result<Fitted, FitError> {
        let observations = self.observations;
        let families = self.terms_of_families();
        let Selection { sums, families } = Selection::of(&families, observations);
        let mut models: Vec<(f64, TermModel)> = Vec::new();
        for PlausibleSum { probability, family, columns } in sums {
            let Some(regression) = Regression::of(&columns, observations) else { continue };
            let other = models.first().and_then(|(_, best)| best.uncertainty.as_ref());
            let uncertainty = uncertainty(&regression, observations, other, family.prior());
            models.push((
                probability,
                model(family, &regression, observations, uncertainty, self.options.level),
            ));
        }
        Ok((with_alternatives(models).ok_or_else(|| self.error())?, families))
    }

    /// Several kinds, or runs with the times of their parts: the plausible fits of all families.
    fn terms_of_kinds(&mut self) -> Result<Fitted, FitError> {
        let observations = self.observations;
        let mut fitted: Vec<(TermFamily, KindFit)> = Vec::new();
        for family in self.families() {
            let fit = dictionary(family, observations)
                .and_then(|terms| fit_kinds(family, &terms, observations));
            let has_columns_of = |fit: &KindFit| {
                fitted.iter().any(|(_, other)| {
                    other.kinds.regression.columns == fit.kinds.regression.columns
                })
            };
            match fit {
                Ok(fit) if has_columns_of(&fit) => {}
                Ok(fit) => fitted.push((family, fit)),
                Err(error) => self.skip(family, error),
            }
        }
        let sums = scored_sums(&fitted, observations);
        let Some(best) = sums.first().map(|sum| sum.score) else { return Err(self.error()) };
        // All scores are infinite if there are as many coefficients as points.
        let weight =
            |sum: &ScoredSum| if sum.score > best { (0.5 * (best - sum.score)).exp() } else { 1.0 };
        let whole: f64 = sums.iter().map(weight).sum();
        let of_family = |(name, _): &(TermFamily, KindFit)| {
            let own = sums.iter().filter(|sum| sum.family == *name);
            (*name, own.fold(0.0, |share, sum| share + weight(sum) / whole))
        };
        let families = fitted.iter().map(of_family).collect();
        let mut models: Vec<(f64, TermModel)> = Vec::new();
        for sum in &sums {
            let model = self.model_of_kinds(sum);
            if models.is_empty() || model.uncertainty.is_some() {
                models.push((weight(sum) / whole, model));
            }
        }
        Ok((with_alternatives(models).ok_or_else(|| self.error())?, families))
    }

    /// The model of a sum of terms of kinds; its intervals are as wide as the errors of left-out
    /// configurations require.
    fn model_of_kinds(&self, sum: &ScoredSum) -> TermModel {
        let ScoredSum { family, kinds, left_out, .. } = *sum;
        let KindRegression { regression, bounds, .. } = kinds;
        let mut uncertainty = uncertainty(regression, self.observations, None, None);
        uncertainty.iter_mut().for_each(|uncertainty| left_out.widen(uncertainty));
        if !kinds.costs.is_empty() {
            // The points of a configuration show how the time depends on the size, and together once
            // how it depends on the configuration.
            let free = left_out.configurations().saturating_sub(regression.directions.len());
            let degrees = free.max(MIN_CONFIGURATION_DEGREES) as f64;
            uncertainty.iter_mut().for_each(|uncertainty| uncertainty.widen(1.0, degrees));
        }
        let mut model =
            model(family, regression, self.observations, uncertainty, self.options.level);
        let bounded = |&(kind, bound): &(usize, CostBound)| BoundedKind {
            kind: self.observations.kinds[kind].clone(),
            is_faster: bound == CostBound::Above,
        };
        model.bounded_kinds = bounds.iter().map(bounded).collect();
        model
    }
}

/// A sum of terms of kinds of elements.
struct ScoredSum<'a> {
    /// −2·log of its posterior probability, up to a constant.
    score: f64,
    family: TermFamily,
    kinds: &'a KindRegression,
    /// The forecasts of left-out configurations by the best sum of the family.
    left_out: &'a LeftOutForecasts,
}

/// The plausible sums of all families, the most probable one first.
fn scored_sums<'a>(
    fitted: &'a [(TermFamily, KindFit)],
    observations: &Observations,
) -> Vec<ScoredSum<'a>> {
    let mut sums = Vec::new();
    for (rank, (family, KindFit { kinds, left_out, others })) in fitted.iter().enumerate() {
        let prior = 2.0 * ODDS_OF_FIRST_FAMILY.ln() * rank as f64;
        sums.extend(std::iter::once(kinds).chain(others).map(|kinds| ScoredSum {
            score: score_of_kinds(kinds, observations) + prior,
            family: *family,
            kinds,
            left_out,
        }));
    }
    sums.sort_by(|a, b| a.score.total_cmp(&b.score));
    if let Some(best) = sums.first() {
        // A sum of all terms has no alternatives: the errors of left-out configurations widen it.
        let least = best.score + PLAUSIBLE_WINDOW;
        let count = if best.kinds.costs.is_empty() { 1 } else { MAX_SUMS };
        sums.retain(|sum| sum.score <= least);
        sums.truncate(count);
    }
    sums
}

/// The least degrees of freedom of common terms among few configurations: with one, any time would be
/// plausible.
const MIN_CONFIGURATION_DEGREES: usize = 2;

/// The first of these models, with the others as alternatives.
fn with_alternatives(models: Vec<(f64, TermModel)>) -> Option<TermModel> {
    let mut models = models.into_iter();
    let (_, mut first) = models.next()?;
    let alternative = |(probability, TermModel { coefficients, uncertainty, .. })| Alternative {
        probability,
        coefficients,
        uncertainty,
    };
    first.alternatives = models.map(alternative).collect();
    Some(first)
}

/// The largest number of sums of a model of several kinds.
const MAX_SUMS: usize = 17;

/// The terms of a known program that can explain these runs.
fn dictionary(
    family: TermFamily,
    observations: &Observations,
) -> Result<Vec<CandidateTerm>, FitError> {
    let unsupported = |name: &str| {
        let (run, name) = (observations.first.clone(), name.to_owned());
        Err(FitError::UnsupportedVariable { run, family: family.name(), name })
    };
    if family == TermFamily::General {
        return unsupported(if observations.kinds.len() > 1 {
            "the kind of elements"
        } else {
            "the part of the time"
        });
    }
    if let Some(prior) = family.prior() {
        return terms_of_prior(&prior, family, observations);
    }
    let is_measured = |name: &str| observations.ranges.contains_key(name);
    let terms = if is_measured(variable::PROBLEM_SIZE) {
        candidate_terms(family, &is_measured)
    } else {
        Vec::new()
    };
    let contains = |name: &str| {
        terms.iter().any(|c| c.term.factors.iter().any(|factor| factor.variable == name))
    };
    // The number of processes follows from the grid; terms on square grids do not need its shape, and
    // domains have none.
    let is_given = |name: &str| observations.groups[0].point.variables.contains_key(name);
    let is_implied = |name: &str| match name {
        variable::PROCESSES => contains(variable::GRID_ROWS) && contains(variable::GRID_COLUMNS),
        variable::GRID_ROWS | variable::GRID_COLUMNS => {
            let has_no_shape = match family {
                TermFamily::Scalapack => true,
                TermFamily::Domain2 | TermFamily::Domain3 => !is_given(name),
                _ => false,
            };
            has_no_shape && contains(variable::PROCESSES)
        }
        variable::SPANS_ELEMENTS => contains(variable::PROCESSES),
        _ => false,
    };
    match observations.varying().into_iter().find(|name| !contains(name) && !is_implied(name)) {
        Some(name) => unsupported(name),
        None => Ok(terms),
    }
}

/// The terms of a family with a prior, if one number varies and is at least 1.
fn terms_of_prior(
    prior: &FamilyPrior,
    family: TermFamily,
    observations: &Observations,
) -> Result<Vec<CandidateTerm>, FitError> {
    let unsupported = |reason: &str| {
        FitError::Other(format!(
            "{}: {reason}, but the family {} is for one number of at least 1 that varies, such as \
                that of nodes; use another family",
            observations.first,
            family.name()
        ))
    };
    match &observations.varying_freely()[..] {
        [name] if observations.ranges[*name].0 >= 1.0 => Ok(prior.candidates(name)),
        [name] => Err(unsupported(&format!("{name} is below 1"))),
        [] => Err(FitError::NoRuns),
        names => Err(unsupported(&format!("{} vary", names.join(", ")))),
    }
}

/// The model of a regression: its terms with positive coefficients.
fn model(
    family: TermFamily,
    regression: &Regression,
    observations: &Observations,
    uncertainty: Option<Uncertainty>,
    level: f64,
) -> TermModel {
    let kept: Vec<usize> =
        (0..regression.values.len()).filter(|&k| regression.values[k] > 0.0).collect();
    let uncertainty = uncertainty.map(|mut whole| {
        whole.covariance =
            kept.iter().map(|&k| kept.iter().map(|&l| whole.covariance[k][l]).collect()).collect();
        whole
    });
    let runs = observations.runs();
    let quantile =
        uncertainty.as_ref().map_or(0.0, |u| student_quantile(u.covariance_degrees, level));
    let coefficient = |(index, &k): (usize, &usize)| {
        let Column { term, role, kind } = regression.columns[k].clone();
        let value = regression.values[k];
        let interval = uncertainty.as_ref().map(|u| {
            let half = quantile * u.covariance[index][index].max(0.0).sqrt();
            Interval { low: (value - half).max(0.0), high: value + half, level }
        });
        let estimate = Estimate { value, interval, samples: Some(runs as u64) };
        Coefficient {
            term,
            role,
            kind: kind.map(|kind| observations.kinds[kind].clone()),
            estimate,
        }
    };
    let coefficients = kept.iter().enumerate().map(coefficient).collect();
    let ranges: BTreeMap<_, _> = observations.ranges.clone();
    let kinds = observations.kinds.clone();
    let (alternatives, bounded_kinds) = (Vec::new(), Vec::new());
    let points = observations.groups.len();
    let effects = Effects::default();
    TermModel {
        family,
        coefficients,
        uncertainty,
        alternatives,
        effects,
        ranges,
        kinds,
        law_change: None,
        bounded_kinds,
        runs,
        points,
    }
}
