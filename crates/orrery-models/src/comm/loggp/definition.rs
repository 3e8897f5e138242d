//! The registry entry of LogP and LogGP.

use super::LogGp;
use super::network::NAMES;
use crate::comm::{
    ModelDefinition, ParameterGroup, ParameterSpec, Shape, TypedParameters, WITHIN_HOST,
};

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
    network: |parameters, n| Some(Box::new(LogGp::from_set(parameters)?.network(n))),
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
