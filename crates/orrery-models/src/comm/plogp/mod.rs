//! The PLogP model: T(m) = L + g(m) for every pair of processors, with overheads and gap as
//! functions of the size.

mod curve;
mod definition;
#[cfg(feature = "estimation")]
mod estimator;
#[cfg(feature = "estimation")]
mod fit;
mod network;
mod switches;

pub use curve::Curve;
pub(super) use definition::PLOGP;
#[cfg(feature = "estimation")]
pub(super) use estimator::ESTIMATOR;
#[cfg(feature = "estimation")]
pub use fit::fit;
pub use network::PLogPNetwork;
pub use switches::ProtocolSwitch;

use crate::comm::{FittedNetwork, Index, ParameterSet, TypedParameters};
use network::Knots;
use orrery_base::numeric::Estimate;

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
