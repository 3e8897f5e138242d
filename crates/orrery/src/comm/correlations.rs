//! Correlations of the errors of estimated parameters, and the errors of sums of parameters.

use std::collections::BTreeMap;

use nalgebra::{DMatrix, DVector};

use super::{Contribution, ModelKind, ParameterSpec, Shape, WITHIN_HOST};
use crate::numeric::{Covariance, parallel_map};
use crate::platform::{Pairs, Processor};

/// The correlations of the errors of the parameters of a model, as far as they are kept.
///
/// Kept are the correlations among the parameters of the whole cluster, and among those of each processor; and for each pair the
/// dependence of its parameters on those of its two processors, with the covariance of what is independent of them. Processors
/// count as independent, and pairs as independent given their processors. All errors are in units of their standard deviations.
/// The parameters of a place are ordered by name.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Correlations {
    /// The correlations among the parameters of the cluster: 1-0, 2-0, 2-1, …; empty if there are none.
    pub cluster: Vec<f64>,
    /// The same for the parameters of each processor.
    pub processors: Vec<Vec<f64>>,
    /// For the parameters of each pair: the covariance of their independent parts, 0-0, 1-0, 1-1, …, then for each the
    /// coefficients of the parameters of both processors.
    pub pairs: Vec<Vec<f64>>,
}

/// Correlations are kept with this many units in 1: six digits.
const UNITS: f64 = 1e6;

/// The names of the parameters of each kind of place, ascending.
#[derive(Debug, Clone, Default)]
pub(crate) struct CorrelatedNames {
    pub(crate) cluster: Vec<&'static str>,
    pub(crate) processors: Vec<&'static str>,
    pub(crate) pairs: Vec<&'static str>,
}

/// The numbers of unknowns of the least-squares problem, in the order of names.
pub(super) struct Unknowns {
    pub(super) cluster: Vec<usize>,
    /// For each processor.
    pub(super) processors: Vec<Vec<usize>>,
    /// For each pair.
    pub(super) pairs: Vec<Vec<usize>>,
}

impl CorrelatedNames {
    /// The names of the parameters of a kind of model; errors of optional ones count as independent.
    pub(crate) fn of(kind: ModelKind) -> Self {
        let names = |wanted: Shape| {
            let optional = kind.stored_as().definition().optional();
            let is_optional =
                |spec: &ParameterSpec| optional.contains(&spec.name) || spec.object() == Some(WITHIN_HOST);
            let is_meant = |(shape, spec): &(Shape, &ParameterSpec)| *shape == wanted && !is_optional(spec);
            let parameters = kind.stored_as().parameters().filter(is_meant);
            let mut names: Vec<&'static str> = parameters.map(|(_, spec)| spec.key()).collect();
            names.sort_unstable();
            names
        };
        let [cluster, processors, pairs] = [Shape::Cluster, Shape::Processors, Shape::Pairs].map(names);
        Self { cluster, processors, pairs }
    }

    /// The number of correlations among m parameters.
    pub(crate) const fn among(m: usize) -> usize {
        m * m.saturating_sub(1) / 2
    }

    /// The number of variances and covariances among the parameters of a pair.
    pub(crate) const fn within_pair(m: usize) -> usize {
        m * (m + 1) / 2
    }

    /// The number of values that are kept for each pair.
    pub(crate) fn of_pair(&self) -> usize {
        Self::within_pair(self.pairs.len()) + 2 * self.pairs.len() * self.processors.len()
    }
}

impl Correlations {
    /// Takes the correlations from the covariance of a least-squares problem; the processors of pairs follow from their order.
    pub(super) fn of(covariance: &Covariance, unknowns: &Unknowns) -> Self {
        let correlation = |a: usize, b: usize| {
            let deviations = (covariance.entry(a, a) * covariance.entry(b, b)).max(0.0).sqrt();
            rounded(if deviations > 0.0 { (covariance.entry(a, b) / deviations).clamp(-1.0, 1.0) } else { 0.0 })
        };
        let among = |members: &[usize]| -> Vec<f64> {
            (0..members.len()).flat_map(|a| (0..a).map(move |b| correlation(members[a], members[b]))).collect()
        };
        let none = [Processor(0); 2];
        let ends: Vec<[Processor; 2]> = match unknowns.processors.len() {
            0 => vec![none; unknowns.pairs.len()],
            n => Pairs::of(n).iter().map(|(a, b)| [a, b]).collect(),
        };
        let of_pair = |pair: usize| {
            let processors = ends[pair].iter().filter_map(|end| unknowns.processors.get(end.index()));
            conditional(covariance, &unknowns.pairs[pair], &processors.flatten().copied().collect::<Vec<_>>())
        };
        let pairs = parallel_map(unknowns.pairs.len(), of_pair);
        Self {
            cluster: among(&unknowns.cluster),
            processors: unknowns.processors.iter().map(|members| among(members)).collect(),
            pairs,
        }
    }

