//! Runs that differ from the others of their point.

use std::collections::BTreeMap;

use super::point::Point;
use crate::run::Run;
use orrery_base::numeric::{median, pooled_relative_deviation, robust_deviation};

/// The distance from the median of a point, in standard deviations, beyond which a run is an
/// outlier.
const OUTLIER_DEVIATIONS: f64 = 4.0;

/// The least number of runs of a point among which one may be an outlier.
const MIN_RUNS: usize = 3;

/// The least number of runs of a point from which the deviation of its own is robust.
const MIN_ROBUST_RUNS: usize = 4;

/// The ratio of the deviations by differences and by distances above which only outliers explain it.
const MAX_RATIO: f64 = 3.0;

/// The relative standard deviation of repeated runs, over the points of these times.
///
/// Of the differences of runs up to a quarter may be outliers, of the distances from the medians of
/// points with enough runs up to a half, but these are too small for few runs. So they count only if
/// the differences are far larger.
fn typical_deviation<'a>(points: impl Iterator<Item = &'a [f64]> + Clone) -> f64 {
    let distances: Vec<f64> = points
        .clone()
        .filter(|seconds| seconds.len() >= MIN_ROBUST_RUNS)
        .flat_map(|seconds| {
            let centre = median(seconds);
            seconds.iter().map(move |seconds| seconds / centre - 1.0)
        })
        .collect();
    let differences = pooled_relative_deviation(points);
    match robust_deviation(&distances) {
        Some(own) if own > 0.0 && differences > MAX_RATIO * own => own,
        _ => differences,
    }
}

/// Returns for each time of a point whether it is near the others; `deviation` is the relative
/// standard deviation of runs.
fn times_are_near(seconds: &[f64], deviation: f64) -> Vec<bool> {
    if seconds.len() < MIN_RUNS {
        return vec![true; seconds.len()];
    }
    let middle = median(seconds);
    // Rounding errors are no outliers.
    let bound = middle * (OUTLIER_DEVIATIONS * deviation).max(1e-9);
    let near: Vec<bool> = seconds.iter().map(|seconds| (seconds - middle).abs() <= bound).collect();
    // Outliers are few: of two values that alternate, neither is one.
    let count = near.iter().filter(|&&is_near| is_near).count();
    if 2 * count < seconds.len() { vec![true; seconds.len()] } else { near }
}

/// Returns for each run whether its time is near those of the other runs of its point with equal
/// labels: it differs from their median by at most four standard deviations of repeated runs.
pub(super) fn are_near(runs: &[&Run]) -> Vec<bool> {
    let mut points: BTreeMap<_, Vec<usize>> = BTreeMap::new();
    for (place, run) in runs.iter().enumerate() {
        points.entry((Point::of(run).key(), &run.labels)).or_default().push(place);
    }
    let times = |places: &Vec<usize>| -> Vec<f64> {
        places.iter().map(|&place| runs[place].seconds.get()).collect()
    };
    let seconds: Vec<Vec<f64>> = points.values().map(times).collect();
    let deviation = typical_deviation(seconds.iter().map(Vec::as_slice));
    let mut near = vec![true; runs.len()];
    for (places, seconds) in points.values().zip(&seconds) {
        for (&place, is_near) in places.iter().zip(times_are_near(seconds, deviation)) {
            near[place] = is_near;
        }
    }
    near
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_of_five_runs_may_be_outliers() {
        let seconds = [0.05, 12.0, 12.0, 3.0, 11.0];
        let deviation = typical_deviation(std::iter::once(&seconds[..]));
        assert_eq!(times_are_near(&seconds, deviation), [false, true, true, false, true]);
    }

    #[test]
    fn runs_without_outliers_are_all_near() {
        let seconds = [1.0, 1.02, 0.98, 1.01, 0.99];
        let deviation = typical_deviation(std::iter::once(&seconds[..]));
        assert!(times_are_near(&seconds, deviation).iter().all(|&is_near| is_near), "{deviation}");
        // Times that alternate between two values have no outliers.
        let deviation = typical_deviation(std::iter::once(&[1.0, 2.0, 1.0, 2.0][..]));
        assert!(times_are_near(&[1.0, 2.0, 1.0, 2.0], deviation).iter().all(|&is_near| is_near));
    }
}
