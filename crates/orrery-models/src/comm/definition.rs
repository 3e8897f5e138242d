//! The definition of a kind of point-to-point model.

use super::plogp::ProtocolSwitch;
use super::thresholds::SlopeCorrection;
use super::{ParameterGroup, ParameterSet, PointToPoint};

/// The network of parameters for the processors on these hosts, by name; `None` if parameters are
/// missing.
pub type MakeNetwork = fn(&ParameterSet, &[String]) -> Option<Box<dyn PointToPoint>>;

/// The definition of a kind of point-to-point model: its names, parameters and network.
#[derive(Debug)]
pub struct ModelDefinition {
    /// The keyword in the model file and on the command line: `loggp`.
    pub name: &'static str,
    /// The time T(m) of a message of m bytes between two processors, in symbols; `_` precedes a
    /// subscript.
    pub formula: &'static str,
    /// The meaning of the parameters, in words.
    pub about: &'static str,
    /// The name of the kind that stores the parameters if this kind is another view of them.
    pub stored_as: Option<&'static str>,
    /// The parameters of this kind, in groups of one shape; parameters that another kind stores are
    /// left out.
    pub groups: &'static [ParameterGroup],
    /// The names of parameters and of objects with parameters that the model file may omit.
    pub optional: &'static [&'static str],
    /// The network of the parameters.
    pub network: MakeNetwork,
    /// Fills in parameters that the model file may omit.
    pub complete: fn(&mut ParameterSet),
    /// The corrections of gather slopes that apply to this kind; `None` for models that do not
    /// separate the delays of processors from those of links.
    pub slope_correction: Option<SlopeCorrection>,
    /// True if concurrent messages share the ports of processors as flows when a collective
    /// operation is predicted, instead of passing them one after the other as on the network.
    pub shares_ports: bool,
    /// The message sizes between which the parameters show a change of protocol.
    pub protocol_switches: fn(&ParameterSet) -> Vec<ProtocolSwitch>,
}

impl ModelDefinition {
    /// A definition without names, parameters and network, which a kind replaces.
    pub(super) const PLAIN: Self = Self {
        name: "",
        formula: "",
        about: "",
        stored_as: None,
        groups: &[],
        optional: &[],
        network: |_, _| None,
        complete: |_| {},
        slope_correction: None,
        shares_ports: false,
        protocol_switches: |_| Vec::new(),
    };
}
