//! The forecasters of NWS against a plain reference that computes every forecast from all past
//! values.

#![expect(clippy::float_cmp, reason = "small numbers of quarters are exact")]

use orrery::forecast::{NwsForecaster, NwsForecasters};
use proptest::prelude::*;

/// The relative error of sums that differ in the order of their terms.
const ROUNDING: f64 = 1e-10;

fn sorted(values: &[f64]) -> Vec<f64> {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted
}

fn last(values: &[f64], size: usize) -> &[f64] {
    &values[values.len().saturating_sub(size)..]
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

fn median(values: &[f64], size: usize) -> f64 {
    let sorted = sorted(last(values, size));
    let middle = sorted.len() / 2;
    if sorted.len() % 2 == 1 {
        sorted[middle]
    } else {
        f64::midpoint(sorted[middle - 1], sorted[middle])
    }
}

fn trimmed_mean(values: &[f64], size: usize) -> f64 {
    let sorted = sorted(last(values, size));
    let trimmed = sorted.len() * 3 / 10;
    mean(&sorted[trimmed..sorted.len() - trimmed])
}

fn smoothed(values: &[f64], percent: u32) -> f64 {
    let gain = f64::from(percent) / 100.0;
    values[1..].iter().fold(values[0], |smoothed, value| smoothed + gain * (value - smoothed))
}

/// The median of a window that takes the size, of three, whose median was closest to the value.
fn adaptive_median(values: &[f64], (min, max): (usize, usize), start: usize, step: usize) -> f64 {
    let mut size = start;
    for now in 1..values.len() {
        let error = |size: usize| (median(&values[..now], size) - values[now]).abs();
        let (smaller, larger) = ((size - step).max(min).min(size), (size + step).min(max));
        let mut best = size;
        if error(smaller) < error(best) {
            best = smaller;
        }
        if error(larger) < error(best) {
            best = larger;
        }
        size = best;
    }
    median(values, size)
}

/// The forecasts of the 18 primary forecasters after some values.
fn primaries(values: &[f64]) -> Vec<f64> {
    let mut forecasts = vec![values[values.len() - 1], mean(values)];
    forecasts.extend([5, 10, 15, 20, 30, 40, 50, 75].map(|percent| smoothed(values, percent)));
    forecasts.extend([median(values, 31), median(values, 5)]);
    forecasts.extend([mean(last(values, 31)), mean(last(values, 5))]);
    forecasts.extend([trimmed_mean(values, 31), trimmed_mean(values, 51)]);
    forecasts.push(adaptive_median(values, (5, 21), 10, 1));
    forecasts.push(adaptive_median(values, (21, 51), 30, 5));
    forecasts
}

/// The forecasters with the least sum of errors, up to rounding.
fn best(errors: &[Vec<f64>], squared: bool) -> Vec<usize> {
    let count = errors.first().map_or(18, Vec::len);
    let measure = |error: f64| if squared { error * error } else { error };
    let sum = |k: usize| errors.iter().map(|row| measure(row[k])).sum::<f64>();
    let sums: Vec<f64> = (0..count).map(sum).collect();
    let least = sums.iter().copied().fold(f64::INFINITY, f64::min);
    if errors.is_empty() {
        return vec![0];
    }
    (0..count).filter(|&k| sums[k] <= least * (1.0 + ROUNDING)).collect()
}

/// Numbers that are usual, equal, far apart, or of very different magnitude.
fn value() -> impl Strategy<Value = f64> {
    prop_oneof![
        4 => (-40_i32..40).prop_map(|quarters| f64::from(quarters) / 4.0),
        2 => -1.0..1.0_f64,
        1 => Just(3.0),
        1 => -1e6..1e6_f64,
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    /// Values with levels, spikes and ties.
    #[test]
    fn fast_forecasters_equal_the_reference(values in prop::collection::vec(value(), 1..160)) {
        let scale = values.iter().fold(1e-300_f64, |scale, value| scale.max(value.abs()));
        let (mut fast, mut errors) = (NwsForecasters::default(), Vec::<Vec<f64>>::new());
        for now in 1..=values.len() {
            if let Some(forecasts) = fast.forecasts() {
                errors.push(forecasts[..34].iter().map(|forecast| (forecast - values[now - 1]).abs()).collect());
            }
            fast.update(values[now - 1]);
            let forecasts = fast.forecasts().unwrap();
            let close = |one: f64, other: f64| (one - other).abs() <= 1e-12 * scale;
            let primaries = primaries(&values[..now]);
            for (k, forecaster) in NwsForecaster::all().enumerate() {
                match forecaster {
                    NwsForecaster::Primary(_) => prop_assert!(
                        close(forecasts[k], primaries[k]), "{forecaster}: \
                            {} {}", forecasts[k], primaries[k]
                    ),
                    NwsForecaster::Choice { measure, window } => {
                        let count = window.map_or(errors.len(), usize::from).min(errors.len());
                        let rows: Vec<Vec<f64>> =
                            errors[errors.len() - count..].iter().map(|row| row[..18].to_vec()).collect();
                        let chosen = best(&rows, measure == orrery::forecast::ErrorMeasure::Squared);
                        prop_assert!(chosen.iter().any(|&one| close(forecasts[k], primaries[one])), "{forecaster}");
                    }
                    NwsForecaster::Total(measure) => {
                        let chosen = best(&errors, measure == orrery::forecast::ErrorMeasure::Squared);
                        prop_assert!(chosen.iter().any(|&one| close(forecasts[k], forecasts[one])), "{forecaster}");
                    }
                }
            }
        }
    }
}

/// Values whose forecasts are easily computed by hand.
#[test]
fn forecasts_of_a_short_series() {
    let mut forecasters = NwsForecasters::default();
    assert_eq!(forecasters.forecasts(), None);
    [1.0, 2.0, 3.0, 4.0, 15.0].into_iter().for_each(|value| forecasters.update(value));
    let forecasts = forecasters.forecasts().unwrap();
    let find = |name: &str| NwsForecaster::all().position(|one| one.to_string() == name).unwrap();
    assert_eq!(forecasts[find("last value")], 15.0);
    assert_eq!(forecasts[find("running mean")], 5.0);
    assert_eq!(forecasts[find("median of 31")], 3.0);
    assert_eq!(forecasts[find("trimmed mean of 31")], 3.0);
    assert_eq!(forecasts[find("exponential smoothing 50 %")], 9.0625);
    // The last value has the least errors: 1, 1, 1, 11.
    assert_eq!(forecasts[find("least MAE")], 15.0);
    assert_eq!(forecasts[find("least MSE of all")], 15.0);
}
