//! Robust nonnegative regression of times on terms, where the slowest kind of elements determines
//! the time.

use super::observations::{Group, Observations};
use super::point::ElementVariables;
use super::terms::{CandidateTerm, Role, Term};
use orrery_base::numeric::{RobustFit, median, robust_nonnegative};

/// A regression column: a term of one kind of elements, or of all.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Column {
    pub(super) term: Term,
    pub(super) role: Role,
    pub(super) kind: Option<usize>,
}

/// Fitted coefficients, without their uncertainty.
#[derive(Debug, Clone)]
pub(super) struct Regression {
    pub(super) columns: Vec<Column>,
    /// The coefficients, at least 0.
    pub(super) values: Vec<f64>,
    /// The robust weight of each run, by group.
    pub(super) weights: Vec<Vec<f64>>,
    /// The terms of the slowest kind of each group.
    pub(super) terms: Vec<Vec<f64>>,
    /// The directions in which the fit could move the coefficients: one for each free parameter.
    pub(super) directions: Vec<Vec<f64>>,
}

/// The columns of candidate terms: computation has a coefficient for each kind.
pub(super) fn columns(candidates: &[CandidateTerm], observations: &Observations) -> Vec<Column> {
    let kinds = observations.kinds.len();
    let mut columns: Vec<Column> = Vec::new();
    for CandidateTerm { term, role } in candidates {
        let own = kinds > 1 && *role == Role::Computation;
        let each = if own { (0..kinds).map(Some).collect() } else { vec![None] };
        columns.extend(each.into_iter().map(|kind| Column {
            term: term.clone(),
            role: *role,
            kind,
        }));
    }
    columns
}

/// The values of the columns for one kind of elements at one point.
#[derive(Debug, Clone)]
pub(super) struct KindTerms {
    /// The index of the kind; `None` if all elements are alike.
    pub(super) kind: Option<usize>,
    pub(super) terms: Vec<f64>,
}

/// The values of the columns, by group and kind of elements.
type Table = Vec<Vec<KindTerms>>;

/// Evaluates the columns; `None` if a variable is missing.
pub(super) fn kind_terms(columns: &[Column], observations: &Observations) -> Option<Table> {
    let values = |kind: Option<usize>, variables: &ElementVariables| {
        let value = |c: &Column| {
            if c.kind.is_none() || c.kind == kind { c.term.value(variables) } else { Some(0.0) }
        };
        Some(KindTerms { kind, terms: columns.iter().map(value).collect::<Option<_>>()? })
    };
    let group = |group: &Group| {
        group.kind_variables.iter().map(|(kind, variables)| values(*kind, variables)).collect()
    };
    observations.groups.iter().map(group).collect()
}

impl Regression {
    /// Fits the columns to the runs, relative to their times: minimizes Σ ρ((t_e − T(x_e))/m_e)
    /// over coefficients ≥ 0; m_e is the median time of the point.
    ///
    /// Of proportional columns, the first is kept. For points with several kinds, T is the time of
    /// the slowest kind: its terms are fitted and the slowest kind is determined again, until it no
    /// longer changes. `None` if a variable is missing.
    pub(super) fn of(columns: &[Column], observations: &Observations) -> Option<Self> {
        let (columns, table) = independent_columns(columns, &kind_terms(columns, observations)?);
        Self::of_terms(columns, &table, observations)
    }

    /// Fits columns whose values are in `table`, with an element for each group, to the slowest
    /// kinds of elements, found by iteration; always `Some`.
    pub(super) fn of_terms(
        columns: Vec<Column>,
        table: &[Vec<KindTerms>],
        observations: &Observations,
    ) -> Option<Self> {
        let groups = &observations.groups;
        if groups.iter().all(|group| group.parts.is_some()) {
            return Some(Self::of_parts(columns, table, observations));
        }
        let mut slowest: Vec<usize> = vec![0; groups.len()];
        if table.iter().any(|views| views.len() > 1) {
            slowest = initial_slowest(&columns, table, observations);
        }
        let mut best: Option<(f64, Self)> = None;
        for _ in 0..MAX_ITERATIONS {
            let terms = terms_of(&slowest, table);
            let fit = fit_rows(&terms, observations, columns.len());
            let next: Vec<usize> = table.iter().map(|views| longest(views, &fit.values)).collect();
            let reached = terms_of(&next, table);
            let cost = cost(&reached, &fit.values, observations);
            let weights = by_group(&fit.weights, observations);
            if best.as_ref().is_none_or(|(least, _)| cost < *least) {
                best = Some((cost, Self::new(columns.clone(), fit.values, weights, reached)));
            }
            if next == slowest {
                break;
            }
            slowest = next;
        }
        best.map(|(_, regression)| regression)
    }

