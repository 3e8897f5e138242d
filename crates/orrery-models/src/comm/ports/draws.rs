//! Draws of parameters from the distribution of their errors.

use rand::rngs::ChaCha8Rng;
use rand_distr::{Distribution, StandardNormal};

use super::Ports;
use crate::comm::Correlations;
use crate::comm::correlations::{CorrelatedNames, among};
use orrery_base::numeric::{Estimate, SymmetricMatrix};
use orrery_cluster::platform::{Pairs, PerPair};

/// The largest number of draws until all parameters of a processor or a pair are positive; those
/// that are not then count as 0.
const MAX_ATTEMPTS: usize = 32;

/// Draws errors, in units of standard deviations, until no value is negative: the true values are
/// not.
///
/// `error` returns the errors of all estimates; values are those with the last errors, not below 0.
fn truncated(
    estimates: &[Estimate],
    mut error: impl FnMut() -> Vec<f64>,
) -> (Vec<Estimate>, Vec<f64>) {
    let mut errors = error();
    let value = |estimate: &Estimate, error: f64| estimate.value + error * estimate.deviation();
    for _ in 1..MAX_ATTEMPTS {
        if estimates.iter().zip(&errors).all(|(estimate, &error)| value(estimate, error) >= 0.0) {
            break;
        }
        errors = error();
    }
    let drawn = estimates
        .iter()
        .zip(&errors)
        .map(|(one, &error)| Estimate::exact(value(one, error).max(0.0)));
    (drawn.collect(), errors)
}

/// Independent standard normal numbers.
fn normal(count: usize, rng: &mut ChaCha8Rng) -> Vec<f64> {
    StandardNormal.sample_iter(rng).take(count).collect()
}

impl Ports {
    /// A draw of the parameters from the distribution of their errors. Shared links, effective
    /// sizes, the eager limit and the queue keep their values.
    pub(crate) fn drawn(&self, correlations: &Correlations, rng: &mut ChaCha8Rng) -> Self {
        let mut drawn = self.clone();
        let mut errors = Vec::new();
        // The parameters of a place are ordered by name.
        for one in 0..self.processors() {
            let estimates =
                [self.byte_delay[one], self.fixed_delay[one], self.port_byte_delay[one]];
            let root =
                among(correlations.processors.get(one).map_or(&[], Vec::as_slice), estimates.len())
                    .root();
            let (values, of_processor) =
                truncated(&estimates, || root.times(&normal(estimates.len(), rng)));
            (drawn.byte_delay[one], drawn.fixed_delay[one], drawn.port_byte_delay[one]) =
                (values[0], values[1], values[2]);
            errors.push(of_processor);
        }
        let (mut flows, mut latencies) = (Vec::new(), Vec::new());
        for (pair, (i, j)) in Pairs::of(self.processors()).iter().enumerate() {
            let estimates = [*self.flow_byte_delay.get(i, j), *self.link_latency.get(i, j)];
            let m = estimates.len();
            let kept = correlations.pairs.get(pair).map_or(&[][..], Vec::as_slice);
            let (rest, coefficients) =
                kept.split_at(CorrelatedNames::within_pair(m).min(kept.len()));
            let root = SymmetricMatrix::from_lower(m, |a, b| {
                let independent = if a == b { 1.0 } else { 0.0 };
                rest.get(CorrelatedNames::within_pair(a) + b).copied().unwrap_or(independent)
            })
            .root();
            let ends: Vec<f64> =
                errors[i.index()].iter().chain(&errors[j.index()]).copied().collect();
            let dependent = |p: usize| -> f64 {
                let of_ends = coefficients.iter().skip(p * ends.len()).zip(&ends);
                of_ends.map(|(coefficient, error)| coefficient * error).sum()
            };
            let (values, _) = truncated(&estimates, || {
                let independent = root.times(&normal(m, rng));
                independent.iter().enumerate().map(|(p, error)| dependent(p) + error).collect()
            });
            flows.push(values[0]);
            latencies.push(values[1]);
        }
        let n = self.processors();
        drawn.flow_byte_delay = PerPair::new(n, flows).unwrap_or(drawn.flow_byte_delay);
        drawn.link_latency = PerPair::new(n, latencies).unwrap_or(drawn.link_latency);
        let optional = [&mut drawn.in_port_byte_delay, &mut drawn.both_ports_byte_delay];
        let within_host = drawn
            .within_host
            .iter_mut()
            .flat_map(|own| [&mut own.fixed_delay, &mut own.byte_delay, &mut own.port_byte_delay]);
        for optional in optional.into_iter().chain(within_host) {
            for one in optional.iter_mut() {
                *one = truncated(&[*one], || normal(1, rng)).0[0];
            }
        }
        drawn
    }
}
