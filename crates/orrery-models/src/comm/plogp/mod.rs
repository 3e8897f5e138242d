//! The PLogP model: T(m) = L + g(m) for every pair of processors, with overheads and gap as
//! functions of the size.

#[cfg(feature = "estimation")]
mod fit;
mod network;
mod switches;

#[cfg(feature = "estimation")]
pub(super) use fit::ESTIMATOR;
#[cfg(feature = "estimation")]
pub use fit::fit;
pub use network::PLogPNetwork;
pub use switches::ProtocolSwitch;

use crate::comm::{
    FittedNetwork, Index, ModelDefinition, ParameterGroup, ParameterSet, ParameterSpec, Shape,
    TypedParameters, WITHIN_HOST,
};
use network::Knots;
use orrery_base::numeric::Estimate;
use orrery_base::units::Bytes;

/// Parameters of PLogP, the same for all processors.
///
/// T(m) = L + g(m) seconds for m bytes. The gap covers the overheads, g(m) ≥ o_s(m) and g(m) ≥
/// o_r(m).
///
/// Source: Kielmann, Bal, Verstoep, "Fast measurement of LogP parameters for message passing
/// platforms", IPDPS workshops 2000.
#[derive(Debug, Clone, PartialEq)]
pub struct PLogP {
    /// L, all that a message costs besides its gap \[s\].
    pub latency: Estimate,
    /// o_s(m), for how long a send keeps its processor busy \[s\].
    pub send_overhead: Curve,
    /// o_r(m), for how long a receive keeps its processor busy \[s\].
    pub receive_overhead: Curve,
    /// g(m), gap between two messages of a port \[s\].
    pub gap: Curve,
}

impl PLogP {
    /// Its functions with their names in the model file.
    pub fn functions(&self) -> [(&'static str, &Curve); 3] {
        [
            ("send_overhead", &self.send_overhead),
            ("receive_overhead", &self.receive_overhead),
            ("gap", &self.gap),
        ]
    }

    /// Returns the model as a network of this number of processors for the engine.
    pub fn network(&self, processors: usize) -> FittedNetwork<PLogPNetwork> {
        let curves = [&self.gap, &self.send_overhead, &self.receive_overhead];
        let knots = Knots { sizes: curves.map(|curve| curve.sizes().to_vec()) };
        let estimates: Vec<Estimate> = [self.latency]
            .into_iter()
            .chain(curves.into_iter().flat_map(Curve::values).copied())
            .collect();
        let values = estimates.iter().map(|estimate| estimate.value).collect();
        FittedNetwork::new(PLogPNetwork::new(processors, knots, values), estimates)
    }
}

impl TypedParameters for PLogP {
    fn to_set(&self) -> ParameterSet {
        let latency = ParameterSet::new().with("latency", [self.latency]);
        self.functions().into_iter().fold(latency, |set, (name, curve)| {
            set.with_index(name, Index::Sizes(curve.sizes().to_vec()), curve.values())
        })
    }

