//! The fit of term models: a regression for each family of terms, and the choice between families.

use std::collections::BTreeMap;

use super::general;
use super::kind_costs::{self, CostBound, KindRegression};
use super::observations::{FitError, Group, Observations};
use super::regression::{Column, Regression, columns};
use super::term_model::{Alternative, BoundedKind, Coefficient, TermModel};
use super::terms::{TermFamily, candidate_terms, shared_element_terms};
use super::uncertainty::uncertainty;
use crate::numeric::{Estimate, Interval, mean, median, student_quantile};
use crate::run::{Run, variable};

/// The options of [`fit_terms`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TermOptions {
    /// The family of the terms; `None` selects the family by its forecasts.
    pub family: Option<TermFamily>,
    /// The confidence level of the intervals of coefficients.
    pub level: f64,
}

impl Default for TermOptions {
    fn default() -> Self {
        Self { family: None, level: 0.95 }
    }
}

/// A fitted model with the comparison of the families.
#[derive(Debug, Clone, PartialEq)]
pub struct FittedTerms {
    /// The model.
    pub model: TermModel,
    /// The mean relative error of each fitted family in forecasting the longer runs from the shorter ones; `None` if there
    /// are too few points.
    pub forecast_errors: Vec<(TermFamily, Option<f64>)>,
    /// The families that need more points.
    pub skipped_families: Vec<(TermFamily, FitError)>,
    /// The variables that vary in the runs but occur in no term of the model.
    pub unused_variables: Vec<String>,
}

/// Fits a term model to the runs of one region; this is the default method.
///
/// Terms are from the families of HPL, ScaLAPACK and general programs. Each family is fitted by robust nonnegative
/// regression of relative errors. The result is the first family that no other significantly improves on in forecasting
/// the longer runs from the shorter ones.
///
/// # Errors
///
/// No runs; invalid numbers; a single point; fewer points than coefficients; runs with different sets of variables; a
/// requested family that does not contain a variable that varies.
pub fn fit_terms<'a>(runs: impl IntoIterator<Item = &'a Run>, options: TermOptions) -> Result<FittedTerms, FitError> {
    let runs: Vec<&Run> = runs.into_iter().collect();
    let observations = Observations::of(&runs)?;
    let families: Vec<TermFamily> = match options.family {
        Some(family) => vec![family],
        None => TermFamily::ALL.into_iter().collect(),
    };
    let mut fitted: Vec<FamilyFit> = Vec::new();
    let (mut unsupported, mut skipped_families) = (None, Vec::new());
    for family in families {
        match FamilyFit::of(family, &observations) {
            Ok(fit) => fitted.push(fit),
            Err(error @ FitError::TooFewPoints { .. }) => skipped_families.push((family, error)),
            // Other errors are more informative than an unsupported variable.
            Err(error) => match unsupported {
                None | Some(FitError::UnsupportedVariable { .. }) => unsupported = Some(error),
                Some(_) => {}
            },
        }
    }
    // Families with the same terms give the same model.
    let mut different: Vec<FamilyFit> = Vec::new();
    for fit in fitted {
        if different.iter().all(|other| other.regression.columns != fit.regression.columns) {
            different.push(fit);
        }
    }
    let (chosen, forecast_errors) = select_family(&different, &observations);
    let Some(fit) = different.into_iter().nth(chosen) else {
        let too_few = skipped_families.into_iter().next().map(|(_, error)| error);
        return Err(too_few.or(unsupported).unwrap_or(FitError::NoRuns));
    };
    let mut model = model(fit.family, &fit.regression, &observations, options.level);
    let bounded = |&(kind, bound): &(usize, CostBound)| BoundedKind {
        kind: observations.kinds[kind].clone(),
        is_faster: bound == CostBound::Above,
    };
    model.bounded_kinds = fit.bounds.iter().map(bounded).collect();
    let alternative = |(probability, columns): (f64, Vec<Column>)| {
        let regression = Regression::of(&columns, &observations)?;
        let TermModel { coefficients, uncertainty, .. } =
            self::model(fit.family, &regression, &observations, options.level);
        Some(Alternative { probability, coefficients, uncertainty })
    };
    model.alternatives = fit.alternatives.into_iter().filter_map(alternative).collect();
    let in_terms = |name: &str| model.coefficients.iter().any(|c| c.term.factors.iter().any(|f| f.variable == name));
    let given = |name: &&str| observations.groups[0].point.variables.contains_key(*name);
    let unused_variables =
        observations.varying().into_iter().filter(given).filter(|name| !in_terms(name)).map(str::to_owned);
    let unused_variables = unused_variables.collect();
    Ok(FittedTerms { model, forecast_errors, skipped_families, unused_variables })
}

