//! The fit of several kinds of elements: coefficients of their own, or plausible sums of common
//! terms with a cost of each kind.

use super::kind_costs::{CostSearch, KindRegression, common_columns, points_alone};
use super::left_out::LeftOutForecasts;
use super::observations::{FitError, Observations};
use super::point::ElementVariables;
use super::regression::{Column, KindTerms, Regression, columns};
use super::selection::{Dictionary, FAR, Family, PlausibleSum, Selection, SumPrior, score_of};
use super::terms::{
    CandidateTerm, Factor, Term, TermFamily, core_terms, share_of_element, shared_element_terms,
};
use crate::run::variable::PROCESSES_PER_ELEMENT as PER_ELEMENT;

/// What is known of sums of common terms before any run.
///
/// Runs that mix kinds are few, and those on several processes of an element fewer: that processes
/// take turns on an element is more probable than that they do not slow each other down at all, and
/// they do not slow each other down quadratically without also doing so linearly.
const SUMS: SumPrior = SumPrior { most_terms: 5, penalty: penalty_of_sharing };

/// −2·log of the odds of processes that do not slow each other down at all.
const OWN_CORES_PENALTY: f64 = 12.0;

/// −2·log of the prior probability of a sum by how its processes share an element, up to a constant.
fn penalty_of_sharing(columns: &[&Column]) -> f64 {
    let has = |power: f64| {
        let shares =
            columns.iter().filter_map(|column| share_of_element(&column.term, column.role));
        shares.into_iter().any(|share| (share - power).abs() < f64::EPSILON)
    };
    match (has(0.0), has(1.0), has(2.0)) {
        (_, false, true) => f64::INFINITY,
        (true, false, false) => OWN_CORES_PENALTY,
        _ => 0.0,
    }
}

/// −2·log of the posterior probability of a fit, up to a constant.
pub(super) fn score_of_kinds(fit: &KindRegression, observations: &Observations) -> f64 {
    let columns: Vec<&Column> = fit.regression.columns.iter().collect();
    // Runs that show each kind by itself show how its processes slow each other down.
    let slowdown = if fit.costs.is_empty() { 0.0 } else { penalty_of_slowdown(&fit.regression) };
    score_of(&fit.regression, observations) + penalty_of_sharing(&columns) + slowdown
}

/// The mean ratio of the coefficients of m² and of m before any run: what each further process on an
/// element adds to the time of the others.
const MEAN_SLOWDOWN: f64 = 0.3;

/// −2·log of the prior probability of the ratios of the coefficients of m² to those of m: processes
/// that take turns on an element lose a little by each change, so that ratios are exponential.
///
/// Without it, few runs of a slow kind with one process are explained as well by a fast kind with
/// two processes, which would take four times as long as one.
fn penalty_of_slowdown(Regression { columns, values, .. }: &Regression) -> f64 {
    let ratio = |(column, value): (&Column, &f64)| {
        let linear = columns.iter().zip(values).find(|(other, _)| {
            other.kind == column.kind
                && share_of_element(&other.term, other.role) == Some(1.0)
                && same_work(&other.term, &column.term)
        });
        linear.map_or(f64::INFINITY, |(_, linear)| value / linear)
    };
    let slows = |column: &Column| share_of_element(&column.term, column.role) == Some(2.0);
    let slowing =
        columns.iter().zip(values).filter(|(column, value)| slows(column) && **value > 0.0);
    // The ratio is the same for all kinds if they differ in one cost.
    slowing.map(ratio).reduce(f64::max).map_or(0.0, |ratio| 2.0 * ratio / MEAN_SLOWDOWN)
}

/// Returns true for terms that differ only in the power of the processes on an element.
fn same_work(one: &Term, other: &Term) -> bool {
    let work = |term: &Term| {
        let factors = term.factors.iter().filter(|factor| factor.variable != PER_ELEMENT);
        factors.cloned().collect::<Vec<Factor>>()
    };
    work(one) == work(other)
}

