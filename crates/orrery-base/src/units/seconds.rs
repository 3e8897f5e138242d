use std::fmt;
use std::iter::Sum;
use std::ops::{Add, AddAssign, Div, Mul, Sub};

use serde::{Deserialize, Serialize};

/// A time or a duration in seconds (f64).
///
/// ```
/// use orrery_base::units::Seconds;
/// let round_trip = Seconds::new(41.2e-6);
/// assert_eq!((round_trip / 2.0).to_string(), "20.6 µs");
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq, PartialOrd, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Seconds(f64);

impl Seconds {
    /// Zero seconds.
    pub const ZERO: Self = Self(0.0);

    /// Creates a duration from a number of seconds.
    pub const fn new(seconds: f64) -> Self {
        Self(seconds)
    }

    /// Returns the number of seconds.
    pub const fn get(self) -> f64 {
        self.0
    }

    /// Reads a duration above 0, a number with a unit: `90s`, `10m`, `2h`, `1d`. `None` for any
    /// other text.
    ///
    /// ```
    /// use orrery_base::units::Seconds;
    /// let of = Seconds::parse_duration;
    /// assert_eq!((of("1.5m"), of("2h"), of("1d")), (of("90s"), of("120min"), of("24h")));
    /// assert_eq!((of("90"), of("0s"), of("-1s"), of("10x"), of("")), (None, None, None, None, None));
    /// ```
    pub fn parse_duration(text: &str) -> Option<Self> {
        let unit = text.find(|c: char| c.is_ascii_alphabetic()).unwrap_or(text.len());
        let (number, unit) = text.split_at(unit);
        let factor = match unit {
            "s" => 1.0,
            "m" | "min" => 60.0,
            "h" => 3600.0,
            "d" => 86_400.0,
            _ => return None,
        };
        let seconds = number.trim().parse::<f64>().ok()? * factor;
        (seconds > 0.0 && seconds.is_finite()).then_some(Self(seconds))
    }

    /// Returns the later of two times.
    #[must_use]
    pub fn max(self, other: Self) -> Self {
        if other.0 > self.0 { other } else { self }
    }

    /// Returns the earlier of two times.
    #[must_use]
    pub fn min(self, other: Self) -> Self {
        if other.0 < self.0 { other } else { self }
    }

    /// Compares all values, NaN included, like [`f64::total_cmp`].
    pub fn total_cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.0.total_cmp(&other.0)
    }
}

impl std::hash::Hash for Seconds {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        self.0.to_bits().hash(state);
    }
}

impl From<std::time::Duration> for Seconds {
    fn from(duration: std::time::Duration) -> Self {
        Self(duration.as_secs_f64())
    }
}

impl Add for Seconds {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self(self.0 + other.0)
    }
}

impl AddAssign for Seconds {
    fn add_assign(&mut self, other: Self) {
        self.0 += other.0;
    }
}

impl Sub for Seconds {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        Self(self.0 - other.0)
    }
}

impl Mul<f64> for Seconds {
    type Output = Self;
    fn mul(self, factor: f64) -> Self {
        Self(self.0 * factor)
    }
}

impl Div<f64> for Seconds {
    type Output = Self;
    fn div(self, divisor: f64) -> Self {
        Self(self.0 / divisor)
    }
}

impl Div for Seconds {
    type Output = f64;
    fn div(self, other: Self) -> f64 {
        self.0 / other.0
    }
}

impl Sum for Seconds {
    fn sum<I: Iterator<Item = Self>>(values: I) -> Self {
        values.fold(Self::ZERO, Add::add)
    }
}

/// Writes three significant digits with a matching unit: `20.6 µs`, `1.50 ms`.
impl fmt::Display for Seconds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let magnitude = self.0.abs();
        let (scale, unit) = match magnitude {
            0.0 => (1.0, "s"),
            m if m < 0.999_5e-9 => (1e12, "ps"),
            m if m < 0.999_5e-6 => (1e9, "ns"),
            m if m < 0.999_5e-3 => (1e6, "µs"),
            m if m < 0.999_5 => (1e3, "ms"),
            _ => (1.0, "s"),
        };
        super::three_digits(f, self.0 * scale, unit)
    }
}