/// The fit of a family.
struct FamilyFit {
    family: TermFamily,
    regression: Regression,
    /// The number of points that the fit needs.
    needed: usize,
    /// The kinds whose cost the runs bound only from above, by index.
    bounds: Vec<(usize, CostBound)>,
    /// Other plausible columns, each with its probability.
    alternatives: Vec<(f64, Vec<Column>)>,
}

impl FamilyFit {
    /// Fits one family.
    fn of(family: TermFamily, observations: &Observations) -> Result<Self, FitError> {
        let mut plausible = family_columns(family, observations)?.into_iter();
        let columns = plausible.next().map(|(_, columns)| columns).unwrap_or_default();
        let alternatives = plausible.collect();
        let too_few = |needed| {
            let (run, points) = (observations.first.clone(), observations.groups.len());
            FitError::TooFewPoints { run, points, model: format!("the family {}", family.name()), needed }
        };
        let KindRegression { regression, needed, bounds } = if observations.kinds.len() > 1 {
            of_kinds(family, &columns, observations).ok_or_else(|| too_few(0))?
        } else {
            let regression = Regression::of(&columns, observations).ok_or_else(|| too_few(0))?;
            let needed = regression.columns.len();
            KindRegression { regression, needed, bounds: Vec::new() }
        };
        if needed > observations.groups.len() {
            Err(too_few(needed))
        } else {
            Ok(Self { family, regression, needed, bounds, alternatives })
        }
    }
}

/// The regression of several kinds.
///
/// Kinds have coefficients of their own if each has more points alone than positive coefficients; otherwise common terms and
/// one cost each. Runs with the times of the parts show the cost of every kind.
fn of_kinds(family: TermFamily, columns: &[Column], observations: &Observations) -> Option<KindRegression> {
    let own = Regression::of(columns, observations)?;
    let needed = own.columns.len();
    let is_own = |(column, value): &(&Column, &f64), kind: usize| column.kind == Some(kind) && **value > 0.0;
    let coefficients = |kind: usize| own.columns.iter().zip(&own.values).filter(|c| is_own(c, kind)).count();
    let has_enough = |kind: usize| kind_costs::points_alone(kind, observations) > coefficients(kind).max(1);
    let has_parts = observations.groups.iter().all(|group| group.parts.is_some());
    if has_parts || needed <= observations.groups.len() && (0..observations.kinds.len()).all(has_enough) {
        return Some(KindRegression { regression: own, needed, bounds: Vec::new() });
    }
    let is_measured = |name: &str| observations.ranges.contains_key(name);
    let mut candidates = candidate_terms(family, &is_measured);
    candidates.extend(shared_element_terms(family, &is_measured));
    KindRegression::with_costs(&candidates, observations)
}

/// The plausible columns of a family, each with its probability; the best first.
fn family_columns(family: TermFamily, observations: &Observations) -> Result<Vec<(f64, Vec<Column>)>, FitError> {
    let unsupported = |name: &str| {
        let (run, name) = (observations.first.clone(), name.to_owned());
        Err(FitError::UnsupportedVariable { run, family: family.name(), name })
    };
    Ok(if family == TermFamily::General {
        if observations.kinds.len() > 1 {
            return unsupported("the kind of elements");
        }
        general::plausible_columns(observations)?
    } else {
        let is_measured = |name: &str| observations.ranges.contains_key(name);
        let terms =
            if is_measured(variable::PROBLEM_SIZE) { candidate_terms(family, &is_measured) } else { Vec::new() };
        let contains = |name: &str| terms.iter().any(|c| c.term.factors.iter().any(|factor| factor.variable == name));
        // The number of processes follows from the grid; terms on square grids do not need its shape.
        let is_implied = |name: &str| match name {
            variable::PROCESSES => contains(variable::GRID_ROWS) && contains(variable::GRID_COLUMNS),
            variable::GRID_ROWS | variable::GRID_COLUMNS => {
                family == TermFamily::Scalapack && contains(variable::PROCESSES)
            }
            variable::SPANS_ELEMENTS => contains(variable::PROCESSES),
            _ => false,
        };
        if let Some(name) = observations.varying().into_iter().find(|name| !contains(name) && !is_implied(name)) {
            return unsupported(name);
        }
        vec![(1.0, columns(&terms, observations))]
    })
}

