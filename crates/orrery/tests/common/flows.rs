//! A machine whose ports and shared links are known.

use orrery::machine::{FlowTimes, NotModelled};
use orrery::model::SharedPorts;
use orrery::platform::Placement;
use orrery::schedule::{Program, Reading, Reducer};
use orrery::units::Seconds;

/// The times of exchanges.
#[derive(Debug)]
pub struct Flows(pub SharedPorts);

impl FlowTimes for Flows {
    fn time(
        &self,
        program: &Program,
        placement: &Placement,
        reading: Reading,
    ) -> Option<Result<Seconds, NotModelled>> {
        let (Program::Exchanges(_), Reducer::At(rank)) = (program, reading.reducer) else {
            return None;
        };
        let ends = self.0.ends(program, placement, false).expect("exchanges run to their end");
        Some(Ok(ends[rank.index()]))
    }
}
