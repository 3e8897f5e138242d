//! The correlations of the errors of parameters that a least-squares problem determines.

use nalgebra::DMatrix;

use crate::comm::Correlations;
use orrery_base::numeric::{Covariance, parallel_map};
use orrery_cluster::platform::{Pairs, Processor};

/// Correlations are kept with this many units in 1: six digits.
const UNITS: f64 = 1e6;

/// The numbers of unknowns of the least-squares problem, in the order of names.
pub(in crate::comm) struct Unknowns {
    pub(in crate::comm) cluster: Vec<usize>,
    /// For each processor.
    pub(in crate::comm) processors: Vec<Vec<usize>>,
    /// For each pair.
    pub(in crate::comm) pairs: Vec<Vec<usize>>,
}

impl Correlations {
    /// Returns the correlations of a least-squares problem with this covariance. Pairs have the
    /// processors of the packed order 0-1, 0-2, ….
    pub(in crate::comm) fn of(covariance: &Covariance, unknowns: &Unknowns) -> Self {
        let correlation = |a: usize, b: usize| {
            let deviations = (covariance.entry(a, a) * covariance.entry(b, b)).max(0.0).sqrt();
            rounded(if deviations > 0.0 {
                (covariance.entry(a, b) / deviations).clamp(-1.0, 1.0)
            } else {
                0.0
            })
        };
        let among = |members: &[usize]| -> Vec<f64> {
            (0..members.len())
                .flat_map(|a| (0..a).map(move |b| correlation(members[a], members[b])))
                .collect()
        };
        let none = [Processor(0); 2];
        let ends: Vec<[Processor; 2]> = match unknowns.processors.len() {
            0 => vec![none; unknowns.pairs.len()],
            n => Pairs::of(n).iter().map(|(a, b)| [a, b]).collect(),
        };
        let of_pair = |pair: usize| {
            let processors =
                ends[pair].iter().filter_map(|end| unknowns.processors.get(end.index()));
            conditional(
                covariance,
                &unknowns.pairs[pair],
                &processors.flatten().copied().collect::<Vec<_>>(),
            )
        };
        let pairs = parallel_map(unknowns.pairs.len(), of_pair);
        Self {
            cluster: among(&unknowns.cluster),
            processors: unknowns.processors.iter().map(|members| among(members)).collect(),
            pairs,
        }
    }
}

/// Returns the covariance of the parts of unknowns that are independent of others, and their
/// coefficients on the others, in units of standard deviations.
fn conditional(covariance: &Covariance, unknowns: &[usize], others: &[usize]) -> Vec<f64> {
    let deviation = |&unknown: &usize| covariance.entry(unknown, unknown).max(0.0).sqrt();
    let with_deviations =
        |all: &[usize]| all.iter().map(|one| (*one, deviation(one))).collect::<Vec<_>>();
    let (unknowns, others) = (with_deviations(unknowns), with_deviations(others));
    let correlations = |rows: &[(usize, f64)], columns: &[(usize, f64)]| {
        DMatrix::from_fn(rows.len(), columns.len(), |row, column| {
            let ((a, one), (b, other)) = (rows[row], columns[column]);
            if a == b {
                1.0
            } else if one * other > 0.0 {
                covariance.entry(a, b) / (one * other)
            } else {
                0.0
            }
        })
    };
    let (own, with_others) = (correlations(&unknowns, &unknowns), correlations(&others, &unknowns));
    let factor = correlations(&others, &others).cholesky();
    let coefficients = factor.map(|factor| factor.solve(&with_others));
    // Unknowns that depend on each other exactly have no coefficients.
    let coefficients = coefficients.filter(|all| all.iter().all(|one| one.is_finite()));
    let coefficients = coefficients.unwrap_or_else(|| with_others.clone() * 0.0);
    let rest = own - coefficients.transpose() * with_others;
    let m = unknowns.len();
    let rest = (0..m).flat_map(|a| (0..=a).map(move |b| (a, b))).map(|at| rest[at]);
    rest.chain(coefficients.iter().copied()).map(rounded).collect()
}

/// Returns a value with six digits after the point.
pub(in crate::comm) fn rounded(value: f64) -> f64 {
    // The sum with 0 is never −0.
    (value * UNITS).round() / UNITS + 0.0
}
