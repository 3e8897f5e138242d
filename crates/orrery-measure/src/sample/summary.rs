use std::collections::BTreeMap;

use super::{Experiment, Samples, Series, SpreadGroup, pooled_spreads};
use orrery_base::numeric::{
    Estimate, mean, median, median_estimate, median_variance_factor, outliers,
    pooled_relative_deviation, robust_deviation, trend,
};
use orrery_cluster::platform::LinkClass;

/// The distance from the median, in robust standard deviations, beyond which a reading is an
/// outlier.
///
/// The larger of the deviation of its series and the pooled deviation of its
/// [`ExperimentKind`](super::ExperimentKind) counts.
pub const OUTLIER_DEVIATIONS: f64 = 5.0;

/// Descriptive statistics of the readings of one experiment.
#[derive(Debug, Clone, PartialEq)]
pub struct Summary {
    /// The experiment.
    pub experiment: Experiment,
    /// The class of its links, within or between hosts; `None` in clusters with one class.
    pub class: Option<LinkClass>,
    /// The number of launches of the program.
    pub launches: usize,
    /// The median in seconds with a distribution-free confidence interval.
    pub median: Estimate,
    /// The mean in seconds.
    pub mean: f64,
    /// The robust standard deviation relative to the median; `None` for a single reading.
    pub spread: Option<f64>,
    /// The number of readings further than [`OUTLIER_DEVIATIONS`] robust standard deviations from
    /// the median.
    pub outliers: usize,
    /// The trend of readings within launches; `None` for single readings.
    pub drift: Option<Drift>,
    /// The spread between launches; `None` for one launch.
    pub between: Option<LaunchSpread>,
}

/// The trend of readings in the order in which they were taken.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Drift {
    /// The change over the longest launch relative to the median: the Theil–Sen slope within
    /// launches times the number of steps.
    pub relative: f64,
    /// The p-value of the Mann–Kendall test for a trend; one experiment in twenty is below 0.05 by
    /// chance.
    pub p_value: f64,
}

/// The spread between launches, compared with the spread within launches.
///
/// Effects that change between launches (process placement, memory layout, other load) do not show
/// in repetitions within one launch, so that an interval from one launch does not include them.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LaunchSpread {
    /// The standard deviation of the medians of the launches, relative to their median.
    pub between: f64,
    /// The standard deviation of readings within a launch relative to its median; `None` if each
    /// launch has one reading.
    pub within: Option<f64>,
    /// The expected `between` of equal launches: `within` × the square root of the mean variance
    /// factor of the medians. Launches differ if `between` is much larger.
    pub expected: Option<f64>,
}

impl Summary {
    /// Summarises one series without its class; `level` is the confidence level of the median,
    /// `pooled` the relative spread of the readings of all series of its kind.
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
        let drift = trend(launches.iter().map(Vec::as_slice)).map(|trend| Drift {
            relative: relative(trend.slope * steps as f64),
            p_value: trend.p_value,
        });
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

    /// The number of readings.
    pub fn count(&self) -> u64 {
        self.median.samples.unwrap_or(0)
    }
}

impl LaunchSpread {
    /// Returns the spread between launches, given the readings of each in seconds; `None` for fewer
    /// than two launches.
    fn of(launches: &[Vec<f64>]) -> Option<Self> {
        if launches.len() < 2 {
            return None;
        }
        let medians: Vec<f64> = launches.iter().map(|launch| median(launch)).collect();
        let centre = median(&medians);
        let relative = |value: f64| if centre > 0.0 { value / centre } else { 0.0 };
        // The plain standard deviation, since with few launches none is an outlier.
        let middle = mean(&medians);
        let variance = medians.iter().map(|median| (median - middle).powi(2)).sum::<f64>()
            / (launches.len() as f64 - 1.0);
        let repeated = launches.iter().any(|launch| launch.len() > 1);
        let within =
            repeated.then(|| pooled_relative_deviation(launches.iter().map(Vec::as_slice)));
        let factors: Vec<f64> =
            launches.iter().map(|launch| median_variance_factor(launch.len())).collect();
        Some(Self {
            between: relative(variance.sqrt()),
            within,
            expected: within.map(|within| within * mean(&factors).sqrt()),
        })
    }
}

/// Summarises all experiments, in the order of experiments; `level` is the confidence level of the
/// interval of each median, between 0 and 1.
///
/// ```
/// use orrery_measure::sample::{file, summarise};
/// let text = "# format: orrery-samples 1\nexperiment,i,j,size,rep,seconds\n\
///             roundtrip,0,1,8,0,1e-5\nroundtrip,0,1,8,1,2e-5\nroundtrip,0,1,8,2,4e-5\n";
/// let summaries = summarise(&file::parse(text, "by hand")?.samples, 0.95);
/// assert_eq!((summaries[0].count(), summaries[0].median.value), (3, 2e-5));
/// assert!(summaries[0].drift.unwrap().relative > 1.0); // the readings increase from half to twice the median
/// # Ok::<(), orrery_base::file::FileError>(())
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
    use crate::sample::Repetition;
    use orrery_base::units::{Bytes, Seconds};
    use orrery_cluster::platform::Processor;
    use rand::SeedableRng;
    use rand::rngs::ChaCha8Rng;
    use rand_distr::{Distribution, StandardNormal};

    fn series(launches: &[&[f64]]) -> Series {
        let size = Bytes::new(8);
        let experiment =
            Experiment::RoundTrip { i: Processor(0), j: Processor(1), size, reply: size };
        let launches = launches.iter().zip(0..).flat_map(|(readings, launch)| {
            let reading =
                move |(&seconds, rep)| Repetition { launch, rep, seconds: Seconds::new(seconds) };
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
    fn different_launches_have_a_larger_spread_than_expected() {
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
            apart.between > 20.0 * apart.expected.unwrap()
                && (apart.within.unwrap() - 0.02).abs() < 0.005,
            "{apart:?}"
        );
    }

    #[test]
    fn launches_with_one_reading_have_no_spread_within() {
        let between = Summary::of(&series(&[&[1.0], &[1.2]]), 0.95, 0.0).between.unwrap();
        assert!(between.between > 0.1);
        assert_eq!((between.within, between.expected), (None, None));
    }

    #[test]
    fn drift_is_measured_within_launches() {
        let steps: [&[f64]; 2] = [&[1.0, 1.01, 1.02, 1.03, 1.04], &[0.5, 0.51, 0.52, 0.53, 0.54]];
        let drift = Summary::of(&series(&steps), 0.95, 0.0).drift.unwrap();
        assert!((drift.relative * 0.77 - 0.04).abs() < 1e-9, "{drift:?}");
        assert!(drift.p_value < 0.001);
        let falling: [&[f64]; 2] = [&[1.0, 1.0, 1.0], &[0.5, 0.5, 0.5]];
        assert_eq!(
            Summary::of(&series(&falling), 0.95, 0.0).drift,
            Some(Drift { relative: 0.0, p_value: 1.0 })
        );
    }
}
