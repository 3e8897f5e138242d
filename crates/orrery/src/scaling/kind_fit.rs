//! The regression of several kinds, and of runs with the times of their parts.

use super::kind_costs::{KindRegression, points_alone};
use super::observations::{FitError, Group, Observations};
use super::regression::{Column, Regression, columns};
use super::terms::{CandidateTerm, TermFamily, shared_element_terms};
use crate::numeric::{mean, median};
use crate::run::Configuration;

/// The number of parts into which configurations are divided to forecast each from the others.
const FOLDS: usize = 8;

/// The regression of several kinds, or of runs with the times of their parts.
///
/// The times of computation and communication show the cost of every kind, but a regression of each alone does not fit
/// their sum. They are used if they forecast the times of left-out configurations better than the times alone do.
pub(super) fn of_kinds(
    family: TermFamily,
    terms: &[CandidateTerm],
    observations: &Observations,
) -> Result<KindRegression, FitError> {
    let fit = Fit { family, terms };
    let whole = observations.without_parts();
    let of_times = fit.of_times(&whole);
    if observations.groups.iter().any(|group| group.parts.is_none()) {
        return of_times;
    }
    match (fit.of_parts(observations), of_times) {
        (Ok(_), Ok(of_times)) if of_times.bounds.is_empty() && fit.times_forecast_better(observations, &whole) => {
            Ok(of_times)
        }
        (Err(_), of_times) => of_times,
        (of_parts, _) => of_parts,
    }
}

/// A fit of these terms.
struct Fit<'a> {
    family: TermFamily,
    terms: &'a [CandidateTerm],
}

impl Fit<'_> {
    /// The error for fewer points than coefficients.
    fn too_few(&self, observations: &Observations, needed: usize) -> FitError {
        let (run, points) = (observations.first.clone(), observations.groups.len());
        FitError::TooFewPoints { run, points, model: format!("the family {}", self.family.name()), needed }
    }

    /// The regression of the fit if there are enough points for it.
    fn checked(&self, fit: Option<KindRegression>, observations: &Observations) -> Result<KindRegression, FitError> {
        let fit = fit.ok_or_else(|| self.too_few(observations, 0))?;
        if fit.needed > observations.groups.len() { Err(self.too_few(observations, fit.needed)) } else { Ok(fit) }
    }

    /// Fits the parts of the times.
    fn of_parts(&self, observations: &Observations) -> Result<KindRegression, FitError> {
        let regression = Regression::of(&columns(self.terms, observations), observations);
        let fit = regression.map(|regression| {
            let needed = regression.columns.len();
            KindRegression { regression, needed, bounds: Vec::new() }
        });
        self.checked(fit, observations)
    }

    /// Fits the times of the slowest kinds.
    ///
    /// Kinds have coefficients of their own if each has more points alone than positive coefficients; otherwise common
    /// terms and one cost each.
    fn of_times(&self, observations: &Observations) -> Result<KindRegression, FitError> {
        let own = Regression::of(&columns(self.terms, observations), observations);
        let own = own.ok_or_else(|| self.too_few(observations, 0))?;
        let needed = own.columns.len();
        let is_own = |(column, value): &(&Column, &f64), kind: usize| column.kind == Some(kind) && **value > 0.0;
        let coefficients = |kind: usize| own.columns.iter().zip(&own.values).filter(|c| is_own(c, kind)).count();
        let has_enough = |kind: usize| points_alone(kind, observations) > coefficients(kind).max(1);
        let is_single = observations.kinds.len() < 2;
        let enough = needed <= observations.groups.len() && (0..observations.kinds.len()).all(has_enough);
        let fit = if is_single || enough {
            Some(KindRegression { regression: own, needed, bounds: Vec::new() })
        } else {
            let is_measured = |name: &str| observations.ranges.contains_key(name);
            let mut terms = self.terms.to_vec();
            terms.extend(shared_element_terms(self.family, &is_measured));
            KindRegression::with_costs(&terms, observations)
        };
        self.checked(fit, observations)
    }

    /// Returns true if the times alone forecast left-out configurations better than their parts do.
    fn times_forecast_better(&self, observations: &Observations, whole: &Observations) -> bool {
        let mut configurations: Vec<&Configuration> =
            observations.groups.iter().map(|group| &group.point.configuration).collect();
        configurations.sort_unstable();
        configurations.dedup();
        let fold = |group: &Group| {
            configurations.binary_search(&&group.point.configuration).unwrap_or(0) % FOLDS.min(configurations.len())
        };
        let (mut of_parts, mut of_times) = (Vec::new(), Vec::new());
        for left_out in 0..FOLDS.min(configurations.len()) {
            let is_known = |observations: &Observations, index: usize| fold(&observations.groups[index]) != left_out;
            let parts = self.of_parts(&observations.subset(|index| is_known(observations, index)));
            let times = self.of_times(&whole.subset(|index| is_known(whole, index)));
            let held_out = whole.subset(|index| !is_known(whole, index));
            if let (Ok(parts), Ok(times)) = (parts, times)
                && let Some(errors) = forecast_errors(&parts.regression, &held_out)
                && let Some(others) = forecast_errors(&times.regression, &held_out)
            {
                of_parts.extend(errors);
                of_times.extend(others);
            }
        }
        !of_times.is_empty() && mean(&of_times) < mean(&of_parts)
    }
}

/// The errors |ln T̂/t| at other points; `None` if a variable is missing.
fn forecast_errors(regression: &Regression, held_out: &Observations) -> Option<Vec<f64>> {
    let times = regression.predict(held_out)?;
    let error = |(time, group): (f64, &Group)| (time / median(&group.seconds)).ln().abs().min(MAX_ERROR);
    Some(times.into_iter().zip(&held_out.groups).map(error).collect())
}

/// The largest error of a point: a time of 0 must not decide alone.
const MAX_ERROR: f64 = 10.0;
