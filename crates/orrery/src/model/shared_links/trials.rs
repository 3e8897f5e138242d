//! Simulations of sets of exchanges with other delays of the shared links.

use super::selection::Selection;
use crate::comm::Ports;
use crate::comm::ports::Uplinks;
use crate::model::SharedPorts;
use crate::numeric::{Estimate, parallel_map};
use crate::sample::MeasuredSet;
use crate::simulate::SimulationError;

/// What is known besides the shared links.
#[derive(Clone, Copy)]
pub(super) struct Measured<'a> {
    /// The sets of exchanges.
    pub(super) sets: &'a [MeasuredSet],
    /// The ports of the processors.
    pub(super) ports: &'a Ports,
    /// The level of intervals.
    pub(super) level: f64,
}

/// The sets on a machine whose ports are known and whose shared links are tried.
pub(super) struct Trials<'a> {
    sets: &'a [MeasuredSet],
    machine: SharedPorts,
}

impl<'a> Trials<'a> {
    /// The machine with the groups of a selection.
    pub(super) fn new(selection: &Selection, &Measured { sets, ports, .. }: &Measured<'a>) -> Self {
        let delays = selection.delays.iter().map(|&delay| Estimate::exact(delay)).collect();
        let uplinks = Uplinks::new(selection.groups.clone(), delays).unwrap_or_default();
        Self { sets, machine: SharedPorts::new(&Ports { uplinks, ..ports.clone() }) }
    }

    /// The time of each pair of these sets with the others of its set \[s\], with these delays per byte of the links \[s/B\].
    pub(super) fn times(&mut self, delays: &[f64], wanted: &[usize]) -> Result<Vec<f64>, SimulationError> {
        self.machine.set_uplinks(delays);
        let machine = &self.machine;
        let of_set = |number: usize| {
            let set = &self.sets[wanted[number]].set;
            let (program, placement) = set.program(set.pairs()[0].0);
            machine.ends(&program, &placement, false)
        };
        let mut times = Vec::new();
        for ends in parallel_map(wanted.len(), of_set) {
            times.extend(ends?.iter().step_by(2).map(|end| end.get()));
        }
        Ok(times)
    }
}
