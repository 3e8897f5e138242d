//! The HLMO model, LMO of a homogeneous cluster: T(m) = 2·C + L + m·(2·t + 1/β) for every pair of processors.

mod fit;
mod network;

pub use fit::fit;
pub use network::HlmoNetwork;

use crate::comm::thresholds::SlopeCorrection;
use crate::comm::{
    Estimated, EstimationOptions, FitError, FittedNetwork, Lmo, ModelDefinition, Observations, ParameterGroup,
    ParameterSet, ParameterSpec, PointToPoint, Shape, TypedParameters,
};
use crate::numeric::Estimate;
use crate::platform::PerPair;

/// Parameters of HLMO, the same for all processors and for all links.
///
/// T(m) = 2·C + L + m·(2·t + 1/β) seconds for m bytes. Source: reference of the CPM module `LMO`, functions `HLMO_…`.
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
        FittedNetwork::new(HlmoNetwork::new(processors, estimates.map(|estimate| estimate.value)), estimates.to_vec())
    }
}

/// The names of the parameters, in the order C, t, L, 1/β.
const NAMES: [&str; 4] = ["fixed_delay", "byte_delay", "link_latency", "link_byte_delay"];

impl TypedParameters for Hlmo {
    fn to_set(&self) -> ParameterSet {
        NAMES.into_iter().zip(self.estimates()).fold(ParameterSet::new(), |set, (name, one)| set.with(name, [one]))
    }

    fn from_set(parameters: &ParameterSet) -> Option<Self> {
        let [fixed_delay, byte_delay, link_latency, link_byte_delay] = NAMES.map(|name| parameters.one(name));
        Some(Self::from_estimates([fixed_delay?, byte_delay?, link_latency?, link_byte_delay?]))
    }
}

/// The registry entry of HLMO.
pub(super) struct Definition;

impl ModelDefinition for Definition {
    fn name(&self) -> &'static str {
        "hlmo"
    }

    fn formula(&self) -> &'static str {
        "2·C + L + m·(2·t + 1/β)"
    }

    fn about(&self) -> &'static str {
        "delays of a processor, latency and rate of a link"
    }

    fn groups(&self) -> &'static [ParameterGroup] {
        const GROUPS: [ParameterGroup; 1] = [ParameterGroup {
            table: "hlmo",
            family: "HLMO",
            rows: "all processors alike",
            shape: Shape::Cluster,
            parameters: &[
                ParameterSpec::seconds(NAMES[0]),
                ParameterSpec::seconds_per_byte(NAMES[1]).with_rate("rate"),
                ParameterSpec::seconds(NAMES[2]),
                ParameterSpec::seconds_per_byte(NAMES[3]).with_rate("link_rate"),
            ],
        }];
        &GROUPS
    }

    fn fit(&self, observations: &Observations, options: &EstimationOptions) -> Result<Estimated, FitError> {
        Ok(fit(observations, options.level)?.to_set().into())
    }

    fn network(&self, parameters: &ParameterSet, processors: usize) -> Option<Box<dyn PointToPoint>> {
        Some(Box::new(Hlmo::from_set(parameters)?.network(processors)))
    }

    fn slope_correction(&self) -> Option<SlopeCorrection> {
        Some(SlopeCorrection::Hlmo)
    }
}
