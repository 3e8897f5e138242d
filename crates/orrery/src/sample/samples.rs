use std::collections::{BTreeMap, BTreeSet};

use super::{Experiment, Provenance};
use crate::platform::Hosts;
use crate::units::Seconds;

/// One reading.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Sample {
    /// What was measured.
    pub experiment: Experiment,
    /// Which launch of the program it comes from, from 0.
    pub launch: u32,
    /// Which repetition within the launch, from 0.
    pub rep: u32,
    /// The reading.
    pub seconds: Seconds,
}

/// One reading of a series, which says what was measured.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Repetition {
    /// Which launch of the program it comes from, from 0.
    pub launch: u32,
    /// Which repetition within the launch, from 0.
    pub rep: u32,
    /// The reading.
    pub seconds: Seconds,
}

/// All readings of one experiment.
#[derive(Debug, Clone, PartialEq)]
pub struct Series {
    /// What was measured.
    pub experiment: Experiment,
    /// Its readings in order.
    pub readings: Vec<Repetition>,
}

impl Series {
    /// The readings as numbers of seconds.
    pub fn seconds(&self) -> Vec<f64> {
        self.readings.iter().map(|reading| reading.seconds.get()).collect()
    }

    /// The readings, each with what was measured.
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

/// A kind of experiment that this version does not know; its rows are kept as they were read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnknownExperiment {
    /// The word in the column `experiment`.
    pub experiment: String,
    /// How many rows there are.
    pub rows: usize,
}

/// The readings of a campaign, grouped by experiment, with their provenance.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Samples {
    /// Where the readings come from.
    pub provenance: Provenance,
    /// Kinds of experiments that this version does not know.
    pub unknown: Vec<UnknownExperiment>,
    series: Vec<Series>,
    index: BTreeMap<Experiment, usize>,
}

impl Samples {
    /// No readings yet.
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

    /// Adds the readings of another campaign on the same machine, but not a second time; tells how many are there already.
    ///
    /// Readings of an experiment are the same ones if all that have launch and repetition in common agree to the last bit.
    /// Single ones agree by chance, since clocks tick.
    ///
    /// ```
    /// use orrery::platform::Processor;
    /// use orrery::sample::{Experiment, Sample, Samples};
    /// use orrery::units::{Bytes, Seconds};
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
        for series in &other.series {
            let known = self.get(&series.experiment).into_iter().flat_map(|series| &series.readings);
            let known: BTreeSet<_> = known.map(|one| (one.launch, one.rep, one.seconds.get().to_bits())).collect();
            let place = |sample: &Sample| (sample.launch, sample.rep, sample.seconds.get().to_bits());
            let is_there = |sample: &Sample| known.contains(&place(sample));
            let is_taken = |sample: &Sample| {
                let (launch, rep, _) = place(sample);
                known.range((launch, rep, 0)..=(launch, rep, u64::MAX)).next().is_some()
            };
            let is_same = series.samples().all(|sample| is_there(&sample) || !is_taken(&sample));
            for sample in series.samples() {
                if is_same && is_there(&sample) {
                    twice += 1;
                } else {
                    self.push(sample);
                }
            }
        }
        self.unknown.extend(other.unknown.iter().cloned());
        twice
    }

    /// All readings, series by series.
    pub fn iter(&self) -> impl Iterator<Item = Sample> {
        self.series.iter().flat_map(Series::samples)
    }

    /// The series in the order in which their first readings were added.
    pub fn series(&self) -> &[Series] {
        &self.series
    }

    /// The series in the order of experiments.
    pub fn in_order(&self) -> impl Iterator<Item = &Series> {
        self.index.values().map(|&place| &self.series[place])
    }

    /// The readings of one experiment.
    pub fn get(&self, experiment: &Experiment) -> Option<&Series> {
        self.index.get(experiment).map(|&place| &self.series[place])
    }

    /// Which processors share a host, as far as the provenance tells.
    pub fn hosts(&self) -> Hosts {
        Hosts::new(self.provenance.hosts())
    }

    /// How many readings there are.
    pub fn count(&self) -> usize {
        self.series.iter().map(|series| series.readings.len()).sum()
    }

    /// One more than the highest processor that any experiment names.
    pub fn processors(&self) -> usize {
        self.series.iter().map(|series| series.experiment.processors_needed()).max().unwrap_or(0)
    }
}
