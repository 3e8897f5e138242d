//! The thread that writes the database.
//!
//! All samples that wait are appended in one transaction, so that they share a write to the disk.
//! Then it reads what has arrived in the database, also from other processes, and updates the
//! forecasters.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, TrySendError, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use tokio::sync::oneshot;

use super::board::Board;
use super::event::Event;
use super::horizons::Horizons;
use super::refusal::Refusal;
use super::state::EventSink;
use orrery::units::Seconds;

use crate::sample::Sample;
use crate::store::{Retention, Store, StoreError, StoreFile, Uptime};
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
    failure: Failure,
    file: StoreFile,
}

/// The refusal of the last samples; `None` if they were stored, or if the files of the database had
/// lost their names.
type Failure = Arc<Mutex<Option<Refusal>>>;

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
        let (failure, file) = (Failure::default(), target.store.file().clone());
        let thread = Thread {
            target,
            waiting: Arc::clone(&waiting),
            failure: Arc::clone(&failure),
            is_lost: false,
            has_too_many: false,
            upkeep: None,
        };
        let handle =
            std::thread::Builder::new().name("writer".into()).spawn(move || thread.run(&queue))?;
        Ok((Self { requests, waiting, failure, file }, handle))
    }

    /// The reason why samples cannot be stored at present: the files of the database have lost their
    /// names, or the last samples could not be written.
    pub(super) fn failure(&self) -> Option<Refusal> {
        let lost = self.file.check().err().map(|error| Refusal::store(&error));
        lost.or_else(|| self.failure.lock().unwrap_or_else(PoisonError::into_inner).clone())
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
    failure: Failure,
    /// True if a file of the database has lost its name.
    is_lost: bool,
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
            self.check_file();
            if !self.is_lost && thinned.elapsed() >= THIN_OUT_INTERVAL {
                let Target { store, retention, board, .. } = &mut self.target;
                let result =
                    store.thin_out(retention, &Uptime::now(), THIN_OUT_SAMPLES).and_then(|done| {
                        board.set_aside(store.aside()?);
                        Ok(done)
                    });
                // More of them may be old: the rest is thinned out after the next request.
                if !result.as_ref().is_ok_and(|done| done.samples >= THIN_OUT_SAMPLES) {
                    thinned = Instant::now();
                }
                if result.is_ok() {
                    self.upkeep = None;
                }
                self.report_upkeep(result.map(drop));
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
        let fresh = Timestamp::now().after(Seconds::ZERO - self.target.retention.samples);
        let stored = self.target.store.append_all(&groups, fresh);
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
                let refusal = Refusal::store(&error);
                requests
                    .into_iter()
                    .for_each(|request| drop(request.done.send(Err(refusal.clone()))));
            }
        }
    }

    /// Reports that a file of the database has lost its name, or has it again: then a failure
    /// before it, such as a full disk, lasts until samples are stored.
    fn check_file(&mut self) {
        let lost = self.target.store.file().check().err();
        match (&lost, self.is_lost) {
            (Some(error), false) => {
                (self.target.events)(Event::StoreFailed { error: error.to_string() });
            }
            (None, true) if !self.has_failed() => (self.target.events)(Event::StoreRecovered),
            _ => {}
        }
        self.is_lost = lost.is_some();
    }

    /// Returns true if the last samples could not be stored, whereas the files have their names.
    fn has_failed(&self) -> bool {
        self.failure.lock().unwrap_or_else(PoisonError::into_inner).is_some()
    }

    /// Reports the first failure and the first success after it; lost files by [`check_file`].
    ///
    /// [`check_file`]: Self::check_file
    fn report(&mut self, error: Option<&StoreError>) {
        if error.is_some_and(StoreError::is_lost) {
            return self.check_file();
        }
        let had_failed = self.has_failed() || self.is_lost;
        self.is_lost = false;
        *self.failure.lock().unwrap_or_else(PoisonError::into_inner) = error.map(Refusal::store);
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
        let now = Timestamp::now();
        loop {
            let samples = store.arrived_after(*position, FOLLOW_SAMPLES)?;
            let is_within = board.update(&samples, store, now)?;
            if !is_within && !self.has_too_many {
                self.has_too_many = true;
                events(Event::TooManySeries { limit: board.limit() });
            }
            horizons.update(&samples, now);
            *position = samples.last().map_or(*position, |last| last.sequence);
            if samples.len() < FOLLOW_SAMPLES {
                return Ok(());
            }
        }
    }
}
