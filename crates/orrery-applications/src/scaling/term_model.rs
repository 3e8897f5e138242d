//! The execution-time model as a sum of terms.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::effects::Effects;
use super::law_change::LawChange;
use super::point::{ElementVariables, Point};
use super::terms::{Role, Term, TermFamily};
use super::uncertainty::Uncertainty;
use crate::run::Share;
use orrery_base::numeric::Estimate;

/// A term with its coefficient in seconds per unit of the term.
#[derive(Debug, Clone, PartialEq)]
pub struct Coefficient {
    /// The term that it multiplies.
    pub term: Term,
    /// Computation or communication.
    pub role: Role,
    /// The kind of processing elements that it applies to; `None` for all.
    pub kind: Option<String>,
    /// The value, at least 0, with its interval.
    pub estimate: Estimate,
}

/// A plausible sum of terms beside that of a model.
#[derive(Debug, Clone, PartialEq)]
pub struct Alternative {
    /// The posterior probability.
    pub probability: f64,
    /// The terms with their coefficients.
    pub coefficients: Vec<Coefficient>,
    /// The uncertainty of the coefficients; `None` if there are as many coefficients as measured
    /// points, and no repeated runs.
    pub uncertainty: Option<Uncertainty>,
}

/// A kind of elements that is never the slowest of its runs, so that they bound its cost only from
/// above.
///
/// The coefficients of the kind are the largest plausible ones. A run of the kind alone identifies
/// them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BoundedKind {
    /// The kind.
    pub kind: String,
    /// True if the bound shows that the kind is faster than the slowest kind; false if it shows
    /// nothing.
    pub is_faster: bool,
}

/// An execution-time model: T = max over kinds i of Σ_k c_k·term_k(i), multiplied by the effects of
/// categories.
///
/// One model covers all kinds of processing elements, all numbers of processes and all grids. Terms
/// that a fit leaves out have the coefficient 0.
#[derive(Debug, Clone, PartialEq)]
pub struct TermModel {
    /// The family of the terms.
    pub family: TermFamily,
    /// The terms with their coefficients.
    pub coefficients: Vec<Coefficient>,
    /// The uncertainty of the coefficients; `None` if there are as many coefficients as measured
    /// points, and no repeated runs.
    pub uncertainty: Option<Uncertainty>,
    /// Other plausible sums of terms. The probability of this one is what theirs leave of 1.
    pub alternatives: Vec<Alternative>,
    /// The effects of categories; empty if the time depends on none.
    pub effects: Effects,
    /// The smallest and the largest measured value of each variable.
    pub ranges: BTreeMap<String, (f64, f64)>,
    /// The measured kinds of processing elements; empty if all elements are alike.
    pub kinds: Vec<String>,
    /// The kinds whose cost the runs bound only from above.
    pub bounded_kinds: Vec<BoundedKind>,
    /// The value of a variable from which on the law holds; `None` if it holds for all runs.
    pub law_change: Option<LawChange>,
    /// The number of runs that the model was fitted to.
    pub runs: usize,
    /// The number of different points among the runs.
    pub points: usize,
}

/// The slowest kind of elements at a point.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Slowest {
    pub(super) kind: Option<String>,
    pub(super) seconds: f64,
    /// The value of each coefficient's term.
    pub(super) terms: Vec<f64>,
}

impl Slowest {
    /// The slowest kind at a point; `None` if a variable is missing.
    pub(super) fn of(coefficients: &[Coefficient], point: &Point) -> Option<Self> {
        let of = |kind: Option<&str>, share: Option<&Share>| {
            let variables = point.element_variables(share);
            let value = |c: &Coefficient| {
                if c.applies_to(kind) { c.term.value(&variables) } else { Some(0.0) }
            };
            let terms: Vec<f64> = coefficients.iter().map(value).collect::<Option<_>>()?;
            let seconds =
                terms.iter().zip(coefficients).map(|(term, c)| term * c.estimate.value).sum();
            Some(Self { kind: kind.map(str::to_owned), seconds, terms })
        };
        let shares = &point.configuration.shares;
        if shares.is_empty() {
            return of(None, None);
        }
        let each = shares.iter().map(|share| of(Some(&share.kind), Some(share)));
        let each: Vec<Self> = each.collect::<Option<_>>()?;
        each.into_iter()
            .reduce(|slowest, next| if next.seconds > slowest.seconds { next } else { slowest })
    }
}

impl TermModel {
    /// The time T_i of an element in seconds; `None` if a variable is missing.
    pub fn element_seconds(&self, kind: Option<&str>, variables: &ElementVariables) -> Option<f64> {
        let mut sum = 0.0;
        for coefficient in self.coefficients.iter().filter(|c| c.applies_to(kind)) {
            sum += coefficient.estimate.value * coefficient.term.value(variables)?;
        }
        Some(sum)
    }

    /// The posterior probability of the terms: what the alternatives leave of 1.
    pub fn probability(&self) -> f64 {
        1.0 - self.alternatives.iter().map(|alternative| alternative.probability).sum::<f64>()
    }

    /// What the runs show of the cost of a kind; `None` if they identify it.
    pub(super) fn bound(&self, kind: &str) -> Option<&BoundedKind> {
        self.bounded_kinds.iter().find(|bounded| bounded.kind == kind)
    }

    /// The slowest kind at a point without effects; `None` if a variable is missing.
    pub(super) fn slowest(&self, point: &Point) -> Option<Slowest> {
        Slowest::of(&self.coefficients, point)
    }

    /// The names of the variables that a forecast requires: those of all plausible sums.
    pub fn variables(&self) -> Vec<&str> {
        let alternatives =
            self.alternatives.iter().flat_map(|alternative| &alternative.coefficients);
        let mut names: Vec<&str> = self
            .coefficients
            .iter()
            .chain(alternatives)
            .flat_map(|c| c.term.factors.iter().map(|factor| factor.variable.as_str()))
            .collect();
        names.sort_unstable();
        names.dedup();
        names
    }
}

impl Alternative {
    /// Returns true if a point has the variables of all terms.
    pub(super) fn has_variables_of(&self, point: &Point) -> bool {
        let variables = point.element_variables(point.configuration.shares.first());
        let mut factors =
            self.coefficients.iter().flat_map(|coefficient| &coefficient.term.factors);
        factors.all(|factor| variables.get(&factor.variable).is_some())
    }
}

impl Coefficient {
    /// Returns true if the coefficient is part of the time of this kind.
    pub(super) fn applies_to(&self, kind: Option<&str>) -> bool {
        self.kind.is_none() || self.kind.as_deref() == kind
    }
}
