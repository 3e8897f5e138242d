//! Readings that a later measurement of some hosts replaces.

use std::collections::{BTreeMap, BTreeSet};

use super::{Experiment, ExperimentKind, Samples};
use orrery_cluster::platform::Processor;

/// The key of the provenance with the hosts that a launch measures again, separated by blanks.
pub const REMEASURED: &str = "remeasured";

/// The key of the date of a launch.
const DATE: &str = "date";

/// The readings that later ones replaced.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Superseded {
    /// The hosts that were measured again.
    pub hosts: BTreeSet<String>,
    /// The number of experiments whose older readings are replaced by newer ones.
    pub replaced: usize,
    /// The number of experiments of these hosts that were not measured again; their older readings
    /// are dropped.
    pub dropped: usize,
}

/// A launch that measures hosts again.
struct Remeasurement {
    /// The place of its samples.
    part: usize,
    launch: u32,
    /// The date, which can be compared as text; empty if unknown.
    date: String,
    processors: BTreeSet<Processor>,
    experiments: BTreeSet<Experiment>,
    kinds: BTreeSet<ExperimentKind>,
}

impl Remeasurement {
    /// Returns true if this launch measures experiments of this kind again, and a processor of its
    /// hosts takes part, so that readings in earlier launches are outdated.
    fn concerns(&self, experiment: &Experiment) -> bool {
        self.kinds.contains(&experiment.kind())
            && experiment.placement().processors().iter().any(|one| self.processors.contains(one))
    }

    /// Returns true if this launch is later than another of this date (empty if unknown), which
    /// measures hosts again if `is_marked`: by the dates, where an unmarked launch of the same date
    /// is earlier; if a date is unknown, only an unmarked launch is.
    fn is_later_than(&self, date: &str, is_marked: bool) -> bool {
        match (self.date.is_empty() || date.is_empty(), is_marked) {
            (true, is_marked) => !is_marked,
            (false, true) => date < self.date.as_str(),
            (false, false) => date <= self.date.as_str(),
        }
    }
}

/// Removes readings that a launch with the mark [`REMEASURED`] replaces, from samples in any order.
///
/// A launch that measures hosts again replaces readings of every kind of experiment that it
/// contains, such as round trips, in which a processor of these hosts takes part. They are replaced
/// in launches with an earlier `date`, in launches without mark also with the same date; if one of
/// the dates is unknown, in launches without mark only. Readings of experiments that it does not
/// repeat are removed, too, since they describe the hosts as they were.
pub fn supersede(parts: &mut [Samples]) -> Superseded {
    let marks: Vec<Remeasurement> =
        parts.iter().enumerate().flat_map(|(part, samples)| marks_of(part, samples)).collect();
    let mut superseded = Superseded::default();
    let (mut replaced, mut dropped): (BTreeSet<Experiment>, BTreeSet<Experiment>) =
        Default::default();
    for mark in &marks {
        let hosts =
            parts[mark.part].provenance.of_launch(mark.launch, REMEASURED).unwrap_or_default();
        superseded.hosts.extend(hosts.split_whitespace().map(str::to_owned));
    }
    for (part, samples) in parts.iter_mut().enumerate().filter(|_| !marks.is_empty()) {
        let launches: BTreeSet<u32> = samples.iter().map(|sample| sample.launch).collect();
        let own = |launch: u32| marks.iter().any(|mark| (mark.part, mark.launch) == (part, launch));
        let later = |launch: u32| {
            let date = samples.provenance.of_launch(launch, DATE).unwrap_or_default();
            let is_other = |mark: &&Remeasurement| (mark.part, mark.launch) != (part, launch);
            let marks =
                marks.iter().filter(is_other).filter(|mark| mark.is_later_than(date, own(launch)));
            (launch, marks.collect::<Vec<_>>())
        };
        let later: BTreeMap<u32, Vec<&Remeasurement>> = launches.into_iter().map(later).collect();
        samples.retain(|experiment, reading| {
            let mut newer =
                later[&reading.launch].iter().filter(|mark| mark.concerns(experiment)).peekable();
            if newer.peek().is_none() {
                return true;
            }
            let is_repeated = newer.any(|mark| mark.experiments.contains(experiment));
            if is_repeated { &mut replaced } else { &mut dropped }.insert(*experiment);
            false
        });
    }
    (superseded.replaced, superseded.dropped) = (replaced.len(), dropped.len());
    superseded
}

/// The launches of samples that measure hosts again; `part` is the place of the samples among all.
fn marks_of(part: usize, samples: &Samples) -> Vec<Remeasurement> {
    let mut experiments: BTreeMap<u32, BTreeSet<Experiment>> = BTreeMap::new();
    for sample in samples.iter() {
        experiments.entry(sample.launch).or_default().insert(sample.experiment);
    }
    let provenance = &samples.provenance;
    let mark = |(launch, experiments): (u32, BTreeSet<Experiment>)| {
        let hosts: BTreeSet<&str> =
            provenance.of_launch(launch, REMEASURED)?.split_whitespace().collect();
        let processors =
            provenance.of_launch(launch, "hosts").unwrap_or_default().split_whitespace().zip(0..);
        let processors = processors
            .filter(|(host, _)| hosts.contains(host))
            .map(|(_, number)| Processor(number))
            .collect();
        let date = provenance.of_launch(launch, DATE).unwrap_or_default().to_owned();
        let kinds = experiments.iter().map(Experiment::kind).collect();
        Some(Remeasurement { part, launch, date, processors, experiments, kinds })
    };
    experiments.into_iter().filter_map(mark).collect()
}
