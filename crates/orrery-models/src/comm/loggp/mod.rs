//! The LogP and LogGP models: T(m) = L + o_s + o_r + max(m − 1, 0)·G for every pair of processors,
//! G = 0 in LogP.

#[cfg(feature = "estimation")]
mod fit;
mod network;

#[cfg(feature = "estimation")]
pub use fit::fit;
#[cfg(feature = "estimation")]
pub(super) use fit::{LOGGP_ESTIMATOR, LOGP_ESTIMATOR};
pub use network::LogGpNetwork;

use crate::comm::{
    FittedNetwork, ModelDefinition, ParameterGroup, ParameterSet, ParameterSpec, Shape,
    TypedParameters, WITHIN_HOST,
};
use network::NAMES;
use orrery_base::numeric::Estimate;

/// Parameters of LogGP, and of LogP, which is LogGP without a gap per byte; the same for all
/// processors.
///
/// T(m) = L + o_s + o_r + max(m − 1, 0)·G seconds for m bytes. The gap g is the minimum time
/// between the starts of two messages at a port. If g is smaller than an overhead, no experiment
/// can show it, and the overhead is reported instead.
///
/// Sources: Culler et al., "LogP: towards a realistic model of parallel computation", PPoPP 1993;
/// Alexandrov et al., "LogGP: incorporating long messages into the LogP model", SPAA 1995.
#[derive(Debug, Clone, PartialEq)]
pub struct LogGp {
    /// L, latency of the network \[s\].
    pub latency: Estimate,
    /// o_s, the time for which a send keeps its processor busy \[s\].
    pub send_overhead: Estimate,
    /// o_r, the time for which the receive of one byte keeps its processor busy \[s\].
    pub receive_overhead: Estimate,
    /// g, gap between two messages of a port \[s\].
    pub gap: Estimate,
    /// G, gap for each further byte \[s/B\]; absent in LogP.
    pub byte_gap: Option<Estimate>,
}

impl LogGp {
    /// The parameters for replays of GOAL files, with O = 0 and the eager limit of LogGOPSim;
    /// `None` without G (LogP).
    #[cfg(feature = "applications")]
    pub fn of_replays(&self) -> Option<orrery_play::simulate::loggp::LogGops> {
        let nanoseconds = |estimate: &Estimate| estimate.value * 1e9;
        Some(orrery_play::simulate::loggp::LogGops {
            latency: nanoseconds(&self.latency),
            send_overhead: nanoseconds(&self.send_overhead),
            receive_overhead: nanoseconds(&self.receive_overhead),
            gap: nanoseconds(&self.gap),
            byte_gap: nanoseconds(self.byte_gap.as_ref()?),
            ..Default::default()
        })
    }

    /// All estimates in the order L, o_s, o_r, g, G.
    pub fn estimates(&self) -> Vec<Estimate> {
        let always = [self.latency, self.send_overhead, self.receive_overhead, self.gap];
        always.into_iter().chain(self.byte_gap).collect()
    }

    /// Returns the model of these estimates, in the order L, o_s, o_r, g, and G except for LogP;
    /// `None` for any other number of estimates.
    pub fn from_estimates(estimates: &[Estimate]) -> Option<Self> {
        let (&[latency, send_overhead, receive_overhead, gap], rest) =
            estimates.split_first_chunk()?;
        let byte_gap = match *rest {
            [] => None,
            [byte_gap] => Some(byte_gap),
            _ => return None,
        };
        Some(Self { latency, send_overhead, receive_overhead, gap, byte_gap })
    }

    /// The names of the estimates in the model file.
    pub fn names(&self) -> &'static [&'static str] {
        &NAMES[..4 + usize::from(self.byte_gap.is_some())]
    }

    /// Returns the model as a network of this number of processors for the engine.
    pub fn network(&self, processors: usize) -> FittedNetwork<LogGpNetwork> {
        let estimates = self.estimates();
        let values: Vec<f64> = estimates.iter().map(|estimate| estimate.value).collect();
        FittedNetwork::new(LogGpNetwork::new(processors, &values), estimates)
    }
}

impl TypedParameters for LogGp {
    fn to_set(&self) -> ParameterSet {
        let named = self.names().iter().zip(self.estimates());
        named.fold(ParameterSet::new(), |set, (name, one)| set.with(name, [one]))
    }

    fn from_set(parameters: &ParameterSet) -> Option<Self> {
        let estimates: Vec<Estimate> =
            NAMES.iter().map_while(|name| parameters.one(name)).collect();
        Self::from_estimates(&estimates)
    }
}

/// The parameters of LogGP, as declared in the registry; LogP has all but the last one.
const PARAMETERS: &[ParameterSpec] = &[
    ParameterSpec::seconds(NAMES[0]),
    ParameterSpec::seconds(NAMES[1]),
    ParameterSpec::seconds(NAMES[2]),
    ParameterSpec::seconds(NAMES[3]),
    ParameterSpec::seconds_per_byte(NAMES[4]),
];

/// The parameters of LogGP for links within a host; LogP has all but the last one.
const WITHIN: &[ParameterSpec] = &[
    ParameterSpec::seconds("within_host.latency"),
    ParameterSpec::seconds("within_host.send_overhead"),
    ParameterSpec::seconds("within_host.receive_overhead"),
    ParameterSpec::seconds("within_host.gap"),
    ParameterSpec::seconds_per_byte("within_host.byte_gap"),
];

/// Returns the groups of the parameters; LogP and LogGP share tables.
const fn groups(
    parameters: &'static [ParameterSpec],
    within: &'static [ParameterSpec],
) -> [ParameterGroup; 2] {
    let (family, shape) = ("LogP and LogGP", Shape::Cluster);
    [
        ParameterGroup {
            table: "overheads",
            family,
            rows: "all processors alike",
            shape,
            parameters,
        },
        ParameterGroup {
            table: "overheads_within_host",
            family,
            rows: "within a host",
            shape,
            parameters: within,
        },
    ]
}

/// LogP.
pub(in crate::comm) const LOGP: ModelDefinition = ModelDefinition {
    name: "logp",
    formula: "L + o_s + o_r",
    about: "latency, overheads, and the gap between messages",
    groups: &groups(PARAMETERS.split_at(4).0, WITHIN.split_at(4).0),
    optional: &[WITHIN_HOST],
    network: |parameters, hosts| Some(Box::new(LogGp::from_set(parameters)?.network(hosts.len()))),
    ..ModelDefinition::PLAIN
};

/// LogGP.
pub(in crate::comm) const LOGGP: ModelDefinition = ModelDefinition {
    name: "loggp",
    formula: "L + o_s + o_r + (m − 1)·G",
    about: "latency, overheads, and the gaps between messages and bytes",
    groups: &groups(PARAMETERS, WITHIN),
    ..LOGP
};
