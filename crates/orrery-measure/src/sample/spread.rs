use std::collections::BTreeMap;

use super::{Experiment, Series};
use orrery_base::numeric::pooled_relative_deviation_by;
use orrery_cluster::platform::{Hosts, LinkClass};

/// A group of experiments with the same relative spread: same operation, same sizes and, in
/// clusters with links within and between hosts, the same class of links.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct SpreadGroup {
    /// The experiment without its processors.
    experiment: Experiment,
    class: Option<LinkClass>,
}

/// The minimum number of differences of readings from which a class of links has its own spread;
/// three processors with five repetitions have it.
const MIN_DIFFERENCES: usize = 6;

impl SpreadGroup {
    /// The group of an experiment.
    pub fn of(experiment: &Experiment, hosts: &Hosts) -> Self {
        Self { experiment: experiment.without_processors(), class: experiment.class(hosts) }
    }

    /// The same group for all classes of links.
    fn of_all_classes(&self) -> Self {
        Self { class: None, ..*self }
    }
}

/// The standard deviation of a reading relative to the median of its series, pooled over each kind
/// of experiment.
///
/// Pooling compensates for few repetitions of single experiments. If a class of links has too few
/// readings, its spread is the larger of its own and that of all classes together.
pub fn pooled_spreads<'a>(
    series: impl IntoIterator<Item = &'a Series>,
    hosts: &Hosts,
) -> BTreeMap<SpreadGroup, f64> {
    let mut kinds: BTreeMap<SpreadGroup, Vec<&Series>> = BTreeMap::new();
    for series in series {
        kinds.entry(SpreadGroup::of(&series.experiment, hosts)).or_default().push(series);
    }
    let of_kind = |(kind, own): (&SpreadGroup, &Vec<&Series>)| {
        let spread = pooled_relative_deviation_by(own, |series| series.seconds());
        let differences: usize = own.iter().map(|series| series.readings.len() / 2).sum();
        if kind.class.is_none() || differences >= MIN_DIFFERENCES {
            return spread;
        }
        let alike =
            kinds.iter().filter(|(other, _)| other.of_all_classes() == kind.of_all_classes());
        let alike: Vec<&Series> = alike.flat_map(|(_, series)| series).copied().collect();
        spread.max(pooled_relative_deviation_by(&alike, |series| series.seconds()))
    };
    kinds.iter().map(|entry| (*entry.0, of_kind(entry))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::Repetition;
    use orrery_base::units::{Bytes, Seconds};
    use orrery_cluster::platform::Processor;

    /// A round trip whose readings vary by this fraction of the first.
    fn trip(i: u32, j: u32, part: f64, readings: u32) -> Series {
        let size = Bytes::new(8);
        let experiment =
            Experiment::RoundTrip { i: Processor(i), j: Processor(j), size, reply: size };
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
    fn each_class_of_links_has_its_own_spread() {
        let series = [
            trip(0, 1, 0.001, 30),
            trip(2, 3, 0.001, 30),
            trip(0, 2, 0.1, 30),
            trip(1, 3, 0.1, 30),
        ];
        let apart = spreads(&series, &Hosts::new(["a", "a", "b", "b"]));
        assert!(apart[2] > 50.0 * apart[0], "{apart:?}");
        for alike in [&["a", "a", "a", "a"][..], &["a", "b", "c", "d"], &[]] {
            let together = spreads(&series, &Hosts::new(alike));
            assert!(
                together.iter().all(|spread| spread.total_cmp(&together[0]).is_eq()),
                "{together:?}"
            );
        }
    }

    #[test]
    fn a_class_with_few_readings_takes_the_common_spread() {
        let hosts = Hosts::new(["a", "a", "b"]);
        let series = [trip(0, 1, 0.001, 5), trip(0, 2, 0.1, 30), trip(1, 2, 0.1, 30)];
        let spreads = spreads(&series, &hosts);
        assert!(spreads[0] > 0.5 * spreads[1], "{spreads:?}");
    }
}
