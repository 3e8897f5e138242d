//! All series with their last samples and the forecasters of their next ones.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError, RwLock};

use orrery::forecast::ForecastOptions;

use super::tracker::{MAX_FORECAST_AHEAD, Slot, Tracked, Tracker, is_near};
use crate::name::SeriesName;
use crate::store::{Store, StoreError, StoredSample, StoredSeries};
use crate::timestamp::Timestamp;

/// The number of last samples that a forecaster is made from, besides those of its horizon.
pub(super) const RECENT_SAMPLES: usize = 2_000;

/// A series that the service forecasts.
#[derive(Debug)]
pub(super) struct LiveSeries {
    pub(super) id: i64,
    pub(super) name: SeriesName,
    /// The name as it is written.
    pub(super) text: String,
    state: Mutex<State>,
}

/// The last sample of a series, and the place of the forecaster of the next one.
#[derive(Debug)]
struct State {
    last: Option<Last>,
    next: Slot,
}

/// The last sample of a series.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Last {
    pub(super) time: Timestamp,
    pub(super) value: f64,
    /// True if it was ahead when it arrived, so that its time says nothing.
    pub(super) was_ahead: bool,
}

impl Last {
    fn new((time, value): (Timestamp, f64), now: Timestamp) -> Self {
        Self { time, value, was_ahead: !is_near(time, now) }
    }

    /// The last sample of a stored series.
    fn of(
        store: &Store,
        series: &StoredSeries,
        now: Timestamp,
    ) -> Result<Option<Self>, StoreError> {
        let last = store.recent(series.id, 1)?.pop().map(|last| Self::new(last, now));
        let was_ahead = |last: &Self| last.was_ahead || series.ahead == Some(last.time);
        Ok(last.map(|last| Self { was_ahead: was_ahead(&last), ..last }))
    }

    /// Returns true if the time of the sample is not to be believed.
    pub(super) fn is_ahead(&self, now: Timestamp) -> bool {
        self.was_ahead || !is_near(self.time, now)
    }
}

impl LiveSeries {
    /// A series with its last sample, if it has one, and the place of the forecaster of the next
    /// one.
    fn new(stored: StoredSeries, last: Option<Last>, next: Slot) -> Arc<Self> {
        let text = stored.name.to_string();
        Arc::new(Self {
            id: stored.id,
            name: stored.name,
            text,
            state: Mutex::new(State { last, next }),
        })
    }

    /// The options of forecasts of this series.
    pub(super) fn options(&self) -> ForecastOptions {
        ForecastOptions::default().with_bounds(self.name.quantity().bounds())
    }

    /// The last sample that is ahead or not late; `None` before the first one.
    pub(super) fn last(&self) -> Option<Last> {
        self.with_state(|state| state.last)
    }

    /// The forecast of the next sample; `None` while its forecaster is not loaded.
    pub(super) fn next(&self) -> Option<Tracked> {
        self.with_state(|state| state.next.forecast())
    }

    /// Makes the forecaster of the next sample from stored samples, unless there is one or it is
    /// being made.
    pub(super) fn load(&self, store: &Store, now: Timestamp) -> Result<(), StoreError> {
        let is_empty = self.with_state(|state| {
            let is_empty = matches!(state.next, Slot::Empty);
            if is_empty {
                state.next = Slot::Loading(Vec::new());
            }
            is_empty
        });
        if !is_empty {
            return Ok(());
        }
        let recent = store.recent_until(self.id, now.after(MAX_FORECAST_AHEAD), RECENT_SAMPLES);
        let made = recent.map(|samples| Tracker::of(self.options(), &samples, now));
        self.with_state(|state| match made {
            Ok(tracker) => {
                state.next.fill(tracker, now);
                Ok(())
            }
            Err(error) => {
                state.next = Slot::Empty;
                Err(error)
            }
        })
    }

    /// Appends a stored sample. One that is not after the last one is late, unless one of them is
    /// ahead.
    fn update(&self, time: Timestamp, value: f64, now: Timestamp) {
        self.with_state(|state| {
            let new = Last::new((time, value), now);
            let is_next = |last: Last| time > last.time || new.was_ahead || last.is_ahead(now);
            if state.last.is_none_or(is_next) {
                state.last = Some(new);
            }
            state.next.update(time, value, now);
        });
    }

