use std::collections::{BTreeMap, BTreeSet};

use super::{Experiment, Provenance};
use orrery_base::budget::{Budget, OverBudget};
use orrery_base::units::Seconds;
use orrery_cluster::platform::Hosts;

/// The length in bytes of a short row of a samples file.
const READING_LENGTH: u64 = 32;

/// One reading of an experiment.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Sample {
    /// The experiment.
    pub experiment: Experiment,
    /// The number of the launch of the program, from 0.
    pub launch: u32,
    /// The number of the repetition within the launch, from 0.
    pub rep: u32,
    /// The measured time.
    pub seconds: Seconds,
}

/// One reading of a series.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Repetition {
    /// The number of the launch of the program, from 0.
    pub launch: u32,
    /// The number of the repetition within the launch, from 0.
    pub rep: u32,
    /// The measured time.
    pub seconds: Seconds,
}

impl Repetition {
    /// The readings that are not among the known ones of the same experiment.
    ///
    /// They are known if all of them with the launch and repetition of a known one agree with it
    /// exactly. Single readings may agree by chance, because clocks have a finite resolution.
    pub(super) fn new_among(known: &[Self], readings: &[Self]) -> Vec<Self> {
        let key = |one: &Self| (one.launch, one.rep, one.seconds.get().to_bits());
        let known: BTreeSet<_> = known.iter().map(key).collect();
        let is_known = |one: &Self| known.contains(&key(one));
        let is_taken = |one: &Self| {
            known.range((one.launch, one.rep, 0)..=(one.launch, one.rep, u64::MAX)).next().is_some()
        };
        let are_same = readings.iter().all(|one| is_known(one) || !is_taken(one));
        readings.iter().filter(|one| !(are_same && is_known(one))).copied().collect()
    }
}

/// All readings of one experiment.
#[derive(Debug, Clone, PartialEq)]
pub struct Series {
    /// The experiment.
    pub experiment: Experiment,
    /// The readings in order.
    pub readings: Vec<Repetition>,
}

impl Series {
    /// The measured times in seconds.
    pub fn seconds(&self) -> Vec<f64> {
        self.readings.iter().map(|reading| reading.seconds.get()).collect()
    }

    /// The readings as samples.
    pub fn samples(&self) -> impl Iterator<Item = Sample> {
        let experiment = self.experiment;
        self.readings.iter().map(move |&Repetition { launch, rep, seconds }| Sample {
            experiment,
            launch,
            rep,
            seconds,
        })
    }
}

/// An experiment in a samples file that this version does not know.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnknownExperiment {
    /// The name in the column `experiment`.
    pub experiment: String,
    /// The number of its rows.
    pub rows: usize,
}

/// The readings of a campaign, grouped by experiment, with their provenance.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Samples {
    /// The origin of the readings.
    pub provenance: Provenance,
    /// Experiments that this version does not know.
    pub unknown: Vec<UnknownExperiment>,
    series: Vec<Series>,
    index: BTreeMap<Experiment, usize>,
}

impl Samples {
    /// Samples without readings.
    pub fn new(provenance: Provenance) -> Self {
        Self { provenance, ..Self::default() }
    }

    /// Adds a reading to the series of its experiment.
    pub fn push(&mut self, Sample { experiment, launch, rep, seconds }: Sample) {
        let next = self.series.len();
        let place = *self.index.entry(experiment).or_insert(next);
        if place == next {
            self.series.push(Series { experiment, readings: Vec::new() });
        }
        self.series[place].readings.push(Repetition { launch, rep, seconds });
    }

