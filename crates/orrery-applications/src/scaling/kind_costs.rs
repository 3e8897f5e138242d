//! Kinds of elements that differ in one cost: computation terms common to all kinds, times the cost
//! of the kind.
//!
//! Few runs identify one cost for each kind, where a coefficient for each kind and term needs many.
//! A kind that is never the slowest of its runs has a cost that they bound only from above.

use super::left_out::LeftOutForecasts;
use super::observations::{FitError, Observations};
use super::regression::{
    Column, KindTerms, Regression, columns, independent_columns, kind_terms, longest, time,
};
use super::terms::{CandidateTerm, Role, TermFamily, shared_element_terms};
use orrery_base::numeric::{median, nonnegative_from};

/// The likelihood ratio, −2·ln, up to which a cost is plausible: the 95 % quantile of χ² with one
/// degree of freedom.
const PLAUSIBLE_RATIO: f64 = 3.84;

/// The factor between the costs that a profile of the likelihood tries.
const PROFILE_FACTOR: f64 = 1.08;

/// The number of costs that a profile tries in each direction: up to a factor of 100.
const PROFILE_STEPS: usize = 60;

/// The last step of the search for the best costs, as the logarithm of a factor.
const LAST_STEP: f64 = 0.01;

/// The least squared relative error of a point: rounding.
const ROUNDING_VARIANCE: f64 = 1e-13;

/// The share of the cost of the slowest kind above which a bound shows nothing about a kind.
const WEAK_BOUND: f64 = 0.9;

/// What the runs show of the cost of a kind that is never the slowest of its runs.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum CostBound {
    /// The cost is at most this: the kind is faster than the slowest kind.
    Above,
    /// The cost may be that of the slowest kind, or nothing.
    Nothing,
}

/// A regression for several kinds of elements.
pub(super) struct KindRegression {
    pub(super) regression: Regression,
    /// The number of points that the fit needs.
    pub(super) needed: usize,
    /// The kinds whose cost the runs bound only from above, by index.
    pub(super) bounds: Vec<(usize, CostBound)>,
    /// The cost of each kind; empty if kinds have coefficients of their own.
    pub(super) costs: Vec<f64>,
}

/// The number of points at which a kind is alone.
pub(super) fn points_alone(kind: usize, observations: &Observations) -> usize {
    let is_alone = |kinds: &[(Option<usize>, _)]| kinds.len() == 1 && kinds[0].0 == Some(kind);
    observations.groups.iter().filter(|group| is_alone(&group.kind_variables)).count()
}

impl KindRegression {
    /// Fits common terms and the cost of each kind; `None` if a variable is missing.
    ///
    /// The cost of a kind that the runs bound only from above is the largest plausible one, so that
    /// choices do not rely on speed that no run has shown.
    ///
    /// `similar` are the costs of a fit to similar runs, or none.
    pub(super) fn with_costs(
        candidates: &[CandidateTerm],
        observations: &Observations,
        similar: &[f64],
    ) -> Option<Self> {
        let kinds = observations.kinds.len();
        let shared: Vec<Column> = candidates
            .iter()
            .map(|CandidateTerm { term, role }| Column {
                term: term.clone(),
                role: *role,
                kind: None,
            })
            .collect();
        let (shared, table) = independent_columns(&shared, &kind_terms(&shared, observations)?);
        let search = CostSearch::new(&shared, &table, observations);
        let alone: Vec<bool> =
            (0..kinds).map(|kind| points_alone(kind, observations) > 0).collect();
        let mut costs = if similar.is_empty() {
            search.best(&alone)
        } else {
            search.refine(similar.to_vec()).1
        };
        let mut bounds = Vec::new();
        for kind in (0..kinds).filter(|&kind| !alone[kind]) {
            if let Some(highest) = search.bound(&costs, kind) {
                bounds.push((kind, highest));
            }
        }
        for &(kind, highest) in &bounds {
            costs[kind] = highest;
        }
        let is_bounded = |kind: usize| bounds.iter().any(|(bounded, _)| *bounded == kind);
        let slowest = (0..kinds)
            .filter(|&kind| !is_bounded(kind))
            .map(|kind| costs[kind])
            .fold(0.0, f64::max);
        let bound = |&(kind, highest): &(usize, f64)| {
            (
                kind,
                if highest < WEAK_BOUND * slowest { CostBound::Above } else { CostBound::Nothing },
            )
        };
        let regression =
            Self::at_costs(candidates, &shared, &table, &costs, &is_bounded, observations)?;
        let needed = regression.directions.len();
        Some(Self { regression, needed, bounds: bounds.iter().map(bound).collect(), costs })
    }

