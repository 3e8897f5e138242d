//! The HLMO model, LMO of a homogeneous cluster: T(m) = 2·C + L + m·(2·t + 1/β) for every pair of
//! processors.

mod definition;
#[cfg(feature = "estimation")]
mod estimator;
#[cfg(feature = "estimation")]
mod fit;
mod network;

pub(super) use definition::Definition;
#[cfg(feature = "estimation")]
pub use fit::fit;
pub use network::HlmoNetwork;
use network::NAMES;

use crate::comm::{FittedNetwork, Lmo, ParameterSet, TypedParameters};
use crate::numeric::Estimate;
use crate::platform::PerPair;

/// Parameters of HLMO, the same for all processors and for all links.
///
/// T(m) = 2·C + L + m·(2·t + 1/β) seconds for m bytes. Source: reference of the CPM module `LMO`,
/// functions `HLMO_…`.
#[derive(Debug, Clone, PartialEq)]
pub struct Hlmo {
    /// C, fixed processing delay \[s\].
    pub fixed_delay: Estimate,
    /// t, processing delay per byte \[s/B\].
    pub byte_delay: Estimate,
    /// L, latency of a link \[s\].
    pub link_latency: Estimate,
    /// 1/β, delay per byte of a link \[s/B\].
    pub link_byte_delay: Estimate,
}

impl Hlmo {
    /// All estimates in the order C, t, L, 1/β.
    pub fn estimates(&self) -> [Estimate; 4] {
        [self.fixed_delay, self.byte_delay, self.link_latency, self.link_byte_delay]
    }

    /// The model of these estimates, in the same order.
    pub const fn from_estimates(estimates: [Estimate; 4]) -> Self {
        let [fixed_delay, byte_delay, link_latency, link_byte_delay] = estimates;
        Self { fixed_delay, byte_delay, link_latency, link_byte_delay }
    }

    /// Returns LMO with this number of processors, all with equal parameters.
    pub fn as_lmo(&self, processors: usize) -> Lmo {
        Lmo {
            fixed_delay: vec![self.fixed_delay; processors],
            byte_delay: vec![self.byte_delay; processors],
            link_latency: Some(PerPair::from_fn(processors, |_, _| self.link_latency)),
            link_byte_delay: PerPair::from_fn(processors, |_, _| self.link_byte_delay),
        }
    }

    /// Returns the model as a network of this number of processors for the engine.
    pub fn network(&self, processors: usize) -> FittedNetwork<HlmoNetwork> {
        let estimates = self.estimates();
        FittedNetwork::new(
            HlmoNetwork::new(processors, estimates.map(|estimate| estimate.value)),
            estimates.to_vec(),
        )
    }
}

impl TypedParameters for Hlmo {
    fn to_set(&self) -> ParameterSet {
        NAMES
            .into_iter()
            .zip(self.estimates())
            .fold(ParameterSet::new(), |set, (name, one)| set.with(name, [one]))
    }

    fn from_set(parameters: &ParameterSet) -> Option<Self> {
        let [fixed_delay, byte_delay, link_latency, link_byte_delay] =
            NAMES.map(|name| parameters.one(name));
        Some(Self::from_estimates([fixed_delay?, byte_delay?, link_latency?, link_byte_delay?]))
    }
}
