//! The thread that writes the database.
//!
//! All samples that wait are appended in one transaction, so that they share a write to the disk.
//! Then it reads what has arrived in the database, also from other processes, and updates the
//! forecasters.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, TrySendError, sync_channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use tokio::sync::oneshot;

use super::board::Board;
use super::event::Event;
use super::horizons::Horizons;
use super::refusal::Refusal;
use super::state::EventSink;
use crate::sample::Sample;
use crate::store::{Retention, Store, StoreError};
use crate::timestamp::Timestamp;

/// The maximum number of samples that wait.
const MAX_WAITING_SAMPLES: usize = 100_000;

/// The maximum number of requests that wait.
const MAX_WAITING_REQUESTS: usize = 4_096;

/// The number of samples after which a transaction takes no further request.
const MAX_TRANSACTION_SAMPLES: usize = 20_000;

/// The time between two looks for samples of other processes.
const FOLLOW_INTERVAL: Duration = Duration::from_secs(1);

/// The number of samples that are read at once.
const FOLLOW_SAMPLES: usize = 5_000;

/// The time between two calls of [`Store::thin_out`].
const THIN_OUT_INTERVAL: Duration = Duration::from_secs(5);
/// The number of samples of each call of [`Store::thin_out`].
const THIN_OUT_SAMPLES: usize = 20_000;

/// Samples of a request, and where the number of new ones goes.
#[derive(Debug)]
struct Request {
    samples: Vec<Sample>,
    done: oneshot::Sender<Result<usize, Refusal>>,
}

/// Sends samples to the thread that writes.
#[derive(Debug, Clone)]
pub(super) struct Writer {
    requests: SyncSender<Request>,
    waiting: Arc<AtomicUsize>,
    has_failed: Arc<AtomicBool>,
}

/// What the thread works on.
pub(super) struct Target {
    pub(super) store: Store,
    pub(super) board: Arc<Board>,
    pub(super) horizons: Arc<Horizons>,
    pub(super) retention: Retention,
    pub(super) events: EventSink,
    /// The place of the last sample in the board.
    pub(super) position: i64,
}

impl Writer {
    /// Starts the thread. It ends when the writer is dropped and all samples that wait are stored.
    pub(super) fn start(target: Target) -> std::io::Result<(Self, JoinHandle<Store>)> {
        let (requests, queue) = sync_channel(MAX_WAITING_REQUESTS);
        let waiting = Arc::new(AtomicUsize::new(0));
        let has_failed = Arc::new(AtomicBool::new(false));
        let (count, failed) = (Arc::clone(&waiting), Arc::clone(&has_failed));
        let thread = Thread {
            target,
            waiting: count,
            has_failed: failed,
            has_too_many: false,
            upkeep: None,
        };
        let handle =
            std::thread::Builder::new().name("writer".into()).spawn(move || thread.run(&queue))?;
        Ok((Self { requests, waiting, has_failed }, handle))
    }

    /// Returns true if the last samples could not be stored.
    pub(super) fn has_failed(&self) -> bool {
        self.has_failed.load(Ordering::Relaxed)
    }

    /// Stores samples; returns the number of new ones when they are on the disk and in the
    /// forecasts.
    ///
    /// # Errors
    ///
    /// Refuses them if too many wait, the disk is full or the database cannot be written.
    pub(super) async fn append(&self, samples: Vec<Sample>) -> Result<usize, Refusal> {
        let (count, (done, result)) = (samples.len(), oneshot::channel());
        if self.waiting.fetch_add(count, Ordering::Relaxed) + count > MAX_WAITING_SAMPLES {
            self.waiting.fetch_sub(count, Ordering::Relaxed);
            return Err(Refusal::busy());
        }
        self.requests.try_send(Request { samples, done }).map_err(|error| {
            self.waiting.fetch_sub(count, Ordering::Relaxed);
            match error {
                TrySendError::Full(_) => Refusal::busy(),
                TrySendError::Disconnected(_) => Refusal::stopping(),
            }
        })?;
        result.await.map_err(|_| Refusal::stopping())?
    }
}