    /// Fits the common terms at these costs; the result has the columns of each kind.
    fn at_costs(
        candidates: &[CandidateTerm],
        shared: &[Column],
        table: &[Vec<KindTerms>],
        costs: &[f64],
        is_bounded: &dyn Fn(usize) -> bool,
        observations: &Observations,
    ) -> Option<Regression> {
        let scaled: Vec<Vec<KindTerms>> = table
            .iter()
            .map(|views| views.iter().map(|view| view.at_cost(shared, costs)).collect())
            .collect();
        let fit = Regression::of_terms(shared.to_vec(), &scaled, observations)?;
        let columns = columns(candidates, observations);
        let place = |column: &Column| {
            fit.columns.iter().position(|c| c.term == column.term && c.role == column.role)
        };
        let cost = |column: &Column| column.kind.map_or(1.0, |kind| costs[kind]);
        let places: Vec<Option<usize>> = columns.iter().map(place).collect();
        let value = |(column, place): (&Column, &Option<usize>)| {
            place.map_or(0.0, |p| fit.values[p] * cost(column))
        };
        let values: Vec<f64> = columns.iter().zip(&places).map(value).collect();
        // How the coefficients change with each common coefficient, and with the logarithm of each
        // cost but one.
        let direction =
            |of: &dyn Fn(usize) -> f64| (0..columns.len()).map(of).collect::<Vec<f64>>();
        let mut directions: Vec<Vec<f64>> = (0..fit.values.len())
            .filter(|&p| fit.values[p] > 0.0)
            .map(|p| direction(&|k| if places[k] == Some(p) { cost(&columns[k]) } else { 0.0 }))
            .collect();
        let identified: Vec<usize> = (0..costs.len()).filter(|&kind| !is_bounded(kind)).collect();
        for &kind in identified.iter().skip(1) {
            directions
                .push(direction(&|k| if columns[k].kind == Some(kind) { values[k] } else { 0.0 }));
        }
        let table = kind_terms(&columns, observations)?;
        let terms =
            table.iter().map(|views| views[longest(views, &values)].terms.clone()).collect();
        Some(Regression { columns, values, weights: fit.weights, terms, directions })
    }
}

/// The search for the costs of kinds.
struct CostSearch<'a> {
    shared: &'a [Column],
    /// The terms of each kind of each point, divided by the time of the point.
    table: Vec<Vec<KindTerms>>,
    kinds: usize,
}

impl<'a> CostSearch<'a> {
    /// The search for runs whose points have these terms; terms are divided by the median time of
    /// their point.
    fn new(shared: &'a [Column], table: &[Vec<KindTerms>], observations: &Observations) -> Self {
        let relative = |(views, group): (&Vec<KindTerms>, &super::observations::Group)| {
            let seconds = median(&group.seconds);
            let view = |view: &KindTerms| KindTerms {
                kind: view.kind,
                terms: view.terms.iter().map(|term| term / seconds).collect(),
            };
            views.iter().map(view).collect()
        };
        let table = table.iter().zip(&observations.groups).map(relative).collect();
        Self { shared, table, kinds: observations.kinds.len() }
    }

    /// The best costs from several starting points: equal costs, and each kind that is never alone
    /// much faster.
    fn best(&self, alone: &[bool]) -> Vec<f64> {
        let equal = vec![1.0; self.kinds];
        let faster = (0..self.kinds).filter(|&kind| !alone[kind]).map(|kind| {
            let mut costs = equal.clone();
            costs[kind] = 0.25;
            costs
        });
        let found = std::iter::once(equal.clone()).chain(faster).map(|costs| self.refine(costs));
        let found = found.reduce(|best, next| if next.0 < best.0 { next } else { best });
        found.map_or(equal, |(_, costs)| costs)
    }

