//! The errors of past forecasts of a whole series, each made from the samples before it.

use super::forecaster::{Outcome, SeriesForecaster};
use super::interval::Coverage;
use super::options::{ForecastError, ForecastOptions};
use super::primary::{PRIMARY_COUNT, Primary};
use super::series::Series;

/// The errors of the forecasts for a part of a series.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Score {
    /// The number of forecasts.
    pub forecasts: u64,
    /// The sum of absolute errors.
    sum: f64,
    /// The sums of absolute errors of the primary forecasters of NWS.
    primaries: [f64; PRIMARY_COUNT],
    /// How often values were inside their prediction intervals.
    pub coverage: Coverage,
    /// The sum of the widths of the intervals.
    width: f64,
}

impl Score {
    /// The mean absolute error; `None` without forecasts.
    pub fn mean_absolute_error(&self) -> Option<f64> {
        self.mean(self.sum)
    }

    /// The mean absolute error of the last value as the forecast; `None` without forecasts.
    pub fn last_value_error(&self) -> Option<f64> {
        self.mean(self.primaries[0])
    }

    /// The primary forecaster of NWS with the least mean absolute error in hindsight, with that
    /// error; `None` without forecasts.
    pub fn best_primary(&self) -> Option<(Primary, f64)> {
        let best = Primary::ALL
            .into_iter()
            .zip(self.primaries)
            .min_by(|one, other| one.1.total_cmp(&other.1));
        best.and_then(|(primary, sum)| Some((primary, self.mean(sum)?)))
    }

    /// The mean width of the prediction intervals; `None` without any.
    pub fn mean_interval_width(&self) -> Option<f64> {
        (self.coverage.count > 0).then(|| self.width / self.coverage.count as f64)
    }

    /// A sum over all forecasts divided by their number; `None` without forecasts.
    fn mean(&self, sum: f64) -> Option<f64> {
        (self.forecasts > 0).then(|| sum / self.forecasts as f64)
    }

    /// Adds the outcome of one forecast.
    fn add(&mut self, outcome: &Outcome) {
        self.forecasts += 1;
        self.sum += outcome.error();
        let errors = outcome.primaries.map(|forecast| (forecast - outcome.value).abs());
        self.primaries.iter_mut().zip(errors).for_each(|(sum, error)| *sum += error);
        if let (Some(is_inside), Some((low, high))) = (outcome.is_inside(), outcome.interval) {
            self.coverage.add(is_inside);
            self.width += high - low;
        }
    }
}

/// The forecasts of a series, compared with its values.
#[derive(Debug, Clone)]
pub struct Backtest {
    /// All forecasts.
    pub whole: Score,
    /// The forecasts for the second half of the series, by forecasters that have seen the first
    /// half.
    pub second_half: Score,
    /// The forecaster after the last sample.
    pub forecaster: SeriesForecaster,
}

/// Forecasts every value of a series from the samples before it.
///
/// # Errors
///
/// Returns no error for a valid [`Series`].
pub fn backtest(series: &Series, options: ForecastOptions) -> Result<Backtest, ForecastError> {
    let mut forecaster = SeriesForecaster::new(options);
    let (mut whole, mut second_half) = (Score::default(), Score::default());
    let middle = series.values().len() / 2;
    for (sample, (&time, &value)) in series.times().iter().zip(series.values()).enumerate() {
        if let Some(outcome) = forecaster.update(time, value)? {
            whole.add(&outcome);
            if sample >= middle {
                second_half.add(&outcome);
            }
        }
    }
    Ok(Backtest { whole, second_half, forecaster })
}
