//! The Hockney model: T(i→j, m) = α_ij + β_ij·m.

mod classes;
mod definition;
#[cfg(feature = "estimation")]
mod estimator;
#[cfg(feature = "estimation")]
mod fit;
mod network;

pub use classes::ClassMean;
pub(super) use definition::{HOCKNEY, MEAN};
#[cfg(feature = "estimation")]
pub(super) use estimator::ESTIMATOR;
#[cfg(feature = "estimation")]
pub use fit::{HockneyEstimator, fit};
pub use network::HockneyNetwork;

use crate::comm::{FittedNetwork, ParameterSet, TypedParameters};
use orrery_base::numeric::Estimate;
use orrery_cluster::platform::PerPair;

/// Parameters of the Hockney model of n processors: for each pair, and the mean over the pairs.
///
/// T(i→j, m) = α_ij + β_ij·m seconds for m bytes.
///
/// Source: Hockney, "The communication challenge for MPP: Intel Paragon and Meiko CS-2", Parallel
/// Computing 20 (1994).
#[derive(Debug, Clone, PartialEq)]
pub struct Hockney {
    /// α_ij, latency of each pair \[s\].
    pub latency: PerPair<Estimate>,
    /// β_ij, delay per byte of each pair \[s/B\].
    pub byte_delay: PerPair<Estimate>,
    /// Mean of α over the pairs \[s\].
    pub mean_latency: Estimate,
    /// Mean of β over the pairs \[s/B\].
    pub mean_byte_delay: Estimate,
}

impl Hockney {
    /// Returns the number of processors of the model.
    pub fn processors(&self) -> usize {
        self.latency.pairs().processors()
    }

    /// The model with its parameters for each pair as a network for the engine.
    pub fn network(&self) -> FittedNetwork<HockneyNetwork> {
        fitted(self.processors(), self.latency.values(), self.byte_delay.values())
    }

    /// The model with the mean parameters for every pair as a network for the engine.
    pub fn mean_network(&self) -> FittedNetwork<HockneyNetwork> {
        fitted(self.processors(), &[self.mean_latency], &[self.mean_byte_delay])
    }
}

/// Returns the network with these estimates, one for each pair or one for all pairs.
fn fitted(
    processors: usize,
    latency: &[Estimate],
    byte_delay: &[Estimate],
) -> FittedNetwork<HockneyNetwork> {
    let values = |estimates: &[Estimate]| {
        estimates.iter().map(|estimate| estimate.value).collect::<Vec<_>>()
    };
    let network = HockneyNetwork::new(processors, &values(latency), &values(byte_delay));
    FittedNetwork::new(network, [latency, byte_delay].concat())
}

impl TypedParameters for Hockney {
    fn to_set(&self) -> ParameterSet {
        ParameterSet::new()
            .with("mean.latency", [self.mean_latency])
            .with("mean.byte_delay", [self.mean_byte_delay])
            .with("latency", self.latency.values())
            .with("byte_delay", self.byte_delay.values())
    }

    fn from_set(parameters: &ParameterSet) -> Option<Self> {
        Some(Self {
            latency: PerPair::packed(parameters.estimates("latency").to_vec())?,
            byte_delay: PerPair::packed(parameters.estimates("byte_delay").to_vec())?,
            mean_latency: parameters.one("mean.latency")?,
            mean_byte_delay: parameters.one("mean.byte_delay")?,
        })
    }
}
