use std::fmt;
use std::iter::Sum;
use std::ops::{Add, Mul, Sub};
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use super::UnitError;

/// A size in bytes.
///
/// It is read and written with the letters K, M, G, T for powers of 1024.
///
/// ```
/// use orrery::units::Bytes;
/// let size: Bytes = "64K".parse()?;
/// assert_eq!(size, Bytes::new(65_536));
/// assert_eq!(size.to_string(), "64K");
/// assert!("1Q".parse::<Bytes>().is_err());
/// # Ok::<(), orrery::units::UnitError>(())
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Bytes(u64);

impl Bytes {
    /// No bytes.
    pub const ZERO: Self = Self(0);

    /// So many bytes.
    pub const fn new(bytes: u64) -> Self {
        Self(bytes)
    }

    /// The number of bytes.
    pub const fn get(self) -> u64 {
        self.0
    }
}

impl Add for Bytes {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self(self.0 + other.0)
    }
}

impl Sub for Bytes {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        Self(self.0 - other.0)
    }
}

impl Mul<u64> for Bytes {
    type Output = Self;
    fn mul(self, times: u64) -> Self {
        Self(self.0 * times)
    }
}

impl Sum for Bytes {
    fn sum<I: Iterator<Item = Self>>(values: I) -> Self {
        values.fold(Self::ZERO, Add::add)
    }
}

const LETTERS: [(char, u32); 4] = [('K', 10), ('M', 20), ('G', 30), ('T', 40)];

impl FromStr for Bytes {
    type Err = UnitError;

    fn from_str(text: &str) -> Result<Self, UnitError> {
        let fail = |reason: String| UnitError {
            text: text.to_owned(),
            expected: "a size in bytes, such as 1000, 64K or 1M",
            reason,
        };
        let digits = text.trim_end_matches(|c: char| !c.is_ascii_digit());
        let suffix = &text[digits.len()..];
        let shift = match suffix.trim_end_matches("iB").trim_end_matches('B') {
            "" => 0,
            letter => LETTERS
                .iter()
                .find(|(l, _)| letter.eq_ignore_ascii_case(&l.to_string()))
                .map(|&(_, shift)| shift)
                .ok_or_else(|| fail(format!("{suffix:?} is no unit; K, M, G and T are (powers of 1024)")))?,
        };
        if digits.is_empty() {
            return Err(fail("there is no number".into()));
        }
        let number: u64 = digits.parse().map_err(|_| fail(format!("{digits:?} is no whole number below 2^64")))?;
        let bytes = number.checked_mul(1 << shift).ok_or_else(|| fail("it is above 2^64 bytes".into()))?;
        Ok(Self(bytes))
    }
}

/// The shortest exact notation: `1000`, `64K`, `1M`.
impl fmt::Display for Bytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let exact = LETTERS.iter().rev().find(|(_, shift)| self.0 != 0 && self.0.is_multiple_of(1 << shift));
        match exact {
            Some((letter, shift)) => f.pad(&format!("{}{letter}", self.0 >> shift)),
            None => f.pad(&self.0.to_string()),
        }
    }
}
