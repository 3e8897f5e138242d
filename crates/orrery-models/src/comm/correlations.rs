//! Correlations of the errors of estimated parameters, and the errors of sums of parameters.

use std::collections::BTreeMap;

use super::{Contribution, ModelKind, ParameterSpec, Shape, WITHIN_HOST};
use orrery_base::numeric::SymmetricMatrix;
use orrery_cluster::platform::Pairs;

/// The correlations of the errors of the parameters of a model, as far as they are kept.
///
/// Kept are the correlations among the parameters of the whole cluster, and among those of each
/// processor; and for each pair the dependence of its parameters on those of its two processors,
/// with the covariance of what is independent of them. Processors count as independent, and pairs
/// as independent given their processors. All errors are in units of their standard deviations. The
/// parameters of a place are ordered by name.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Correlations {
    /// The correlations among the parameters of the cluster: 1-0, 2-0, 2-1, …; empty if there are
    /// none.
    pub cluster: Vec<f64>,
    /// The same for the parameters of each processor.
    pub processors: Vec<Vec<f64>>,
    /// For the parameters of each pair: the covariance of their independent parts, 0-0, 1-0, 1-1,
    /// …, then for each the coefficients of the parameters of both processors.
    pub pairs: Vec<Vec<f64>>,
}

/// The names of the parameters of each kind of place, ascending.
#[derive(Debug, Clone, Default)]
pub struct CorrelatedNames {
    pub(crate) cluster: Vec<&'static str>,
    pub(crate) processors: Vec<&'static str>,
    pub(crate) pairs: Vec<&'static str>,
}

impl CorrelatedNames {
    /// The names of the parameters of a kind of model; errors of optional ones count as
    /// independent.
    pub(crate) fn of(kind: ModelKind) -> Self {
        let names = |wanted: Shape| {
            let optional = kind.stored_as().definition().optional;
            let is_optional = |spec: &ParameterSpec| {
                optional.contains(&spec.name) || spec.object() == Some(WITHIN_HOST)
            };
            let is_meant =
                |(shape, spec): &(Shape, &ParameterSpec)| *shape == wanted && !is_optional(spec);
            let parameters = kind.stored_as().parameters().filter(is_meant);
            let mut names: Vec<&'static str> = parameters.map(|(_, spec)| spec.key()).collect();
            names.sort_unstable();
            names
        };
        let [cluster, processors, pairs] =
            [Shape::Cluster, Shape::Processors, Shape::Pairs].map(names);
        Self { cluster, processors, pairs }
    }

    /// The number of correlations among m parameters.
    pub(crate) const fn among(m: usize) -> usize {
        m * m.saturating_sub(1) / 2
    }

    /// The number of variances and covariances among `m` parameters of a pair.
    pub(crate) const fn within_pair(m: usize) -> usize {
        m * (m + 1) / 2
    }

    /// The number of values that are kept for each pair.
    pub(crate) fn of_pair(&self) -> usize {
        Self::within_pair(self.pairs.len()) + 2 * self.pairs.len() * self.processors.len()
    }
}

impl Correlations {
    /// Returns true if there are none.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

/// The correlations of a kind of model, for the intervals of its predictions.
#[derive(Debug, Clone)]
pub struct ParameterErrors<'a> {
    correlations: Option<&'a Correlations>,
    names: CorrelatedNames,
    pairs: Pairs,
}

/// The terms of a sum for the parameters of one place, in the order of names: factor × half the
/// width of the parameter's interval.
type Terms = Vec<f64>;

impl<'a> ParameterErrors<'a> {
    /// The errors of the parameters of a kind of model of n processors; without correlations they
    /// count as independent.
    pub(crate) fn new(
        kind: ModelKind,
        processors: usize,
        correlations: Option<&'a Correlations>,
    ) -> Self {
        Self { correlations, names: CorrelatedNames::of(kind), pairs: Pairs::of(processors) }
    }

