use std::collections::BTreeMap;

use super::{Samples, Series, SpreadGroup, pooled_spreads};
use orrery_base::numeric::{chi_squared_p_value, mean, median, median_variance_factor};

/// The smallest ratio of the standard deviation between launches to the expected one that is a
/// difference.
const MIN_RATIO: f64 = 2.0;

/// The largest probability of a difference by chance.
const MAX_PROBABILITY: f64 = 1e-3;

/// The largest contribution of an experiment to the test, per degree of freedom: single outliers do
/// not decide.
const MAX_CONTRIBUTION: f64 = 9.0;

/// The medians of the launches of one experiment.
struct LaunchMedians {
    /// The number of launches.
    launches: usize,
    /// Their variance, relative to their squared mean.
    variance: f64,
    /// Its expected value for equal launches.
    expected: f64,
}

impl LaunchDifference {
    /// Returns the difference between the launches of all experiments; `None` if it is not
    /// significant, or if no experiment has readings of two launches that differ.
    ///
    /// Each experiment with L launches has the ratio of the variance of its medians to the expected
    /// variance, with L − 1 degrees of freedom; the expected variance follows from the spread of
    /// readings pooled over experiments of its kind. The mean ratio must exceed 4, and the sum must
    /// be improbable by the χ² distribution.
    pub fn of(samples: &Samples) -> Option<Self> {
        let hosts = samples.hosts();
        let all: Vec<Vec<Series>> = samples.in_order().map(by_launch).collect();
        if all.iter().all(|launches| launches.len() < 2) {
            return None;
        }
        let spreads = pooled_spreads(all.iter().flatten(), &hosts);
        let medians = |launches: &Vec<Series>| {
            let spread = spreads[&SpreadGroup::of(&launches.first()?.experiment, &hosts)];
            LaunchMedians::of(launches, spread)
        };
        let medians: Vec<LaunchMedians> = all.iter().filter_map(medians).collect();
        let degrees: f64 = medians.iter().map(|one| one.launches as f64 - 1.0).sum();
        let ratio = |one: &LaunchMedians| (one.variance / one.expected).min(MAX_CONTRIBUTION);
        let squares: f64 = medians.iter().map(|one| ratio(one) * (one.launches as f64 - 1.0)).sum();
        let probability = chi_squared_p_value(squares, degrees);
        if squares < MIN_RATIO * MIN_RATIO * degrees || probability > MAX_PROBABILITY {
            return None;
        }
        let typical = |of: fn(&LaunchMedians) -> f64| {
            median(&medians.iter().map(of).collect::<Vec<_>>()).sqrt()
        };
        Some(Self {
            launches: medians.iter().map(|one| one.launches).max()?,
            between: typical(|one| one.variance),
            expected: typical(|one| one.expected),
        })
    }
}

impl LaunchMedians {
    /// Compares the medians of the launches of an experiment with what their relative spread within
    /// a launch explains; `None` for fewer than two launches, or without spread.
    fn of(launches: &[Series], spread: f64) -> Option<Self> {
        let medians: Vec<f64> = launches.iter().map(|launch| median(&launch.seconds())).collect();
        let centre = mean(&medians);
        if medians.len() < 2 || spread <= 0.0 || centre <= 0.0 {
            return None;
        }
        let squares: f64 = medians.iter().map(|one| (one / centre - 1.0).powi(2)).sum();
        let factors: Vec<f64> =
            launches.iter().map(|one| median_variance_factor(one.readings.len())).collect();
        Some(Self {
            launches: medians.len(),
            variance: squares / (medians.len() as f64 - 1.0),
            expected: spread * spread * mean(&factors),
        })
    }
}

/// Returns the readings of each launch of an experiment.
///
/// Files of several campaigns may have the same numbers of launches: a repetition that occurs twice
/// is of another launch.
fn by_launch(series: &Series) -> Vec<Series> {
    let mut occurrences: BTreeMap<(u32, u32), u32> = BTreeMap::new();
    let mut launches: BTreeMap<(u32, u32), Series> = BTreeMap::new();
    for &reading in &series.readings {
        let occurrence = occurrences.entry((reading.launch, reading.rep)).or_default();
        let empty = || Series { experiment: series.experiment, readings: Vec::new() };
        launches.entry((reading.launch, *occurrence)).or_insert_with(empty).readings.push(reading);
        *occurrence += 1;
    }
    launches.into_values().collect()
}

/// A difference between launches of a campaign that the spread of their readings does not explain.
///
/// Placement of processes, memory layout and other load change from launch to launch and from day
/// to day.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LaunchDifference {
    /// The largest number of launches that measured one experiment.
    pub launches: usize,
    /// The typical standard deviation of the medians of launches, relative to their mean.
    pub between: f64,
    /// The typical standard deviation of such medians if launches do not differ.
    pub expected: f64,
}
