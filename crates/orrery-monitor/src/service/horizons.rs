//! The forecasters of horizons and levels that clients request: those that were used last, within a
//! limit of memory.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use orrery::forecast::ForecastOptions;
use orrery::units::Seconds;

use super::board::{LiveSeries, RECENT_SAMPLES};
use super::tracker::{MAX_FORECAST_AHEAD, Slot, Tracked, Tracker};
use crate::store::{Store, StoreError, StoredSample};
use crate::timestamp::Timestamp;

/// The maximum memory of all forecasters here in bytes.
const MAX_BYTES: usize = 32 << 20;

/// The memory of a forecaster in bytes, without that of the samples of its horizon.
const FORECASTER_BYTES: usize = 48 << 10;
/// The memory of each sample of the horizon of a forecaster in bytes.
const STEP_BYTES: usize = 400;

/// The maximum horizon in samples.
pub(super) const MAX_HORIZON_STEPS: usize = 10_000;

/// The relative change of the number of samples in a horizon after which its forecaster is made
/// anew.
const MAX_CHANGE: f64 = 0.1;

/// A horizon of a series, and the level of the intervals.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Key {
    series: i64,
    /// In microseconds; 0 for the next sample.
    horizon: u64,
    /// In parts per million.
    level: u32,
}

impl Key {
    /// The key of a horizon, `None` for the next sample, and of a level between 0 and 1.
    pub(super) fn new(series: i64, horizon: Option<Seconds>, level: f64) -> Self {
        let horizon = horizon.map_or(0, |horizon| (horizon.get() * 1e6).round() as u64);
        Self { series, horizon, level: (level * 1e6).round() as u32 }
    }
}

/// A forecaster, the number of samples of its horizon, and the number of its last use.
#[derive(Debug)]
struct Item {
    slot: Slot,
    steps: usize,
    used: u64,
}

/// The forecasters, and the number of uses so far.
#[derive(Debug, Default)]
struct Cache {
    items: BTreeMap<Key, Item>,
    uses: u64,
}

/// The forecasters of requested horizons.
#[derive(Debug, Default)]
pub(super) struct Horizons {
    cache: Mutex<Cache>,
}

impl Horizons {
    /// The forecast of a horizon that has about this number of samples; `None` if its forecaster is
    /// not loaded, or was made for another number.
    pub(super) fn forecast(&self, key: Key, steps: usize) -> Option<Tracked> {
        self.with_cache(|cache| {
            cache.uses += 1;
            let uses = cache.uses;
            let item = cache.items.get_mut(&key).filter(|item| is_close(item.steps, steps))?;
            item.used = uses;
            item.slot.forecast()
        })
    }

    /// Makes a forecaster from stored samples, unless there is one, and drops those that were not
    /// used for the longest time; returns its forecast, `None` without samples.
    pub(super) fn load(
        &self,
        key: Key,
        series: &LiveSeries,
        options: ForecastOptions,
        store: &Store,
        now: Timestamp,
    ) -> Result<Option<Tracked>, StoreError> {
        let steps = options.steps();
        if let Some(forecast) = self.forecast(key, steps) {
            return Ok(Some(forecast));
        }
        self.with_cache(|cache| {
            let item = Item { slot: Slot::Loading(Vec::new()), steps, used: cache.uses };
            cache.items.insert(key, item);
            cache.limit_memory();
        });
        let recent =
            store.recent_until(series.id, now.after(MAX_FORECAST_AHEAD), RECENT_SAMPLES + steps);
        let made = recent.map(|samples| Tracker::of(options, &samples, now));
        self.with_cache(|cache| {
            let tracker = made.inspect_err(|_| drop(cache.items.remove(&key)))?;
            let forecast = tracker.forecast();
            // A forecaster that was dropped in the meantime still has its forecast.
            Ok(cache.items.get_mut(&key).map_or(forecast, |item| {
                item.slot.fill(tracker, now);
                item.slot.forecast()
            }))
        })
    }

    /// Appends stored samples, in the order of their arrival, to the forecasters of their series at
    /// all horizons.
    pub(super) fn update(&self, samples: &[StoredSample], now: Timestamp) {
        for sample in samples {
            self.with_cache(|cache| {
                let key = |series| Key { series, horizon: 0, level: 0 };
                let items =
                    cache.items.range_mut(key(sample.series)..key(sample.series.saturating_add(1)));
                items.for_each(|(_, item)| item.slot.update(sample.time, sample.value, now));
            });
        }
    }

    fn with_cache<T>(&self, act: impl FnOnce(&mut Cache) -> T) -> T {
        act(&mut self.cache.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Cache {
    /// Drops the forecasters that were not used for the longest time until the others, at least
    /// one, are within [`MAX_BYTES`].
    fn limit_memory(&mut self) {
        let bytes = |item: &Item| FORECASTER_BYTES + item.steps * STEP_BYTES;
        let mut sum: usize = self.items.values().map(bytes).sum();
        while sum > MAX_BYTES && self.items.len() > 1 {
            let Some(key) =
                self.items.iter().min_by_key(|(_, item)| item.used).map(|(key, _)| *key)
            else {
                return;
            };
            sum -= self.items.remove(&key).map_or(0, |item| bytes(&item));
        }
    }
}

/// Returns true if a forecaster for a horizon of `one` samples serves for one of `other` samples.
fn is_close(one: usize, other: usize) -> bool {
    one.abs_diff(other) as f64 <= MAX_CHANGE * one as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_least_recently_used_are_dropped() {
        let mut cache = Cache::default();
        for series in 0..20 {
            let item =
                Item { slot: Slot::Empty, steps: MAX_HORIZON_STEPS, used: 100 - series as u64 };
            cache.items.insert(Key::new(series, None, 0.95), item);
            cache.limit_memory();
        }
        let kept: Vec<i64> = cache.items.keys().map(|key| key.series).collect();
        // 32 MiB hold 8 forecasters of 10,000 samples; a new one counts as used least here and
        // leaves at once.
        assert_eq!(kept, [0, 1, 2, 3, 4, 5, 6, 7]);
    }
}
