//! The registry entries of LMO, LOM and HLMO.

use super::{Hlmo, Lmo};
use crate::comm::thresholds::SlopeCorrection;
use crate::comm::{
    ModelDefinition, ParameterGroup, ParameterSet, ParameterSpec, PointToPoint, Shape,
    TypedParameters, WITHIN_HOST,
};

/// The registry entries of LMO and of its shapes.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(in crate::comm) enum Definition {
    /// LMO without link latency.
    Lom,
    /// Parameters of each processor and each link.
    Lmo,
    /// Equal processors and equal links.
    Hlmo,
}

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

/// The same within a host.
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

impl ModelDefinition for Definition {
    fn name(&self) -> &'static str {
        match self {
            Self::Lom => "lom",
            Self::Lmo => "lmo",
            Self::Hlmo => "hlmo",
        }
    }

    fn formula(&self) -> &'static str {
        match self {
            Self::Lom => "C_i + m·t_i + m/β_ij + C_j + m·t_j",
            Self::Lmo => "C_i + m·t_i + L_ij + m/β_ij + C_j + m·t_j",
            Self::Hlmo => "2·C + L + m·(2·t + 1/β)",
        }
    }

    fn about(&self) -> &'static str {
        match self {
            Self::Lom => "delays of each processor, rate of each link",
            Self::Lmo => "delays of each processor, latency and rate of each link",
            Self::Hlmo => "delays of a processor, latency and rate of a link",
        }
    }

    fn groups(&self) -> &'static [ParameterGroup] {
        match self {
            Self::Lom => &[PROCESSORS, LINKS_WITHOUT_LATENCY],
            Self::Lmo => &[PROCESSORS, LINKS],
            Self::Hlmo => &[EQUAL, EQUAL_WITHIN_HOST],
        }
    }

    fn optional(&self) -> &'static [&'static str] {
        if *self == Self::Hlmo { &[WITHIN_HOST] } else { &[] }
    }

    fn network(
        &self,
        parameters: &ParameterSet,
        processors: usize,
    ) -> Option<Box<dyn PointToPoint>> {
        Some(match self {
            Self::Hlmo => Box::new(Hlmo::from_set(parameters)?.network(processors)),
            Self::Lom | Self::Lmo => Box::new(Lmo::from_set(parameters)?.network()),
        })
    }

    fn slope_correction(&self) -> Option<SlopeCorrection> {
        Some(if *self == Self::Hlmo { SlopeCorrection::Hlmo } else { SlopeCorrection::Lmo })
    }
}
