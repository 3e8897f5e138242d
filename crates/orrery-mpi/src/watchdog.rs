//! Rank 0 takes part in batches itself, and `MPI_Recv` knows no time limit: somebody else must look at the clock.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use orrery::machine::MachineError;

use crate::calls;
use crate::machine::Options;

/// A thread that ends the job when a batch does not get on, or an interrupt finds no ear.
#[derive(Debug)]
pub(crate) struct Watchdog {
    shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
}

#[derive(Debug, Default)]
struct Shared {
    /// Signs of life so far.
    beats: AtomicU64,
    /// Whether there is something to watch.
    watching: AtomicBool,
    over: AtomicBool,
}

/// It looks after each so much time.
const LOOK: Duration = Duration::from_millis(50);

/// A batch has so long to end after an interrupt: launchers that end a job do not wait much longer.
const LAST_CHANCE: Duration = Duration::from_millis(300);

/// A batch gets this much more time from the watchdog than from those who can end it in good order.
const RESERVE: Duration = Duration::from_millis(500);

impl Watchdog {
    /// A watchdog that sleeps until there is something to watch.
    pub fn start(options: &Options) -> Result<Self, MachineError> {
        let shared = Arc::new(Shared::default());
        let (theirs, options) = (Arc::clone(&shared), options.clone());
        let thread = thread::Builder::new()
            .name("orrery-watchdog".into())
            .spawn(move || watch(&theirs, &options))
            .map_err(|source| MachineError::System { doing: "starting a thread", source })?;
        Ok(Self { shared, thread: Some(thread) })
    }

    /// Watches from now on.
    pub fn watch(&self) {
        self.beat();
        self.shared.watching.store(true, Ordering::Release);
    }

    /// There is nothing to watch.
    pub fn rest(&self) {
        self.shared.watching.store(false, Ordering::Release);
    }

    /// The batch has got on.
    pub fn beat(&self) {
        self.shared.beats.fetch_add(1, Ordering::Relaxed);
    }
}

impl Drop for Watchdog {
    fn drop(&mut self) {
        self.shared.over.store(true, Ordering::Release);
        if let Some(thread) = self.thread.take() {
            thread.thread().unpark();
            let _ = thread.join();
        }
    }
}

fn watch(shared: &Shared, options: &Options) {
    let limit = options.time_limit.saturating_add(RESERVE);
    let (mut beats, mut since, mut interrupted) = (0, Instant::now(), None::<Instant>);
    while !shared.over.load(Ordering::Acquire) {
        thread::park_timeout(LOOK);
        let now = Instant::now();
        let (before, watching) = (beats, shared.watching.load(Ordering::Acquire));
        beats = shared.beats.load(Ordering::Relaxed);
        if !watching {
            interrupted = None;
            continue;
        }
        if beats != before {
            since = now;
        }
        let error = if options.is_interrupted() {
            let begin = *interrupted.get_or_insert(now);
            (now - begin > LAST_CHANCE).then_some(MachineError::Interrupted)
        } else {
            let seconds = options.time_limit.as_secs_f64();
            (now - since > limit).then_some(MachineError::BatchTimedOut { seconds })
        };
        if let Some(error) = error {
            if let Some(last_words) = options.last_words {
                last_words(&error);
            }
            calls::abort(1);
            return;
        }
    }
}