    /// Calls a function with the locked state.
    fn with_state<T>(&self, act: impl FnOnce(&mut State) -> T) -> T {
        act(&mut self.state.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// All series by their numbers and names.
#[derive(Debug, Default)]
struct Index {
    by_id: BTreeMap<i64, Arc<LiveSeries>>,
    by_name: BTreeMap<String, Arc<LiveSeries>>,
}

/// All series.
#[derive(Debug)]
pub(super) struct Board {
    index: RwLock<Index>,
    limit: usize,
    /// The number of samples that are set aside in the store.
    aside: AtomicU64,
}

impl Board {
    /// The series of a store with their last samples, without forecasters; those beyond the limit
    /// are left out.
    pub(super) fn of(store: &Store, limit: usize, now: Timestamp) -> Result<Self, StoreError> {
        let mut index = Index::default();
        for stored in store.series()?.into_iter().take(limit) {
            let last = Last::of(store, &stored, now)?;
            index.insert(LiveSeries::new(stored, last, Slot::Empty));
        }
        Ok(Self { index: RwLock::new(index), limit, aside: AtomicU64::new(store.aside()?) })
    }

    /// The number of samples that are set aside in the store.
    pub(super) fn aside(&self) -> u64 {
        self.aside.load(Ordering::Relaxed)
    }

    /// Sets the number of samples that are set aside in the store.
    pub(super) fn set_aside(&self, samples: u64) {
        self.aside.store(samples, Ordering::Relaxed);
    }

    /// A series by its name; `None` if it is unknown.
    pub(super) fn find(&self, name: &str) -> Option<Arc<LiveSeries>> {
        self.read(|index| index.by_name.get(name).cloned())
    }

    /// All series in order of their names.
    pub(super) fn all(&self) -> Vec<Arc<LiveSeries>> {
        self.read(|index| index.by_name.values().cloned().collect())
    }

    /// The maximum number of series.
    pub(super) fn limit(&self) -> usize {
        self.limit
    }

    /// Returns true if there are new ones among these names, and they would exceed the maximum
    /// number of series.
    pub(super) fn would_exceed<'a>(&self, names: impl Iterator<Item = &'a SeriesName>) -> bool {
        self.read(|index| {
            let is_new = |name: &String| !index.by_name.contains_key(name);
            let new: BTreeSet<String> = names.map(ToString::to_string).filter(is_new).collect();
            !new.is_empty() && index.by_id.len() + new.len() > self.limit
        })
    }

    /// Appends stored samples in the order of their arrival. Returns false if the store has more
    /// series than the limit.
    pub(super) fn update(
        &self,
        samples: &[StoredSample],
        store: &Store,
        now: Timestamp,
    ) -> Result<bool, StoreError> {
        let is_known =
            |sample: &StoredSample| self.read(|index| index.by_id.contains_key(&sample.series));
        let mut is_within = true;
        if !samples.iter().all(is_known) {
            is_within = self.add_new(store)?;
        }
        let mut ahead = BTreeMap::new();
        for sample in samples {
            if let Some(series) = self.read(|index| index.by_id.get(&sample.series).cloned()) {
                series.update(sample.time, sample.value, now);
                if !is_near(sample.time, now) {
                    ahead.insert(sample.series, sample.time);
                }
            }
        }
        if !ahead.is_empty() {
            store.mark_ahead(&ahead)?;
        }
        Ok(is_within)
    }

    /// Adds the series of a store that are not here; they have no samples yet. Returns false if
    /// there are too many: those beyond the limit are left out.
    fn add_new(&self, store: &Store) -> Result<bool, StoreError> {
        let stored = store.series()?;
        let is_within = stored.len() <= self.limit;
        let mut index = self.index.write().unwrap_or_else(PoisonError::into_inner);
        for stored in stored.into_iter().take(self.limit) {
            if !index.by_id.contains_key(&stored.id) {
                let options =
                    ForecastOptions::default().with_bounds(stored.name.quantity().bounds());
                index.insert(LiveSeries::new(
                    stored,
                    None,
                    Slot::Ready(Box::new(Tracker::new(options))),
                ));
            }
        }
        Ok(is_within)
    }

    /// Calls a function with the index, locked for reading.
    fn read<T>(&self, act: impl FnOnce(&Index) -> T) -> T {
        act(&self.index.read().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Index {
    fn insert(&mut self, series: Arc<LiveSeries>) {
        self.by_id.insert(series.id, Arc::clone(&series));
        self.by_name.insert(series.text.clone(), series);
    }
}
