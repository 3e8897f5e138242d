//! Terms of execution-time models, and the families of terms of known programs.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::point::ElementVariables;
use crate::run::variable::{
    BLOCK_SIZE as BLOCK, GRID_COLUMNS as COLUMNS, GRID_ROWS as ROWS, PROBLEM_SIZE as SIZE,
    PROCESSES, PROCESSES_PER_ELEMENT as PER_ELEMENT, SPANS_ELEMENTS,
};

/// A factor of a term: x^power·log2(x)^logs of one variable x.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Factor {
    /// The name of the variable.
    pub variable: String,
    /// The power i of x^i.
    pub power: f64,
    /// The power j of log2(x)^j.
    #[serde(default)]
    pub logs: u32,
}

/// A product of factors, such as n³/(p·q), which a coefficient multiplies. A term without factors
/// is the constant 1.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Term {
    /// The factors; each variable occurs once.
    pub factors: Vec<Factor>,
}

impl Term {
    /// A product of powers of variables, without logarithms.
    pub fn powers(powers: &[(&str, f64)]) -> Self {
        let factor = |&(variable, power): &(&str, f64)| Factor {
            variable: variable.to_owned(),
            power,
            logs: 0,
        };
        Self { factors: powers.iter().map(factor).collect() }
    }

    /// This term times log2 of a variable.
    #[must_use]
    pub fn times_log(mut self, variable: &str) -> Self {
        match self.factors.iter_mut().find(|factor| factor.variable == variable) {
            Some(factor) => factor.logs += 1,
            None => {
                self.factors.push(Factor { variable: variable.to_owned(), power: 0.0, logs: 1 });
            }
        }
        self
    }

    /// The value of the term; `None` if a variable is missing.
    pub fn value(&self, variables: &ElementVariables) -> Option<f64> {
        let factor = |factor: &Factor| {
            let x = variables.get(&factor.variable)?;
            Some(power(x, factor.power) * x.log2().powi(factor.logs as i32))
        };
        self.factors.iter().map(factor).try_fold(1.0, |product, factor| Some(product * factor?))
    }
}

/// x^power; integer powers by multiplication.
pub(super) fn power(x: f64, power: f64) -> f64 {
    if power.fract().abs() < f64::EPSILON { x.powi(power as i32) } else { x.powf(power) }
}

impl fmt::Display for Term {
    /// Writes the term as `n^3·p^-1·log2(p)`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut parts = Vec::new();
        for Factor { variable, power, logs } in &self.factors {
            match *power {
                0.0 => {}
                1.0 => parts.push(variable.clone()),
                power => parts.push(format!("{variable}^{}", fraction(power))),
            }
            match logs {
                0 => {}
                1 => parts.push(format!("log2({variable})")),
                logs => parts.push(format!("log2({variable})^{logs}")),
            }
        }
        f.pad(&if parts.is_empty() { "1".to_owned() } else { parts.join("·") })
    }
}

/// A power as text: 2, 0.5, or (1/3) for thirds.
fn fraction(power: f64) -> String {
    let thirds = power * 3.0;
    if (thirds - thirds.round()).abs() < 1e-9 && (power - power.round()).abs() > 1e-9 {
        format!("({}/3)", thirds.round())
    } else {
        format!("{power}")
    }
}

orrery_base::named_enum! {
    /// Whether a term models computation or communication.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
    pub enum Role {
        /// Ta: its coefficient depends on the kind of the processing element.
        Computation => "computation",
        /// Tc: its coefficient is the same for all kinds.
        Communication => "communication",
    }
}

orrery_base::named_enum! {
    /// The family of a program's terms, in the order of preference if their forecasts are equally
    /// good.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
    pub enum TermFamily: "family" {
        /// High-Performance Linpack: right-looking LU factorization on a P×Q grid.
        Hpl => "hpl",
        /// ScaLAPACK factorizations on a square grid of P processes.
        Scalapack => "scalapack",
        /// A square of n×n cells that is divided among P processes, which exchange edges.
        Domain2 => "domain-2d",
        /// A cube of n×n×n cells that is divided among P processes, which exchange faces.
        Domain3 => "domain-3d",
        /// Any program whose time falls as one number grows, such as that of nodes: strong scaling.
        Strong => "strong",
        /// Any program: sums of products of x^i·log2(x)^j.
        General => "general",
    }
}

impl TermFamily {
    /// What is known of runs of such programs besides their terms; `None` if nothing is.
    pub(super) fn prior(self) -> Option<FamilyPrior> {
        (self == Self::Strong).then_some(STRONG_SCALING)
    }
}

