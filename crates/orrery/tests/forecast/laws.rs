//! Laws of all forecasts.

#![expect(clippy::float_cmp, reason = "these laws hold without rounding")]

use orrery::forecast::{
    Bounds, ForecastError, ForecastOptions, MAX_LEVEL, MAX_STEPS, Series, SeriesForecaster,
    backtest,
};
use orrery::units::Seconds;
use proptest::prelude::*;

use crate::support::{evaluated, series};

/// The forecaster after all values.
fn after(values: &[f64], options: ForecastOptions) -> SeriesForecaster {
    backtest(&series(values.to_vec()), options).unwrap().forecaster
}

fn value() -> impl Strategy<Value = f64> {
    prop_oneof![3 => (-40_i32..40).prop_map(|quarters| f64::from(quarters) / 4.0), 1 => -1e3..1e3_f64]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn constants_are_forecast_exactly(constant in -1e9..1e9_f64, samples in 1_usize..120, steps in 1_usize..5) {
        let forecaster = after(&vec![constant; samples], ForecastOptions::default().with_steps(steps).unwrap());
        for candidate in forecaster.candidates() {
            prop_assert_eq!(candidate.forecast, constant, "{}", candidate.method);
        }
        let forecast = forecaster.forecast().unwrap();
        prop_assert_eq!(forecast.interval.is_some(), samples >= 39 + steps);
        prop_assert_eq!(forecast.missing_samples, (39 + steps).saturating_sub(samples));
        prop_assert!(forecast.interval.is_none_or(|interval| interval == (constant, constant)));
    }

    #[test]
    fn intervals_contain_the_forecast_within_bounds(
        values in prop::collection::vec(0.0..1.0_f64, 40..150),
        steps in 1_usize..4,
        level in 0.5..0.95_f64,
    ) {
        let bounds = Bounds::new(0.0, 1.0).unwrap();
        let options = ForecastOptions::default().with_steps(steps).unwrap().with_level(level).unwrap();
        let forecast = after(&values, options.with_bounds(bounds)).forecast().unwrap();
        let (low, high) = forecast.interval.unwrap_or((forecast.value, forecast.value));
        prop_assert!(0.0 <= low && low <= forecast.value && forecast.value <= high && high <= 1.0);
    }

    /// The unit does not matter: multiplication by a power of two changes no digit.
    #[test]
    fn forecasts_scale(values in prop::collection::vec(value(), 2..150), exponent in -20_i32..20) {
        let factor = 2_f64.powi(exponent);
        let scaled: Vec<f64> = values.iter().map(|value| value * factor).collect();
        let (one, other) = (after(&values, ForecastOptions::default()), after(&scaled, ForecastOptions::default()));
        for (one, other) in one.candidates().into_iter().zip(other.candidates()) {
            prop_assert_eq!(one.forecast * factor, other.forecast, "{}", one.method);
        }
        let ends = |forecaster: &SeriesForecaster| forecaster.forecast().unwrap().interval;
        prop_assert_eq!(ends(&one).map(|(low, high)| (low * factor, high * factor)), ends(&other));
    }

    /// The origin does not matter, to rounding.
    #[test]
    fn forecasts_shift(values in prop::collection::vec(-40_i32..40, 2..150), shift in -1000_i32..1000) {
        let values: Vec<f64> = values.into_iter().map(f64::from).collect();
        let shifted: Vec<f64> = values.iter().map(|value| value + f64::from(shift)).collect();
        let (one, other) = (after(&values, ForecastOptions::default()), after(&shifted, ForecastOptions::default()));
        let (one, other) = (one.candidates(), other.candidates());
        // Primary forecasters and the mixture; choices between equal errors depend on rounding.
        for (one, other) in one.iter().zip(&other).take(19) {
            let difference = other.forecast - one.forecast - f64::from(shift);
            prop_assert!(difference.abs() < 1e-6, "{}: {difference}", one.method);
        }
    }

    #[test]
    fn the_mixture_is_between_its_forecasters(values in prop::collection::vec(value(), 2..100)) {
        let candidates = after(&values, ForecastOptions::default()).candidates();
        let experts = || candidates.iter().filter(|candidate| candidate.weight.is_some());
        prop_assert_eq!(experts().count(), 20);
        let sum: f64 = experts().filter_map(|candidate| candidate.weight).sum();
        prop_assert!((sum - 1.0).abs() < 1e-12);
        prop_assert!(experts().any(|one| one.forecast <= candidates[0].forecast));
        prop_assert!(experts().any(|one| one.forecast >= candidates[0].forecast));
    }
}

