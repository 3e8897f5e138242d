//! A forecast of a time, a latency or a bandwidth.

use orrery::conditions::Current;
use orrery::units::Seconds;
use pyo3::prelude::*;

/// A forecast: `value` in seconds, or in bytes per second for a bandwidth, and its `interval`, None
/// if it is unknown.
///
/// `age` is that of the oldest sample of monitoring that it depends on in seconds, None for a value
/// of a model. `alarms` are reasons why it may not hold. `float(forecast)` is the value.
#[pyclass(frozen, get_all, module = "orrery", name = "Forecast")]
pub(crate) struct Forecast {
    /// The expected value.
    pub value: f64,
    /// The ends of its interval; None if it is unknown.
    pub interval: Option<(f64, f64)>,
    /// The age of the oldest sample of monitoring in seconds; None for a value of a model.
    pub age: Option<f64>,
    /// Reasons why it may not hold.
    pub alarms: Vec<String>,
}

impl Forecast {
    /// A time by a model.
    pub(crate) fn time(
        seconds: Seconds,
        interval: Option<(Seconds, Seconds)>,
        alarms: Vec<String>,
    ) -> Self {
        let interval = interval.map(|(low, high)| (low.get(), high.get()));
        Self { value: seconds.get(), interval, age: None, alarms }
    }

    /// A quantity of monitoring.
    pub(crate) fn monitored(current: Current) -> Self {
        Self {
            value: current.value,
            interval: current.interval,
            age: Some(current.age.get()),
            alarms: Vec::new(),
        }
    }
}

#[pymethods]
impl Forecast {
    fn __float__(&self) -> f64 {
        self.value
    }

    fn __repr__(&self) -> String {
        let interval = self.interval.map(|(low, high)| format!(" in {low} to {high}"));
        format!("<orrery.Forecast {}{}>", self.value, interval.unwrap_or_default())
    }
}