/// What was learnt from other programs whose times are sums of terms of a family.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct FamilyPrior {
    /// The terms.
    pub(super) terms: &'static [PriorTerm],
    /// The largest number of terms of a sum.
    pub(super) most_terms: usize,
    /// The relative standard deviation of points about such a sum.
    pub(super) misfit: f64,
    /// The degrees of freedom of `misfit`: programs differ.
    pub(super) degrees: usize,
    /// The relative variance of a time outside the measured range for each squared logarithm of the
    /// ratio to the nearest measured value: laws change.
    pub(super) distance_variance: f64,
    /// The degrees of freedom of that variance.
    pub(super) distance_degrees: f64,
}

/// A term x^power·log2(x)^logs of one variable, and −log of its prior probability up to a constant.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct PriorTerm {
    power: f64,
    logs: u32,
    role: Role,
    penalty: f64,
}

/// A term of computation or communication.
const fn prior_term(role: Role, power: f64, logs: u32, penalty: f64) -> PriorTerm {
    PriorTerm { power, logs, role, penalty }
}

/// Strong scaling, by 143 series of 4 to 16 numbers of nodes of public runs of GROMACS, VASP, OpenMC,
/// AMG and Kripke: work that is divided, the surface of a part of a domain, what is not divided,
/// messages along a tree, and what grows.
///
/// `studies/scaling` estimates the numbers; for the variance by distance, 0.0255 there, the
/// smaller 0.018 is taken, with which no fewer intervals hold than they say.
const STRONG_SCALING: FamilyPrior = FamilyPrior {
    terms: &[
        prior_term(Role::Computation, -1.0, 0, -0.53),
        prior_term(Role::Computation, -2.0 / 3.0, 0, 2.00),
        prior_term(Role::Computation, -1.0 / 3.0, 0, 1.41),
        prior_term(Role::Computation, 0.0, 0, -0.81),
        prior_term(Role::Communication, 0.0, 1, -2.98),
        prior_term(Role::Communication, -1.0, 1, 0.42),
        prior_term(Role::Communication, 1.0, 0, 2.03),
    ],
    most_terms: 3,
    misfit: 0.007,
    degrees: 2,
    distance_variance: 0.018,
    distance_degrees: 2.0,
};

impl PriorTerm {
    /// The term of this variable.
    fn of(&self, variable: &str) -> Term {
        let Self { power, logs, .. } = *self;
        let factor = Factor { variable: variable.to_owned(), power, logs };
        Term { factors: if self.is_constant() { Vec::new() } else { vec![factor] } }
    }

    /// Returns true for the term 1.
    fn is_constant(&self) -> bool {
        self.logs == 0 && self.power.abs() < f64::EPSILON
    }
}

impl FamilyPrior {
    /// The candidate terms in one variable.
    pub(super) fn candidates(&self, variable: &str) -> Vec<CandidateTerm> {
        let candidate = |one: &PriorTerm| CandidateTerm { term: one.of(variable), role: one.role };
        self.terms.iter().map(candidate).collect()
    }

    /// −2·log of the prior probability of one of these terms, up to a constant; infinite for others.
    pub(super) fn penalty(&self, term: &Term) -> f64 {
        let variable = term.factors.first().map_or("", |factor| factor.variable.as_str());
        let known = self.terms.iter().find(|one| one.of(variable) == *term);
        known.map_or(f64::INFINITY, |one| 2.0 * one.penalty)
    }
}

/// A term that may be part of a model.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct CandidateTerm {
    pub(super) term: Term,
    pub(super) role: Role,
}