/// The forecast of each value does not depend on later ones.
#[test]
fn a_backtest_replays_the_forecasts() {
    let values: Vec<f64> = (0..100_u32).map(|sample| f64::from(sample * 7 % 13)).collect();
    let options = ForecastOptions::default().with_steps(3).unwrap();
    let mut forecaster = SeriesForecaster::new(options);
    let mut forecasts = Vec::new();
    let mut sum = 0.0;
    for (sample, value) in values.iter().enumerate() {
        if let Some(outcome) =
            forecaster.update(Seconds::new(sample as f64 * 300.0), *value).unwrap()
        {
            let made: &orrery::forecast::Forecast = &forecasts[sample - 3];
            assert_eq!(
                (outcome.forecast, outcome.interval, outcome.value),
                (made.value, made.interval, *value)
            );
            sum += outcome.error();
        }
        forecasts.push(forecaster.forecast().unwrap());
    }
    let score = backtest(&series(values), options).unwrap().whole;
    assert_eq!((score.forecasts, score.mean_absolute_error()), (97, Some(sum / 97.0)));
}

#[test]
fn wrong_inputs_are_refused() {
    let mut forecaster = SeriesForecaster::new(ForecastOptions::default());
    let at = Seconds::new;
    assert!(matches!(forecaster.update(at(0.0), f64::NAN), Err(ForecastError::Value { .. })));
    assert!(matches!(forecaster.update(at(f64::INFINITY), 1.0), Err(ForecastError::Value { .. })));
    forecaster.update(at(10.0), 1.0).unwrap();
    assert_eq!(forecaster.update(at(9.0), 1.0), Err(ForecastError::Order { sample: 2 }));
    assert_eq!(
        forecaster.update(at(10.0), 1e100).unwrap().map(|outcome| outcome.forecast),
        Some(1.0)
    );
    assert!(forecaster.forecast().is_some_and(|forecast| forecast.value.is_finite()));
    let options = ForecastOptions::default();
    assert_eq!(options.with_steps(0), Err(ForecastError::Steps { steps: 0 }));
    assert_eq!(
        options.with_steps(MAX_STEPS + 1),
        Err(ForecastError::Steps { steps: MAX_STEPS + 1 })
    );
    assert!([0.0, 1.0, f64::NAN].into_iter().all(|level| options.with_level(level).is_err()));
    assert!(options.with_level(MAX_LEVEL).is_ok());
    assert!(Bounds::new(1.0, 1.0).is_err() && Bounds::new(f64::NAN, 1.0).is_err());
    let unsorted = Series::new(vec![at(1.0), at(3.0), at(2.0)], vec![0.0; 3]);
    assert_eq!(unsorted, Err(ForecastError::Order { sample: 3 }));
    assert_eq!(
        Series::new(vec![at(1.0)], vec![]),
        Err(ForecastError::Lengths { times: 1, values: 0 })
    );
}

#[test]
fn gaps_and_spacing_are_those_of_the_times() {
    let times = [0.0, 10.0, 10.0, 20.0, 55.0, 65.0, 70.0].map(Seconds::new).to_vec();
    let series = Series::new(times, vec![0.0; 7]).unwrap();
    assert_eq!(series.spacing(), Some(Seconds::new(10.0)));
    let gaps: Vec<(f64, u64)> = series.gaps().map(|gap| (gap.from.get(), gap.missing)).collect();
    assert_eq!(gaps, [(20.0, 3)]);
    assert!((series.irregularity() - 2.0 / 6.0).abs() < 1e-12, "{}", series.irregularity());
    assert_eq!(Series::default().spacing(), None);
    assert_eq!(evaluated(vec![]).forecaster.forecast(), None);
}
