//! The registry entry of LogP and LogGP.

use super::LogGp;
use super::network::Layout;
use crate::comm::{
    ModelDefinition, ParameterGroup, ParameterSpec, Shape, TypedParameters, WITHIN_HOST,
};

/// The parameters of LogP, as declared in the registry.
const LOGP_PARAMETERS: [ParameterSpec; 4] = [
    ParameterSpec::seconds(Layout::NAMES[0]),
    ParameterSpec::seconds(Layout::NAMES[1]),
    ParameterSpec::seconds(Layout::NAMES[2]),
    ParameterSpec::seconds(Layout::NAMES[3]),
];
/// The parameters of LogGP, as declared in the registry.
const LOGGP_PARAMETERS: [ParameterSpec; 5] = [
    LOGP_PARAMETERS[0],
    LOGP_PARAMETERS[1],
    LOGP_PARAMETERS[2],
    LOGP_PARAMETERS[3],
    ParameterSpec::seconds_per_byte(Layout::NAMES[4]),
];

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

/// LogP.
pub(in crate::comm) const LOGP: ModelDefinition = ModelDefinition {
    name: "logp",
    formula: "L + o_s + o_r",
    about: "latency, overheads, and the gap between messages",
    groups: &groups(&LOGP_PARAMETERS, &LOGP_WITHIN),
    optional: &[WITHIN_HOST],
    network: |parameters, n| Some(Box::new(LogGp::from_set(parameters)?.network(n))),
    ..ModelDefinition::PLAIN
};

/// LogGP.
pub(in crate::comm) const LOGGP: ModelDefinition = ModelDefinition {
    name: "loggp",
    formula: "L + o_s + o_r + (m − 1)·G",
    about: "latency, overheads, and the gaps between messages and bytes",
    groups: &groups(&LOGGP_PARAMETERS, &LOGGP_WITHIN),
    ..LOGP
};