    fn from_set(parameters: &ParameterSet) -> Option<Self> {
        let curve = |name| {
            let values = parameters.get(name)?;
            let Index::Sizes(sizes) = &values.index else { return None };
            Curve::new(sizes.clone(), values.estimates.clone())
        };
        Some(Self {
            latency: parameters.one("latency")?,
            send_overhead: curve("send_overhead")?,
            receive_overhead: curve("receive_overhead")?,
            gap: curve("gap")?,
        })
    }
}

/// The latency, as declared in the registry.
const LATENCY: ParameterGroup = ParameterGroup {
    table: "plogp",
    family: "PLogP",
    rows: "all processors alike",
    shape: Shape::Cluster,
    parameters: &[ParameterSpec::seconds("latency")],
};

/// The functions of the size, as declared in the registry.
const FUNCTIONS: ParameterGroup = ParameterGroup {
    table: "functions",
    family: "PLogP",
    rows: "overheads and gap at each size",
    shape: Shape::Sizes,
    parameters: &[
        ParameterSpec::seconds("send_overhead"),
        ParameterSpec::seconds("receive_overhead"),
        ParameterSpec::seconds("gap"),
    ],
};

/// The latency within a host.
const LATENCY_WITHIN: ParameterGroup = ParameterGroup {
    table: "plogp_within_host",
    rows: "within a host",
    parameters: &[ParameterSpec::seconds("within_host.latency")],
    ..LATENCY
};

/// The functions of the size within a host.
const FUNCTIONS_WITHIN: ParameterGroup = ParameterGroup {
    table: "functions_within_host",
    rows: "overheads and gap at each size, within a host",
    parameters: &[
        ParameterSpec::seconds("within_host.send_overhead"),
        ParameterSpec::seconds("within_host.receive_overhead"),
        ParameterSpec::seconds("within_host.gap"),
    ],
    ..FUNCTIONS
};

/// PLogP.
pub(in crate::comm) const PLOGP: ModelDefinition = ModelDefinition {
    name: "plogp",
    formula: "L + g(m)",
    about: "latency, and overheads and gap as functions of the size",
    groups: &[LATENCY, FUNCTIONS, LATENCY_WITHIN, FUNCTIONS_WITHIN],
    optional: &[WITHIN_HOST],
    network: |parameters, hosts| Some(Box::new(PLogP::from_set(parameters)?.network(hosts.len()))),
    protocol_switches: |parameters| {
        PLogP::from_set(parameters).map(|plogp| plogp.switches()).unwrap_or_default()
    },
    ..ModelDefinition::PLAIN
};

/// A parameter as a function of the message size: linear interpolation between the sizes at which
/// it is known.
///
/// Below the smallest size it is constant. Beyond the largest size the last piece is extrapolated,
/// unless it decreases.
///
/// ```
/// use orrery_models::comm::plogp::Curve;
/// use orrery_base::numeric::Estimate;
/// use orrery_base::units::Bytes;
/// let (sizes, values) = ([0, 1000, 3000], [5e-6, 7e-6, 8e-6]);
/// let curve = Curve::new(sizes.map(Bytes::new).to_vec(), values.map(Estimate::exact).to_vec()).unwrap();
/// let at = |size| (curve.at(Bytes::new(size)) * 1e9).round();
/// assert_eq!([at(0), at(500), at(2000), at(5000)], [5000.0, 6000.0, 7500.0, 9000.0]);
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Curve {
    sizes: Vec<Bytes>,
    values: Vec<Estimate>,
}

impl Curve {
    /// Returns the function with these values at these sizes; `None` if it has no values, if the
    /// numbers of sizes and values differ, or if the sizes do not ascend.
    pub fn new(sizes: Vec<Bytes>, values: Vec<Estimate>) -> Option<Self> {
        let ascending = sizes.windows(2).all(|pair| pair[0] < pair[1]);
        (!sizes.is_empty() && sizes.len() == values.len() && ascending)
            .then_some(Self { sizes, values })
    }

    /// The sizes at which the function is known.
    pub fn sizes(&self) -> &[Bytes] {
        &self.sizes
    }

    /// The values at these sizes.
    pub fn values(&self) -> &[Estimate] {
        &self.values
    }

    /// Returns the value at a size, in the unit of the values.
    pub fn at(&self, size: Bytes) -> f64 {
        let values: Vec<f64> = self.values.iter().map(|estimate| estimate.value).collect();
        weights(&self.sizes, &values, size)
            .iter()
            .map(|&(place, weight)| weight * values[place])
            .sum()
    }
}

/// Returns the value at `size` as Σ weight × value at two knots: their indices and weights.
fn weights(sizes: &[Bytes], values: &[f64], size: Bytes) -> [(usize, f64); 2] {
    let after = sizes.partition_point(|known| *known < size);
    let constant = |place| [(place, 1.0), (place, 0.0)];
    if after == 0 || sizes.get(after) == Some(&size) {
        return constant(after);
    }
    let last = sizes.len() - 1;
    let right = after.min(last);
    if after > last && (right == 0 || values[right] < values[right - 1]) {
        return constant(right);
    }
    let (low, high) = (sizes[right - 1].get() as f64, sizes[right].get() as f64);
    let part = (size.get() as f64 - low) / (high - low);
    [(right - 1, 1.0 - part), (right, part)]
}
