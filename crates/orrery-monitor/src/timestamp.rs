//! Points in time.

use std::time::{SystemTime, UNIX_EPOCH};

use orrery::units::Seconds;

/// A point in time: microseconds since 1970-01-01 00:00 UTC.
///
/// ```
/// use orrery_monitor::Timestamp;
/// use orrery::units::Seconds;
/// let noon = Timestamp::from_seconds(Seconds::new(1_772_452_800.5));
/// assert_eq!(noon.micros(), 1_772_452_800_500_000);
/// assert_eq!(noon.seconds(), Seconds::new(1_772_452_800.5));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Timestamp(i64);

impl Timestamp {
    /// A point in time by its microseconds since 1970.
    pub const fn from_micros(micros: i64) -> Self {
        Self(micros)
    }

    /// A point in time by its seconds since 1970, to the nearest microsecond.
    pub fn from_seconds(seconds: Seconds) -> Self {
        Self((seconds.get() * 1e6).round() as i64)
    }

    /// The present time by the clock of this host.
    pub fn now() -> Self {
        match SystemTime::now().duration_since(UNIX_EPOCH) {
            Ok(since) => Self(since.as_micros() as i64),
            Err(before) => Self(-(before.duration().as_micros() as i64)),
        }
    }

    /// The microseconds since 1970.
    pub const fn micros(self) -> i64 {
        self.0
    }

    /// The seconds since 1970.
    pub fn seconds(self) -> Seconds {
        Seconds::new(self.0 as f64 / 1e6)
    }

    /// The time from an earlier point to this one; negative if it is later.
    pub fn since(self, earlier: Self) -> Seconds {
        Seconds::new(self.0.saturating_sub(earlier.0) as f64 / 1e6)
    }

    /// The point in time after a duration; before, if it is negative.
    #[must_use]
    pub fn after(self, duration: Seconds) -> Self {
        Self(self.0.saturating_add((duration.get() * 1e6).round() as i64))
    }
}
