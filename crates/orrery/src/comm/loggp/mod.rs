//! The LogP and LogGP models: T(m) = L + o_s + o_r + max(m − 1, 0)·G for every pair of processors, G = 0 in LogP.

mod fit;
mod network;

pub use fit::fit;
use fit::smallest_gap_size;
pub use network::LogGpNetwork;

use crate::comm::{
    Estimated, EstimationOptions, FitError, FittedNetwork, ModelDefinition, Observations, ParameterGroup, ParameterSet,
    ParameterSpec, PointToPoint, Shape, TypedParameters,
};
use crate::numeric::Estimate;
use crate::sample::ExperimentKind;

/// Parameters of LogGP, and of LogP, which is LogGP without a gap per byte; the same for all processors.
///
/// T(m) = L + o_s + o_r + max(m − 1, 0)·G seconds for m bytes. The gap g is the minimum time between the starts of two
/// messages at a port. If g is smaller than an overhead, no experiment can show it, and the overhead is reported
/// instead.
///
/// Sources: Culler et al., "LogP: towards a realistic model of parallel computation", PPoPP 1993; Alexandrov et al.,
/// "LogGP: incorporating long messages into the LogP model", SPAA 1995.
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
    /// All estimates in the order L, o_s, o_r, g, G.
    pub fn estimates(&self) -> Vec<Estimate> {
        let always = [self.latency, self.send_overhead, self.receive_overhead, self.gap];
        always.into_iter().chain(self.byte_gap).collect()
    }

    /// Returns the model of these estimates, in the order L, o_s, o_r, g, and G except for LogP; `None` for any other
    /// number of estimates.
    pub fn from_estimates(estimates: &[Estimate]) -> Option<Self> {
        let (&[latency, send_overhead, receive_overhead, gap], rest) = estimates.split_first_chunk()?;
        let byte_gap = match *rest {
            [] => None,
            [byte_gap] => Some(byte_gap),
            _ => return None,
        };
        Some(Self { latency, send_overhead, receive_overhead, gap, byte_gap })
    }

    /// The names of the estimates in the model file.
    pub fn names(&self) -> &'static [&'static str] {
        &Layout::NAMES[..Layout { with_bytes: self.byte_gap.is_some() }.count()]
    }

    /// Returns the model as a network of this number of processors for the engine.
    pub fn network(&self, processors: usize) -> FittedNetwork<LogGpNetwork> {
        let estimates = self.estimates();
        let values: Vec<f64> = estimates.iter().map(|estimate| estimate.value).collect();
        FittedNetwork::new(LogGpNetwork::new(processors, &values), estimates)
    }
}

/// The numbering of the parameters in one list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Layout {
    with_bytes: bool,
}

impl Layout {
    /// The index of L.
    const LATENCY: usize = 0;
    /// The index of o_s.
    const SEND_OVERHEAD: usize = 1;
    /// The index of o_r.
    const RECEIVE_OVERHEAD: usize = 2;
    /// The index of g.
    const GAP: usize = 3;
    /// The index of G.
    const BYTE_GAP: usize = 4;
    /// The names of the parameters in the model file.
    const NAMES: [&'static str; 5] = ["latency", "send_overhead", "receive_overhead", "gap", "byte_gap"];

    /// Returns the number of parameters.
    const fn count(self) -> usize {
        if self.with_bytes { 5 } else { 4 }
    }
}

impl TypedParameters for LogGp {
    fn to_set(&self) -> ParameterSet {
        let named = self.names().iter().zip(self.estimates());
        named.fold(ParameterSet::new(), |set, (name, one)| set.with(name, [one]))
    }

    fn from_set(parameters: &ParameterSet) -> Option<Self> {
        let estimates: Vec<Estimate> = Layout::NAMES.iter().map_while(|name| parameters.one(name)).collect();
        Self::from_estimates(&estimates)
    }
}

/// The registry entry of LogGP, and of LogP, which has no gap per byte.
pub(super) struct Definition {
    pub(super) with_bytes: bool,
}

/// The parameters of LogP, as declared in the registry.
const LOGP: [ParameterSpec; 4] = [
    ParameterSpec::seconds(Layout::NAMES[0]),
    ParameterSpec::seconds(Layout::NAMES[1]),
    ParameterSpec::seconds(Layout::NAMES[2]),
    ParameterSpec::seconds(Layout::NAMES[3]),
];
/// The parameters of LogGP, as declared in the registry.
const LOGGP: [ParameterSpec; 5] =
    [LOGP[0], LOGP[1], LOGP[2], LOGP[3], ParameterSpec::seconds_per_byte(Layout::NAMES[4])];

/// Returns the group of the parameters; LogP and LogGP share one table.
const fn group(parameters: &'static [ParameterSpec]) -> ParameterGroup {
    let (table, family, rows) = ("overheads", "LogP and LogGP", "all processors alike");
    ParameterGroup { table, family, rows, shape: Shape::Cluster, parameters }
}

/// The parameters of LogP as one group.
const LOGP_GROUPS: [ParameterGroup; 1] = [group(&LOGP)];
/// The parameters of LogGP as one group.
const LOGGP_GROUPS: [ParameterGroup; 1] = [group(&LOGGP)];

impl ModelDefinition for Definition {
    fn name(&self) -> &'static str {
        if self.with_bytes { "loggp" } else { "logp" }
    }

    fn formula(&self) -> &'static str {
        if self.with_bytes { "L + o_s + o_r + (m − 1)·G" } else { "L + o_s + o_r" }
    }

    fn about(&self) -> &'static str {
        if self.with_bytes {
            "latency, overheads, and the gaps between messages and bytes"
        } else {
            "latency, overheads, and the gap between messages"
        }
    }

    fn groups(&self) -> &'static [ParameterGroup] {
        if self.with_bytes { &LOGGP_GROUPS } else { &LOGP_GROUPS }
    }

    fn uses(&self) -> &'static [ExperimentKind] {
        &[ExperimentKind::RoundTrip, ExperimentKind::Train]
    }

    /// LogP has no time per byte, so its domain is small messages.
    fn domain(&self, observations: &Observations) -> Option<Observations> {
        let limit = smallest_gap_size(observations);
        (!self.with_bytes).then(|| observations.filtered(|experiment| experiment.size() <= limit))
    }

    fn requires(&self) -> &'static [ExperimentKind] {
        &[ExperimentKind::Train]
    }

    fn allows_single_pair(&self) -> bool {
        true
    }

    fn fit(&self, observations: &Observations, options: &EstimationOptions) -> Result<Estimated, FitError> {
        Ok(fit(observations, self.with_bytes, options.level)?.to_set().into())
    }

    fn network(&self, parameters: &ParameterSet, processors: usize) -> Option<Box<dyn PointToPoint>> {
        Some(Box::new(LogGp::from_set(parameters)?.network(processors)))
    }
}
