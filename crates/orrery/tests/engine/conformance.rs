//! The simulated machine does what all machines must do.

use orrery::SimulatedMachine;
use orrery::machine::conformance::{Violation, conformance};

use crate::prelude::*;

#[test]
fn the_simulated_machine_conforms() -> Result<(), Violation> {
    for processors in [3, 5] {
        let pairs = processors * (processors - 1) / 2;
        let (fixed, byte, latency, link) =
            (vec![1e-5; processors], vec![1e-9; processors], 2e-5, 8e-9);
        let network =
            LmoNetwork::new(&fixed, &byte, Some(&vec![latency; pairs]), &vec![link; pairs]);
        conformance(&mut SimulatedMachine::new(network, 0.0, 1))?;
    }
    Ok(())
}
