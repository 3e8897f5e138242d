use std::collections::BTreeMap;

use super::{Experiment, Series};
use crate::numeric::pooled_relative_deviation_by;
use crate::platform::{Hosts, LinkClass};

/// What experiments have in common whose relative spread is taken to be the same: operation, sizes, and whether their
/// links run within a host or across hosts, where there are both.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct SpreadGroup {
    /// The experiment on no processors in particular.
    experiment: Experiment,
    class: Option<LinkClass>,
}

/// A class with fewer differences of readings than this does not know its own spread: that is what three processors have
/// with five repetitions.
const LEAST: usize = 6;

impl SpreadGroup {
    /// The kind of an experiment.
    pub fn of(experiment: &Experiment, hosts: &Hosts) -> Self {
        Self { experiment: experiment.without_processors(), class: experiment.class(hosts) }
    }

    fn of_all_classes(&self) -> Self {
        Self { class: None, ..*self }
    }
}

/// The standard deviation of a reading relative to the median, pooled over each kind of experiment.
///
/// A few repetitions of one experiment say too little of its own spread. Where a class of links has too few readings to
/// be pooled by itself, its spread is the larger one of its own and that of all classes together.
pub fn pooled_spreads<'a>(series: impl IntoIterator<Item = &'a Series>, hosts: &Hosts) -> BTreeMap<SpreadGroup, f64> {
    let mut kinds: BTreeMap<SpreadGroup, Vec<&Series>> = BTreeMap::new();
    for series in series {
        kinds.entry(SpreadGroup::of(&series.experiment, hosts)).or_default().push(series);
    }
    let of_kind = |(kind, own): (&SpreadGroup, &Vec<&Series>)| {
        let spread = pooled_relative_deviation_by(own, |series| series.seconds());
        let differences: usize = own.iter().map(|series| series.readings.len() / 2).sum();
        if kind.class.is_none() || differences >= LEAST {
            return spread;
        }
        let alike = kinds.iter().filter(|(other, _)| other.of_all_classes() == kind.of_all_classes());
        let alike: Vec<&Series> = alike.flat_map(|(_, series)| series).copied().collect();
        spread.max(pooled_relative_deviation_by(&alike, |series| series.seconds()))
    };
    kinds.iter().map(|entry| (*entry.0, of_kind(entry))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::platform::Processor;
    use crate::sample::Repetition;
    use crate::units::{Bytes, Seconds};

    /// A round trip whose readings go up and down by this part of the first.
    fn trip(i: u32, j: u32, part: f64, readings: u32) -> Series {
        let size = Bytes::new(8);
        let experiment = Experiment::RoundTrip { i: Processor(i), j: Processor(j), size, reply: size };
        let reading = |rep: u32| {
            let seconds = Seconds::new(1e-5 * (1.0 + part * f64::from(rep * rep % 7)));
            Repetition { launch: 0, rep, seconds }
        };
        Series { experiment, readings: (0..readings).map(reading).collect() }
    }

    fn spreads(series: &[Series], hosts: &Hosts) -> Vec<f64> {
        let all = pooled_spreads(series, hosts);
        series.iter().map(|series| all[&SpreadGroup::of(&series.experiment, hosts)]).collect()
    }

    #[test]
    fn classes_have_spreads_of_their_own() {
        let series = [trip(0, 1, 0.001, 30), trip(2, 3, 0.001, 30), trip(0, 2, 0.1, 30), trip(1, 3, 0.1, 30)];
        let apart = spreads(&series, &Hosts::new(["a", "a", "b", "b"]));
        assert!(apart[2] > 50.0 * apart[0], "{apart:?}");
        for alike in [&["a", "a", "a", "a"][..], &["a", "b", "c", "d"], &[]] {
            let together = spreads(&series, &Hosts::new(alike));
            assert!(together.iter().all(|spread| spread.total_cmp(&together[0]).is_eq()), "{together:?}");
        }
    }

    #[test]
    fn a_class_of_few_readings_does_not_claim_to_be_precise() {
        let hosts = Hosts::new(["a", "a", "b"]);
        let series = [trip(0, 1, 0.001, 5), trip(0, 2, 0.1, 30), trip(1, 2, 0.1, 30)];
        let spreads = spreads(&series, &hosts);
        assert!(spreads[0] > 0.5 * spreads[1], "{spreads:?}");
    }
}