/// The state of the thread.
struct Thread {
    target: Target,
    waiting: Arc<AtomicUsize>,
    /// True if the last transaction failed.
    has_failed: Arc<AtomicBool>,
    /// True if the store has more series than the limit, and this was reported.
    has_too_many: bool,
    /// The last reported error of reading or thinning out.
    upkeep: Option<String>,
}

impl Thread {
    /// Stores and follows samples until the writer is dropped; returns the store.
    fn run(mut self, queue: &Receiver<Request>) -> Store {
        let (mut followed, mut thinned) = (Instant::now(), Instant::now());
        loop {
            match queue.recv_timeout(FOLLOW_INTERVAL.saturating_sub(followed.elapsed())) {
                Ok(first) => self.append(first, queue),
                Err(RecvTimeoutError::Timeout) => self.follow(),
                Err(RecvTimeoutError::Disconnected) => return self.target.store,
            }
            followed = Instant::now();
            if thinned.elapsed() >= THIN_OUT_INTERVAL {
                let Target { store, retention, .. } = &mut self.target;
                let result =
                    store.thin_out(retention, Timestamp::now(), THIN_OUT_SAMPLES).map(drop);
                self.report_upkeep(result);
                thinned = Instant::now();
            }
        }
    }

    /// Stores the samples of a request and of those that wait behind it in one transaction, updates
    /// the forecasters, and answers the requests.
    fn append(&mut self, first: Request, queue: &Receiver<Request>) {
        let mut count = first.samples.len();
        let mut requests = vec![first];
        while count < MAX_TRANSACTION_SAMPLES
            && let Ok(next) = queue.try_recv()
        {
            count += next.samples.len();
            requests.push(next);
        }
        self.waiting.fetch_sub(count, Ordering::Relaxed);
        let groups: Vec<&[Sample]> =
            requests.iter().map(|request| request.samples.as_slice()).collect();
        let stored = self.target.store.append_all(&groups);
        self.report(stored.as_ref().err());
        match stored {
            Ok(counts) => {
                self.follow();
                requests
                    .into_iter()
                    .zip(counts)
                    .for_each(|(request, count)| drop(request.done.send(Ok(count))));
            }
            Err(error) => {
                let refusal = if error.is_full() { Refusal::full() } else { Refusal::store() };
                requests
                    .into_iter()
                    .for_each(|request| drop(request.done.send(Err(refusal.clone()))));
            }
        }
    }

    /// Reports the first failure and the first success after it.
    fn report(&mut self, error: Option<&StoreError>) {
        let had_failed = self.has_failed.swap(error.is_some(), Ordering::Relaxed);
        match error {
            Some(error) if !had_failed => {
                (self.target.events)(Event::StoreFailed { error: error.to_string() });
            }
            None if had_failed => (self.target.events)(Event::StoreRecovered),
            _ => {}
        }
    }

    /// Updates the forecasters by what has arrived in the database.
    fn follow(&mut self) {
        let result = self.try_follow();
        self.report_upkeep(result);
    }

    /// Reports an error unless it was the last one.
    fn report_upkeep(&mut self, result: Result<(), StoreError>) {
        if let Err(error) = result {
            let error = error.to_string();
            if self.upkeep.as_ref() != Some(&error) {
                (self.target.events)(Event::UpkeepFailed { error: error.clone() });
                self.upkeep = Some(error);
            }
        }
    }

    /// Gives the samples that have arrived since the last call to the board and the horizons;
    /// reports once that there are too many series.
    fn try_follow(&mut self) -> Result<(), StoreError> {
        let Target { store, board, horizons, events, position, .. } = &mut self.target;
        loop {
            let samples = store.arrived_after(*position, FOLLOW_SAMPLES)?;
            let is_within = board.update(&samples, store)?;
            if !is_within && !self.has_too_many {
                self.has_too_many = true;
                events(Event::TooManySeries { limit: board.limit() });
            }
            horizons.update(&samples);
            *position = samples.last().map_or(*position, |last| last.sequence);
            if samples.len() < FOLLOW_SAMPLES {
                return Ok(());
            }
        }
    }
}
