//! The registry entry of LMO and LOM.

use super::Lmo;
use crate::comm::thresholds::SlopeCorrection;
use crate::comm::{
    ModelDefinition, ParameterGroup, ParameterSet, ParameterSpec, PointToPoint, Shape,
    TypedParameters,
};

/// The registry entry of LMO, and of LOM, which has no link latency.
pub(in crate::comm) struct Definition {
    pub(in crate::comm) with_latency: bool,
}

/// The name of both models in the titles of tables.
const FAMILY: &str = "LOM and LMO";

/// The parameters of processors, as declared in the registry.
const PROCESSORS: ParameterGroup = ParameterGroup {
    table: "processors",
    family: FAMILY,
    rows: "each processor",
    shape: Shape::Processors,
    parameters: &[
        ParameterSpec::seconds("fixed_delay"),
        ParameterSpec::seconds_per_byte("byte_delay"),
    ],
};

/// The latency of links, as declared in the registry.
const LINK_LATENCY: ParameterSpec = ParameterSpec::seconds("link_latency");
/// The delay per byte of links, as declared in the registry.
const LINK_BYTE_DELAY: ParameterSpec =
    ParameterSpec::seconds_per_byte("link_byte_delay").with_rate("link_rate");

/// Returns the group of the parameters of links.
const fn links(parameters: &'static [ParameterSpec]) -> ParameterGroup {
    ParameterGroup {
        table: "links",
        family: FAMILY,
        rows: "each link",
        shape: Shape::Pairs,
        parameters,
    }
}

/// The parameters of LOM, which has no link latency.
const LOM_GROUPS: [ParameterGroup; 2] = [PROCESSORS, links(&[LINK_BYTE_DELAY])];
/// The parameters of LMO.
const LMO_GROUPS: [ParameterGroup; 2] = [PROCESSORS, links(&[LINK_LATENCY, LINK_BYTE_DELAY])];

impl ModelDefinition for Definition {
    fn name(&self) -> &'static str {
        if self.with_latency { "lmo" } else { "lom" }
    }

    fn formula(&self) -> &'static str {
        if self.with_latency {
            "C_i + m·t_i + L_ij + m/β_ij + C_j + m·t_j"
        } else {
            "C_i + m·t_i + m/β_ij + C_j + m·t_j"
        }
    }

    fn about(&self) -> &'static str {
        if self.with_latency {
            "delays of each processor, latency and rate of each link"
        } else {
            "delays of each processor, rate of each link"
        }
    }

    fn groups(&self) -> &'static [ParameterGroup] {
        if self.with_latency { &LMO_GROUPS } else { &LOM_GROUPS }
    }

    fn network(&self, parameters: &ParameterSet, _: usize) -> Option<Box<dyn PointToPoint>> {
        Some(Box::new(Lmo::from_set(parameters)?.network()))
    }

    fn slope_correction(&self) -> Option<SlopeCorrection> {
        Some(SlopeCorrection::Lmo)
    }
}
