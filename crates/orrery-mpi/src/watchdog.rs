//! A thread that watches rank 0: it takes part in batches itself, and `MPI_Recv` has no timeout.
//!
//! The thread does not call MPI, which is initialised for one thread by default. It ends the job by
//! ending its process.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use orrery::machine::MachineError;

use crate::calls;
use crate::job::Options;

/// A thread that ends the job if a batch makes no progress within the time limit, or does not react
/// to an interrupt.
#[derive(Debug)]
pub(crate) struct Watchdog {
    shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
}

/// The state that rank 0 shares with the watchdog.
#[derive(Debug, Default)]
struct Shared {
    /// The number of progress reports.
    heartbeats: AtomicU64,
    /// True while a batch runs.
    is_watching: AtomicBool,
    /// True if the thread must end.
    is_over: AtomicBool,
}

/// The interval between two checks.
const CHECK_INTERVAL: Duration = Duration::from_millis(50);

/// How long a batch may take to end after an interrupt; launchers do not wait much longer before
/// they kill a job.
const INTERRUPT_TIMEOUT: Duration = Duration::from_millis(300);

/// How much longer than the time limit the watchdog waits, so that rank 0 can end the batch in an
/// orderly way.
const GRACE_PERIOD: Duration = Duration::from_millis(500);

impl Watchdog {
    /// Starts the thread; it does not watch yet.
    pub fn start(options: &Options) -> Result<Self, MachineError> {
        let shared = Arc::new(Shared::default());
        let (theirs, options) = (Arc::clone(&shared), options.clone());
        let thread = thread::Builder::new()
            .name("orrery-watchdog".into())
            .spawn(move || watch(&theirs, &options))
            .map_err(|source| MachineError::System { doing: "cannot start a thread", source })?;
        Ok(Self { shared, thread: Some(thread) })
    }

    /// Starts to watch a batch.
    pub fn begin(&self) {
        self.heartbeat();
        self.shared.is_watching.store(true, Ordering::Release);
    }

    /// Stops watching.
    pub fn end(&self) {
        self.shared.is_watching.store(false, Ordering::Release);
    }

    /// Records that the batch makes progress.
    pub fn heartbeat(&self) {
        self.shared.heartbeats.fetch_add(1, Ordering::Relaxed);
    }
}

impl Drop for Watchdog {
    fn drop(&mut self) {
        self.shared.is_over.store(true, Ordering::Release);
        if let Some(thread) = self.thread.take() {
            thread.thread().unpark();
            let _ = thread.join();
        }
    }
}

/// Watches batches until the watchdog is dropped.
fn watch(shared: &Shared, options: &Options) {
    let limit = options.time_limit.saturating_add(GRACE_PERIOD);
    let (mut beats, mut since, mut interrupted) = (0, Instant::now(), None::<Instant>);
    while !shared.is_over.load(Ordering::Acquire) {
        thread::park_timeout(CHECK_INTERVAL);
        let now = Instant::now();
        let (before, watching) = (beats, shared.is_watching.load(Ordering::Acquire));
        beats = shared.heartbeats.load(Ordering::Relaxed);
        if !watching {
            // The report at the start of the next batch may be counted here already.
            (since, interrupted) = (now, None);
            continue;
        }
        if beats != before {
            since = now;
        }
        let error = if options.is_interrupted() {
            let begin = *interrupted.get_or_insert(now);
            (now - begin > INTERRUPT_TIMEOUT).then_some(MachineError::Interrupted)
        } else {
            let seconds = options.time_limit.as_secs_f64();
            (now - since > limit).then_some(MachineError::BatchTimedOut { seconds })
        };
        if let Some(error) = error {
            if let Some(before_abort) = options.before_abort {
                before_abort(&error);
            }
            calls::kill_this_process();
            return;
        }
    }
}
