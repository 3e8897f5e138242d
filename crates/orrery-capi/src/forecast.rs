//! A forecast of a quantity for the caller.

use crate::argument::{is_given, put};
use crate::status::Failure;

/// A forecast of a latency \[s\] or a bandwidth \[B/s\].
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CForecast {
    /// Set it to `sizeof(orrery_forecast)` before a call: later versions of the library may have
    /// more fields.
    pub struct_size: usize,
    /// The expected value.
    pub value: f64,
    /// The lower end of its interval; not-a-number if it is unknown.
    pub low: f64,
    /// The upper end, which may be infinite for a bandwidth.
    pub high: f64,
    /// The age of the oldest sample of monitoring that it depends on \[s\]; not-a-number for a
    /// value of a model.
    pub age: f64,
    /// The number of reasons to doubt it: alarms of the model, or 1 if monitoring measured a link
    /// in the other direction only.
    pub alarms: u32,
    /// 0.
    pub reserved: u32,
}

impl CForecast {
    /// A forecast without age and alarms.
    pub(crate) fn new(value: f64, interval: Option<(f64, f64)>) -> Self {
        let (low, high) = interval.unwrap_or((f64::NAN, f64::NAN));
        Self {
            struct_size: size_of::<Self>(),
            value,
            low,
            high,
            age: f64::NAN,
            alarms: 0,
            reserved: 0,
        }
    }

    /// Checks the struct of the caller before work begins.
    ///
    /// # Safety
    ///
    /// `place` is null, or points to a struct whose `struct_size` is set.
    pub(crate) unsafe fn check(place: *mut Self) -> Result<(), Failure> {
        is_given(place, "forecast")?;
        // SAFETY: the caller guarantees that it is set.
        let size = unsafe { (&raw const (*place).struct_size).read() };
        if size == size_of::<Self>() {
            return Ok(());
        }
        let message = format!(
            "struct_size is {size}; set it to sizeof(orrery_forecast), {}",
            size_of::<Self>()
        );
        Err(Failure::argument(message))
    }

    /// Writes the forecast for the caller.
    ///
    /// # Safety
    ///
    /// `place` is null, or points to memory for a forecast.
    pub(crate) unsafe fn put(self, place: *mut Self) -> Result<(), Failure> {
        // SAFETY: as the caller guarantees.
        unsafe { put(place, self, "forecast") }
    }
}
