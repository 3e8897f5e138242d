use std::collections::BTreeMap;

use super::{ElementVariables, Point, Term, TermFamily, Uncertainty};
use crate::numeric::Estimate;
use crate::run::Share;

/// What a term of a model stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Role {
    /// Ta: it goes with the kind of the processing element.
    Computation,
    /// Tc: the network is the same for all kinds.
    Communication,
}

impl Role {
    /// The word in files.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Computation => "computation",
            Self::Communication => "communication",
        }
    }
}

/// A term with its coefficient in seconds per unit of the term.
#[derive(Debug, Clone, PartialEq)]
pub struct Coefficient {
    /// What it multiplies.
    pub term: Term,
    /// Computation or communication.
    pub role: Role,
    /// The kind of processing elements that it holds for; `None` for all.
    pub kind: Option<String>,
    /// Its value, never negative, with its interval.
    pub estimate: Estimate,
}

/// An execution-time model: T = max over kinds i of Σ_k c_k·term_k(i).
///
/// One model for all kinds of processing elements, all numbers of processes and all grids. The terms that a fit leaves
/// out have the coefficient 0.
#[derive(Debug, Clone, PartialEq)]
pub struct TermModel {
    /// The family that the terms are from.
    pub family: TermFamily,
    /// The terms with their coefficients.
    pub coefficients: Vec<Coefficient>,
    /// How sure it is; `None` where there are as many coefficients as measured points.
    pub uncertainty: Option<Uncertainty>,
    /// The smallest and the largest measured value of each variable.
    pub ranges: BTreeMap<String, (f64, f64)>,
    /// The kinds of processing elements that were measured; empty where all are alike.
    pub kinds: Vec<String>,
    /// How many runs it rests on.
    pub runs: usize,
    /// How many different points they are runs of.
    pub points: usize,
}

/// The time of the slowest kind: which it is and what it spends its time with.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Slowest {
    pub(super) kind: Option<String>,
    pub(super) seconds: f64,
    /// The value of each coefficient's term.
    pub(super) terms: Vec<f64>,
}

impl TermModel {
    /// T_i in seconds of a kind of elements that sees these numbers; `None` where a variable is missing.
    pub fn element_seconds(&self, kind: Option<&str>, view: &ElementVariables) -> Option<f64> {
        let mut sum = 0.0;
        for coefficient in self.coefficients.iter().filter(|c| c.concerns(kind)) {
            sum += coefficient.estimate.value * coefficient.term.value(view)?;
        }
        Some(sum)
    }

    /// The slowest kind at a point.
    pub(super) fn slowest(&self, point: &Point) -> Option<Slowest> {
        let of = |kind: Option<&str>, share: Option<&Share>| {
            let view = point.view(share);
            let value = |c: &Coefficient| if c.concerns(kind) { c.term.value(&view) } else { Some(0.0) };
            let terms: Vec<f64> = self.coefficients.iter().map(value).collect::<Option<_>>()?;
            let seconds = terms.iter().zip(&self.coefficients).map(|(term, c)| term * c.estimate.value).sum();
            Some(Slowest { kind: kind.map(str::to_owned), seconds, terms })
        };
        let shares = &point.configuration.shares;
        if shares.is_empty() {
            return of(None, None);
        }
        let each = shares.iter().map(|share| of(Some(&share.kind), Some(share)));
        let each: Vec<Slowest> = each.collect::<Option<_>>()?;
        each.into_iter().reduce(|slowest, next| if next.seconds > slowest.seconds { next } else { slowest })
    }

    /// The variables that a prediction needs.
    pub fn variables(&self) -> Vec<&str> {
        let mut names: Vec<&str> = self
            .coefficients
            .iter()
            .flat_map(|c| c.term.factors.iter().map(|factor| factor.variable.as_str()))
            .collect();
        names.sort_unstable();
        names.dedup();
        names
    }
}

impl Coefficient {
    /// Whether it is part of the time of this kind.
    pub(super) fn concerns(&self, kind: Option<&str>) -> bool {
        self.kind.is_none() || self.kind.as_deref() == kind
    }
}
