//! Measured values become samples of the store.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::time::Duration;

use super::clock::{Clock, ClockChange, SampleClock, Stamp};
use super::error::AgentError;
use super::event::Event;
use super::pending::Pending;
use crate::name::SeriesName;
use crate::sample::Sample;
use crate::sensor::{Group, Measurement, SensorError};
use crate::store::{Retention, Store, StoreError, StoreFile};
use crate::timestamp::Timestamp;

/// The time between two attempts to write to a store that failed.
const RETRY_PERIOD: Duration = Duration::from_secs(2);

/// The time between two deletions of old samples.
const RETENTION_PERIOD: Duration = Duration::from_secs(60);

/// The time between two reports of dropped samples.
const DROPPED_PERIOD: Duration = Duration::from_secs(60);

/// The maximum number of samples that are looked at in one deletion.
const MAX_THINNED: usize = 20_000;

/// Gives samples their names and times, and writes them.
#[derive(Debug)]
pub(crate) struct Recorder {
    store: Store,
    host: String,
    retention: Retention,
    clock: SampleClock,
    pending: Pending,
    /// True while the store cannot be written.
    is_failing: bool,
    /// The last error of what is done with stored samples.
    upkeep: Option<String>,
    next_write: Duration,
    next_retention: Duration,
    next_dropped: Duration,
    /// Stored samples of this host after this time are to be set aside.
    aside_after: Option<Timestamp>,
    /// The wall time at which the first samples that are set aside are put back.
    next_put_back: Option<Timestamp>,
    faults: BTreeMap<Group, BTreeSet<String>>,
}

impl Recorder {
    /// Opens or creates the store at `path`; the times of samples continue after the last one of
    /// `host` there.
    pub(crate) fn new(
        path: &Path,
        host: &str,
        retention: Retention,
        clock: &dyn Clock,
    ) -> Result<Self, AgentError> {
        let store = Store::open(path)?;
        let (last, next_put_back) = (store.newest(host)?, store.first_aside(host)?);
        Ok(Self {
            store,
            host: host.to_owned(),
            retention,
            clock: SampleClock::new(clock, last),
            pending: Pending::default(),
            is_failing: false,
            upkeep: None,
            next_write: Duration::ZERO,
            next_retention: Duration::ZERO,
            next_dropped: Duration::ZERO,
            aside_after: None,
            next_put_back,
            faults: BTreeMap::new(),
        })
    }

    /// The files of the store.
    pub(super) fn file(&self) -> StoreFile {
        self.store.file().clone()
    }

    /// Adds values that were measured now to the samples to write. If the clock is taken although
    /// there are samples with later times, those are set aside before the next ones are written.
    pub(crate) fn record(
        &mut self,
        found: Vec<Measurement>,
        clock: &dyn Clock,
        on_event: &mut dyn FnMut(&Event),
    ) {
        if found.is_empty() {
            return;
        }
        let Stamp { time, change } = self.clock.stamp(clock);
        match change {
            Some(ClockChange::Behind(by)) => on_event(&Event::ClockBehind { by }),
            Some(ClockChange::Met) => on_event(&Event::ClockMet),
            Some(ClockChange::Stepped) => {
                self.pending.set_aside(time);
                self.aside_after = Some(self.aside_after.map_or(time, |after| after.min(time)));
            }
            None => {}
        }
        for Measurement { quantity, target, value } in found {
            // The settings have checked the parts of the name.
            if let Ok(series) = SeriesName::new(&self.host, quantity, target.as_deref()) {
                self.pending.push(Sample { series, time, value });
            }
        }
    }

