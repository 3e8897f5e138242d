//! The registry entry of LogP and LogGP.

use super::fit::smallest_gap_size;
use super::network::Layout;
use super::{LogGp, correlated_fit};
use crate::comm::{
    Estimated, EstimationOptions, FitError, ModelDefinition, Observations, ParameterGroup, ParameterSet, ParameterSpec,
    PointToPoint, Shape, TypedParameters,
};
use crate::sample::ExperimentKind;

/// The registry entry of LogGP, and of LogP, which has no gap per byte.
pub(in crate::comm) struct Definition {
    pub(in crate::comm) with_bytes: bool,
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
        let (loggp, correlations) = correlated_fit(observations, self.with_bytes, options.level)?;
        Ok(Estimated::new(&loggp, correlations))
    }

    fn network(&self, parameters: &ParameterSet, processors: usize) -> Option<Box<dyn PointToPoint>> {
        Some(Box::new(LogGp::from_set(parameters)?.network(processors)))
    }
}