/// Returns true for terms of processes that take turns on an element, and of anything else than the
/// work that is divided among processes.
fn takes_turns(candidate: &CandidateTerm) -> bool {
    share_of_element(&candidate.term, candidate.role).is_none_or(|power| power > 0.5)
}

/// Returns false for terms of processes on an element that slow each other down.
fn slows_nobody(candidate: &CandidateTerm) -> bool {
    share_of_element(&candidate.term, candidate.role).is_none_or(|power| power < 1.5)
}

/// The most probable regression of kinds with its forecasts of left-out configurations, and the
/// other plausible ones.
pub(super) struct KindFit {
    pub(super) kinds: KindRegression,
    pub(super) left_out: LeftOutForecasts,
    pub(super) others: Vec<KindRegression>,
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
    let is_measured = |name: &str| observations.ranges.contains_key(name);
    let with_cores = [terms, &core_terms(family, &is_measured)].concat();
    let fit = Fit { family, terms, with_cores: &with_cores };
    let whole = observations.without_parts();
    let of_times = fit.of_times(&whole);
    let left_out_times = LeftOutForecasts::of(&whole, |known| match &of_times {
        Ok((best, _)) => best.fit_again(known),
        Err(_) => Some(fit.of_times(known).ok()?.0.regression),
    });
    if observations.groups.iter().any(|group| group.parts.is_none()) {
        let (kinds, others) = of_times?;
        return Ok(KindFit { kinds, left_out: left_out_times, others });
    }
    let of_parts = fit.of_parts(observations);
    let left_out_parts =
        LeftOutForecasts::of(observations, |known| Some(fit.of_parts(known).ok()?.regression));
    let times_are_better = match (&of_parts, &of_times) {
        // Left-out times judge the slowest kind only: parts show the others, unless each was
        // measured alone.
        (Ok(_), Ok((best, _))) => {
            best.costs.is_empty() && left_out_times.is_better_than(&left_out_parts)
        }
        (of_parts, _) => of_parts.is_err(),
    };
    Ok(if times_are_better {
        let (kinds, others) = of_times?;
        KindFit { kinds, left_out: left_out_times, others }
    } else {
        KindFit { kinds: of_parts?, left_out: left_out_parts, others: Vec::new() }
    })
}

/// A fit of these terms.
struct Fit<'a> {
    family: TermFamily,
    /// The terms of processes that take turns on an element.
    terms: &'a [CandidateTerm],
    /// These, and those of processes with cores of their own.
    with_cores: &'a [CandidateTerm],
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
    ///
    /// Terms of cores are for total times: the score is that of the slowest kind, and does not show
    /// how the others share their elements.
    fn of_parts(&self, observations: &Observations) -> Result<KindRegression, FitError> {
        let regression = Regression::of(&columns(self.terms, observations), observations);
        let fit = regression.map(|regression| {
            let needed = regression.columns.len();
            KindRegression::own(self.terms, regression, needed)
        });
        self.checked(fit, observations)
    }

    /// Fits the times of the slowest kinds: the most probable fit, and the other plausible ones.
    ///
    /// Kinds have coefficients of their own if each has more points alone than positive
    /// coefficients, with terms of cores if these are the more probable ones; otherwise common
    /// terms and one cost each.
    fn of_times(
        &self,
        observations: &Observations,
    ) -> Result<(KindRegression, Vec<KindRegression>), FitError> {
        let scored = |(terms, penalty)| {
            let fit = own_coefficients(terms, observations)?;
            Some((score_of(&fit.regression, observations) + penalty, fit))
        };
        let own = [(self.terms, 0.0), (self.with_cores, OWN_CORES_PENALTY)];
        let own = own.into_iter().filter_map(scored).min_by(|a, b| a.0.total_cmp(&b.0));
        if let Some((_, own)) = own {
            return Ok((own, Vec::new()));
        }
        if observations.kinds.len() < 2 {
            return Err(self.too_few(observations, self.terms.len()));
        }
        let is_measured = |name: &str| observations.ranges.contains_key(name);
        let mut terms = self.with_cores.to_vec();
        for term in shared_element_terms(self.family, &is_measured) {
            // A term that occurred twice would have its coefficient twice.
            if !terms.contains(&term) {
                terms.push(term);
            }
        }
        let all = KindRegression::with_costs(&terms, observations, &[]);
        let all = all.ok_or_else(|| self.too_few(observations, 0))?;
        // Costs of sums in which processes take turns, or do not slow each other down, differ from
        // those of all terms.
        let of_some = |is_kept: fn(&CandidateTerm) -> bool| {
            let some: Vec<_> = terms.iter().filter(|one| is_kept(one)).cloned().collect();
            KindRegression::with_costs(&some, observations, &[])
        };
        let (turns, linear) = (of_some(takes_turns), of_some(slows_nobody));
        let starts = turns.iter().chain(&linear).chain([&all]);
        let mut sums = plausible_sums(&terms, starts, self.family, observations).into_iter();
        match sums.next() {
            Some(best) => Ok((best, sums.collect())),
            None => Ok((self.checked(Some(all), observations)?, Vec::new())),
        }
    }
}

