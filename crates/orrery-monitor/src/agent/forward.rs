//! Sends the samples of the store to a service, in the order of their arrival.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::Sender;
use std::time::{Duration, Instant};

use super::event::Event;
use super::{POLL, Report};
use crate::client::{Client, ClientError, MAX_SAMPLES_PER_REQUEST};
use crate::name::SeriesName;
use crate::sample::Sample;
use crate::store::{Store, StoreError, StoredSample};

/// The time between two looks for new samples, and the first time after a failure.
const PERIOD: Duration = Duration::from_secs(1);

/// The maximum delay; each failure doubles the delay up to it.
const MAX_PAUSE: Duration = Duration::from_secs(60);

/// Statuses by which a service refuses the content of a request, which never becomes acceptable.
const REFUSED_CONTENT: [u16; 3] = [400, 413, 422];

/// The loop that forwards. The store keeps the place of the last acknowledged sample, so that a
/// restart repeats little and loses nothing.
#[derive(Debug)]
pub(super) struct Forwarder {
    pub(super) store: PathBuf,
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

    /// Sends all samples that were not acknowledged, up to `batch` in each request; halves `batch`
    /// to find samples that the service refuses, which are reported and left out, and doubles it
    /// after each success.
    fn forward_all(&self, batch: &mut usize) -> Result<(), ForwardError> {
        let store = Store::open(&self.store)?;
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
            match self.client.post_samples(&named(&stored, &names)) {
                Ok(_) => *batch = (*batch * 2).min(MAX_SAMPLES_PER_REQUEST),
                // The refused sample is found by halving.
                Err(error) if is_refused(&error) && stored.len() > 1 => {
                    *batch = stored.len() / 2;
                    continue;
                }
                Err(error) if is_refused(&error) => {
                    self.report(Event::Refused { reason: error.to_string() });
                }
                Err(error) => return Err(error.into()),
            }
            place = last.sequence;
            store.set_position(&name, place)?;
        }
    }
}

/// Returns true if the service refuses the content of the request, so that repeating it is in vain.
fn is_refused(error: &ClientError) -> bool {
    error.status().is_some_and(|status| REFUSED_CONTENT.contains(&status))
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
