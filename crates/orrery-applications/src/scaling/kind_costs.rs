//! Kinds of elements that differ in one cost: computation terms common to all kinds, times the cost
//! of the kind.
//!
//! Few runs identify one cost for each kind, where a coefficient for each kind and term needs many.
//! A kind that is never the slowest of its runs has a cost that they bound only from above.

use super::observations::Observations;
use super::regression::{
    Column, KindTerms, Regression, columns, independent_columns, kind_terms, longest, time,
};
use super::terms::{CandidateTerm, Role};
use orrery_base::numeric::{mean, median, nonnegative_from};

/// The likelihood ratio, −2·ln, up to which a cost is plausible: the 95 % quantile of χ² with one
/// degree of freedom.
const PLAUSIBLE_RATIO: f64 = 3.84;

/// The factor between the costs that a profile of the likelihood tries.
const PROFILE_FACTOR: f64 = 1.08;

/// The number of costs that a profile tries in each direction: up to a factor of 100.
const PROFILE_STEPS: usize = 60;

/// The standard deviation of the logarithms of costs before any run.
const COST_DEVIATION: f64 = 1.4;

/// The last step of the search for the best costs, as the logarithm of a factor.
const LAST_STEP: f64 = 0.01;

/// The least squared relative error of a point: rounding.
const ROUNDING_VARIANCE: f64 = 1e-13;

/// The number of points that the cost of a kind must determine: fewer may be due to other terms.
const MIN_POINTS_OF_KIND: usize = 3;

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
    /// The terms that were fitted.
    pub(super) candidates: Vec<CandidateTerm>,
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
        let (shared, table) = common_columns(candidates, observations)?;
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
        let (bounds, candidates) = (bounds.iter().map(bound).collect(), candidates.to_vec());
        Some(Self { regression, needed, bounds, costs, candidates })
    }

    /// Coefficients of their own for each kind.
    pub(super) fn own(terms: &[CandidateTerm], regression: Regression, needed: usize) -> Self {
        let candidates = terms.to_vec();
        Self { regression, needed, bounds: Vec::new(), costs: Vec::new(), candidates }
    }

    /// Fits the same terms to others of the runs; `None` if a variable is missing, or if there are
    /// fewer points than coefficients.
    pub(super) fn fit_again(&self, observations: &Observations) -> Option<Regression> {
        let fit = if self.costs.is_empty() {
            let regression =
                Regression::of(&columns(&self.candidates, observations), observations)?;
            let needed = regression.columns.len();
            Self::own(&self.candidates, regression, needed)
        } else {
            Self::with_costs(&self.candidates, observations, &self.costs)?
        };
        (fit.needed <= observations.groups.len()).then_some(fit.regression)
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

/// The columns of common terms that are independent of each other, with their values.
pub(super) fn common_columns(
    candidates: &[CandidateTerm],
    observations: &Observations,
) -> Option<(Vec<Column>, Vec<Vec<KindTerms>>)> {
    let common = |CandidateTerm { term, role }: &CandidateTerm| Column {
        term: term.clone(),
        role: *role,
        kind: None,
    };
    let columns: Vec<Column> = candidates.iter().map(common).collect();
    Some(independent_columns(&columns, &kind_terms(&columns, observations)?))
}

/// The search for the costs of kinds.
pub(super) struct CostSearch<'a> {
    shared: &'a [Column],
    /// The terms of each kind of each point, divided by the time of the point.
    table: Vec<Vec<KindTerms>>,
    kinds: usize,
}

impl<'a> CostSearch<'a> {
    /// The search for runs whose points have these terms; terms are divided by the median time of
    /// their point.
    pub(super) fn new(
        shared: &'a [Column],
        table: &[Vec<KindTerms>],
        observations: &Observations,
    ) -> Self {
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
    ///
    /// What runs do not show is the logarithm of costs that are normal about their mean.
    fn refine(&self, mut costs: Vec<f64>) -> (f64, Vec<f64>) {
        let mut values = Vec::new();
        let points = self.table.len() as f64;
        let posterior = |costs: &[f64], values: &mut Vec<f64>| {
            let logarithms: Vec<f64> = costs.iter().map(|cost| cost.ln()).collect();
            let centre = mean(&logarithms);
            let distance: f64 =
                logarithms.iter().map(|one| ((one - centre) / COST_DEVIATION).powi(2)).sum();
            (self.square(costs, values) + ROUNDING_VARIANCE * points) * (distance / points).exp()
        };
        let mut best = posterior(&costs, &mut values);
        let mut step = std::f64::consts::LN_2;
        while step > LAST_STEP {
            let mut improved = false;
            for kind in 0..self.kinds {
                for factor in [step.exp(), (-step).exp()] {
                    let before = costs[kind];
                    costs[kind] *= factor;
                    let square = posterior(&costs, &mut values);
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

    /// The slowest kind of each point at these costs.
    pub(super) fn slowest(&self, costs: &[f64]) -> Vec<usize> {
        let mut values = Vec::new();
        self.square(costs, &mut values);
        let slowest = |views: &Vec<KindTerms>| {
            let views: Vec<KindTerms> =
                views.iter().map(|view| view.at_cost(self.shared, costs)).collect();
            longest(&views, &values)
        };
        self.table.iter().map(slowest).collect()
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
        let is_computation = |column: &Column| column.role == Role::Computation;
        let first = self.shared.iter().position(is_computation).unwrap_or(0);
        let leading = |terms: &KindTerms| terms.terms.get(first).copied().unwrap_or(0.0);
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

    /// The number of points at which a kind is the slowest and mostly computes: its cost determines
    /// their time.
    fn points_of(&self, kind: usize, costs: &[f64]) -> usize {
        let mut values = Vec::new();
        self.square(costs, &mut values);
        let is_determined = |views: &&Vec<KindTerms>| {
            let views: Vec<KindTerms> =
                views.iter().map(|view| view.at_cost(self.shared, costs)).collect();
            let slowest = &views[longest(&views, &values)];
            let columns = self.shared.iter().zip(&slowest.terms).zip(&values);
            let computation = columns.filter(|((column, _), _)| column.role == Role::Computation);
            let seconds: f64 = computation.map(|((_, term), value)| term * value).sum();
            slowest.kind == Some(kind) && seconds >= 0.5 * time(&slowest.terms, &values)
        };
        self.table.iter().filter(is_determined).count()
    }

    /// The largest plausible cost of a kind if any lower cost is plausible, too, or if hardly any
    /// point is determined by the kind; `None` if the runs identify the cost.
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
        let is_shown = self.points_of(kind, costs) >= MIN_POINTS_OF_KIND;
        if is_shown && !(1..=steps).all(|step| is_plausible(at(-step))) {
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
    pub(super) fn at_cost(&self, shared: &[Column], costs: &[f64]) -> Self {
        let cost = self.kind.map_or(1.0, |kind| costs[kind]);
        let scaled = |(term, column): (&f64, &Column)| {
            if column.role == Role::Computation { term * cost } else { *term }
        };
        Self { kind: self.kind, terms: self.terms.iter().zip(shared).map(scaled).collect() }
    }
}
