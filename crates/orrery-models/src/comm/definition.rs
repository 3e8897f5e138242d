//! The definition of a kind of point-to-point model.

use super::plogp::ProtocolSwitch;
use super::thresholds::SlopeCorrection;
use super::{ParameterGroup, ParameterSet, PointToPoint};

/// The definition of a kind of point-to-point model: its names, parameters and network.
pub trait ModelDefinition: Sync {
    /// The keyword in the model file and on the command line: `loggp`.
    fn name(&self) -> &'static str;

    /// The time T(m) of a message of m bytes between two processors, in symbols; `_` precedes a
    /// subscript.
    fn formula(&self) -> &'static str;

    /// The meaning of the parameters, in words.
    fn about(&self) -> &'static str;

    /// The name of the kind that stores the parameters if this kind is another view of them;
    /// otherwise `None`.
    fn stored_as(&self) -> Option<&'static str> {
        None
    }

    /// The parameters of this kind, in groups of one shape; parameters that another kind stores are
    /// left out.
    fn groups(&self) -> &'static [ParameterGroup];

    /// The network of these parameters for this number of processors; `None` if parameters are
    /// missing.
    fn network(
        &self,
        parameters: &ParameterSet,
        processors: usize,
    ) -> Option<Box<dyn PointToPoint>>;

    /// Fills in parameters that the model file may omit.
    fn complete(&self, parameters: &mut ParameterSet) {
        let _ = parameters;
    }

    /// The names of parameters and of objects with parameters that the model file may omit.
    fn optional(&self) -> &'static [&'static str] {
        &[]
    }

    /// The corrections of gather slopes that apply to this kind; `None` for models that do not
    /// separate the delays of processors from those of links.
    fn slope_correction(&self) -> Option<SlopeCorrection> {
        None
    }

    /// Returns true if concurrent messages share the ports of processors as flows when a collective
    /// operation is predicted, instead of passing them one after the other as on the
    /// [`ModelDefinition::network`].
    fn shares_ports(&self) -> bool {
        false
    }

    /// The message sizes between which the parameters show a change of protocol.
    fn protocol_switches(&self, parameters: &ParameterSet) -> Vec<ProtocolSwitch> {
        let _ = parameters;
        Vec::new()
    }
}
