//! The model `ports`, a bounded multi-port model with cut-through: T(i→j, m) = C_i + m·t_i + L_ij +
//! m·max(g_i, h_ij, g′_j)
//! + C_j + m·t_j.

mod capacities;
mod definition;
mod draws;
#[cfg(feature = "estimation")]
mod fit;
#[cfg(feature = "estimation")]
mod in_ports;
mod network;
mod platform;
#[cfg(feature = "estimation")]
mod size_law_fit;
#[cfg(feature = "estimation")]
mod start;
mod uplinks;

pub(crate) use capacities::Capacity;
pub(super) use definition::{FLOWS, PORTS};
#[cfg(feature = "estimation")]
pub(super) use fit::ESTIMATOR;
#[cfg(feature = "estimation")]
pub use fit::fit;
#[cfg(feature = "estimation")]
pub(crate) use fit::{are_uplinks_idle, correlated_fit_with_uplinks, values_with_uplinks};
pub use network::{Layout, PortsNetwork, ProtocolLimits};
pub use orrery_play::simulate::{SizeEffect, SizeLaw};
pub(crate) use platform::{bandwidth, shared_port, uplink};
pub use uplinks::Uplinks;

use crate::comm::{FittedNetwork, Index, ParameterSet, ParameterValues, TypedParameters};
use orrery_base::numeric::Estimate;
use orrery_base::units::Bytes;
use orrery_cluster::platform::{Hosts, LinkClass, PerPair, Processor};

/// Parameters of processors in messages within a host: n values each.
#[derive(Debug, Clone, PartialEq)]
pub struct WithinHost {
    /// C_i, fixed processing delay \[s\].
    pub fixed_delay: Vec<Estimate>,
    /// t_i, processing delay per byte \[s/B\].
    pub byte_delay: Vec<Estimate>,
    /// g_i, delay per byte of the memory of each processor \[s/B\].
    pub port_byte_delay: Vec<Estimate>,
    /// The hosts of the processors.
    pub hosts: Hosts,
}

/// Parameters of the model `ports` of n processors: delays of processors, capacities of their
/// ports, latencies of links, and the limits of single flows.
///
/// The processor, both ports and the link work on a message at the same time (cut-through), each at
/// its own rate. A port is shared by all messages through it. T(i→j, m) = C_i + m·t_i + L_ij +
/// m·max(g_i, h_ij, g′_j) + C_j + m·t_j seconds for a message of m bytes that is alone. Links are
/// alike in both directions.
///
/// Sources: Beaumont, Bonichon, Eyraud-Dubois, Uznanski, Agrawal, "Broadcasting on large scale
/// heterogeneous platforms under the bounded multi-port model" (IEEE TPDS 25, 2014), for ports of
/// bounded capacity; the delays of processors as in LMO.
#[derive(Debug, Clone, PartialEq)]
pub struct Ports {
    /// C_i, fixed processing delay of each processor \[s\]; n values.
    pub fixed_delay: Vec<Estimate>,
    /// t_i, processing delay per byte of each processor \[s/B\]; n values.
    pub byte_delay: Vec<Estimate>,
    /// g_i, delay per byte of each port \[s/B\], of the out-port if the in-port has its own; n
    /// values. 0 if no measured message was bound by it.
    pub port_byte_delay: Vec<Estimate>,
    /// g′_i, delay per byte of each in-port \[s/B\]; n values, or none if in-ports are like
    /// out-ports.
    pub in_port_byte_delay: Vec<Estimate>,
    /// d_i, delay per byte of messages in both directions, if they share a capacity that one
    /// direction does not reveal \[s/B\]: as large as g_i if the link is half duplex; 0 if messages
    /// in opposite directions do not delay each other; n values, or none if no processor is known
    /// to share. Only simulations of flows use it.
    pub both_ports_byte_delay: Vec<Estimate>,
    /// C_i, t_i and g_i of messages within a host, which pass memory and neither the ports nor the
    /// adapters of the network; `None` if they are those of messages across hosts.
    pub within_host: Option<WithinHost>,
    /// L_ij, latency of each link \[s\].
    pub link_latency: PerPair<Estimate>,
    /// h_ij, delay per byte of a flow alone \[s/B\] where it is slower than both ports; elsewhere 0.
    pub flow_byte_delay: PerPair<Estimate>,
    /// e(m) and a(m): the effective size, which takes the place of m, and what is added to L_ij,
    /// where protocols change with the size.
    pub size_law: SizeLaw,
    /// s_G, the links that groups of processors share.
    pub uplinks: Uplinks,
    /// The size of the largest eager message \[B\]: larger ones wait until their receive is posted
    /// (rendezvous). `None` if it is not known; all messages are then eager.
    pub eager_limit: Option<Estimate>,
    /// The size of the largest message beyond the eager limit whose send completes while the
    /// message is under way, as libraries and systems buffer it \[B\]: sends of larger ones hold
    /// their rank until the message has arrived. `None` if no send is known to do so.
    pub buffered_limit: Option<Estimate>,
    /// Q, the most data in an out-port that is ahead of the handshake of a message beyond the eager
    /// limit \[B\], as large as the queue of a host: the handshake waits until this data has left.
    /// `None` if it was not measured; no handshake waits then.
    pub queue: Option<Estimate>,
}

