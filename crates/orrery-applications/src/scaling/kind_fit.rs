//! The regression of several kinds, and of runs with the times of their parts.

use super::kind_costs::{KindRegression, points_alone};
use super::left_out::LeftOutForecasts;
use super::observations::{FitError, Observations};
use super::regression::{Column, Regression, columns};
use super::terms::{CandidateTerm, TermFamily, shared_element_terms};

/// The regression of kinds with its forecasts of left-out configurations.
pub(super) struct KindFit {
    pub(super) kinds: KindRegression,
    pub(super) left_out: LeftOutForecasts,
}

/// Fits several kinds, or runs with the times of their parts.
///
/// The times of computation and communication show the cost of every kind, but a regression of each
/// alone does not fit their sum. They are used if they forecast the times of left-out
/// configurations better than the times alone do.
pub(super) fn fit_kinds(
    family: TermFamily,
    terms: &[CandidateTerm],
    observations: &Observations,
) -> Result<KindFit, FitError> {
    let fit = Fit { family, terms };
    let whole = observations.without_parts();
    let of_times = fit.of_times(&whole, &[]);
    let costs = of_times.as_ref().map_or(&[][..], |fit| &fit.costs);
    let left_out_times =
        LeftOutForecasts::of(&whole, |known| Some(fit.of_times(known, costs).ok()?.regression));
    if observations.groups.iter().any(|group| group.parts.is_none()) {
        return Ok(KindFit { kinds: of_times?, left_out: left_out_times });
    }
    let of_parts = fit.of_parts(observations);
    let left_out_parts =
        LeftOutForecasts::of(observations, |known| Some(fit.of_parts(known).ok()?.regression));
    let times_are_better = match (&of_parts, &of_times) {
        (Ok(_), Ok(of_times)) => {
            of_times.bounds.is_empty() && left_out_times.is_better_than(&left_out_parts)
        }
        (of_parts, _) => of_parts.is_err(),
    };
    Ok(if times_are_better {
        KindFit { kinds: of_times?, left_out: left_out_times }
    } else {
        KindFit { kinds: of_parts?, left_out: left_out_parts }
    })
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
        FitError::TooFewPoints {
            run,
            points,
            model: format!("the family {}", self.family.name()),
            needed,
        }
    }

    /// The regression of the fit if there are enough points for it.
    fn checked(
        &self,
        fit: Option<KindRegression>,
        observations: &Observations,
    ) -> Result<KindRegression, FitError> {
        let fit = fit.ok_or_else(|| self.too_few(observations, 0))?;
        if fit.needed > observations.groups.len() {
            Err(self.too_few(observations, fit.needed))
        } else {
            Ok(fit)
        }
    }

    /// Fits the computation and communication times of kinds, which all groups must have.
    fn of_parts(&self, observations: &Observations) -> Result<KindRegression, FitError> {
        let regression = Regression::of(&columns(self.terms, observations), observations);
        let fit = regression.map(|regression| {
            let needed = regression.columns.len();
            KindRegression { regression, needed, bounds: Vec::new(), costs: Vec::new() }
        });
        self.checked(fit, observations)
    }

    /// Fits the times of the slowest kinds.
    ///
    /// Kinds have coefficients of their own if each has more points alone than positive
    /// coefficients; otherwise common terms and one cost each.
    fn of_times(
        &self,
        observations: &Observations,
        similar: &[f64],
    ) -> Result<KindRegression, FitError> {
        let own = Regression::of(&columns(self.terms, observations), observations);
        let own = own.ok_or_else(|| self.too_few(observations, 0))?;
        let needed = own.columns.len();
        let is_own = |(column, value): &(&Column, &f64), kind: usize| {
            column.kind == Some(kind) && **value > 0.0
        };
        let coefficients =
            |kind: usize| own.columns.iter().zip(&own.values).filter(|c| is_own(c, kind)).count();
        let has_enough = |kind: usize| points_alone(kind, observations) > coefficients(kind).max(1);
        let is_single = observations.kinds.len() < 2;
        let enough =
            needed <= observations.groups.len() && (0..observations.kinds.len()).all(has_enough);
        let fit = if is_single || enough {
            Some(KindRegression { regression: own, needed, bounds: Vec::new(), costs: Vec::new() })
        } else {
            let is_measured = |name: &str| observations.ranges.contains_key(name);
            let mut terms = self.terms.to_vec();
            terms.extend(shared_element_terms(self.family, &is_measured));
            KindRegression::with_costs(&terms, observations, similar)
        };
        self.checked(fit, observations)
    }
}
