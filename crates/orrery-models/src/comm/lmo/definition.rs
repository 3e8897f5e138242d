//! The registry entries of LMO, LOM and HLMO.

use super::{Hlmo, Lmo};
use crate::comm::thresholds::SlopeCorrection;
use crate::comm::{
    ModelDefinition, ParameterGroup, ParameterSpec, Shape, TypedParameters, WITHIN_HOST,
};

/// The parameters of processors, as declared in the registry.
const PROCESSORS: ParameterGroup = ParameterGroup {
    table: "processors",
    family: "LOM and LMO",
    rows: "each processor",
    shape: Shape::Processors,
    parameters: &[
        ParameterSpec::seconds("fixed_delay"),
        ParameterSpec::seconds_per_byte("byte_delay"),
    ],
};

/// The parameters of links in LMO.
const LINKS: ParameterGroup = ParameterGroup {
    table: "links",
    rows: "each link",
    shape: Shape::Pairs,
    parameters: &[
        ParameterSpec::seconds("link_latency"),
        ParameterSpec::seconds_per_byte("link_byte_delay").with_rate("link_rate"),
    ],
    ..PROCESSORS
};

/// The parameters of links in LOM, which have no latency.
const LINKS_WITHOUT_LATENCY: ParameterGroup = ParameterGroup {
    parameters: &[ParameterSpec::seconds_per_byte("link_byte_delay").with_rate("link_rate")],
    ..LINKS
};

/// The parameters of equal processors and links.
const EQUAL: ParameterGroup = ParameterGroup {
    table: "hlmo",
    family: "HLMO",
    rows: "all processors alike",
    shape: Shape::Cluster,
    parameters: &[
        ParameterSpec::seconds("fixed_delay"),
        ParameterSpec::seconds_per_byte("byte_delay").with_rate("rate"),
        ParameterSpec::seconds("link_latency"),
        ParameterSpec::seconds_per_byte("link_byte_delay").with_rate("link_rate"),
    ],
};

/// The parameters of equal processors and links within a host.
const EQUAL_WITHIN_HOST: ParameterGroup = ParameterGroup {
    table: "hlmo_within_host",
    rows: "within a host",
    parameters: &[
        ParameterSpec::seconds("within_host.fixed_delay"),
        ParameterSpec::seconds_per_byte("within_host.byte_delay").with_rate("rate"),
        ParameterSpec::seconds("within_host.link_latency"),
        ParameterSpec::seconds_per_byte("within_host.link_byte_delay").with_rate("link_rate"),
    ],
    ..EQUAL
};

/// Parameters of each processor and each link.
pub(in crate::comm) const LMO: ModelDefinition = ModelDefinition {
    name: "lmo",
    formula: "C_i + m·t_i + L_ij + m/β_ij + C_j + m·t_j",
    about: "delays of each processor, latency and rate of each link",
    groups: &[PROCESSORS, LINKS],
    network: |parameters, _| Some(Box::new(Lmo::from_set(parameters)?.network())),
    slope_correction: Some(SlopeCorrection::Lmo),
    ..ModelDefinition::PLAIN
};

/// LMO without link latency.
pub(in crate::comm) const LOM: ModelDefinition = ModelDefinition {
    name: "lom",
    formula: "C_i + m·t_i + m/β_ij + C_j + m·t_j",
    about: "delays of each processor, rate of each link",
    groups: &[PROCESSORS, LINKS_WITHOUT_LATENCY],
    ..LMO
};

/// Equal processors and equal links.
pub(in crate::comm) const HLMO: ModelDefinition = ModelDefinition {
    name: "hlmo",
    formula: "2·C + L + m·(2·t + 1/β)",
    about: "delays of a processor, latency and rate of a link",
    groups: &[EQUAL, EQUAL_WITHIN_HOST],
    optional: &[WITHIN_HOST],
    network: |parameters, hosts| Some(Box::new(Hlmo::from_set(parameters)?.network(hosts.len()))),
    slope_correction: Some(SlopeCorrection::Hlmo),
    ..ModelDefinition::PLAIN
};
