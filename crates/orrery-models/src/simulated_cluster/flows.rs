use crate::model::{PlayedFlows, SharedPorts};
use orrery_base::units::Seconds;
use orrery_cluster::platform::Placement;
use orrery_measure::machine::{FlowTimes, NotModelled};
use orrery_program::schedule::{Program, Reading, Reducer};

/// The ports and shared links of a simulated cluster: exchanges of several pairs share them as
/// flows, and so do collective operations if the kind of model says so.
#[derive(Debug)]
pub(super) struct SimulatedFlows {
    pub ports: SharedPorts,
    /// The collective operations among them.
    pub collectives: Option<PlayedFlows>,
}

impl FlowTimes for SimulatedFlows {
    fn time(
        &self,
        program: &Program,
        placement: &Placement,
        reading: Reading,
    ) -> Option<Result<Seconds, NotModelled>> {
        let is_played = match program {
            Program::Exchanges(_) => true,
            Program::Collective(collective) => {
                self.collectives.is_some_and(|played| played.contains(collective))
            }
            _ => false,
        };
        let read = |ends: Vec<Seconds>| match reading.reducer {
            Reducer::At(rank) | Reducer::RootMinusBarrier(rank) => ends[rank.index()],
            Reducer::Maximum | Reducer::Global => {
                ends.into_iter().fold(Seconds::ZERO, Seconds::max)
            }
        };
        let ends = || {
            self.ports
                .ends(program, placement, false)
                .map_err(|error| NotModelled(error.to_string()))
        };
        is_played.then(|| ends().map(read))
    }
}