impl Ports {
    /// Returns the number of processors of the model.
    pub fn processors(&self) -> usize {
        self.fixed_delay.len()
    }

    /// All estimates of the network: in the order of the [`Layout`], then those of the uplinks.
    pub fn estimates(&self) -> Vec<Estimate> {
        let pairs = [self.flow_byte_delay.values(), self.link_latency.values()].concat();
        let processors = [&self.fixed_delay[..], &self.byte_delay, &self.port_byte_delay];
        let within_host = self.within_host.iter().flat_map(WithinHost::estimates);
        [
            &processors.concat()[..],
            &pairs,
            &self.in_port_byte_delay,
            &within_host.flatten().copied().collect::<Vec<_>>(),
            self.uplinks.byte_delay(),
        ]
        .concat()
    }

    /// The parameters of messages between two processors of one host, if they differ from those
    /// across hosts.
    pub(crate) fn between(&self, a: Processor, b: Processor) -> Option<&WithinHost> {
        let class = |within: &&WithinHost| within.hosts.class(a, b) == Some(LinkClass::WithinHost);
        self.within_host.as_ref().filter(class)
    }

    /// The delay per byte of the in-port of a processor.
    pub fn in_port(&self, processor: usize) -> Estimate {
        self.in_port_byte_delay.get(processor).copied().unwrap_or(self.port_byte_delay[processor])
    }

    /// The numbering of the parameters.
    fn layout(&self) -> Layout {
        let layout = Layout::new(self.processors());
        let layout =
            if self.in_port_byte_delay.is_empty() { layout } else { layout.with_in_ports() };
        if self.within_host.is_some() { layout.with_within_host() } else { layout }
    }

    /// The hosts of the processors, if messages within a host have parameters of their own.
    fn hosts(&self) -> Hosts {
        self.within_host.as_ref().map(|within| within.hosts.clone()).unwrap_or_default()
    }

    /// The model as a network for the engine.
    pub fn network(&self) -> FittedNetwork<PortsNetwork> {
        let estimates = self.estimates();
        let layout = self.layout();
        let values = estimates[..layout.count()].iter().map(|estimate| estimate.value).collect();
        let network = PortsNetwork::new(layout, values).with_limits(self.limits());
        let network = network.with_queue(self.queue_bytes()).with_hosts(self.hosts());
        let network =
            network.with_size_law(self.size_law.clone()).with_uplinks(self.uplinks.clone());
        FittedNetwork::new(network, estimates)
    }

    /// The size of the largest eager message; `None` if no limit is known.
    pub fn largest_eager(&self) -> Option<Bytes> {
        self.limits().eager
    }

    /// The limits of protocols.
    pub fn limits(&self) -> ProtocolLimits {
        let bytes = |limit: Option<Estimate>| limit.map(|limit| Bytes::new(limit.value as u64));
        ProtocolLimits { eager: bytes(self.eager_limit), buffered: bytes(self.buffered_limit) }
    }

    /// The data ahead of a handshake \[B\]; 0 if it is not known.
    pub fn queue_bytes(&self) -> f64 {
        self.queue.map_or(0.0, |queue| queue.value)
    }

