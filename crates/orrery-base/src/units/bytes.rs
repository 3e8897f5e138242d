use std::fmt;
use std::iter::Sum;
use std::ops::{Add, Mul, Sub};
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use super::UnitError;

/// A size in bytes.
///
/// In texts, `K`, `M`, `G` and `T`, alone or before `iB`, are powers of 1024; before `B` they are
/// powers of 1000. Sums and products that do not fit in 64 bits are the largest size, and
/// differences below 0 are 0.
///
/// ```
/// use orrery_base::units::Bytes;
/// let size: Bytes = "64K".parse()?;
/// assert_eq!(size, Bytes::new(65_536));
/// assert_eq!(size.to_string(), "64K");
/// assert_eq!("1MiB".parse(), Ok(Bytes::new(1_048_576)));
/// assert_eq!("1MB".parse(), Ok(Bytes::new(1_000_000)));
/// assert_eq!(Bytes::new(u64::MAX) * 2, Bytes::new(u64::MAX));
/// assert!("1Q".parse::<Bytes>().is_err());
/// # Ok::<(), orrery_base::units::UnitError>(())
/// ```
#[derive(
    Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[serde(transparent)]
pub struct Bytes(u64);

impl Bytes {
    /// 0 bytes.
    pub const ZERO: Self = Self(0);

    /// Creates a size from a number of bytes.
    pub const fn new(bytes: u64) -> Self {
        Self(bytes)
    }

    /// Returns the number of bytes.
    pub const fn get(self) -> u64 {
        self.0
    }
}

impl Add for Bytes {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self(self.0.saturating_add(other.0))
    }
}

impl Sub for Bytes {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        Self(self.0.saturating_sub(other.0))
    }
}

impl Mul<u64> for Bytes {
    type Output = Self;
    fn mul(self, times: u64) -> Self {
        Self(self.0.saturating_mul(times))
    }
}

impl Sum for Bytes {
    fn sum<I: Iterator<Item = Self>>(values: I) -> Self {
        values.fold(Self::ZERO, Add::add)
    }
}

/// The prefixes of units, each with its exponent: 1024ⁿ for `K` and `KiB`, 1000ⁿ for `KB`.
const PREFIXES: [(char, u32); 4] = [('K', 1), ('M', 2), ('G', 3), ('T', 4)];

/// The number of bytes of a unit such as `M`, `MiB` or `MB`; `None` if it is unknown.
fn unit(suffix: &str) -> Option<u64> {
    let (prefix, base): (&str, u64) = match (suffix.strip_suffix("iB"), suffix.strip_suffix('B')) {
        (_, Some("")) => return Some(1),
        (Some(prefix), _) => (prefix, 1024),
        (None, Some(prefix)) => (prefix, 1000),
        (None, None) => (suffix, 1024),
    };
    if suffix.is_empty() {
        return Some(1);
    }
    let (_, exponent) =
        PREFIXES.iter().find(|(letter, _)| prefix.eq_ignore_ascii_case(&letter.to_string()))?;
    Some(base.pow(*exponent))
}

impl FromStr for Bytes {
    type Err = UnitError;

    fn from_str(text: &str) -> Result<Self, UnitError> {
        let fail = |reason: String| UnitError {
            text: text.to_owned(),
            expected: "a size in bytes, such as 1000, 64K, 1MiB or 1MB",
            reason,
        };
        let digits = text.trim_end_matches(|c: char| !c.is_ascii_digit());
        let suffix = &text[digits.len()..];
        let unit = unit(suffix).ok_or_else(|| {
            fail(format!(
                "{suffix:?} is not a unit; units are K, M, G, T and KiB, MiB, … (powers of 1024), \
                    KB, MB, … (powers of 1000)"
            ))
        })?;
        if digits.is_empty() {
            return Err(fail("there is no number".into()));
        }
        let number: u64 =
            digits.parse().map_err(|_| fail(format!("{digits:?} is not an integer below 2^64")))?;
        let bytes = number.checked_mul(unit).ok_or_else(|| fail("it exceeds 2^64 bytes".into()))?;
        Ok(Self(bytes))
    }
}

/// The shortest exact notation: `1000`, `64K`, `1M`.
impl fmt::Display for Bytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let exact = PREFIXES
            .iter()
            .rev()
            .find(|(_, exponent)| self.0 != 0 && self.0.is_multiple_of(1024_u64.pow(*exponent)));
        match exact {
            Some((letter, exponent)) => {
                f.pad(&format!("{}{letter}", self.0 / 1024_u64.pow(*exponent)))
            }
            None => f.pad(&self.0.to_string()),
        }
    }
}

/// The text of a number of bytes with three significant digits, in units of 1024.
///
/// ```
/// use orrery_base::units::rounded_bytes;
/// assert_eq!([800.0, 1536.0, 1e9].map(rounded_bytes), ["800", "1.50K", "954M"]);
/// ```
pub fn rounded_bytes(bytes: f64) -> String {
    let (mut value, mut units) = (bytes, ["", "K", "M", "G", "T", "P"].into_iter());
    let mut unit = units.next().unwrap_or_default();
    for next in units {
        if value < 999.5 {
            break;
        }
        (value, unit) = (value / 1024.0, next);
    }
    let decimals = if unit.is_empty() || value >= 99.95 {
        0
    } else if value >= 9.995 {
        1
    } else {
        2
    };
    format!("{value:.decimals$}{unit}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn binary_and_decimal_units_differ() {
        let bytes = |text: &str| text.parse::<Bytes>().map(Bytes::get).ok();
        for (text, expected) in [
            ("7", 7),
            ("7B", 7),
            ("1K", 1024),
            ("1k", 1024),
            ("1KiB", 1024),
            ("1KB", 1000),
            ("1kB", 1000),
            ("1M", 1 << 20),
            ("1MiB", 1 << 20),
            ("1MB", 1_000_000),
            ("3GB", 3_000_000_000),
            ("2TiB", 2 << 40),
        ] {
            assert_eq!(bytes(text), Some(expected), "{text}");
        }
        for wrong in
            ["1Mb", "1iB", "1BB", "1BiB", "1MBB", "1QB", "K", "1 K", "-1", "1.5K", "17000000T"]
        {
            assert_eq!(bytes(wrong), None, "{wrong}");
        }
        assert_eq!(Bytes::new(1_000_000).to_string(), "1000000");
    }
}