    /// Writes the samples, unless the last attempt failed less than [`RETRY_PERIOD`] ago, and every
    /// [`RETENTION_PERIOD`] summarises and deletes old ones, and puts back those that were set
    /// aside and whose times the clock has reached; reports dropped samples, failures and their
    /// end.
    pub(crate) fn write(&mut self, clock: &dyn Clock, on_event: &mut dyn FnMut(&Event)) {
        let now = clock.monotonic();
        if now >= self.next_dropped {
            let samples = self.pending.take_dropped();
            if samples > 0 {
                self.next_dropped = now + DROPPED_PERIOD;
                on_event(&Event::Dropped { samples });
            }
        }
        if now < self.next_write {
            return;
        }
        if self.write_pending(on_event) {
            if now >= self.next_retention {
                self.next_retention = now + RETENTION_PERIOD;
                let put_back = self.put_back(clock.wall(), on_event);
                let thinned = self.store.thin_out(&self.retention, &clock.uptime(), MAX_THINNED);
                let failure = put_back.and(thinned.map(drop)).err().map(|error| error.to_string());
                if let Some(reason) = failure.clone().filter(|_| failure != self.upkeep) {
                    on_event(&Event::UpkeepFailed { reason });
                }
                self.upkeep = failure;
            }
        } else {
            self.next_write = now + RETRY_PERIOD;
        }
    }

    /// Writes the samples for the last time; reports the number of those that are lost.
    pub(crate) fn finish(mut self, on_event: &mut dyn FnMut(&Event)) {
        self.write_pending(on_event);
        let samples = self.pending.len() as u64 + self.pending.take_dropped();
        if samples > 0 {
            on_event(&Event::Dropped { samples });
        }
    }

    /// Reports that samples are set aside.
    pub(crate) fn note_aside(&self, on_event: &mut dyn FnMut(&Event)) {
        // A store that cannot be read is reported when it is written.
        if let Ok(samples) = self.store.aside()
            && samples > 0
        {
            on_event(&Event::SetAside { samples });
        }
    }

    /// Puts back the samples that were set aside and whose times the clock has reached.
    fn put_back(
        &mut self,
        wall: Timestamp,
        on_event: &mut dyn FnMut(&Event),
    ) -> Result<(), StoreError> {
        if self.next_put_back.is_some_and(|next| next <= wall) {
            let samples = self.store.put_back(&self.host, wall)?;
            self.next_put_back = self.store.first_aside(&self.host)?;
            if samples > 0 {
                on_event(&Event::PutBack { samples });
            }
        }
        Ok(())
    }

    /// Sets samples aside whose times are after the clock.
    fn set_aside(
        &mut self,
        after: Timestamp,
        on_event: &mut dyn FnMut(&Event),
    ) -> Result<(), StoreError> {
        let samples = self.store.set_aside(&self.host, after, self.pending.aside())?;
        self.pending.clear_aside();
        self.aside_after = None;
        self.next_put_back = self.store.first_aside(&self.host)?;
        on_event(&Event::SetAside { samples });
        Ok(())
    }

    /// Sets aside what contradicts the clock and writes the waiting samples; returns true if none
    /// is left, false if the store failed, which is reported.
    fn write_pending(&mut self, on_event: &mut dyn FnMut(&Event)) -> bool {
        if let Some(after) = self.aside_after
            && let Err(error) = self.set_aside(after, on_event)
        {
            return self.note_outcome(Err(error.to_string()), 0, on_event);
        }
        if self.pending.is_empty() {
            return true;
        }
        let written = self.pending.write(&mut self.store);
        let count = *written.as_ref().unwrap_or(&0);
        self.note_outcome(written.map(drop).map_err(|error| error.to_string()), count, on_event)
    }

    /// Reports the first failure and the end of failures; returns true without failure.
    fn note_outcome(
        &mut self,
        outcome: Result<(), String>,
        written: usize,
        on_event: &mut dyn FnMut(&Event),
    ) -> bool {
        let was_failing = std::mem::replace(&mut self.is_failing, outcome.is_err());
        match outcome {
            Err(reason) if !was_failing => on_event(&Event::StoreFailed { reason }),
            Ok(()) if was_failing => on_event(&Event::StoreRecovered { written }),
            _ => {}
        }
        !self.is_failing
    }

    /// Reports the faults of sensors that are new.
    pub(crate) fn note_faults(
        &mut self,
        group: Group,
        faults: &[SensorError],
        on_event: &mut dyn FnMut(&Event),
    ) {
        let faults: BTreeSet<String> = faults.iter().map(ToString::to_string).collect();
        let before = self.faults.entry(group).or_default();
        for reason in faults.difference(before) {
            on_event(&Event::Sensor { reason: reason.clone() });
        }
        *before = faults;
    }
}
