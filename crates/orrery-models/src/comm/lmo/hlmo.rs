use super::{Layout, LmoNetwork};
use crate::comm::{FittedNetwork, Lmo, ParameterSet, TypedParameters};
use orrery_base::numeric::Estimate;
use orrery_cluster::platform::PerPair;

/// The names of the parameters, in the order C, t, L, 1/β.
const NAMES: [&str; 4] = ["fixed_delay", "byte_delay", "link_latency", "link_byte_delay"];

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
    pub fn network(&self, processors: usize) -> FittedNetwork<LmoNetwork> {
        let [fixed_delay, byte_delay, link_latency, link_byte_delay] = self.estimates();
        let estimates = vec![fixed_delay, byte_delay, link_byte_delay, link_latency];
        LmoNetwork::fitted(Layout::of_equal(processors), estimates)
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