/// The index of the selected family, and the forecast errors of all.
fn select_family(fitted: &[FamilyFit], observations: &Observations) -> (usize, Vec<(TermFamily, Option<f64>)>) {
    if fitted.len() < 2 {
        return (0, fitted.iter().map(|fit| (fit.family, None)).collect());
    }
    let min_points = fitted.iter().map(|fit| fit.needed + 1).max().unwrap_or(2);
    let errors = |fit: &FamilyFit| {
        rolling_origin_errors(observations, min_points, &|before, after| {
            FamilyFit::of(fit.family, before).ok()?.regression.predict(after)
        })
    };
    let errors: Vec<Option<Vec<f64>>> = fitted.iter().map(errors).collect();
    let mut chosen = 0;
    for index in 1..fitted.len() {
        let better = match (&errors[chosen], &errors[index]) {
            (Some(incumbent), Some(challenger)) => is_significantly_better(challenger, incumbent),
            (None, Some(_)) => true,
            (_, None) => false,
        };
        if better {
            chosen = index;
        }
    }
    let means = fitted.iter().zip(&errors).map(|(fit, errors)| (fit.family, errors.as_ref().map(|e| mean(e))));
    (chosen, means.collect())
}

/// The largest number of cuts of a rolling-origin evaluation, each of which needs a fit.
const MAX_CUTS: usize = 8;

/// The forecast errors of rolling-origin evaluation: for each cut, the model is fitted to the points before it, and the
/// error is the mean of |T̂ − t|/t over the points after it. `None` if a fit fails.
///
/// Points are in the order of their times; cuts go from the middle to the last point but one. Source: Tashman,
/// "Out-of-sample tests of forecasting accuracy" (2000).
fn rolling_origin_errors(
    observations: &Observations,
    min_points: usize,
    predict: &dyn Fn(&Observations, &Observations) -> Option<Vec<f64>>,
) -> Option<Vec<f64>> {
    let count = observations.groups.len();
    let of_cut = |cut: usize| {
        let (before, after) = (observations.subset(|g| g < cut), observations.subset(|g| g >= cut));
        let error = |(time, group): (f64, &Group)| {
            let observed = median(&group.seconds);
            (time - observed).abs() / observed
        };
        let errors: Vec<f64> = predict(&before, &after)?.into_iter().zip(&after.groups).map(error).collect();
        Some(mean(&errors))
    };
    let first = min_points.max(count.div_ceil(2));
    let step = count.saturating_sub(first).div_ceil(MAX_CUTS).max(1);
    let errors: Vec<f64> = (first..count).step_by(step).map(of_cut).collect::<Option<_>>()?;
    (!errors.is_empty()).then_some(errors)
}

/// Returns true if the challenger's errors are significantly smaller: a one-sided Student test at 5 % on the differences
/// of the cuts. The test needs at least two cuts.
///
/// Cuts are the samples of the test, not points, because a point is beyond several cuts.
fn is_significantly_better(challenger: &[f64], incumbent: &[f64]) -> bool {
    let differences: Vec<f64> = incumbent.iter().zip(challenger).map(|(old, new)| old - new).collect();
    let count = differences.len() as f64;
    let middle = mean(&differences);
    let variance = differences.iter().map(|d| (d - middle).powi(2)).sum::<f64>() / (count - 1.0);
    count > 1.0 && middle > student_quantile(count - 1.0, 0.9) * (variance / count).sqrt()
}

/// The model of a regression: its terms with positive coefficients.
fn model(family: TermFamily, regression: &Regression, observations: &Observations, level: f64) -> TermModel {
    let kept: Vec<usize> = (0..regression.values.len()).filter(|&k| regression.values[k] > 0.0).collect();
    let uncertainty = uncertainty(regression, observations).map(|mut whole| {
        whole.covariance = kept.iter().map(|&k| kept.iter().map(|&l| whole.covariance[k][l]).collect()).collect();
        whole
    });
    let runs = observations.runs();
    let coefficient = |(index, &k): (usize, &usize)| {
        let Column { term, role, kind } = regression.columns[k].clone();
        let value = regression.values[k];
        let interval = uncertainty.as_ref().map(|u| {
            let half = student_quantile(u.covariance_degrees, level) * u.covariance[index][index].max(0.0).sqrt();
            Interval { low: (value - half).max(0.0), high: value + half, level }
        });
        let estimate = Estimate { value, interval, samples: Some(runs as u64) };
        Coefficient { term, role, kind: kind.map(|kind| observations.kinds[kind].clone()), estimate }
    };
    let coefficients = kept.iter().enumerate().map(coefficient).collect();
    let ranges: BTreeMap<_, _> = observations.ranges.clone();
    let kinds = observations.kinds.clone();
    let (alternatives, bounded_kinds) = (Vec::new(), Vec::new());
    let points = observations.groups.len();
    TermModel { family, coefficients, uncertainty, alternatives, ranges, kinds, bounded_kinds, runs, points }
}