    /// Changes one cost at a time while the fit improves, in ever smaller steps.
    fn refine(&self, mut costs: Vec<f64>) -> (f64, Vec<f64>) {
        let mut values = Vec::new();
        let mut best = self.square(&costs, &mut values);
        let mut step = std::f64::consts::LN_2;
        while step > LAST_STEP {
            let mut improved = false;
            for kind in 0..self.kinds {
                for factor in [step.exp(), (-step).exp()] {
                    let before = costs[kind];
                    costs[kind] *= factor;
                    let square = self.square(&costs, &mut values);
                    if square < best * (1.0 - 1e-9) {
                        (best, improved) = (square, true);
                    } else {
                        costs[kind] = before;
                    }
                }
            }
            if !improved {
                step /= 2.0;
            }
        }
        (best, costs)
    }

    /// The sum of the squared relative errors at these costs. `values` are the coefficients at
    /// similar costs, or none; they become those at these costs.
    fn square(&self, costs: &[f64], values: &mut Vec<f64>) -> f64 {
        let table: Vec<Vec<KindTerms>> = self
            .table
            .iter()
            .map(|views| views.iter().map(|view| view.at_cost(self.shared, costs)).collect())
            .collect();
        // The first computation term is the leading one.
        let leading = |terms: &KindTerms| terms.terms.first().copied().unwrap_or(0.0);
        let longest_leading = |views: &Vec<KindTerms>| {
            let leads = views.iter().map(leading).enumerate();
            leads
                .fold(
                    (0, f64::NEG_INFINITY),
                    |most, next| if next.1 > most.1 { next } else { most },
                )
                .0
        };
        let mut slowest: Vec<usize> = table.iter().map(longest_leading).collect();
        let mut best = f64::INFINITY;
        for _ in 0..MAX_ITERATIONS {
            let column = |k: usize| {
                slowest.iter().zip(&table).map(|(&view, views)| views[view].terms[k]).collect()
            };
            let columns: Vec<Vec<f64>> = (0..self.shared.len()).map(column).collect();
            *values = nonnegative_from(&columns, &vec![1.0; table.len()], values);
            let next: Vec<usize> = table.iter().map(|views| longest(views, values)).collect();
            let error = |(&view, views): (&usize, &Vec<KindTerms>)| {
                (time(&views[view].terms, values) - 1.0).powi(2)
            };
            best = best.min(next.iter().zip(&table).map(error).sum());
            if next == slowest {
                break;
            }
            slowest = next;
        }
        best
    }

    /// The largest plausible cost of a kind if any lower cost is plausible, too; `None` if the runs
    /// identify the cost.
    fn bound(&self, costs: &[f64], kind: usize) -> Option<f64> {
        let points = self.table.len() as f64;
        let rounding = ROUNDING_VARIANCE * points;
        let mut values = Vec::new();
        let best = self.square(costs, &mut values) + rounding;
        let mut is_plausible = |cost: f64| {
            let mut costs = costs.to_vec();
            costs[kind] = cost;
            points * ((self.square(&costs, &mut values) + rounding) / best).ln() <= PLAUSIBLE_RATIO
        };
        let at = |step: i32| costs[kind] * PROFILE_FACTOR.powi(step);
        let steps = PROFILE_STEPS as i32;
        if !(1..=steps).all(|step| is_plausible(at(-step))) {
            return None;
        }
        let last = (1..=steps).take_while(|&step| is_plausible(at(step))).last().unwrap_or(0);
        Some(at(last))
    }
}

/// The limit of iterations over the slowest kinds, which may cycle.
const MAX_ITERATIONS: usize = 8;

impl KindTerms {
    /// The terms with computation times the cost of the kind.
    fn at_cost(&self, shared: &[Column], costs: &[f64]) -> Self {
        let cost = self.kind.map_or(1.0, |kind| costs[kind]);
        let scaled = |(term, column): (&f64, &Column)| {
            if column.role == Role::Computation { term * cost } else { *term }
        };
        Self { kind: self.kind, terms: self.terms.iter().zip(shared).map(scaled).collect() }
    }
}

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
