//! The registry entry of HLMO.

use super::Hlmo;
use super::network::NAMES;
use crate::comm::thresholds::SlopeCorrection;
use crate::comm::{
    ModelDefinition, ParameterGroup, ParameterSet, ParameterSpec, PointToPoint, Shape,
    TypedParameters, WITHIN_HOST,
};

/// The registry entry of HLMO.
pub(in crate::comm) struct Definition;

impl ModelDefinition for Definition {
    fn name(&self) -> &'static str {
        "hlmo"
    }

    fn formula(&self) -> &'static str {
        "2·C + L + m·(2·t + 1/β)"
    }

    fn about(&self) -> &'static str {
        "delays of a processor, latency and rate of a link"
    }

    fn groups(&self) -> &'static [ParameterGroup] {
        const ALL: ParameterGroup = ParameterGroup {
            table: "hlmo",
            family: "HLMO",
            rows: "all processors alike",
            shape: Shape::Cluster,
            parameters: &[
                ParameterSpec::seconds(NAMES[0]),
                ParameterSpec::seconds_per_byte(NAMES[1]).with_rate("rate"),
                ParameterSpec::seconds(NAMES[2]),
                ParameterSpec::seconds_per_byte(NAMES[3]).with_rate("link_rate"),
            ],
        };
        const WITHIN: ParameterGroup = ParameterGroup {
            table: "hlmo_within_host",
            rows: "within a host",
            parameters: &[
                ParameterSpec::seconds("within_host.fixed_delay"),
                ParameterSpec::seconds_per_byte("within_host.byte_delay").with_rate("rate"),
                ParameterSpec::seconds("within_host.link_latency"),
                ParameterSpec::seconds_per_byte("within_host.link_byte_delay")
                    .with_rate("link_rate"),
            ],
            ..ALL
        };
        &[ALL, WITHIN]
    }

    fn optional(&self) -> &'static [&'static str] {
        &[WITHIN_HOST]
    }

    fn network(
        &self,
        parameters: &ParameterSet,
        processors: usize,
    ) -> Option<Box<dyn PointToPoint>> {
        Some(Box::new(Hlmo::from_set(parameters)?.network(processors)))
    }

    fn slope_correction(&self) -> Option<SlopeCorrection> {
        Some(SlopeCorrection::Hlmo)
    }
}
