//! Sends the samples of the store to a service, in the order of their arrival.

use std::collections::BTreeMap;
use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::Sender;
use std::time::{Duration, Instant};

use orrery::units::Seconds;

use super::clock::MAX_SLEWED_AHEAD;
use super::discarded::Discarded;
use super::event::Event;
use super::{POLL, Report};
use crate::client::{Client, ClientError, MAX_SAMPLES_PER_REQUEST};
use crate::name::SeriesName;
use crate::sample::Sample;
use crate::store::{Store, StoreError, StoreFile, StoredSample};
use crate::timestamp::Timestamp;

/// The time between two looks for new samples, and the first time after a failure.
const PERIOD: Duration = Duration::from_secs(1);

/// The maximum delay; each failure doubles the delay up to it.
const MAX_PAUSE: Duration = Duration::from_secs(60);

/// The status by which a service or a proxy refuses the size of a request.
const TOO_LARGE: u16 = 413;

/// The loop that forwards. The store keeps the place of the last acknowledged sample, so that a
/// restart repeats little and loses nothing.
#[derive(Debug)]
pub(super) struct Forwarder {
    pub(super) store: PathBuf,
    /// The name of this host.
    pub(super) host: String,
    /// The files of the store that the agent writes.
    pub(super) file: StoreFile,
    pub(super) client: Client,
    pub(super) stop: Arc<AtomicBool>,
    pub(super) reports: Sender<Report>,
}

/// The reason why samples were not forwarded.
#[derive(Debug, thiserror::Error)]
enum ForwardError {
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error(transparent)]
    Client(#[from] ClientError),
    #[error("{}: refused samples cannot be written: {reason}; make space, or give this user the \
        right to write there", path.display())]
    Discarded { path: PathBuf, reason: io::Error },
}

/// What the service has refused for good.
#[derive(Debug, Default)]
struct Refused {
    samples: u64,
    /// The reason of the first refusal.
    reason: Option<String>,
}

impl Forwarder {
    /// Forwards until the agent ends.
    pub(super) fn run(self) {
        let (mut pause, mut is_failing, mut batch) = (PERIOD, false, MAX_SAMPLES_PER_REQUEST);
        while !self.stop.load(Ordering::SeqCst) {
            match self.forward_all(&mut batch) {
                Ok(()) => {
                    pause = PERIOD;
                    if std::mem::take(&mut is_failing) {
                        self.report(Event::ForwardRecovered);
                    }
                }
                Err(error) => {
                    if !std::mem::replace(&mut is_failing, true) {
                        self.report(Event::ForwardFailed { reason: error.to_string() });
                    }
                    pause = (pause * 2).min(MAX_PAUSE);
                }
            }
            let end = Instant::now() + pause;
            while !self.stop.load(Ordering::SeqCst) && Instant::now() < end {
                std::thread::sleep(POLL);
            }
        }
    }

    fn report(&self, event: Event) {
        // The receiver is gone at the end of the agent only.
        let _ = self.reports.send(Report::Event(event));
    }

    /// Sends all samples that were not acknowledged, and reports those that the service refused for
    /// good in one event.
    fn forward_all(&self, batch: &mut usize) -> Result<(), ForwardError> {
        let (discarded, mut refused) = (Discarded::beside(&self.store), Refused::default());
        let outcome = self.forward_each(batch, &discarded, &mut refused);
        if let Refused { samples, reason: Some(reason) } = refused {
            self.report(Event::Refused { samples, reason, path: discarded.path().to_owned() });
        }
        outcome
    }

    /// Sends up to `batch` samples in each request; halves `batch` to find samples that the service
    /// refuses for good, which are put into a file, and doubles it after each success.
    fn forward_each(
        &self,
        batch: &mut usize,
        discarded: &Discarded,
        refused: &mut Refused,
    ) -> Result<(), ForwardError> {
        self.file.check()?;
        let mut store = Store::open(&self.store)?;
        // It may have been replaced meanwhile.
        self.file.check()?;
        let name = format!("forward {}", self.client.url());
        let mut place = store.position(&name)?;
        let mut names = BTreeMap::new();
        loop {
            let stored = store.arrived_after(place, *batch)?;
            let Some(last) = stored.last().filter(|_| !self.stop.load(Ordering::SeqCst)) else {
                return Ok(());
            };
            if stored.iter().any(|sample| !names.contains_key(&sample.series)) {
                names =
                    store.series()?.into_iter().map(|series| (series.id, series.name)).collect();
            }
            let samples = named(&stored, &names);
            match self.client.post_samples(&samples) {
                Ok(_) => *batch = (*batch * 2).min(MAX_SAMPLES_PER_REQUEST),
                // The refused sample is found by halving.
                Err(error) if can_be_halved(&error) && stored.len() > 1 => {
                    *batch = stored.len() / 2;
                    continue;
                }
                Err(error) if error.is_invalid_sample() => {
                    let path = || discarded.path().to_owned();
                    let reason = error.to_string();
                    discarded
                        .append(&samples, &reason)
                        .map_err(|reason| ForwardError::Discarded { path: path(), reason })?;
                    refused.samples += samples.len() as u64;
                    refused.reason.get_or_insert(reason);
                }
                Err(error) if error.is_sample_ahead() && self.is_stranded(&samples) => {
                    self.set_aside(&mut store, &samples)?;
                    continue;
                }
                Err(error) => return Err(error.into()),
            }
            place = last.sequence;
            store.set_position(&name, place)?;
        }
    }

    /// Returns true if the first sample is of an earlier name of this host and so far ahead that it
    /// would keep all later ones from the service: those of the present name are set aside when the
    /// clock is set.
    fn is_stranded(&self, samples: &[Sample]) -> bool {
        let limit = Timestamp::now().after(Seconds::from(MAX_SLEWED_AHEAD));
        samples.first().is_some_and(|one| one.series.host() != self.host && one.time > limit)
    }

    /// Sets aside the samples of the host of the first one that are far ahead.
    fn set_aside(&self, store: &mut Store, samples: &[Sample]) -> Result<(), StoreError> {
        if let Some(first) = samples.first() {
            let limit = Timestamp::now().after(Seconds::from(MAX_SLEWED_AHEAD));
            let samples = store.set_aside(first.series.host(), limit, &[])?;
            self.report(Event::SetAside { samples });
        }
        Ok(())
    }
}

/// Returns true if a part of the samples may be accepted.
fn can_be_halved(error: &ClientError) -> bool {
    error.is_invalid_sample() || error.is_sample_ahead() || error.status() == Some(TOO_LARGE)
}

/// The samples with the names of their series; those of series without a name in `names` are left
/// out.
fn named(stored: &[StoredSample], names: &BTreeMap<i64, SeriesName>) -> Vec<Sample> {
    let named = stored.iter().filter_map(|sample| {
        let series = names.get(&sample.series)?.clone();
        Some(Sample { series, time: sample.time, value: sample.value })
    });
    named.collect()
}
