//! The registry entry of LogP and LogGP.

use super::LogGp;
use super::network::Layout;
use crate::comm::{
    ModelDefinition, ParameterGroup, ParameterSet, ParameterSpec, PointToPoint, Shape,
    TypedParameters, WITHIN_HOST,
};

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

/// The parameters of LogP for links within a host.
const LOGP_WITHIN: [ParameterSpec; 4] = [
    ParameterSpec::seconds("within_host.latency"),
    ParameterSpec::seconds("within_host.send_overhead"),
    ParameterSpec::seconds("within_host.receive_overhead"),
    ParameterSpec::seconds("within_host.gap"),
];
/// The parameters of LogGP for links within a host.
const LOGGP_WITHIN: [ParameterSpec; 5] = [
    LOGP_WITHIN[0],
    LOGP_WITHIN[1],
    LOGP_WITHIN[2],
    LOGP_WITHIN[3],
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

/// The parameters of LogP in groups.
const LOGP_GROUPS: [ParameterGroup; 2] = groups(&LOGP, &LOGP_WITHIN);
/// The parameters of LogGP in groups.
const LOGGP_GROUPS: [ParameterGroup; 2] = groups(&LOGGP, &LOGGP_WITHIN);

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

    fn optional(&self) -> &'static [&'static str] {
        &[WITHIN_HOST]
    }

    fn network(
        &self,
        parameters: &ParameterSet,
        processors: usize,
    ) -> Option<Box<dyn PointToPoint>> {
        Some(Box::new(LogGp::from_set(parameters)?.network(processors)))
    }
}
