//! The forecaster of one series at one horizon, made from stored samples and updated by new ones.

use orrery::forecast::{Forecast, ForecastOptions, SeriesForecaster};
use orrery::units::Seconds;

use crate::timestamp::Timestamp;

/// The number of successive samples before the last one after which the clock counts as set back.
const MAX_LATE_SAMPLES: u32 = 3;

/// A forecaster with the time of its last sample.
///
/// A sample that is not after the last one is left out. After some of them in succession the clock
/// of the host was set back, and the forecaster starts anew.
#[derive(Debug)]
pub(super) struct Tracker {
    options: ForecastOptions,
    forecaster: SeriesForecaster,
    last: Option<Timestamp>,
    late: u32,
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
        Self {
            options,
            forecaster: SeriesForecaster::new(options),
            last: None,
            late: 0,
            samples: 0,
        }
    }

    /// A tracker of samples in order of time.
    pub(super) fn of(options: ForecastOptions, samples: &[(Timestamp, f64)]) -> Self {
        let mut tracker = Self::new(options);
        samples.iter().for_each(|(time, value)| tracker.update(*time, *value));
        tracker
    }

    /// Takes a sample into account; leaves out late and too large ones, and starts anew after the
    /// third late one.
    pub(super) fn update(&mut self, time: Timestamp, value: f64) {
        if self.last.is_some_and(|last| time <= last) {
            self.late += 1;
            if self.late < MAX_LATE_SAMPLES {
                return;
            }
            *self = Self::new(self.options);
        }
        // A value that is too large to forecast from is left out.
        if self.forecaster.update(time.seconds(), value).is_ok() {
            self.late = 0;
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
    pub(super) fn update(&mut self, time: Timestamp, value: f64) {
        match self {
            Self::Empty => {}
            Self::Loading(arrived) => arrived.push((time, value)),
            Self::Ready(tracker) => tracker.update(time, value),
        }
    }

    /// Puts a tracker of stored samples here, and gives it those that have arrived since loading
    /// began and are later than its last one.
    pub(super) fn fill(&mut self, mut tracker: Tracker) {
        if let Self::Loading(arrived) = self {
            let read = tracker.last;
            let new = arrived.iter().filter(|(time, _)| read.is_none_or(|read| *time > read));
            new.for_each(|(time, value)| tracker.update(*time, *value));
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

    #[test]
    fn late_samples_are_left_out_until_the_clock_counts_as_set_back() {
        let mut tracker = Tracker::new(ForecastOptions::default());
        (100..110).for_each(|second| tracker.update(at(second), 1.0));
        tracker.update(at(50), 9.0);
        tracker.update(at(110), 1.0);
        assert_eq!(tracker.forecast().map(|tracked| tracked.samples), Some(11));
        (50..60).for_each(|second| tracker.update(at(second), 9.0));
        let tracked = tracker.forecast().expect("there are samples");
        assert_eq!((tracked.samples, tracked.forecast.value), (8, 9.0));
        assert_eq!(tracked.forecast.time, Some(Seconds::new(60.0)));
    }

    #[test]
    fn samples_that_arrive_while_loading_are_counted_once() {
        let mut slot = Slot::Loading(Vec::new());
        (3..8).for_each(|second| slot.update(at(second), 1.0));
        let stored: Vec<_> = (0..6).map(|second| (at(second), 1.0)).collect();
        slot.fill(Tracker::of(ForecastOptions::default(), &stored));
        slot.update(at(8), 1.0);
        assert_eq!(slot.forecast().map(|tracked| tracked.samples), Some(9));
    }
}