    /// Fits computation and communication separately, for runs with both times.
    fn of_parts(
        columns: Vec<Column>,
        table: &[Vec<KindTerms>],
        observations: &Observations,
    ) -> Self {
        let mut values = vec![0.0; columns.len()];
        for role in [Role::Computation, Role::Communication] {
            let chosen: Vec<usize> =
                (0..columns.len()).filter(|&k| columns[k].role == role).collect();
            let mut target = Vec::new();
            let mut rows: Vec<Vec<f64>> = Vec::new();
            for (group, views) in observations.groups.iter().zip(table) {
                for (KindTerms { terms, .. }, part) in
                    views.iter().zip(group.parts.iter().flatten())
                {
                    let whole = part.0 + part.1;
                    target.push(if role == Role::Computation { part.0 } else { part.1 } / whole);
                    rows.push(chosen.iter().map(|&k| terms[k] / whole).collect());
                }
            }
            let fit = robust_nonnegative(&transposed(&rows, chosen.len()), &target);
            chosen.iter().zip(fit.values).for_each(|(&k, value)| values[k] = value);
        }
        let slowest: Vec<usize> = table.iter().map(|views| longest(views, &values)).collect();
        let weights =
            observations.groups.iter().map(|group| vec![1.0; group.seconds.len()]).collect();
        Self::new(columns, values, weights, terms_of(&slowest, table))
    }

    /// A regression with one free direction for each coefficient above 0; the others stay at their
    /// bound.
    fn new(
        columns: Vec<Column>,
        values: Vec<f64>,
        weights: Vec<Vec<f64>>,
        terms: Vec<Vec<f64>>,
    ) -> Self {
        let unit = |k: usize| (0..values.len()).map(|l| f64::from(u8::from(l == k))).collect();
        let directions = (0..values.len()).filter(|&k| values[k] > 0.0).map(unit).collect();
        Self { columns, values, weights, terms, directions }
    }

    /// The terms of the slowest kind at each group of other observations; `None` if a variable is
    /// missing.
    pub(super) fn terms_of(&self, observations: &Observations) -> Option<Vec<Vec<f64>>> {
        let table = kind_terms(&self.columns, observations)?;
        let slowest: Vec<usize> = table.iter().map(|views| longest(views, &self.values)).collect();
        Some(terms_of(&slowest, &table))
    }

    /// T at each group.
    pub(super) fn times(&self) -> Vec<f64> {
        self.terms.iter().map(|terms| time(terms, &self.values)).collect()
    }
}

/// The limit of iterations over the slowest kinds, which may cycle.
const MAX_ITERATIONS: usize = 20;

/// The time \[s\] of a sum of terms: T = Σ coefficient·term.
pub(super) fn time(terms: &[f64], values: &[f64]) -> f64 {
    terms.iter().zip(values).map(|(term, value)| term * value).sum()
}

/// The index of the kind with the longest time, the first of equals.
pub(super) fn longest(kinds: &[KindTerms], values: &[f64]) -> usize {
    let times = kinds.iter().map(|kind| time(&kind.terms, values)).enumerate();
    times
        .fold(
            (0, f64::NEG_INFINITY),
            |longest, next| if next.1 > longest.1 { next } else { longest },
        )
        .0
}

/// The terms of the kind with this number in each group.
fn terms_of(kinds: &[usize], table: &[Vec<KindTerms>]) -> Vec<Vec<f64>> {
    kinds.iter().zip(table).map(|(&kind, views)| views[kind].terms.clone()).collect()
}

