use super::series::MAX_MAGNITUDE;

/// The maximum horizon in samples: a forecast of every past sample is kept until its value arrives.
pub const MAX_STEPS: usize = 100_000;

/// The maximum level of prediction intervals: as many as 2/(1 − level) past errors are needed.
pub const MAX_LEVEL: f64 = 0.999;

/// The bounds that values cannot exceed, such as 0 to 1 for an availability.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Bounds {
    low: f64,
    high: f64,
}

impl Bounds {
    /// No bounds.
    pub const NONE: Self = Self { low: f64::NEG_INFINITY, high: f64::INFINITY };

    /// Bounds; either may be infinite.
    ///
    /// # Errors
    ///
    /// Returns an error unless `low` is below `high`.
    pub fn new(low: f64, high: f64) -> Result<Self, ForecastError> {
        if low < high { Ok(Self { low, high }) } else { Err(ForecastError::Bounds { low, high }) }
    }

    /// The value within the bounds that is closest to a value.
    pub fn limit(self, value: f64) -> f64 {
        value.clamp(self.low, self.high)
    }
}

/// What to forecast, and with which intervals.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ForecastOptions {
    pub(super) steps: usize,
    pub(super) level: f64,
    pub(super) bounds: Bounds,
}

impl Default for ForecastOptions {
    /// The next value, with 95 % intervals and without bounds.
    fn default() -> Self {
        Self { steps: 1, level: 0.95, bounds: Bounds::NONE }
    }
}

impl ForecastOptions {
    /// Returns the options with a horizon in samples: 1 for the next value.
    ///
    /// # Errors
    ///
    /// Returns an error unless it is 1 to [`MAX_STEPS`].
    pub fn with_steps(self, steps: usize) -> Result<Self, ForecastError> {
        if (1..=MAX_STEPS).contains(&steps) {
            Ok(Self { steps, ..self })
        } else {
            Err(ForecastError::Steps { steps })
        }
    }

    /// Returns the options with a level of the prediction intervals.
    ///
    /// # Errors
    ///
    /// Returns an error unless it is above 0 and at most [`MAX_LEVEL`].
    pub fn with_level(self, level: f64) -> Result<Self, ForecastError> {
        let is_valid = level > 0.0 && level <= MAX_LEVEL;
        if is_valid { Ok(Self { level, ..self }) } else { Err(ForecastError::Level { level }) }
    }

    /// Returns the options with bounds of the values.
    #[must_use]
    pub fn with_bounds(self, bounds: Bounds) -> Self {
        Self { bounds, ..self }
    }

    /// The bounds of the values.
    pub fn bounds(self) -> Bounds {
        self.bounds
    }

    /// The horizon in samples.
    pub fn steps(self) -> usize {
        self.steps
    }

    /// The level of the prediction intervals.
    pub fn level(self) -> f64 {
        self.level
    }
}

/// The reason why a series cannot be forecast.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
pub enum ForecastError {
    /// A value is not finite, or so large that its square is not.
    #[error(
        "the value {value} cannot be forecast from; values are finite and up to {MAX_MAGNITUDE:e}; \
            leave it out"
    )]
    Value {
        /// The value.
        value: f64,
    },
    /// A series has not as many times as values.
    #[error("there are {times} times and {values} values; each value needs a time")]
    Lengths {
        /// The number of times.
        times: usize,
        /// The number of values.
        values: usize,
    },
    /// The time of a sample is before that of the one before it.
    #[error("sample {sample} has an earlier time than the one before it; sort the samples by time")]
    Order {
        /// The number of the sample, from 1.
        sample: usize,
    },
    /// The horizon is out of range.
    #[error(
        "the horizon is {steps} samples; it can be 1 to {MAX_STEPS}; choose another, or sample \
            less often"
    )]
    Steps {
        /// The number of samples.
        steps: usize,
    },
    /// The level of the intervals is out of range.
    #[error(
        "the level of the intervals is {level}; it must be above 0 and at most {MAX_LEVEL}, such \
            as 0.95"
    )]
    Level {
        /// The level.
        level: f64,
    },
    /// The bounds of the values exclude all values.
    #[error("the bounds are {low} to {high}; the first must be below the second")]
    Bounds {
        /// The lower bound.
        low: f64,
        /// The upper bound.
        high: f64,
    },
}
