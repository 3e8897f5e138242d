//! The test before parallel campaigns finds links that only some pairs share.

use orrery::machine::MachineError;
use orrery::measure::{Interference, Pairing, Parallelism};

use crate::prelude::*;
use crate::support::differing;

const SIZE: Bytes = Bytes::new(32 * 1024);

/// Two switches joined by a thin link: messages across it at the same time share it.
struct TwoSwitches {
    machine: SimulatedMachine<LmoNetwork>,
    /// The switch of a processor of n.
    switch: fn(usize, usize) -> usize,
}

impl TwoSwitches {
    fn new(processors: usize, switch: fn(usize, usize) -> usize) -> Self {
        let (layout, truth) = differing(processors, true, 4.0, 1);
        Self {
            machine: SimulatedMachine::new(LmoNetwork::from_parameters(layout, truth), 0.03, 1),
            switch,
        }
    }

    fn crosses(&self, batch: &Batch) -> bool {
        let n = self.processors();
        let switches: Vec<_> =
            batch.placement.processors().iter().map(|p| (self.switch)(p.index(), n)).collect();
        switches.iter().any(|switch| *switch != switches[0])
    }
}

impl Machine for TwoSwitches {
    fn processors(&self) -> usize {
        self.machine.processors()
    }

    fn provenance(&self) -> Provenance {
        self.machine.provenance()
    }

    fn elapsed(&self) -> Seconds {
        self.machine.elapsed()
    }

    fn run(&mut self, batch: &Batch) -> Result<Vec<Seconds>, MachineError> {
        self.machine.run(batch)
    }

    fn run_all(&mut self, batches: &[Batch]) -> Result<Vec<Vec<Seconds>>, MachineError> {
        let crossing = batches.iter().filter(|batch| self.crosses(batch)).count();
        let mut readings = self.machine.run_all(batches)?;
        for (batch, of_batch) in batches.iter().zip(&mut readings) {
            let factor = if self.crosses(batch) { crossing as f64 } else { 1.0 };
            of_batch.iter_mut().for_each(|seconds| *seconds = *seconds * factor);
        }
        Ok(readings)
    }
}

fn worst(machine: &mut dyn Machine) -> Interference {
    let (parallel, found) = Parallelism::Auto.decide(machine, SIZE).unwrap();
    let found = found.unwrap();
    assert_eq!(parallel, found.is_negligible());
    found
}

#[test]
fn links_between_switches_are_found() {
    for processors in [4, 6, 8, 16, 32, 100] {
        let one = worst(&mut TwoSwitches::new(processors, |_, _| 0));
        assert!(one.is_negligible(), "{processors}: {one:?}");
        let blocks = worst(&mut TwoSwitches::new(processors, |p, n| usize::from(p >= n / 2)));
        assert_ne!(blocks.pairing, Pairing::Neighbours, "{processors}: {blocks:?}");
        let in_turn = worst(&mut TwoSwitches::new(processors, |p, _| p % 2));
        for found in [blocks, in_turn] {
            assert!(found.ratio > 1.9 && !found.is_negligible(), "{processors}: {found:?}");
        }
    }
}

#[test]
fn fewer_than_four_processors_have_no_two_pairs() {
    for processors in [2, 3] {
        let mut machine = TwoSwitches::new(processors, |_, _| 0);
        assert_eq!(Interference::measure(&mut machine, SIZE).unwrap(), None);
    }
}
