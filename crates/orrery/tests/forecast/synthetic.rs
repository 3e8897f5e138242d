//! Invented series of every kind: the mixture is as good as the best primary forecaster in
//! hindsight, and intervals cover.

use orrery::forecast::{ForecastOptions, Series, backtest};
use orrery::units::Seconds;

use crate::support::{evaluated, normals, series};

const SAMPLES: usize = 4_000;

/// A first-order autoregressive series: x ← φ·x + ε.
fn autoregressive(factor: f64, seed: u64) -> Vec<f64> {
    let (mut noise, mut x) = (normals(seed), 0.0);
    let step = || {
        x = factor * x + noise();
        x
    };
    std::iter::repeat_with(step).take(SAMPLES).collect()
}

/// Normal numbers about a level that changes after `length` samples.
fn shifts(length: usize, seed: u64) -> Vec<f64> {
    let (mut noise, mut levels) = (normals(seed), normals(seed + 1));
    let mut level = 0.0;
    let value = |sample: usize| {
        if sample.is_multiple_of(length) {
            level = 10.0 * levels();
        }
        level + noise()
    };
    (0..SAMPLES).map(value).collect()
}

/// A level with noise, and a spike of 100 in each 50th sample or so.
fn spikes(seed: u64) -> Vec<f64> {
    let (mut noise, mut chance) = (normals(seed), normals(seed + 1));
    std::iter::repeat_with(|| noise() + if chance() > 2.05 { 100.0 } else { 0.0 })
        .take(SAMPLES)
        .collect()
}

/// A load that is 0 or 1 for about 40 samples at a time, with a little noise.
fn on_off(seed: u64) -> Vec<f64> {
    let (mut noise, mut chance) = (normals(seed), normals(seed + 1));
    let mut is_on = false;
    let value = || {
        is_on ^= chance().abs() > 2.24;
        f64::from(u8::from(is_on)) + 0.02 * noise()
    };
    std::iter::repeat_with(value).take(SAMPLES).collect()
}

/// A daily course with noise.
fn daily(seed: u64) -> Vec<f64> {
    let mut noise = normals(seed);
    let course = |sample: usize| 10.0 * (sample as f64 / 288.0 * std::f64::consts::TAU).sin();
    (0..SAMPLES).map(|sample| course(sample) + noise()).collect()
}

/// All kinds, each with its name.
fn kinds() -> Vec<(&'static str, Vec<f64>)> {
    vec![
        ("white noise", autoregressive(0.0, 1)),
        ("autoregressive", autoregressive(0.8, 2)),
        ("random walk", autoregressive(1.0, 3)),
        ("oscillating", autoregressive(-0.5, 4)),
        ("shifts", shifts(150, 5)),
        ("frequent shifts", shifts(25, 7)),
        ("spikes", spikes(9)),
        ("on and off", on_off(11)),
        ("daily", daily(13)),
    ]
}

#[test]
fn the_mixture_is_as_good_as_the_best_primary_forecaster() {
    for (kind, values) in kinds() {
        let score = evaluated(values).second_half;
        let (best, least) = score.best_primary().unwrap();
        let (own, last) = (score.mean_absolute_error().unwrap(), score.last_value_error().unwrap());
        println!("{kind}: {:.4} of {best}, {:.4} of last value", own / least, own / last);
        assert!(own <= 1.03 * least, "{kind}: {own} {least} ({best})");
        assert!(own <= 1.03 * last, "{kind}: {own} {last}");
    }
}

#[test]
fn intervals_cover_values_of_every_kind() {
    for (kind, values) in kinds() {
        for (steps, level) in [(1, 0.95), (1, 0.8), (6, 0.95)] {
            let options =
                ForecastOptions::default().with_steps(steps).unwrap().with_level(level).unwrap();
            let score = backtest(&series(values.clone()), options).unwrap().whole;
            let coverage = score.coverage.fraction().unwrap();
            println!("{kind}, {steps} steps, {level}: {coverage:.4}");
            assert!((coverage - level).abs() < 0.015, "{kind}, {steps} steps, {level}: {coverage}");
        }
    }
}

/// Narrow intervals: about as wide as those of the true distribution, ±1.96.
#[test]
fn intervals_are_not_wider_than_necessary() {
    let width = evaluated(autoregressive(0.0, 21)).second_half.mean_interval_width().unwrap();
    assert!((3.6..4.7).contains(&width), "{width}");
}

/// Skewed errors have skewed intervals.
#[test]
fn intervals_follow_skewed_errors() {
    let mut noise = normals(23);
    let values: Vec<f64> = std::iter::repeat_with(|| (1.5 * noise()).exp()).take(SAMPLES).collect();
    let forecast = evaluated(values).forecaster.forecast().unwrap();
    let (low, high) = forecast.interval.unwrap();
    assert!(
        high - forecast.value > 3.0 * (forecast.value - low),
        "{low} {} {high}",
        forecast.value
    );
}

/// After a change of level of many standard deviations, forecasts are at the new one within a few
/// samples.
#[test]
fn forecasts_follow_a_change_of_level() {
    let mut noise = normals(25);
    let values: Vec<f64> =
        (0..1_010).map(|sample| noise() + if sample < 1_000 { 0.0 } else { 30.0 }).collect();
    let backtest = evaluated(values);
    let forecast = backtest.forecaster.forecast().unwrap();
    assert!((forecast.value - 30.0).abs() < 3.0, "{}", forecast.value);
    assert_eq!(backtest.forecaster.level_changes(), 1);
}

/// A spike hardly moves the forecasts of a series that is noise about a level.
#[test]
fn forecasts_ignore_a_spike() {
    let mut noise = normals(27);
    let values: Vec<f64> =
        (0..1_000).map(|sample| noise() + if sample == 999 { 100.0 } else { 0.0 }).collect();
    let forecast = evaluated(values).forecaster.forecast().unwrap();
    assert!(forecast.value.abs() < 10.0, "{}", forecast.value);
}

/// The daily course is forecast hours ahead, where no primary forecaster is close.
#[test]
fn a_daily_course_is_forecast_hours_ahead() {
    let options = ForecastOptions::default().with_steps(72).unwrap();
    let score = backtest(&series(daily(29)), options).unwrap().second_half;
    let (_, least) = score.best_primary().unwrap();
    let own = score.mean_absolute_error().unwrap();
    assert!(own < 0.35 * least, "{own} {least}");
}

/// Samples that are missing at random change neither errors nor coverage by much.
#[test]
fn missing_samples_do_no_harm() {
    let (values, mut chance) = (autoregressive(0.8, 31), normals(33));
    let kept: Vec<(Seconds, f64)> = (0..SAMPLES)
        .filter(|_| chance() < 1.0)
        .map(|sample| (Seconds::new(sample as f64 * 300.0), values[sample]))
        .collect();
    let (times, kept): (Vec<Seconds>, Vec<f64>) = kept.into_iter().unzip();
    let series = Series::new(times, kept).unwrap();
    assert!(series.gaps().count() > 400);
    let score = backtest(&series, ForecastOptions::default()).unwrap().whole;
    let coverage = score.coverage.fraction().unwrap();
    assert!((0.93..0.97).contains(&coverage), "{coverage}");
    assert!(score.mean_absolute_error().unwrap() < 1.1, "{:?}", score.mean_absolute_error());
}
