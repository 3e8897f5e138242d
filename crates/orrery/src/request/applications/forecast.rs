use serde::{Deserialize, Serialize};

use super::{RequestError, check_positive};
use crate::forecast::{
    Backtest, Bounds, ForecastError, ForecastOptions, MAX_LEVEL, Series, backtest,
};
use crate::units::Seconds;

/// The forecast of a measured series.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct SeriesForecastRequest {
    /// The time from the last sample to the forecast; that of the next sample by default.
    pub horizon: Option<Seconds>,
    /// The level of the prediction intervals.
    pub level: f64,
    /// The minimum of possible values.
    pub min: Option<f64>,
    /// The maximum of possible values.
    pub max: Option<f64>,
}

impl Default for SeriesForecastRequest {
    fn default() -> Self {
        Self { horizon: None, level: ForecastOptions::default().level(), min: None, max: None }
    }
}

impl SeriesForecastRequest {
    /// The horizon in samples with this spacing: horizon/spacing, rounded, at least 1.
    ///
    /// # Errors
    ///
    /// When there is a horizon, and no spacing.
    pub fn steps(&self, spacing: Option<Seconds>) -> Result<usize, RequestError> {
        let Some(horizon) = self.horizon else { return Ok(1) };
        check_positive("horizon", horizon.get())?;
        let spacing = spacing.ok_or_else(|| {
            let reason =
                "a horizon needs the spacing of samples, but all have one time; add samples";
            RequestError::failed(reason)
        })?;
        Ok(((horizon / spacing).round() as usize).max(1))
    }

    /// The options of the forecaster of a series with this spacing of its samples.
    ///
    /// # Errors
    ///
    /// When a field is out of its range, or when there is a horizon and no spacing.
    pub fn options(&self, spacing: Option<Seconds>) -> Result<ForecastOptions, RequestError> {
        let low = self.min.unwrap_or(f64::NEG_INFINITY);
        let high = self.max.unwrap_or(f64::INFINITY);
        for (field, bound) in [("min", self.min), ("max", self.max)] {
            if let Some(bound) = bound.filter(|bound| !bound.is_finite()) {
                return Err(RequestError::invalid(field, bound, "it must be a finite number"));
            }
        }
        let bounds =
            Bounds::new(low, high).map_err(|_| RequestError::range(("min", low), ("max", high)))?;
        let options = ForecastOptions::default().with_bounds(bounds).with_level(self.level)?;
        Ok(options.with_steps(self.steps(spacing)?)?)
    }

    /// Forecasts every value of a series from those before it, and the value at the horizon.
    ///
    /// # Errors
    ///
    /// As [`SeriesForecastRequest::options`].
    pub fn answer(&self, series: &Series) -> Result<(ForecastOptions, Backtest), RequestError> {
        let options = self.options(series.spacing())?;
        Ok((options, backtest(series, options)?))
    }
}

impl From<ForecastError> for RequestError {
    fn from(error: ForecastError) -> Self {
        match error {
            ForecastError::Level { level } => {
                let reason = format!("it must be above 0 and at most {MAX_LEVEL}, such as 0.95");
                Self::invalid("level", level, reason)
            }
            error => Self::failed(error.to_string()),
        }
    }
}
