use std::collections::BTreeMap;

use super::{Experiment, Samples, Series, SpreadGroup, pooled_spreads};
use crate::numeric::{
    Estimate, mean, median, median_estimate, median_variance_factor, outliers, pooled_relative_deviation,
    robust_deviation, trend,
};
use crate::platform::LinkClass;

/// A reading further from the median than so many robust standard deviations is an outlier: of its own series, or of all
/// series of the same [`SpreadGroup`] pooled, whichever are larger.
pub const OUTLIER_DEVIATIONS: f64 = 5.0;

/// What the readings of one experiment look like.
#[derive(Debug, Clone, PartialEq)]
pub struct Summary {
    /// What was measured.
    pub experiment: Experiment,
    /// Whether its links run within a host or across hosts, in clusters with both.
    pub class: Option<LinkClass>,
    /// How many launches of the program the readings come from.
    pub launches: usize,
    /// The median of all readings in seconds, with an interval that assumes nothing of their distribution.
    pub median: Estimate,
    /// Their mean in seconds.
    pub mean: f64,
    /// The standard deviation of a reading relative to the median, robust; `None` of a single reading.
    pub spread: Option<f64>,
    /// How many readings lie further than [`OUTLIER_DEVIATIONS`] robust standard deviations from the median.
    pub outliers: usize,
    /// How readings change in the order in which they were taken, within launches; `None` of single readings.
    pub drift: Option<Drift>,
    /// Launches against each other; `None` of one launch.
    pub between: Option<LaunchSpread>,
}

/// How readings change in the order in which they were taken.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Drift {
    /// The change from the first to the last reading of the longest launch, relative to the median: the median slope of
    /// all pairs of one launch, times the number of steps.
    pub relative: f64,
    /// How probable a change as consistent as this is without drift, by the order of the readings alone. One experiment
    /// of twenty is below 0.05 by chance.
    pub p_value: f64,
}

/// The spread between launches beside the spread within them.
///
/// What changes from launch to launch (where processes stand, how memory lies, what else runs) is not seen by repetition
/// within one: an interval from one launch leaves it out.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LaunchSpread {
    /// The standard deviation of the medians of the launches, relative to their median.
    pub between: f64,
    /// The standard deviation of single readings within a launch, relative to its median; `None` where each
    /// launch has a single one.
    pub within: Option<f64>,
    /// How much the medians would differ if launches were alike: `within` × the root of the mean variance factor of a
    /// median of as many readings. Launches differ where `between` is well above it.
    pub expected: Option<f64>,
}

impl Summary {
    /// Summarises one series, whose class is left open; intervals of medians at `level`. `pooled` is the relative spread of the readings of all
    /// series of its kind.
    pub fn of(series: &Series, level: f64, pooled: f64) -> Self {
        let seconds = series.seconds();
        let mut launches: BTreeMap<u32, Vec<(u32, f64)>> = BTreeMap::new();
        for reading in &series.readings {
            launches.entry(reading.launch).or_default().push((reading.rep, reading.seconds.get()));
        }
        let launches: Vec<Vec<f64>> = launches
            .into_values()
            .map(|mut readings| {
                readings.sort_by_key(|&(rep, _)| rep);
                readings.into_iter().map(|(_, seconds)| seconds).collect()
            })
            .collect();
        let median = median_estimate(&seconds, level);
        let relative = |value: f64| if median.value > 0.0 { value / median.value } else { 0.0 };
        let steps = launches.iter().map(Vec::len).max().unwrap_or(1).saturating_sub(1);
        let drift = trend(launches.iter().map(Vec::as_slice))
            .map(|trend| Drift { relative: relative(trend.slope * steps as f64), p_value: trend.p_value });
        let deviation = robust_deviation(&seconds).unwrap_or(0.0).max(pooled * median.value);
        Self {
            experiment: series.experiment,
            class: None,
            launches: launches.len(),
            median,
            mean: mean(&seconds),
            spread: robust_deviation(&seconds).map(relative),
            outliers: outliers(&seconds, OUTLIER_DEVIATIONS * deviation),
            drift,
            between: LaunchSpread::of(&launches),
        }
    }

    /// How many readings there are.
    pub fn count(&self) -> u64 {
        self.median.samples.unwrap_or(0)
    }
}

impl LaunchSpread {
    fn of(launches: &[Vec<f64>]) -> Option<Self> {
        if launches.len() < 2 {
            return None;
        }
        let medians: Vec<f64> = launches.iter().map(|launch| median(launch)).collect();
        let centre = median(&medians);
        let relative = |value: f64| if centre > 0.0 { value / centre } else { 0.0 };
        // Of the few launches that there are none is to be passed over: the plain standard deviation.
        let middle = mean(&medians);
        let variance =
            medians.iter().map(|median| (median - middle).powi(2)).sum::<f64>() / (launches.len() as f64 - 1.0);
        let repeated = launches.iter().any(|launch| launch.len() > 1);
        let within = repeated.then(|| pooled_relative_deviation(launches.iter().map(Vec::as_slice)));
        let factors: Vec<f64> = launches.iter().map(|launch| median_variance_factor(launch.len())).collect();
        Some(Self {
            between: relative(variance.sqrt()),
            within,
            expected: within.map(|within| within * mean(&factors).sqrt()),
        })
    }
}

