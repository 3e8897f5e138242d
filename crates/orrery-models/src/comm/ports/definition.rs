//! The registry entries of the model `ports`.

use super::{
    BOTH_PORTS, BUFFERED_LIMIT, EAGER_LIMIT, EFFECTIVE_SIZE, FIXED_TIME, IN_PORT, NAMES, Ports,
    QUEUE, UPLINKS, WITHIN_HOST_NAMES,
};
use crate::comm::{
    ModelDefinition, ParameterGroup, ParameterSpec, Shape, TypedParameters, WITHIN_HOST,
};

/// The name of the model in the titles of tables.
const FAMILY: &str = "Ports";

/// The parameters, as declared in the registry.
const GROUPS: [ParameterGroup; 10] = [
    ParameterGroup {
        table: "ports",
        family: FAMILY,
        rows: "each processor",
        shape: Shape::Processors,
        parameters: &[
            ParameterSpec::seconds(NAMES[0]),
            ParameterSpec::seconds_per_byte(NAMES[1]),
            ParameterSpec::seconds_per_byte(NAMES[2]).with_rate("port_rate"),
        ],
    },
    ParameterGroup {
        table: "in-ports",
        family: FAMILY,
        rows: "the in-port of each processor",
        shape: Shape::Processors,
        parameters: &[ParameterSpec::seconds_per_byte(IN_PORT).with_rate("in_port_rate")],
    },
    ParameterGroup {
        table: "ports-within-host",
        family: FAMILY,
        rows: "each processor in messages within a host",
        shape: Shape::Processors,
        parameters: &[
            ParameterSpec::seconds(WITHIN_HOST_NAMES[0]),
            ParameterSpec::seconds_per_byte(WITHIN_HOST_NAMES[1]),
            ParameterSpec::seconds_per_byte(WITHIN_HOST_NAMES[2]).with_rate("memory_rate"),
        ],
    },
    ParameterGroup {
        table: "both-ports",
        family: FAMILY,
        rows: "what both ports of each processor share",
        shape: Shape::Processors,
        parameters: &[ParameterSpec::seconds_per_byte(BOTH_PORTS).with_rate("both_ports_rate")],
    },
    ParameterGroup {
        table: "flows",
        family: FAMILY,
        rows: "each pair of processors",
        shape: Shape::Pairs,
        parameters: &[
            ParameterSpec::seconds(NAMES[4]),
            ParameterSpec::seconds_per_byte(NAMES[3]).with_rate("flow_rate"),
        ],
    },
    ParameterGroup {
        table: "effective-sizes",
        family: FAMILY,
        rows: "effective size and fixed time of messages at each size",
        shape: Shape::Sizes,
        parameters: &[ParameterSpec::bytes(EFFECTIVE_SIZE), ParameterSpec::seconds(FIXED_TIME)],
    },
    ParameterGroup {
        table: "shared-links",
        family: FAMILY,
        rows: "each link that a group of processors shares",
        shape: Shape::LinkGroups,
        parameters: &[ParameterSpec::seconds_per_byte(UPLINKS).with_rate("shared_rate")],
    },
    ParameterGroup {
        table: "eager-limit",
        family: FAMILY,
        rows: "the largest message that is sent before its receive is posted",
        shape: Shape::Cluster,
        parameters: &[ParameterSpec::bytes(EAGER_LIMIT)],
    },
    ParameterGroup {
        table: "buffered-limit",
        family: FAMILY,
        rows: "the largest message whose send completes while it is under way",
        shape: Shape::Cluster,
        parameters: &[ParameterSpec::bytes(BUFFERED_LIMIT)],
    },
    ParameterGroup {
        table: "queue",
        family: FAMILY,
        rows: "the most data that the handshake of a message beyond the eager limit waits for",
        shape: Shape::Cluster,
        parameters: &[ParameterSpec::bytes(QUEUE)],
    },
];

/// Processors, ports and flows that work on a message at the same time.
pub(in crate::comm) const PORTS: ModelDefinition = ModelDefinition {
    name: "ports",
    formula: "C_i + m·t_i + L_ij + m·max(g_i, h_ij, g_j) + C_j + m·t_j",
    about: "delays of each processor, rates of its ports and of each flow, latency of each link",
    groups: &GROUPS,
    optional: &[
        IN_PORT,
        BOTH_PORTS,
        WITHIN_HOST,
        "size_law",
        "shared_links",
        EAGER_LIMIT,
        BUFFERED_LIMIT,
        QUEUE,
    ],
    network: |parameters, hosts| {
        Some(Box::new(Ports::from_set(parameters)?.on_hosts(hosts).network()))
    },
    ..ModelDefinition::PLAIN
};

/// Processors, ports and flows as [`PORTS`] has them, with ports that concurrent messages share as
/// flows.
pub(in crate::comm) const FLOWS: ModelDefinition = ModelDefinition {
    name: "ports-flows",
    about: "the same, with messages of collective operations that share the ports as flows",
    stored_as: Some(PORTS.name),
    groups: &[],
    shares_ports: true,
    ..PORTS
};
