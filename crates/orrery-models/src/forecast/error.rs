use super::options::{MAX_LEVEL, MAX_STEPS};
use super::series::MAX_MAGNITUDE;

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