    /// Returns the model whose parameter of each number in the [`Layout`] has this estimate.
    fn from_layout(
        layout: Layout,
        hosts: &Hosts,
        size_law: SizeLaw,
        estimate: impl Fn(usize) -> Estimate,
    ) -> Self {
        let processors =
            |first: usize| (first..first + layout.processors()).map(&estimate).collect();
        let pairs = |first: usize| {
            let values = (first..first + layout.pairs().count()).map(&estimate).collect();
            PerPair::new(layout.processors(), values)
                .unwrap_or_else(|| unreachable!("a value for each pair"))
        };
        Self {
            fixed_delay: processors(layout.fixed_delay(0)),
            byte_delay: processors(layout.byte_delay(0)),
            port_byte_delay: processors(layout.port_byte_delay(0)),
            in_port_byte_delay: if layout.has_in_ports() {
                processors(layout.in_port_byte_delay(0))
            } else {
                Vec::new()
            },
            both_ports_byte_delay: Vec::new(),
            within_host: layout.has_within_host().then(|| {
                let [fixed_delay, byte_delay, port_byte_delay] =
                    layout.of_processor(0, true).map(processors);
                WithinHost { fixed_delay, byte_delay, port_byte_delay, hosts: hosts.clone() }
            }),
            link_latency: pairs(layout.link_latency(0)),
            flow_byte_delay: pairs(layout.flow_byte_delay(0)),
            size_law,
            uplinks: Uplinks::default(),
            eager_limit: None,
            buffered_limit: None,
            queue: None,
        }
    }
}

/// The names of the parameters, in the order of the [`Layout`].
const NAMES: [&str; 5] =
    ["fixed_delay", "byte_delay", "port_byte_delay", "flow_byte_delay", "link_latency"];

/// The names of the optional parameters of messages within a host, in the order of the [`Layout`].
const WITHIN_HOST_NAMES: [&str; 3] =
    ["within_host.fixed_delay", "within_host.byte_delay", "within_host.port_byte_delay"];

impl WithinHost {
    /// The estimates, in the order of the [`Layout`].
    fn estimates(&self) -> [&Vec<Estimate>; 3] {
        [&self.fixed_delay, &self.byte_delay, &self.port_byte_delay]
    }

    /// The parameters in a model file, on hosts that are not known; `None` without them.
    fn from_set(parameters: &ParameterSet) -> Option<Self> {
        let [fixed_delay, byte_delay, port_byte_delay] =
            WITHIN_HOST_NAMES.map(|name| parameters.estimates(name).to_vec());
        let own = Self { fixed_delay, byte_delay, port_byte_delay, hosts: Hosts::default() };
        own.estimates().iter().all(|values| !values.is_empty()).then_some(own)
    }
}

/// The name of the optional delays per byte of in-ports.
const IN_PORT: &str = "in_port_byte_delay";
/// The name of the optional delays per byte of what both ports of a processor share.
const BOTH_PORTS: &str = "both_ports_byte_delay";

/// The name of the optional effective sizes.
const EFFECTIVE_SIZE: &str = "size_law.effective";
/// The name of the optional additional latencies.
const FIXED_TIME: &str = "size_law.fixed";

/// The name of the optional delays per byte of shared links.
const UPLINKS: &str = "shared_links.byte_delay";

/// The name of the optional size of the largest eager message.
const EAGER_LIMIT: &str = "eager_limit";

/// The name of the optional size of the largest message whose send completes while it is under way.
const BUFFERED_LIMIT: &str = "buffered_limit";

/// The name of the optional Q, the bytes in an out-port that the handshake of a message beyond the
/// eager limit waits for.
const QUEUE: &str = "queue";