    /// Returns true if there are none.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

/// Returns the covariance of the parts of unknowns that are independent of others, and their coefficients on the others, in units
/// of standard deviations.
fn conditional(covariance: &Covariance, unknowns: &[usize], others: &[usize]) -> Vec<f64> {
    let deviation = |&unknown: &usize| covariance.entry(unknown, unknown).max(0.0).sqrt();
    let with_deviations = |all: &[usize]| all.iter().map(|one| (*one, deviation(one))).collect::<Vec<_>>();
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
pub(super) fn rounded(value: f64) -> f64 {
    // The sum with 0 is never −0.
    (value * UNITS).round() / UNITS + 0.0
}

/// The correlations of a kind of model, for the intervals of its predictions.
#[derive(Debug, Clone)]
pub(crate) struct ParameterErrors<'a> {
    correlations: Option<&'a Correlations>,
    names: CorrelatedNames,
    pairs: Pairs,
}

/// The parameters of one place in a sum: factor × half the width of the interval, in the order of names.
type Terms = Vec<f64>;

impl<'a> ParameterErrors<'a> {
    /// The errors of the parameters of a kind of model of n processors; without correlations they count as independent.
    pub(crate) fn new(kind: ModelKind, processors: usize, correlations: Option<&'a Correlations>) -> Self {
        Self { correlations, names: CorrelatedNames::of(kind), pairs: Pairs::of(processors) }
    }

    /// Returns half the width of the interval of a sum of parameters below and above its value; `None` if a parameter has no
    /// interval.
    ///
    /// It is the root of Σ_ab u_a·ρ_ab·u_b with u = factor × half the width of the parameter's interval. Where correlations are
    /// known the longer half counts, because intervals of delays are cut off at 0; elsewhere each side by itself.
    pub(crate) fn half_widths(&self, sum: &[Contribution]) -> Option<(f64, f64)> {
        let (mut below, mut above) = (0.0, 0.0);
        let mut cluster = vec![0.0; self.names.cluster.len()];
        let mut processors: BTreeMap<usize, Terms> = BTreeMap::new();
        let mut pairs: BTreeMap<usize, (usize, usize, Terms)> = BTreeMap::new();
        for Contribution { parameter, factor, estimate } in sum {
            let interval = estimate.interval?;
            let (down, up) = (factor * (estimate.value - interval.low), factor * (interval.high - estimate.value));
            let term = if down.abs() > up.abs() { down } else { up };
            let place = |names: &[&str]| names.iter().position(|name| *name == parameter.name);
            let zeros = |names: &[&str]| vec![0.0; names.len()];
            let is_correlated = self.correlations.is_some();
            match parameter.place {
                (None, None) if is_correlated && let Some(place) = place(&self.names.cluster) => cluster[place] += term,
                (Some(i), None) if is_correlated && let Some(place) = place(&self.names.processors) => {
                    processors.entry(i.index()).or_insert_with(|| zeros(&self.names.processors))[place] += term;
                }
                (Some(i), Some(j)) if is_correlated && let Some(place) = place(&self.names.pairs) => {
                    let empty = || (i.index(), j.index(), zeros(&self.names.pairs));
                    pairs.entry(self.pairs.index(i, j)).or_insert_with(empty).2[place] += term;
                }
                _ => {
                    // A negative factor exchanges the ends.
                    let (down, up) = if *factor < 0.0 { (up, down) } else { (down, up) };
                    below += down.powi(2);
                    above += up.powi(2);
                }
            }
        }
        let correlated = self.correlations.map_or(0.0, |all| self.squared(all, &cluster, processors, pairs));
        Some(((below + correlated).sqrt(), (above + correlated).sqrt()))
    }

    /// Returns Σ_ab u_a·ρ_ab·u_b. The error of a pair is a linear function of the errors of its processors and an independent
    /// rest.
    fn squared(
        &self,
        all: &Correlations,
        cluster: &Terms,
        mut processors: BTreeMap<usize, Terms>,
        pairs: BTreeMap<usize, (usize, usize, Terms)>,
    ) -> f64 {
        let mut squared = quadratic(&among(&all.cluster, cluster.len()), cluster);
        let (m, k) = (self.names.pairs.len(), self.names.processors.len());
        for (pair, (i, j, terms)) in pairs {
            let Some(kept) = all.pairs.get(pair) else { continue };
            let (rest, coefficients) = kept.split_at(CorrelatedNames::within_pair(m).min(kept.len()));
            let entry = |a: usize, b: usize| rest.get(CorrelatedNames::within_pair(a.max(b)) + a.min(b));
            let rest = DMatrix::from_fn(m, m, |a, b| entry(a, b).copied().unwrap_or(0.0));
            squared += quadratic(&rest, &terms).max(0.0);
            for (place, end) in [i, j].into_iter().enumerate().filter(|_| k > 0) {
                let sum = processors.entry(end).or_insert_with(|| vec![0.0; k]);
                for (q, sum) in sum.iter_mut().enumerate() {
                    let coefficient = |p: usize| coefficients.get(p * 2 * k + place * k + q).copied().unwrap_or(0.0);
                    *sum += (0..m).map(|p| terms[p] * coefficient(p)).sum::<f64>();
                }
            }
        }
        for (i, terms) in processors {
            squared += quadratic(&among(all.processors.get(i).map_or(&[], Vec::as_slice), k), &terms);
        }
        squared.max(0.0)
    }
}

/// The correlation matrix of m parameters from its entries below the diagonal; those that are missing are 0.
pub(super) fn among(entries: &[f64], m: usize) -> DMatrix<f64> {
    DMatrix::from_fn(m, m, |a, b| {
        if a == b { 1.0 } else { entries.get(CorrelatedNames::among(a.max(b)) + a.min(b)).copied().unwrap_or(0.0) }
    })
}

/// Returns uᵀ·R·u.
fn quadratic(matrix: &DMatrix<f64>, terms: &[f64]) -> f64 {
    let terms = DVector::from_column_slice(terms);
    (matrix * &terms).dot(&terms)
}
