//! The registry entry of PLogP.

use super::PLogP;
use crate::comm::{
    ModelDefinition, ParameterGroup, ParameterSpec, Shape, TypedParameters, WITHIN_HOST,
};

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
    network: |parameters, n| Some(Box::new(PLogP::from_set(parameters)?.network(n))),
    protocol_switches: |parameters| {
        PLogP::from_set(parameters).map(|plogp| plogp.switches()).unwrap_or_default()
    },
    ..ModelDefinition::PLAIN
};
