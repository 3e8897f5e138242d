//! The model `ports`, a bounded multi-port model with cut-through: T(i→j, m) = C_i + m·t_i + L_ij + m·max(g_i, h_ij, g_j)
//! + C_j + m·t_j.

mod definition;
mod fit;
mod network;
mod platform;
mod start;

pub(super) use definition::{Definition, FlowsDefinition};
pub use fit::fit;
pub use network::{Layout, PortsNetwork};

use crate::comm::{FittedNetwork, ParameterSet, TypedParameters};
use crate::numeric::Estimate;
use crate::platform::PerPair;

/// Parameters of the model `ports` of n processors: delays of processors, capacities of their ports, latencies of links, and
/// the limits of single flows.
///
/// The processor, both ports and the link work on a message at the same time (cut-through), each at its own rate. A port is
/// shared by all messages through it. T(i→j, m) = C_i + m·t_i + L_ij + m·max(g_i, h_ij, g_j) + C_j + m·t_j seconds for a
/// message of m bytes that is alone. Links are alike in both directions, as are the two ports of a processor.
///
/// Sources: Beaumont, Bonichon, Eyraud-Dubois, Uznanski, Agrawal, "Broadcasting on large scale heterogeneous platforms under
/// the bounded multi-port model" (IEEE TPDS 25, 2014), for ports of bounded capacity; the delays of processors as in LMO.
#[derive(Debug, Clone, PartialEq)]
pub struct Ports {
    /// C_i, fixed processing delay of each processor \[s\]; n values.
    pub fixed_delay: Vec<Estimate>,
    /// t_i, processing delay per byte of each processor \[s/B\]; n values.
    pub byte_delay: Vec<Estimate>,
    /// g_i, delay per byte of each port \[s/B\]; n values. 0 if no measured message was bound by it.
    pub port_byte_delay: Vec<Estimate>,
    /// L_ij, latency of each link \[s\].
    pub link_latency: PerPair<Estimate>,
    /// h_ij, delay per byte of a flow alone \[s/B\] where it is slower than both ports; elsewhere 0.
    pub flow_byte_delay: PerPair<Estimate>,
}

impl Ports {
    /// Returns the number of processors of the model.
    pub fn processors(&self) -> usize {
        self.fixed_delay.len()
    }

    /// All estimates in the order of the [`Layout`].
    pub fn estimates(&self) -> Vec<Estimate> {
        let pairs = [self.flow_byte_delay.values(), self.link_latency.values()].concat();
        [&self.fixed_delay, &self.byte_delay, &self.port_byte_delay, &pairs[..]].concat()
    }

    /// The model as a network for the engine.
    pub fn network(&self) -> FittedNetwork<PortsNetwork> {
        let estimates = self.estimates();
        let values = estimates.iter().map(|estimate| estimate.value).collect();
        FittedNetwork::new(PortsNetwork::new(Layout::new(self.processors()), values), estimates)
    }

    /// Returns the model whose parameter of each number in the [`Layout`] has this estimate.
    fn from_layout(layout: Layout, estimate: impl Fn(usize) -> Estimate) -> Self {
        let processors = |first: usize| (first..first + layout.processors()).map(&estimate).collect();
        let pairs = |first: usize| {
            let values = (first..first + layout.pairs().count()).map(&estimate).collect();
            PerPair::new(layout.processors(), values).unwrap_or_else(|| unreachable!("a value for each pair"))
        };
        Self {
            fixed_delay: processors(layout.fixed_delay(0)),
            byte_delay: processors(layout.byte_delay(0)),
            port_byte_delay: processors(layout.port_byte_delay(0)),
            link_latency: pairs(layout.link_latency(0)),
            flow_byte_delay: pairs(layout.flow_byte_delay(0)),
        }
    }
}

/// The names of the parameters, in the order of the [`Layout`].
const NAMES: [&str; 5] = ["fixed_delay", "byte_delay", "port_byte_delay", "flow_byte_delay", "link_latency"];

impl TypedParameters for Ports {
    fn to_set(&self) -> ParameterSet {
        let values = [
            &self.fixed_delay[..],
            &self.byte_delay,
            &self.port_byte_delay,
            self.flow_byte_delay.values(),
            self.link_latency.values(),
        ];
        NAMES.into_iter().zip(values).fold(ParameterSet::new(), |set, (name, values)| set.with(name, values))
    }

    fn from_set(parameters: &ParameterSet) -> Option<Self> {
        let [fixed_delay, byte_delay, port_byte_delay, flow, latency] =
            NAMES.map(|name| parameters.estimates(name).to_vec());
        let n = fixed_delay.len();
        let (link_latency, flow_byte_delay) = (PerPair::new(n, latency)?, PerPair::new(n, flow)?);
        let model = Self { fixed_delay, byte_delay, port_byte_delay, link_latency, flow_byte_delay };
        (model.byte_delay.len() == n && model.port_byte_delay.len() == n).then_some(model)
    }
}
