use super::{Role, Term};
use crate::run::variable::{
    BLOCK_SIZE as BLOCK, GRID_COLUMNS as COLUMNS, GRID_ROWS as ROWS, PROBLEM_SIZE as SIZE, PROCESSES,
    PROCESSES_PER_ELEMENT as PER_ELEMENT, SPANS_ELEMENTS as BETWEEN,
};

/// A set of terms that programs of one family take their time with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum TermFamily {
    /// High-Performance Linpack: right-looking LU factorisation on a P×Q grid.
    Hpl,
    /// Factorisations of ScaLAPACK on a square grid of P processes.
    Scalapack,
    /// Anything else: sums of products of x^i·log2(x)^j.
    General,
}

impl TermFamily {
    /// All, in the order of preference where the runs do not tell them apart.
    pub const ALL: [Self; 3] = [Self::Hpl, Self::Scalapack, Self::General];

    /// The word on the command line and in files.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Hpl => "hpl",
            Self::Scalapack => "scalapack",
            Self::General => "general",
        }
    }
}

/// A term that a program may take its time with.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Candidate {
    pub(super) term: Term,
    pub(super) role: Role,
}

/// The terms of a family, those first that are rather kept where the runs do not tell terms apart. N = `n`, P×Q = `p`·`q`,
/// B = `block`, m = `per_element`; what is computed by all m processes of an element takes m times as long, and only
/// several elements (`between_elements` = 1) have anything to send over the network.
///
/// HPL: the update 2N³/3PQ; panel factorisation N²/P; row swaps N²/Q and N²·log2(P)/Q; broadcast N²/P and per-column
/// latencies N·log2(P), N·log2(Q), N·Q along a ring; N²·Q where all share one wire. Source: Petitet, Whaley, Dongarra, Cleary, "HPL: a portable implementation of the
/// high-performance Linpack benchmark", scalability; Kishimoto, Ichikawa (2004), section 3.2.
///
/// ScaLAPACK: C_f·N³/P, C_v·N²/√P with logarithms of the broadcasts, C_m·N with logarithms. Source: ScaLAPACK Users'
/// Guide, section 5.2.
pub(super) fn terms(family: TermFamily, known: &dyn Fn(&str) -> bool) -> Vec<Candidate> {
    let mut candidates = Vec::new();
    let mut add = |role, powers: &[(&str, f64)], logs: &[&str]| {
        if powers.iter().map(|(variable, _)| variable).chain(logs).all(|variable| known(variable)) {
            let term = logs.iter().fold(Term::powers(powers), |term, log| term.times_log(log));
            candidates.push(Candidate { term, role });
        }
    };
    let (work, talk) = (Role::Computation, Role::Communication);
    let on_grid = known(ROWS) && known(COLUMNS);
    let several = known(PER_ELEMENT);
    let many = |powers: &[(&'static str, f64)]| {
        let own = several.then_some((PER_ELEMENT, 1.0));
        powers.iter().copied().chain(own).collect::<Vec<_>>()
    };
    let between = |powers: &[(&'static str, f64)]| {
        let only = several.then_some((BETWEEN, 1.0));
        powers.iter().copied().chain(only).collect::<Vec<_>>()
    };
    match family {
        TermFamily::Hpl if on_grid => {
            add(work, &many(&[(SIZE, 3.0), (ROWS, -1.0), (COLUMNS, -1.0)]), &[]);
            add(work, &many(&[(SIZE, 2.0), (ROWS, -1.0)]), &[]);
            add(talk, &between(&[(SIZE, 2.0), (COLUMNS, -1.0)]), &[]);
            add(talk, &between(&[(SIZE, 2.0), (COLUMNS, -1.0)]), &[ROWS]);
            add(talk, &between(&[(SIZE, 2.0), (ROWS, -1.0)]), &[]);
            add(talk, &between(&[(SIZE, 1.0)]), &[ROWS]);
            add(talk, &between(&[(SIZE, 1.0)]), &[COLUMNS]);
            add(work, &many(&[(SIZE, 3.0), (ROWS, -1.0), (COLUMNS, -1.0), (BLOCK, -1.0)]), &[]);
            add(work, &many(&[(SIZE, 2.0), (ROWS, -1.0), (BLOCK, 1.0)]), &[]);
            add(talk, &[(SIZE, 1.0), (BLOCK, -1.0)], &[COLUMNS]);
            add(talk, &between(&[(SIZE, 1.0), (COLUMNS, 1.0)]), &[]);
            add(talk, &between(&[(SIZE, 2.0), (COLUMNS, 1.0)]), &[]);
            if several {
                add(talk, &many(&[(SIZE, 2.0), (COLUMNS, -1.0)]), &[]);
                add(talk, &many(&[(SIZE, 1.0)]), &[]);
            }
        }
        TermFamily::Hpl => {
            add(work, &[(SIZE, 3.0)], &[]);
            add(work, &[(SIZE, 3.0), (BLOCK, -1.0)], &[]);
            add(work, &[(SIZE, 2.0), (BLOCK, 1.0)], &[]);
        }
        TermFamily::Scalapack if known(PROCESSES) => {
            add(work, &many(&[(SIZE, 3.0), (PROCESSES, -1.0)]), &[]);
            add(talk, &[(SIZE, 2.0), (PROCESSES, -0.5)], &[]);
            add(talk, &[(SIZE, 2.0), (PROCESSES, -0.5)], &[PROCESSES]);
            add(talk, &[(SIZE, 1.0)], &[PROCESSES]);
            add(work, &[(SIZE, 2.0), (PROCESSES, -0.5), (BLOCK, 1.0)], &[]);
            add(talk, &[(SIZE, 1.0), (BLOCK, -1.0)], &[PROCESSES]);
        }
        TermFamily::Scalapack | TermFamily::General => return candidates,
    }
    add(work, &[(SIZE, 2.0)], &[]);
    add(work, &[(SIZE, 1.0)], &[]);
    add(work, &[], &[]);
    candidates
}