    /// Returns half the width of the interval of a sum of parameters below and above its value;
    /// `None` if a parameter has no interval.
    ///
    /// It is the root of Σ_ab u_a·ρ_ab·u_b with u = factor × half the width of the parameter's
    /// interval. Where correlations are known the longer half counts, because intervals of delays
    /// are cut off at 0; elsewhere each side by itself.
    pub fn half_widths(&self, sum: &[Contribution]) -> Option<(f64, f64)> {
        let (mut below, mut above) = (0.0, 0.0);
        let mut cluster = vec![0.0; self.names.cluster.len()];
        let mut processors: BTreeMap<usize, Terms> = BTreeMap::new();
        let mut pairs: BTreeMap<usize, (usize, usize, Terms)> = BTreeMap::new();
        for Contribution { parameter, factor, estimate } in sum {
            let interval = estimate.interval?;
            let (down, up) = (
                factor * (estimate.value - interval.low),
                factor * (interval.high - estimate.value),
            );
            let term = if down.abs() > up.abs() { down } else { up };
            let place = |names: &[&str]| names.iter().position(|name| *name == parameter.name);
            let zeros = |names: &[&str]| vec![0.0; names.len()];
            let is_correlated = self.correlations.is_some();
            match parameter.place {
                (None, None) if is_correlated && let Some(place) = place(&self.names.cluster) => {
                    cluster[place] += term;
                }
                (Some(i), None)
                    if is_correlated && let Some(place) = place(&self.names.processors) =>
                {
                    processors.entry(i.index()).or_insert_with(|| zeros(&self.names.processors))
                        [place] += term;
                }
                (Some(i), Some(j))
                    if is_correlated && let Some(place) = place(&self.names.pairs) =>
                {
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
        let correlated =
            self.correlations.map_or(0.0, |all| self.squared(all, &cluster, processors, pairs));
        Some(((below + correlated).sqrt(), (above + correlated).sqrt()))
    }

    /// Returns Σ_ab u_a·ρ_ab·u_b, the square of half the width of a sum with the terms u of the
    /// cluster, of processors by index, and of pairs by index, each with its two processors. The
    /// error of a pair is a linear function of the errors of its processors and an independent
    /// rest.
    fn squared(
        &self,
        all: &Correlations,
        cluster: &Terms,
        mut processors: BTreeMap<usize, Terms>,
        pairs: BTreeMap<usize, (usize, usize, Terms)>,
    ) -> f64 {
        let mut squared = among(&all.cluster, cluster.len()).quadratic(cluster);
        let (m, k) = (self.names.pairs.len(), self.names.processors.len());
        for (pair, (i, j, terms)) in pairs {
            let Some(kept) = all.pairs.get(pair) else { continue };
            let (rest, coefficients) =
                kept.split_at(CorrelatedNames::within_pair(m).min(kept.len()));
            let entry = |a: usize, b: usize| {
                rest.get(CorrelatedNames::within_pair(a) + b).copied().unwrap_or(0.0)
            };
            squared += SymmetricMatrix::from_lower(m, entry).quadratic(&terms).max(0.0);
            for (place, end) in [i, j].into_iter().enumerate().filter(|_| k > 0) {
                let sum = processors.entry(end).or_insert_with(|| vec![0.0; k]);
                for (q, sum) in sum.iter_mut().enumerate() {
                    let coefficient = |p: usize| {
                        coefficients.get(p * 2 * k + place * k + q).copied().unwrap_or(0.0)
                    };
                    *sum += (0..m).map(|p| terms[p] * coefficient(p)).sum::<f64>();
                }
            }
        }
        for (i, terms) in processors {
            squared += among(all.processors.get(i).map_or(&[], Vec::as_slice), k).quadratic(&terms);
        }
        squared.max(0.0)
    }
}

/// The correlation matrix of m parameters from its entries below the diagonal; those that are
/// missing are 0.
pub(super) fn among(entries: &[f64], m: usize) -> SymmetricMatrix {
    SymmetricMatrix::from_lower(m, |a, b| {
        if a == b {
            1.0
        } else {
            entries.get(CorrelatedNames::among(a) + b).copied().unwrap_or(0.0)
        }
    })
}
