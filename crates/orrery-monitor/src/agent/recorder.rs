//! Measured values become samples of the store.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::time::Duration;

use super::clock::{Clock, SampleClock, Stamp};
use super::error::AgentError;
use super::event::Event;
use super::pending::Pending;
use crate::name::SeriesName;
use crate::sample::Sample;
use crate::sensor::{Group, Measurement, SensorError};
use crate::store::{Retention, Store};
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
pub(super) struct Recorder {
    store: Store,
    host: String,
    retention: Retention,
    clock: SampleClock,
    pending: Pending,
    /// True while the store cannot be written.
    is_failing: bool,
    next_write: Duration,
    next_retention: Duration,
    next_dropped: Duration,
    /// Samples of this host after this time are wrong, and to be removed.
    wrong_after: Option<Timestamp>,
    faults: BTreeMap<Group, BTreeSet<String>>,
}

impl Recorder {
    /// Opens or creates the store at `path`; the times of samples continue after the last one of
    /// `host` there.
    pub(super) fn new(
        path: &Path,
        host: &str,
        retention: Retention,
        clock: &dyn Clock,
    ) -> Result<Self, AgentError> {
        let store = Store::open(path)?;
        let last = store.newest(host)?;
        Ok(Self {
            store,
            host: host.to_owned(),
            retention,
            clock: SampleClock::new(clock, last),
            pending: Pending::default(),
            is_failing: false,
            next_write: Duration::ZERO,
            next_retention: Duration::ZERO,
            next_dropped: Duration::ZERO,
            wrong_after: None,
            faults: BTreeMap::new(),
        })
    }

    /// Adds values that were measured now to the samples to write. If samples with later times turn
    /// out to be measured with a wrong clock, removes them from those that wait, and from the store
    /// with the next ones that are written.
    pub(super) fn record(
        &mut self,
        found: Vec<Measurement>,
        clock: &dyn Clock,
        on_event: &mut dyn FnMut(&Event),
    ) {
        if found.is_empty() {
            return;
        }
        let Stamp { time, later_are_wrong } = self.clock.stamp(clock);
        if later_are_wrong {
            let removed = self.pending.remove_after(time);
            if removed > 0 {
                on_event(&Event::RemovedFuture { samples: removed });
            }
            self.wrong_after = Some(time);
        }
        for Measurement { quantity, target, value } in found {
            // The settings have checked the parts of the name.
            if let Ok(series) = SeriesName::new(&self.host, quantity, target.as_deref()) {
                self.pending.push(Sample { series, time, value });
            }
        }
    }

    /// Writes the samples, unless the last attempt failed less than [`RETRY_PERIOD`] ago, and
    /// summarises and deletes old ones every [`RETENTION_PERIOD`]; reports dropped samples,
    /// failures and their end.
    pub(super) fn write(&mut self, clock: &dyn Clock, on_event: &mut dyn FnMut(&Event)) {
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
                let thinned = self.store.thin_out(&self.retention, clock.wall(), MAX_THINNED);
                self.note_outcome(
                    thinned.map(drop).map_err(|error| error.to_string()),
                    0,
                    on_event,
                );
            }
        } else {
            self.next_write = now + RETRY_PERIOD;
        }
    }

    /// Writes the samples for the last time; reports the number of those that are lost.
    pub(super) fn finish(mut self, on_event: &mut dyn FnMut(&Event)) {
        self.write_pending(on_event);
        let samples = self.pending.len() as u64 + self.pending.take_dropped();
        if samples > 0 {
            on_event(&Event::Dropped { samples });
        }
    }

    /// Removes samples with wrong times from the store and writes the waiting ones; returns true if
    /// none is left, false if the store failed, which is reported.
    fn write_pending(&mut self, on_event: &mut dyn FnMut(&Event)) -> bool {
        if let Some(time) = self.wrong_after {
            match self.store.remove_after(&self.host, time) {
                Ok(samples) => {
                    self.wrong_after = None;
                    if samples > 0 {
                        on_event(&Event::RemovedFuture { samples });
                    }
                }
                Err(error) => return self.note_outcome(Err(error.to_string()), 0, on_event),
            }
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
    pub(super) fn note_faults(
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