    /// Adds the readings of another campaign on the same machine, without duplicates; returns the
    /// number of duplicates.
    ///
    /// The provenance stays, apart from the hosts of further processors, which are added.
    ///
    /// The readings of an experiment are duplicates if all readings with the same launch and
    /// repetition agree exactly.
    ///
    /// ```
    /// use orrery_cluster::platform::Processor;
    /// use orrery_measure::sample::{Experiment, Sample, Samples};
    /// use orrery_base::units::{Bytes, Seconds};
    /// let experiment = Experiment::RoundTrip { i: Processor(0), j: Processor(1), size: Bytes::ZERO, reply: Bytes::ZERO };
    /// let of = |times: [f64; 2]| {
    ///     let mut samples = Samples::default();
    ///     for (rep, time) in (0..).zip(times) {
    ///         samples.push(Sample { experiment, launch: 0, rep, seconds: Seconds::new(time) });
    ///     }
    ///     samples
    /// };
    /// let mut samples = of([1e-6, 2e-6]);
    /// assert_eq!(samples.extend(&of([1e-6, 2e-6])), 2);
    /// assert_eq!(samples.extend(&of([1e-6, 3e-6])), 0);
    /// assert_eq!(samples.extend(&of([1e-6, 2e-6])), 2);
    /// assert_eq!(samples.iter().count(), 4);
    /// ```
    pub fn extend(&mut self, other: &Self) -> usize {
        let mut twice = 0;
        for Series { experiment, readings } in &other.series {
            let known = self.get(experiment).map_or(&[][..], |series| &series.readings);
            let new = Repetition::new_among(known, readings);
            twice += readings.len() - new.len();
            for Repetition { launch, rep, seconds } in new {
                self.push(Sample { experiment: *experiment, launch, rep, seconds });
            }
        }
        self.unknown.extend(other.unknown.iter().cloned());
        self.provenance.add_hosts(&other.provenance);
        twice
    }

    /// Keeps the readings for which `keep` returns true; a series without readings is removed.
    pub fn retain(&mut self, mut keep: impl FnMut(&Experiment, &Repetition) -> bool) {
        for Series { experiment, readings } in &mut self.series {
            readings.retain(|reading| keep(experiment, reading));
        }
        self.series.retain(|series| !series.readings.is_empty());
        self.index = self
            .series
            .iter()
            .enumerate()
            .map(|(place, series)| (series.experiment, place))
            .collect();
    }

    /// All readings, series by series.
    pub fn iter(&self) -> impl Iterator<Item = Sample> {
        self.series.iter().flat_map(Series::samples)
    }

    /// The series in the order of their first readings.
    pub fn series(&self) -> &[Series] {
        &self.series
    }

    /// The series in the order of experiments.
    pub fn in_order(&self) -> impl Iterator<Item = &Series> {
        self.index.values().map(|&place| &self.series[place])
    }

    /// The readings of one experiment; `None` if there are none.
    pub fn get(&self, experiment: &Experiment) -> Option<&Series> {
        self.index.get(experiment).map(|&place| &self.series[place])
    }

    /// The hosts of the processors, from the provenance.
    pub fn hosts(&self) -> Hosts {
        Hosts::new(self.provenance.hosts())
    }

    /// The number of readings.
    pub fn count(&self) -> usize {
        self.series.iter().map(|series| series.readings.len()).sum()
    }

    /// Returns true if there are collective operations whose messages are known.
    pub fn has_collectives(&self) -> bool {
        let mut experiments = self.series.iter().map(|series| &series.experiment);
        experiments.any(|one| one.is_collective() && one.has_program())
    }

    /// Checks that one run of each experiment, as a fit or a validation predicts it, is within the
    /// budget of the readings.
    ///
    /// # Errors
    ///
    /// The number of operations, if it is beyond the budget: a train of a short row can have a
    /// million messages.
    pub fn check_operations(&self) -> Result<(), OverBudget> {
        let operations = self
            .series
            .iter()
            .map(|series| series.experiment.operations())
            .fold(0, u64::saturating_add);
        self.budget().check_operations("one run of each experiment", operations)
    }

    /// The memory and the number of operations that the readings may cost, by their number.
    pub fn budget(&self) -> Budget {
        Budget::of_input(self.count() as u64 * READING_LENGTH)
    }

    /// The number of processors: one more than the highest number in any experiment.
    pub fn processors(&self) -> usize {
        self.series.iter().map(|series| series.experiment.processors_needed()).max().unwrap_or(0)
    }
}
