//! Simulations of sets of exchanges with other delays of the shared links.

use std::sync::OnceLock;

use super::selection::Selection;
use crate::comm::Ports;
use crate::comm::ports::Uplinks;
use crate::model::fit::exchange_times::{ExchangeTimes, PairEnd};
use orrery_base::numeric::{Estimate, parallel_map};
use orrery_cluster::platform::Processor;
use orrery_measure::sample::MeasuredSet;

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
    measured: Measured<'a>,
    uplinks: Uplinks,
    /// The sets that were simulated, by number.
    sets: Vec<OnceLock<ExchangeTimes>>,
}

impl<'a> Trials<'a> {
    /// The machine with the groups of a selection.
    pub(super) fn new(selection: &Selection, measured: &Measured<'a>) -> Self {
        Self::of_groups(selection.groups.clone(), &selection.delays, measured)
    }

    /// The machine with the links of these groups, and their delays per byte \[s/B\].
    pub(super) fn of_groups(
        groups: Vec<Vec<Processor>>,
        delays: &[f64],
        measured: &Measured<'a>,
    ) -> Self {
        let delays = delays.iter().map(|&delay| Estimate::exact(delay)).collect();
        let uplinks = Uplinks::new(groups, delays).unwrap_or_default();
        let sets = measured.sets.iter().map(|_| OnceLock::new()).collect();
        Self { measured: *measured, uplinks, sets }
    }

    /// The time of each pair of these sets with the others of its set \[s\], with these delays per
    /// byte of the links \[s/B\].
    pub(super) fn times(&self, delays: &[f64], wanted: &[usize]) -> Vec<f64> {
        let delays = self.all_delays(delays);
        parallel_map(wanted.len(), |place| self.set(wanted[place]).times(&delays)).concat()
    }

    /// The time of each pair of all sets, with its derivatives by the delays.
    pub(super) fn times_with_derivatives(&self, delays: &[f64]) -> Vec<PairEnd> {
        let delays = self.all_delays(delays);
        let of_sets = parallel_map(self.sets.len(), |number| {
            self.set(number).times_with_derivatives(&delays)
        });
        of_sets.into_iter().flatten().collect()
    }

    /// The delays of the links, then those of processors with both directions.
    fn all_delays(&self, delays: &[f64]) -> Vec<f64> {
        let both = self.measured.ports.both_ports_byte_delay.iter().map(|delay| delay.value);
        delays.iter().copied().take(self.uplinks.groups().len()).chain(both).collect()
    }

    /// The simulation of the set of exchanges of this number, made when it is first needed.
    fn set(&self, number: usize) -> &ExchangeTimes {
        let Measured { sets, ports, .. } = self.measured;
        self.sets[number]
            .get_or_init(|| ExchangeTimes::new(&sets[number].set, ports, &self.uplinks))
    }
}
