//! Estimation of the time to combine data from experiments of single processors.

use std::collections::BTreeMap;

use orrery_base::numeric::{Estimate, Interval, Line, median, median_estimate};
use orrery_cluster::platform::Processor;
use orrery_measure::sample::{Experiment, Samples};

/// The time to combine a byte of each of `processors` processors \[s/B\]: the slope of the medians
/// over the size, weighted by 1/median². Processors without readings have the median of the others,
/// without an interval and with 0 samples; empty without any readings.
pub(super) fn estimate(samples: &Samples, processors: usize, level: f64) -> Vec<Estimate> {
    let mut medians: BTreeMap<Processor, Vec<(f64, Estimate)>> = BTreeMap::new();
    for series in samples.series() {
        if let Experiment::Combination { i, size } = series.experiment {
            let time = median_estimate(&series.seconds(), level);
            medians.entry(i).or_default().push((size.get() as f64, time));
        }
    }
    let known: BTreeMap<Processor, Estimate> = medians
        .iter()
        .filter_map(|(processor, points)| Some((*processor, slope(points, level)?)))
        .collect();
    if known.is_empty() {
        return Vec::new();
    }
    let values: Vec<f64> = known.values().map(|estimate| estimate.value).collect();
    let typical = Estimate { samples: Some(0), ..Estimate::exact(median(&values)) };
    Processor::first(processors)
        .map(|processor| known.get(&processor).copied().unwrap_or(typical))
        .collect()
}

/// The increase of the time with the size \[s/B\]; `None` if no line can be fitted, as without a
/// size above 0.
fn slope(points: &[(f64, Estimate)], level: f64) -> Option<Estimate> {
    let samples = points.iter().filter_map(|(_, time)| time.samples).sum();
    let weighted = points.iter().filter(|(_, time)| time.value > 0.0);
    let line = Line::through(weighted.map(|(size, time)| (*size, time.value, time.value.powi(-2))));
    if let Some(line) = line.filter(|line| line.slope > 0.0) {
        return Some(line.slope_estimate(level, samples));
    }
    let (size, time) = points.iter().rfind(|(size, _)| *size > 0.0)?;
    let per_byte = |seconds: f64| seconds / size;
    let interval = time.interval.map(|interval| Interval {
        low: per_byte(interval.low),
        high: per_byte(interval.high),
        ..interval
    });
    Some(Estimate { value: per_byte(time.value), interval, samples: Some(samples) })
}
