//! The forecaster of one series at one horizon, made from stored samples and updated by new ones.

use orrery::forecast::{Forecast, ForecastOptions, SeriesForecaster};
use orrery::units::Seconds;

use crate::timestamp::Timestamp;

/// The time by which clocks of hosts usually differ: a sample that is further ahead is in no
/// forecast.
pub(super) const MAX_FORECAST_AHEAD: Seconds = Seconds::new(60.0);

/// Returns true if a sample with this time can have been measured by now.
pub(super) fn is_near(time: Timestamp, now: Timestamp) -> bool {
    time.since(now) <= MAX_FORECAST_AHEAD
}

/// A forecaster with the time of its last sample.
///
/// Samples that are ahead of the present time, and those that are not after the last one, are left
/// out. If the last one is ahead, since the clock of this host was set back, the forecaster starts
/// anew.
#[derive(Debug)]
pub(super) struct Tracker {
    options: ForecastOptions,
    forecaster: SeriesForecaster,
    last: Option<Timestamp>,
    samples: u64,
}

/// A forecast with the options, the usual time between samples, if it is known, and the number of
/// samples that it is made from.
#[derive(Debug, Clone, Copy)]
pub(super) struct Tracked {
    pub(super) forecast: Forecast,
    pub(super) options: ForecastOptions,
    pub(super) spacing: Option<Seconds>,
    pub(super) samples: u64,
}

impl Tracker {
    /// A tracker without samples.
    pub(super) fn new(options: ForecastOptions) -> Self {
        Self { options, forecaster: SeriesForecaster::new(options), last: None, samples: 0 }
    }

    /// A tracker of samples in order of time.
    pub(super) fn of(
        options: ForecastOptions,
        samples: &[(Timestamp, f64)],
        now: Timestamp,
    ) -> Self {
        let mut tracker = Self::new(options);
        samples.iter().for_each(|(time, value)| tracker.update(*time, *value, now));
        tracker
    }

    /// Takes a sample into account; leaves out those ahead, late and too large ones.
    pub(super) fn update(&mut self, time: Timestamp, value: f64, now: Timestamp) {
        if !is_near(time, now) {
            return;
        }
        if let Some(last) = self.last.filter(|last| time <= *last) {
            if is_near(last, now) {
                return;
            }
            *self = Self::new(self.options);
        }
        // A value that is too large to forecast from is left out.
        if self.forecaster.update(time.seconds(), value).is_ok() {
            self.last = Some(time);
            self.samples += 1;
        }
    }

    /// The forecast; `None` without samples.
    pub(super) fn forecast(&self) -> Option<Tracked> {
        let forecast = self.forecaster.forecast()?;
        Some(Tracked {
            forecast,
            options: self.options,
            spacing: self.forecaster.spacing(),
            samples: self.samples,
        })
    }
}

/// The place of a tracker, which is made from stored samples while new ones arrive.
#[derive(Debug)]
pub(super) enum Slot {
    /// There is none.
    Empty,
    /// Stored samples are read; these have arrived since.
    Loading(Vec<(Timestamp, f64)>),
    /// The tracker.
    Ready(Box<Tracker>),
}

impl Slot {
    /// Takes a sample into account as [`Tracker::update`] does, or keeps it until the tracker is
    /// loaded; an empty place ignores it.
    pub(super) fn update(&mut self, time: Timestamp, value: f64, now: Timestamp) {
        match self {
            Self::Empty => {}
            Self::Loading(arrived) => arrived.push((time, value)),
            Self::Ready(tracker) => tracker.update(time, value, now),
        }
    }

    /// Puts a tracker of stored samples here, and gives it those that have arrived since loading
    /// began and are later than its last one.
    pub(super) fn fill(&mut self, mut tracker: Tracker, now: Timestamp) {
        if let Self::Loading(arrived) = self {
            let read = tracker.last;
            let new = arrived.iter().filter(|(time, _)| read.is_none_or(|read| *time > read));
            new.for_each(|(time, value)| tracker.update(*time, *value, now));
        }
        *self = Self::Ready(Box::new(tracker));
    }

    /// The forecast; `None` without tracker or samples.
    pub(super) fn forecast(&self) -> Option<Tracked> {
        if let Self::Ready(tracker) = self { tracker.forecast() } else { None }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(seconds: i64) -> Timestamp {
        Timestamp::from_micros(seconds * 1_000_000)
    }

    /// A tracker of a sample with value 1 each second from 100 s to 109 s.
    fn tracker() -> Tracker {
        let mut tracker = Tracker::new(ForecastOptions::default());
        (100..110).for_each(|second| tracker.update(at(second), 1.0, at(second)));
        tracker
    }

    fn samples(tracker: &Tracker) -> Option<u64> {
        tracker.forecast().map(|tracked| tracked.samples)
    }

    #[test]
    fn late_samples_are_left_out() {
        let mut tracker = tracker();
        (50..60).for_each(|second| tracker.update(at(second), 9.0, at(110)));
        tracker.update(at(110), 1.0, at(110));
        assert_eq!(samples(&tracker), Some(11));
    }

    #[test]
    fn samples_ahead_are_left_out_and_right_ones_count_at_once() {
        let mut tracker = tracker();
        tracker.update(at(171), 9.0, at(110));
        assert_eq!(samples(&tracker), Some(10));
        tracker.update(at(110), 1.0, at(110));
        assert_eq!(samples(&tracker), Some(11));
        // The clock of this host was 1,000 s ahead, and is right again.
        tracker.update(at(1110), 9.0, at(1110));
        tracker.update(at(111), 1.0, at(111));
        let tracked = tracker.forecast().expect("there is a sample");
        assert_eq!((tracked.samples, tracked.forecast.value), (1, 1.0));
    }

    #[test]
    fn samples_that_arrive_while_loading_are_counted_once() {
        let mut slot = Slot::Loading(Vec::new());
        (3..8).for_each(|second| slot.update(at(second), 1.0, at(8)));
        let stored: Vec<_> = (0..6).map(|second| (at(second), 1.0)).collect();
        slot.fill(Tracker::of(ForecastOptions::default(), &stored, at(8)), at(8));
        slot.update(at(8), 1.0, at(8));
        assert_eq!(slot.forecast().map(|tracked| tracked.samples), Some(9));
    }
}