/// The candidate terms of a family in the order of preference, as far as their variables are
/// measured.
///
/// N = `n`, P×Q = `p`·`q`, B = `block`, m = `per_element`. Computation of the m processes of an
/// element takes m times as long; only configurations with several elements (`between_elements` = 1)
/// communicate over the network.
///
/// HPL: the update 2N³/3PQ; panel factorization N²/P; row swaps N²/Q and N²·log2(P)/Q; broadcast
/// N²/P and per-column latencies N·log2(P), N·log2(Q), N·Q along a ring; N²·Q on one shared wire.
/// Source: Petitet, Whaley, Dongarra, Cleary, "HPL: a portable implementation of the
/// high-performance Linpack benchmark", scalability; Kishimoto, Ichikawa (2004), section 3.2.
///
/// ScaLAPACK: C_f·N³/P, C_v·N²/√P with logarithms of the broadcasts, C_m·N with logarithms. Source:
/// ScaLAPACK Users' Guide, section 5.2.
pub(super) fn candidate_terms(
    family: TermFamily,
    is_measured: &dyn Fn(&str) -> bool,
) -> Vec<CandidateTerm> {
    let mut candidates = Vec::new();
    let mut add = |role, powers: &[(&str, f64)], logs: &[&str]| {
        if powers
            .iter()
            .map(|(variable, _)| variable)
            .chain(logs)
            .all(|variable| is_measured(variable))
        {
            let term = logs.iter().fold(Term::powers(powers), |term, log| term.times_log(log));
            candidates.push(CandidateTerm { term, role });
        }
    };
    let (computation, communication) = (Role::Computation, Role::Communication);
    let on_grid = is_measured(ROWS) && is_measured(COLUMNS);
    let several = is_measured(PER_ELEMENT);
    let per_process = |powers: &[(&'static str, f64)]| {
        let own = several.then_some((PER_ELEMENT, 1.0));
        powers.iter().copied().chain(own).collect::<Vec<_>>()
    };
    let on_network = |powers: &[(&'static str, f64)]| {
        let only = several.then_some((SPANS_ELEMENTS, 1.0));
        powers.iter().copied().chain(only).collect::<Vec<_>>()
    };
    match family {
        TermFamily::Hpl if on_grid => {
            add(computation, &per_process(&[(SIZE, 3.0), (ROWS, -1.0), (COLUMNS, -1.0)]), &[]);
            add(computation, &per_process(&[(SIZE, 2.0), (ROWS, -1.0)]), &[]);
            add(communication, &on_network(&[(SIZE, 2.0), (COLUMNS, -1.0)]), &[]);
            add(communication, &on_network(&[(SIZE, 2.0), (COLUMNS, -1.0)]), &[ROWS]);
            add(communication, &on_network(&[(SIZE, 2.0), (ROWS, -1.0)]), &[]);
            add(communication, &on_network(&[(SIZE, 1.0)]), &[ROWS]);
            add(communication, &on_network(&[(SIZE, 1.0)]), &[COLUMNS]);
            add(
                computation,
                &per_process(&[(SIZE, 3.0), (ROWS, -1.0), (COLUMNS, -1.0), (BLOCK, -1.0)]),
                &[],
            );
            add(computation, &per_process(&[(SIZE, 2.0), (ROWS, -1.0), (BLOCK, 1.0)]), &[]);
            add(communication, &[(SIZE, 1.0), (BLOCK, -1.0)], &[COLUMNS]);
            add(communication, &on_network(&[(SIZE, 1.0), (COLUMNS, 1.0)]), &[]);
            add(communication, &on_network(&[(SIZE, 2.0), (COLUMNS, 1.0)]), &[]);
            if several {
                add(communication, &per_process(&[(SIZE, 2.0), (COLUMNS, -1.0)]), &[]);
                add(communication, &per_process(&[(SIZE, 1.0)]), &[]);
            }
        }
        TermFamily::Hpl => {
            add(computation, &[(SIZE, 3.0)], &[]);
            add(computation, &[(SIZE, 3.0), (BLOCK, -1.0)], &[]);
            add(computation, &[(SIZE, 2.0), (BLOCK, 1.0)], &[]);
        }
        TermFamily::Scalapack if is_measured(PROCESSES) => {
            add(computation, &per_process(&[(SIZE, 3.0), (PROCESSES, -1.0)]), &[]);
            add(communication, &[(SIZE, 2.0), (PROCESSES, -0.5)], &[]);
            add(communication, &[(SIZE, 2.0), (PROCESSES, -0.5)], &[PROCESSES]);
            add(communication, &[(SIZE, 1.0)], &[PROCESSES]);
            add(computation, &[(SIZE, 2.0), (PROCESSES, -0.5), (BLOCK, 1.0)], &[]);
            add(communication, &[(SIZE, 1.0), (BLOCK, -1.0)], &[PROCESSES]);
        }
        TermFamily::Domain2 | TermFamily::Domain3 if is_measured(PROCESSES) => {
            let sides = if family == TermFamily::Domain2 { 2.0 } else { 3.0 };
            let (cells, faces) = (sides, sides - 1.0);
            let divided = -faces / sides;
            add(computation, &per_process(&[(SIZE, cells), (PROCESSES, -1.0)]), &[]);
            add(communication, &on_network(&[(SIZE, faces), (PROCESSES, divided)]), &[]);
            if several {
                let faces_of = |power| {
                    let own = [(SIZE, faces), (PROCESSES, divided), (PER_ELEMENT, power)];
                    on_network(&own)
                };
                add(communication, &faces_of(1.0), &[]);
                add(communication, &faces_of(-divided), &[]);
            }
            add(communication, &on_network(&[(SIZE, faces), (PROCESSES, 1.0 + divided)]), &[]);
            add(communication, &on_network(&[]), &[PROCESSES]);
            add(communication, &on_network(&[(PROCESSES, 1.0)]), &[]);
            add(communication, &on_network(&[]), &[]);
            add(computation, &[], &[]);
            return candidates;
        }
        TermFamily::Scalapack
        | TermFamily::Domain2
        | TermFamily::Domain3
        | TermFamily::Strong
        | TermFamily::General => return candidates,
    }
    add(computation, &[(SIZE, 2.0)], &[]);
    add(computation, &[(SIZE, 1.0)], &[]);
    add(computation, &[], &[]);
    candidates
}

/// The terms of processes that share an element, which slow each other down and share its link:
/// N³·m²/PQ and N²·m.
///
/// They are for kinds that differ in one cost. Coefficients of their own for each kind need runs
/// with three numbers of processes on an element of each kind.
pub(super) fn shared_element_terms(
    family: TermFamily,
    is_measured: &dyn Fn(&str) -> bool,
) -> Vec<CandidateTerm> {
    let variables = [SIZE, ROWS, COLUMNS, PER_ELEMENT, SPANS_ELEMENTS];
    if family != TermFamily::Hpl || !variables.iter().all(|variable| is_measured(variable)) {
        return Vec::new();
    }
    let slowdown = Term::powers(&[(SIZE, 3.0), (ROWS, -1.0), (COLUMNS, -1.0), (PER_ELEMENT, 2.0)]);
    let link = Term::powers(&[(SIZE, 2.0), (PER_ELEMENT, 1.0), (SPANS_ELEMENTS, 1.0)]);
    let hosts = |power| {
        let own = [(SIZE, power), (COLUMNS, 1.0), (PER_ELEMENT, -1.0), (SPANS_ELEMENTS, 1.0)];
        (Term::powers(&own), Role::Communication)
    };
    let candidate = |(term, role)| CandidateTerm { term, role };
    [(slowdown, Role::Computation), (link, Role::Communication), hosts(2.0), hosts(1.0)]
        .map(candidate)
        .into()
}

/// The power of m, the number of processes on an element, of the work that is divided among
/// processes; `None` for another term.
pub(super) fn share_of_element(term: &Term, role: Role) -> Option<f64> {
    let is_divided = term.factors.iter().any(|factor| factor.power < 0.0);
    let own = term.factors.iter().find(|factor| factor.variable == PER_ELEMENT);
    (role == Role::Computation && is_divided).then(|| own.map_or(0.0, |factor| factor.power))
}

/// The terms of processes that have cores of their own, and of processes that share what saturates,
/// such as the memory of their host: the work of a process times 1 and m².
pub(super) fn core_terms(
    family: TermFamily,
    is_measured: &dyn Fn(&str) -> bool,
) -> Vec<CandidateTerm> {
    let divided: &[(&str, f64)] = match family {
        TermFamily::Hpl => &[(SIZE, 3.0), (ROWS, -1.0), (COLUMNS, -1.0)],
        TermFamily::Scalapack | TermFamily::Domain3 => &[(SIZE, 3.0), (PROCESSES, -1.0)],
        TermFamily::Domain2 => &[(SIZE, 2.0), (PROCESSES, -1.0)],
        TermFamily::Strong | TermFamily::General => return Vec::new(),
    };
    if !divided.iter().map(|(name, _)| *name).chain([PER_ELEMENT]).all(is_measured) {
        return Vec::new();
    }
    let shared = divided.iter().copied().chain([(PER_ELEMENT, 2.0)]).collect::<Vec<_>>();
    let candidate = |powers: &[(&str, f64)]| CandidateTerm {
        term: Term::powers(powers),
        role: Role::Computation,
    };
    vec![candidate(divided), candidate(&shared)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn terms_display_as_formulas() {
        let term = Term::powers(&[("n", 2.0), ("q", -1.0)]).times_log("p").times_log("p");
        assert_eq!(term.to_string(), "n^2·q^-1·log2(p)^2");
        assert_eq!(Term::default().to_string(), "1");
        assert_eq!(Term::powers(&[("x", 4.0 / 3.0)]).to_string(), "x^(4/3)");
        let variables = ElementVariables::new([("n", 10.0), ("q", 4.0), ("p", 8.0)]);
        assert_eq!(term.value(&variables), Some(225.0));
        assert_eq!(Term::powers(&[("block", 1.0)]).value(&variables), None);
    }
}