/// The summaries of all experiments, in the order of experiments.
///
/// ```
/// use orrery::sample::{file, summarise};
/// let text = "# format: orrery-samples 1\nexperiment,i,j,size,rep,seconds\n\
///             roundtrip,0,1,8,0,1e-5\nroundtrip,0,1,8,1,2e-5\nroundtrip,0,1,8,2,4e-5\n";
/// let summaries = summarise(&file::parse(text, "by hand")?.samples, 0.95);
/// assert_eq!((summaries[0].count(), summaries[0].median.value), (3, 2e-5));
/// assert!(summaries[0].drift.unwrap().relative > 1.0); // the readings go up, from a half to twice the median
/// # Ok::<(), file::SamplesError>(())
/// ```
pub fn summarise(samples: &Samples, level: f64) -> Vec<Summary> {
    let hosts = samples.hosts();
    let spreads = pooled_spreads(samples.in_order(), &hosts);
    let one = |series: &Series| {
        let spread = spreads[&SpreadGroup::of(&series.experiment, &hosts)];
        Summary { class: series.experiment.class(&hosts), ..Summary::of(series, level, spread) }
    };
    samples.in_order().map(one).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::platform::Processor;
    use crate::sample::Repetition;
    use crate::units::{Bytes, Seconds};
    use rand::SeedableRng;
    use rand_chacha::ChaCha8Rng;
    use rand_distr::{Distribution, StandardNormal};

    fn series(launches: &[&[f64]]) -> Series {
        let size = Bytes::new(8);
        let experiment = Experiment::RoundTrip { i: Processor(0), j: Processor(1), size, reply: size };
        let launches = launches.iter().zip(0..).flat_map(|(readings, launch)| {
            let reading = move |(&seconds, rep)| Repetition { launch, rep, seconds: Seconds::new(seconds) };
            readings.iter().zip(0..).map(reading)
        });
        Series { experiment, readings: launches.collect() }
    }

    #[test]
    fn a_single_reading_has_no_spread() {
        let summary = Summary::of(&series(&[&[3e-6]]), 0.95, 0.0);
        assert_eq!((summary.count(), summary.launches, summary.outliers), (1, 1, 0));
        assert_eq!((summary.spread, summary.drift, summary.between), (None, None, None));
        assert_eq!(summary.median.interval, None);
    }

    #[test]
    fn launches_that_differ_are_told_from_launches_that_do_not() {
        let mut rng = ChaCha8Rng::seed_from_u64(5);
        let mut launch = |centre: f64| -> Vec<f64> {
            (0..30)
                .map(|_| {
                    let z: f64 = StandardNormal.sample(&mut rng);
                    centre * (1.0 + 0.02 * z)
                })
                .collect()
        };
        let alike = [launch(1.0), launch(1.0), launch(1.0), launch(1.0)];
        let differing = [launch(1.0), launch(1.1), launch(0.9), launch(1.2)];
        let between = |launches: &[Vec<f64>; 4]| {
            let slices: Vec<&[f64]> = launches.iter().map(Vec::as_slice).collect();
            Summary::of(&series(&slices), 0.95, 0.0).between.unwrap()
        };
        let (same, apart) = (between(&alike), between(&differing));
        let (within, expected) = (same.within.unwrap(), same.expected.unwrap());
        assert!((within - 0.02).abs() < 0.005 && (expected - 0.0045).abs() < 0.0015, "{same:?}");
        assert!(same.between < 3.0 * expected, "{same:?}");
        assert!(
            apart.between > 20.0 * apart.expected.unwrap() && (apart.within.unwrap() - 0.02).abs() < 0.005,
            "{apart:?}"
        );
    }

    #[test]
    fn launches_of_single_readings_say_nothing_of_the_spread_within() {
        let between = Summary::of(&series(&[&[1.0], &[1.2]]), 0.95, 0.0).between.unwrap();
        assert!(between.between > 0.1);
        assert_eq!((between.within, between.expected), (None, None));
    }

    #[test]
    fn drift_is_that_within_launches() {
        let steps: [&[f64]; 2] = [&[1.0, 1.01, 1.02, 1.03, 1.04], &[0.5, 0.51, 0.52, 0.53, 0.54]];
        let drift = Summary::of(&series(&steps), 0.95, 0.0).drift.unwrap();
        assert!((drift.relative * 0.77 - 0.04).abs() < 1e-9, "{drift:?}");
        assert!(drift.p_value < 0.001);
        let falling: [&[f64]; 2] = [&[1.0, 1.0, 1.0], &[0.5, 0.5, 0.5]];
        assert_eq!(Summary::of(&series(&falling), 0.95, 0.0).drift, Some(Drift { relative: 0.0, p_value: 1.0 }));
    }
}
