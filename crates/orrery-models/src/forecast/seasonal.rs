//! The daily course of a series.
//!
//! Loads of computers and networks follow the day of their users. A profile has the usual value of
//! each time of day; the forecast is its value at the time to come, plus the recent deviation from
//! it: seasonal exponential smoothing without trend (Winters: Forecasting sales by exponentially
//! weighted moving averages, Management Science 6, 1960).

use orrery_base::units::Seconds;

/// The period in seconds.
const DAY: f64 = 86_400.0;

/// The number of parts of a day with a value of their own, of five minutes each.
const PARTS: usize = 288;

/// The gain of the profile: the part of a new day in it.
const PROFILE_GAIN: f64 = 0.3;

/// The gain of the deviation from the profile.
const DEVIATION_GAIN: f64 = 0.3;

/// The profile of a day and the deviation from it.
#[derive(Debug, Clone)]
pub(super) struct DailyCourse {
    profile: Vec<Option<f64>>,
    deviation: f64,
    /// The part of the last sample, with the mean and the number of the samples in it since it
    /// began.
    current: Option<(usize, f64, f64)>,
}

impl Default for DailyCourse {
    fn default() -> Self {
        Self { profile: vec![None; PARTS], deviation: 0.0, current: None }
    }
}

impl DailyCourse {
    /// Appends a value.
    pub(super) fn update(&mut self, time: Seconds, value: f64) {
        let part = part(time);
        self.current = match self.current {
            Some((last, mean, count)) if last == part => {
                Some((part, mean + (value - mean) / (count + 1.0), count + 1.0))
            }
            Some((last, mean, _)) => {
                let usual = self.profile[last].unwrap_or(mean);
                self.profile[last] = Some(usual + PROFILE_GAIN * (mean - usual));
                Some((part, value, 1.0))
            }
            None => Some((part, value, 1.0)),
        };
        let usual = self.profile[part].unwrap_or(value);
        self.deviation += DEVIATION_GAIN * (value - usual - self.deviation);
    }

    /// The forecast for a time: the usual value at this time of day plus the recent deviation;
    /// `None` if no finished part of a day has this time of day.
    pub(super) fn forecast(&self, time: Seconds) -> Option<f64> {
        self.profile[part(time)].map(|usual| usual + self.deviation)
    }
}

/// The part of the day of a time.
fn part(time: Seconds) -> usize {
    let time_of_day = time.get().rem_euclid(DAY);
    ((time_of_day * PARTS as f64 / DAY) as usize).min(PARTS - 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_daily_course_is_forecast_from_the_second_day_on() {
        let mut course = DailyCourse::default();
        let value = |hour: u32| f64::from(hour % 24) * 10.0;
        for hour in 0..24 * 4 {
            let time = Seconds::new(f64::from(hour) * 3600.0);
            let forecast = course.forecast(time);
            assert_eq!(forecast, (hour >= 24).then(|| value(hour)), "hour {hour}");
            course.update(time, value(hour));
        }
    }
}