impl TypedParameters for Ports {
    fn to_set(&self) -> ParameterSet {
        let values = [
            &self.fixed_delay[..],
            &self.byte_delay,
            &self.port_byte_delay,
            self.flow_byte_delay.values(),
            self.link_latency.values(),
        ];
        let set = NAMES
            .into_iter()
            .zip(values)
            .fold(ParameterSet::new(), |set, (name, values)| set.with(name, values));
        let optional =
            [(IN_PORT, &self.in_port_byte_delay), (BOTH_PORTS, &self.both_ports_byte_delay)];
        let within_host = self.within_host.iter().flat_map(WithinHost::estimates);
        let optional = optional.into_iter().chain(WITHIN_HOST_NAMES.into_iter().zip(within_host));
        let present = optional.filter(|(_, values)| !values.is_empty());
        let set = present.fold(set, |set, (name, values)| set.with(name, values.clone()));
        let set = match law_values(&self.size_law) {
            Some((sizes, [effective, latency])) => set
                .with_index(EFFECTIVE_SIZE, sizes.clone(), effective)
                .with_index(FIXED_TIME, sizes, latency),
            None => set,
        };
        let set = match self.uplinks.to_values() {
            Some((groups, byte_delay)) => set.with_index(UPLINKS, groups, byte_delay),
            None => set,
        };
        let of_cluster = [
            (EAGER_LIMIT, self.eager_limit),
            (BUFFERED_LIMIT, self.buffered_limit),
            (QUEUE, self.queue),
        ];
        let known = of_cluster.into_iter().filter_map(|(name, value)| Some((name, value?)));
        known.fold(set, |set, (name, value)| set.with(name, [value]))
    }

    fn from_set(parameters: &ParameterSet) -> Option<Self> {
        let [fixed_delay, byte_delay, port_byte_delay, flow, latency] =
            NAMES.map(|name| parameters.estimates(name).to_vec());
        let n = fixed_delay.len();
        let [in_port_byte_delay, both_ports_byte_delay] =
            [IN_PORT, BOTH_PORTS].map(|name| parameters.estimates(name).to_vec());
        let (link_latency, flow_byte_delay) = (PerPair::new(n, latency)?, PerPair::new(n, flow)?);
        let size_law = match (parameters.get(EFFECTIVE_SIZE), parameters.get(FIXED_TIME)) {
            (Some(effective), Some(latency)) => law_from_values(effective, latency)?,
            _ => SizeLaw::default(),
        };
        let uplinks =
            parameters.get(UPLINKS).map_or(Some(Uplinks::default()), Uplinks::from_values)?;
        let is_optional = |values: &[Estimate]| values.is_empty() || values.len() == n;
        let are_whole = byte_delay.len() == n && port_byte_delay.len() == n;
        let within_host = WithinHost::from_set(parameters);
        let is_whole_within =
            |own: &WithinHost| own.estimates().iter().all(|values| values.len() == n);
        let are_whole = are_whole && within_host.as_ref().is_none_or(is_whole_within);
        let is_whole =
            are_whole && is_optional(&in_port_byte_delay) && is_optional(&both_ports_byte_delay);
        is_whole.then_some(Self {
            fixed_delay,
            byte_delay,
            port_byte_delay,
            in_port_byte_delay,
            both_ports_byte_delay,
            within_host,
            link_latency,
            flow_byte_delay,
            size_law,
            uplinks,
            eager_limit: parameters.one(EAGER_LIMIT),
            buffered_limit: parameters.one(BUFFERED_LIMIT),
            queue: parameters.one(QUEUE),
        })
    }

    fn on_hosts(self, hosts: &[String]) -> Self {
        let within_host =
            self.within_host.map(|own| WithinHost { hosts: Hosts::new(hosts), ..own });
        Self { within_host, ..self }
    }
}

/// The size law of the parameters in a model file; `None` if both are not known at the same sizes,
/// or if the law is not valid.
fn law_from_values(effective: &ParameterValues, fixed: &ParameterValues) -> Option<SizeLaw> {
    let (Index::Sizes(sizes), Index::Sizes(others)) = (&effective.index, &fixed.index) else {
        return None;
    };
    let values = effective.estimates.iter().zip(&fixed.estimates);
    let effects = sizes.iter().zip(values).map(|(&size, (effective, fixed))| SizeEffect {
        size,
        effective: effective.value,
        fixed: fixed.value,
    });
    (sizes == others).then(|| SizeLaw::new(effects.collect())).flatten()
}

/// The parameters in a model file: sizes, effective sizes and fixed times; `None` for a linear law.
fn law_values(law: &SizeLaw) -> Option<(Index, [Vec<Estimate>; 2])> {
    let values = |of: fn(&SizeEffect) -> f64| {
        law.effects().iter().map(|one| Estimate::exact(of(one))).collect()
    };
    let sizes = Index::Sizes(law.effects().iter().map(|one| one.size).collect());
    (!law.is_linear()).then(|| (sizes, [values(|one| one.effective), values(|one| one.fixed)]))
}
