//! The registry entry of PLogP.

use super::{PLogP, ProtocolSwitch};
use crate::comm::{
    ModelDefinition, ParameterGroup, ParameterSet, ParameterSpec, PointToPoint, Shape,
    TypedParameters, WITHIN_HOST,
};

/// The registry entry of PLogP.
pub(in crate::comm) struct Definition;

impl ModelDefinition for Definition {
    fn name(&self) -> &'static str {
        "plogp"
    }

    fn formula(&self) -> &'static str {
        "L + g(m)"
    }

    fn about(&self) -> &'static str {
        "latency, and overheads and gap as functions of the size"
    }

    fn groups(&self) -> &'static [ParameterGroup] {
        const LATENCY: ParameterGroup = ParameterGroup {
            table: "plogp",
            family: "PLogP",
            rows: "all processors alike",
            shape: Shape::Cluster,
            parameters: &[ParameterSpec::seconds("latency")],
        };
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
        const LATENCY_WITHIN: ParameterGroup = ParameterGroup {
            table: "plogp_within_host",
            rows: "within a host",
            parameters: &[ParameterSpec::seconds("within_host.latency")],
            ..LATENCY
        };
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
        &[LATENCY, FUNCTIONS, LATENCY_WITHIN, FUNCTIONS_WITHIN]
    }

    fn optional(&self) -> &'static [&'static str] {
        &[WITHIN_HOST]
    }

    fn network(
        &self,
        parameters: &ParameterSet,
        processors: usize,
    ) -> Option<Box<dyn PointToPoint>> {
        Some(Box::new(PLogP::from_set(parameters)?.network(processors)))
    }

    fn protocol_switches(&self, parameters: &ParameterSet) -> Vec<ProtocolSwitch> {
        PLogP::from_set(parameters).map(|plogp| plogp.switches()).unwrap_or_default()
    }
}