/// The columns that are neither zero nor proportional to an earlier column, with their values.
pub(super) fn independent_columns(columns: &[Column], table: &Table) -> (Vec<Column>, Table) {
    let column = |k: usize| table.iter().flatten().map(move |kind| kind.terms[k]);
    let length = |k: usize| column(k).map(|a| a * a).sum::<f64>().sqrt();
    let mut kept: Vec<usize> = Vec::new();
    for k in (0..columns.len()).filter(|&k| length(k) > 0.0) {
        let proportional = |&other: &usize| {
            let product: f64 = column(k).zip(column(other)).map(|(a, b)| a * b).sum();
            product > (1.0 - 1e-12) * length(k) * length(other)
        };
        if !kept.iter().any(proportional) {
            kept.push(k);
        }
    }
    let pick = |KindTerms { kind, terms }: &KindTerms| KindTerms {
        kind: *kind,
        terms: kept.iter().map(|&k| terms[k]).collect(),
    };
    let values = table.iter().map(|views| views.iter().map(pick).collect()).collect();
    (kept.iter().map(|&k| columns[k].clone()).collect(), values)
}

/// Fits T = Σ coefficient·term to the runs that are no outliers, a row for each run divided by the
/// median time of its point: divided by its own time, a run that is much too short would outweigh
/// all others. `count` is the number of terms.
///
/// Outliers have a weight of 0.
fn fit_rows(terms: &[Vec<f64>], observations: &Observations, count: usize) -> RobustFit {
    let groups = &observations.groups;
    let rows = || {
        groups.iter().zip(terms).flat_map(|(group, terms)| {
            let near = group.near();
            let median = median(&near);
            near.into_iter().map(move |seconds| (terms, seconds / median, median))
        })
    };
    let columns: Vec<Vec<f64>> =
        (0..count).map(|k| rows().map(|(terms, _, median)| terms[k] / median).collect()).collect();
    let target: Vec<f64> = rows().map(|(_, time, _)| time).collect();
    let RobustFit { values, weights, deviation } = robust_nonnegative(&columns, &target);
    let mut of_near = weights.into_iter();
    let weights = groups
        .iter()
        .flat_map(|group| &group.is_near)
        .map(|is_near| if *is_near { of_near.next().unwrap_or_default() } else { 0.0 });
    RobustFit { weights: weights.collect(), values, deviation }
}

/// The columns of a matrix of rows.
fn transposed(rows: &[Vec<f64>], count: usize) -> Vec<Vec<f64>> {
    (0..count).map(|k| rows.iter().map(|row| row[k]).collect()).collect()
}

/// Splits the weights of runs by group.
fn by_group(weights: &[f64], observations: &Observations) -> Vec<Vec<f64>> {
    let mut rest = weights;
    let share = |group: &Group| {
        let (own, others) = rest.split_at(group.seconds.len());
        rest = others;
        own.to_vec()
    };
    observations.groups.iter().map(share).collect()
}

/// The sum of the relative errors of the median times.
fn cost(terms: &[Vec<f64>], values: &[f64], observations: &Observations) -> f64 {
    let error = |(group, terms): (&Group, &Vec<f64>)| {
        (time(terms, values) / median(&group.seconds) - 1.0).abs()
    };
    observations.groups.iter().zip(terms).map(error).sum()
}

/// The initial estimate of the slowest kind of each group, from a fit to the runs of single kinds.
fn initial_slowest(
    columns: &[Column],
    table: &[Vec<KindTerms>],
    observations: &Observations,
) -> Vec<usize> {
    let groups = &observations.groups;
    let single: Vec<usize> =
        (0..groups.len()).filter(|&g| groups[g].kind_variables.len() == 1).collect();
    let terms: Vec<Vec<f64>> = single.iter().map(|&g| table[g][0].terms.clone()).collect();
    let part = observations.subset(|g| single.contains(&g));
    let values = if single.is_empty() {
        vec![1.0; columns.len()]
    } else {
        fit_rows(&terms, &part, columns.len()).values
    };
    table.iter().map(|views| longest(views, &values)).collect()
}
