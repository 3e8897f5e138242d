//! Times as they are written in files of series.

use jiff::civil::DateTime;
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp};

use super::series::MAX_MAGNITUDE;
use orrery_base::units::Seconds;

/// The way in which the times of a series are written.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum TimeFormat {
    /// A number of seconds.
    #[default]
    Seconds,
    /// A date and a time of day without time zone: `2014-02-14 14:30:00`. They are read as UTC.
    Civil,
    /// A date and a time of day with `Z` or an offset: `2014-02-14T14:30:00+01:00`. They are
    /// written as UTC.
    Instant,
}

impl TimeFormat {
    /// Reads a time; returns its seconds (since 1970 if it has a date) and its format. `None` if it
    /// has no known format.
    ///
    /// ```
    /// use orrery_models::forecast::TimeFormat;
    /// use orrery_base::units::Seconds;
    /// let (time, format) = TimeFormat::parse("2014-02-14 14:30:00").expect("a time");
    /// assert_eq!((time, format), (Seconds::new(1_392_388_200.0), TimeFormat::Civil));
    /// assert_eq!(format.text(time), "2014-02-14 14:30:00");
    /// ```
    pub fn parse(text: &str) -> Option<(Seconds, Self)> {
        if let Ok(seconds) = text.parse::<f64>() {
            return (seconds.abs() <= MAX_MAGNITUDE)
                .then(|| (Seconds::new(seconds), Self::Seconds));
        }
        if let Ok(instant) = text.parse::<Timestamp>() {
            return Some((seconds(instant), Self::Instant));
        }
        let civil: DateTime = text.parse().ok()?;
        let instant = civil.to_zoned(TimeZone::UTC).ok()?.timestamp();
        Some((seconds(instant), Self::Civil))
    }

    /// A time in this format, rounded to a millisecond if it has a date.
    pub fn text(self, time: Seconds) -> String {
        let instant = || {
            let milliseconds = (time.get() * 1e3).round();
            let duration = SignedDuration::from_millis(milliseconds as i64);
            Timestamp::from_duration(duration).ok().filter(|_| milliseconds.abs() < 1e18)
        };
        match (self, instant()) {
            (Self::Civil, Some(instant)) => {
                instant.to_zoned(TimeZone::UTC).datetime().to_string().replace('T', " ")
            }
            (Self::Instant, Some(instant)) => instant.to_string(),
            _ => format!("{} s", time.get()),
        }
    }
}

/// The seconds since 1970.
fn seconds(instant: Timestamp) -> Seconds {
    Seconds::new(instant.as_duration().as_secs_f64())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_read_and_written() {
        for (text, seconds, format, written) in [
            ("1.5", 1.5, TimeFormat::Seconds, "1.5 s"),
            ("1970-01-02", 86_400.0, TimeFormat::Civil, "1970-01-02 00:00:00"),
            ("1970-01-01T00:00:01.25", 1.25, TimeFormat::Civil, "1970-01-01 00:00:01.25"),
            ("1970-01-01T01:00:00+01:00", 0.0, TimeFormat::Instant, "1970-01-01T00:00:00Z"),
            ("1969-12-31 23:59:59Z", -1.0, TimeFormat::Instant, "1969-12-31T23:59:59Z"),
        ] {
            assert_eq!(TimeFormat::parse(text), Some((Seconds::new(seconds), format)), "{text}");
            assert_eq!(format.text(Seconds::new(seconds)), written);
        }
        for text in ["", "noon", "2014-13-01", "inf", "NaN", "1e300"] {
            assert_eq!(TimeFormat::parse(text), None, "{text}");
        }
        assert_eq!(TimeFormat::Civil.text(Seconds::new(1e50)), format!("{} s", 1e50));
    }
}
