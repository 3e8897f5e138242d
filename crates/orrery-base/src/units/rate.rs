use std::fmt;
use std::ops::{Add, Div, Mul};

use serde::{Deserialize, Serialize};

use super::{Bytes, Seconds};

/// A delay per byte in seconds per byte: the inverse of a rate.
///
/// ```
/// use orrery_base::units::{Bytes, SecondsPerByte};
/// let delay = SecondsPerByte::new(1e-9);
/// assert_eq!((Bytes::new(4096) * delay).get(), 4.096e-6);
/// assert_eq!(delay.rate().to_string(), "1.00 GB/s");
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq, PartialOrd, Serialize, Deserialize)]
#[serde(transparent)]
pub struct SecondsPerByte(f64);

impl SecondsPerByte {
    /// Creates a delay from a number of seconds per byte.
    pub const fn new(seconds_per_byte: f64) -> Self {
        Self(seconds_per_byte)
    }

    /// Returns the number of seconds per byte.
    pub const fn get(self) -> f64 {
        self.0
    }

    /// Returns the inverse, a rate.
    pub fn rate(self) -> BytesPerSecond {
        BytesPerSecond(1.0 / self.0)
    }
}

impl Add for SecondsPerByte {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self(self.0 + other.0)
    }
}

impl Mul<SecondsPerByte> for Bytes {
    type Output = Seconds;
    fn mul(self, delay: SecondsPerByte) -> Seconds {
        Seconds::new(self.get() as f64 * delay.0)
    }
}

impl Div<Bytes> for Seconds {
    type Output = SecondsPerByte;
    fn div(self, size: Bytes) -> SecondsPerByte {
        SecondsPerByte(self.get() / size.get() as f64)
    }
}

/// A rate in bytes per second.
#[derive(Debug, Clone, Copy, Default, PartialEq, PartialOrd, Serialize, Deserialize)]
#[serde(transparent)]
pub struct BytesPerSecond(f64);

impl BytesPerSecond {
    /// Creates a rate from a number of bytes per second.
    pub const fn new(bytes_per_second: f64) -> Self {
        Self(bytes_per_second)
    }

    /// Returns the number of bytes per second.
    pub const fn get(self) -> f64 {
        self.0
    }
}

impl Div<Seconds> for Bytes {
    type Output = BytesPerSecond;
    fn div(self, time: Seconds) -> BytesPerSecond {
        BytesPerSecond(self.get() as f64 / time.get())
    }
}

/// Three significant digits with a decimal prefix: `1.25 GB/s`.
impl fmt::Display for BytesPerSecond {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (scale, unit) = match self.0.abs() {
            r if !r.is_finite() => return f.write_str("∞"),
            r if r < 0.999_5e3 => (1.0, "B/s"),
            r if r < 0.999_5e6 => (1e-3, "kB/s"),
            r if r < 0.999_5e9 => (1e-6, "MB/s"),
            r if r < 0.999_5e12 => (1e-9, "GB/s"),
            _ => (1e-12, "TB/s"),
        };
        super::three_digits(f, self.0 * scale, unit)
    }
}