/// Coefficients of their own for each kind; `None` if there are too few points, or too few of a
/// kind alone.
fn own_coefficients(
    terms: &[CandidateTerm],
    observations: &Observations,
) -> Option<KindRegression> {
    let own = Regression::of(&columns(terms, observations), observations)?;
    let needed = own.columns.len();
    let is_own =
        |(column, value): &(&Column, &f64), kind: usize| column.kind == Some(kind) && **value > 0.0;
    let coefficients =
        |kind: usize| own.columns.iter().zip(&own.values).filter(|c| is_own(c, kind)).count();
    let has_enough = |kind: usize| points_alone(kind, observations) > coefficients(kind).max(1);
    let kinds = observations.kinds.len();
    let enough = needed <= observations.groups.len() && (kinds < 2 || (0..kinds).all(has_enough));
    enough.then(|| KindRegression::own(terms, own, needed))
}

/// The plausible sums of some of the common terms, each with the costs that fit it best, the most
/// probable one first.
///
/// They are selected at the costs of each of `starts`, which determine the slowest kind of each
/// point. Sums of few terms forecast other configurations better than one of all terms.
fn plausible_sums<'a>(
    terms: &[CandidateTerm],
    starts: impl IntoIterator<Item = &'a KindRegression>,
    family: TermFamily,
    observations: &Observations,
) -> Vec<KindRegression> {
    let Some((shared, table)) = common_columns(terms, observations) else { return Vec::new() };
    let search = CostSearch::new(&shared, &table, observations);
    let far = observations.ranges.iter().map(|(name, (_, most))| (name.as_str(), FAR * most));
    let far = ElementVariables::new(far);
    let far: Vec<f64> =
        shared.iter().map(|column| column.term.value(&far).unwrap_or(0.0)).collect();
    let mut sums: Vec<(f64, KindRegression)> = Vec::new();
    for KindRegression { costs, .. } in starts {
        let slowest = search.slowest(costs);
        let at_slowest =
            |(view, views): (&usize, &Vec<KindTerms>)| views[*view].at_cost(&shared, costs).terms;
        let rows: Vec<Vec<f64>> = slowest.iter().zip(&table).map(at_slowest).collect();
        let column = |k: usize| rows.iter().map(|row| row[k]).collect();
        let values = (0..shared.len()).map(column).collect();
        let sum = Dictionary::of_values(family, shared.clone(), values, far.clone(), SUMS);
        for PlausibleSum { columns, .. } in
            Selection::of(&[Family::Dictionary(sum)], observations).sums
        {
            let is_chosen =
                |candidate: &&CandidateTerm| columns.iter().any(|c| c.term == candidate.term);
            let chosen: Vec<_> = terms.iter().filter(is_chosen).cloned().collect();
            if sums.iter().any(|(_, sum)| sum.candidates == chosen) {
                continue;
            }
            if let Some(fit) = KindRegression::with_costs(&chosen, observations, costs) {
                sums.push((score_of_kinds(&fit, observations), fit));
            }
        }
    }
    sums.sort_by(|a, b| a.0.total_cmp(&b.0));
    sums.into_iter().map(|(_, sum)| sum).collect()
}
