use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use orrery::engine;
use orrery::machine::clock::GlobalClock;
use orrery::machine::{
    Batch, BatchReadings, ForcibleAlgorithm, Machine, MachineError, NativeCalls,
};
use orrery::sample::Provenance;
use orrery::schedule::CollectiveKind;
use orrery::units::Seconds;

use crate::control::{Backoff, Command, Report};
use crate::executor::run_batch;
use crate::job::Options;
use crate::memory::Memory;
use crate::native::{self, run_native};
use crate::plan::{self, SendMode};
use crate::{Job, MpiError, calls, provenance};

/// The ranks of an MPI job; processor r is rank r.
///
/// Rank 0 sends the batches and takes part in them. Ranks without a part sleep. After an error of
/// the machine itself (not of a batch that does not fit) all later batches fail with an error that
/// repeats the first, and [`Job::end`] aborts the job.
#[derive(Debug)]
pub struct MpiMachine<'a> {
    job: &'a Job,
    options: Options,
    watchdog: Watchdog,
    memory: Memory,
    clock: GlobalClock,
    largest_tag: u32,
    /// The error with which the machine has failed.
    failure: Option<String>,
    started: Instant,
}

impl<'a> MpiMachine<'a> {
    /// Starts the machine of a job on rank 0; all other ranks call [`Job::serve`].
    ///
    /// # Errors
    ///
    /// When this is another rank, or a thread cannot be started.
    pub fn start(job: &'a Job, options: Options) -> Result<Self, MachineError> {
        if job.rank() != 0 {
            let reason = "only rank 0 can start the machine; the others must serve".into();
            return Err(MachineError::WorkerNotStarted { worker: job.rank(), reason });
        }
        let watchdog = Watchdog::start(&options)?;
        let largest_tag = job.messages.largest_tag().map_err(|error| failed(0, &error))?;
        job.mark_served();
        Ok(Self {
            job,
            options,
            watchdog,
            memory: Memory::default(),
            clock: GlobalClock::default(),
            largest_tag,
            failure: None,
            started: Instant::now(),
        })
    }

    /// Sends batches to their ranks, takes part in them, and collects the readings.
    fn run_batches(
        &mut self,
        batches: &[(&Batch, SendMode)],
    ) -> Result<Vec<Vec<Seconds>>, MachineError> {
        let mut readings =
            BatchReadings::new(batches.iter().map(|(batch, _)| *batch).collect(), self.job.size());
        let waiting: Vec<usize> =
            (1..self.job.size()).filter(|&rank| !readings.batches_of(rank).is_empty()).collect();
        for &rank in &waiting {
            let command =
                Command::Run(readings.batches_of(rank).iter().map(|&b| batches[b]).collect());
            self.job.control.send_command(rank, &command).map_err(|error| failed(0, &error))?;
        }
        let watchdog = &self.watchdog;
        let mut heartbeat = || {
            watchdog.heartbeat();
            Ok(())
        };
        let (job, memory, clock) = (self.job, &mut self.memory, &mut self.clock);
        let own = readings.batches_of(0).iter().map(|&b| {
            let (batch, sends) = batches[b];
            run_batch(batch, sends, job.context(), memory, clock, &mut heartbeat)
                .map_err(|error| failed(0, &error))
        });
        let own = own.collect::<Result<Vec<_>, MachineError>>()?;
        readings.add(0, &own)?;
        self.collect_reports(waiting, |worker, of_batches| readings.add(worker, &of_batches))?;
        Ok(readings.into_reduced())
    }

    /// Sends calls of the library to their ranks, takes part in them, and returns the maxima over
    /// the ranks.
    fn run_calls(&mut self, calls: &NativeCalls) -> Result<Vec<Seconds>, MachineError> {
        let (own, waiting): (Vec<usize>, Vec<usize>) = calls
            .placement
            .processors()
            .iter()
            .map(|processor| processor.index())
            .partition(|&rank| rank == 0);
        for &rank in &waiting {
            let sent = self.job.control.send_command(rank, &Command::Native(calls.clone()));
            sent.map_err(|error| failed(0, &error))?;
        }
        let watchdog = &self.watchdog;
        let mut heartbeat = || {
            watchdog.heartbeat();
            Ok(())
        };
        let mut maxima = vec![Seconds::ZERO; calls.repetitions as usize];
        if !own.is_empty() {
            let readings = run_native(calls, self.job.context(), &mut self.memory, &mut heartbeat);
            maxima = readings.map_err(|error| failed(0, &error))?;
        }
        self.collect_reports(waiting, |worker, readings| {
            let [readings] = &readings[..] else {
                return Err(MachineError::WorkerFailed {
                    worker,
                    reason: "it sent no readings".into(),
                });
            };
            if readings.len() != maxima.len() {
                let reason =
                    format!("it sent {} readings instead of {}", readings.len(), maxima.len());
                return Err(MachineError::WorkerFailed { worker, reason });
            }
            maxima
                .iter_mut()
                .zip(readings)
                .for_each(|(maximum, &reading)| *maximum = maximum.max(reading));
            Ok(())
        })?;
        Ok(maxima)
    }

    /// Runs something on the ranks within the time limit, unless nothing can run any more; an error
    /// is the end of the machine.
    fn run_watched<R>(
        &mut self,
        run: impl FnOnce(&mut Self) -> Result<R, MachineError>,
    ) -> Result<R, MachineError> {
        if let Some(why) = &self.failure {
            let source = io::Error::other(format!("the machine has failed before: {why}"));
            return Err(MachineError::System { doing: "cannot run a batch", source });
        }
        if self.options.is_interrupted() {
            return Err(MachineError::Interrupted);
        }
        self.watchdog.begin();
        let readings = run(self);
        self.watchdog.end();
        readings.inspect_err(|error| {
            self.failure = Some(error.to_string());
            self.job.mark_broken();
        })
    }

    /// Waits for the readings of these ranks and passes them to `take`; an error if a rank fails,
    /// the time limit passes, or an interruption is requested.
    fn collect_reports(
        &self,
        mut waiting: Vec<usize>,
        mut take: impl FnMut(usize, Vec<Vec<Seconds>>) -> Result<(), MachineError>,
    ) -> Result<(), MachineError> {
        let mut since = Instant::now();
        let mut backoff = Backoff::default();
        while let Some(&first) = waiting.first() {
            match self.job.control.arrived_report().map_err(|error| failed(0, &error))? {
                Some((_, Report::Progress)) => {
                    since = Instant::now();
                    self.watchdog.heartbeat();
                }
                Some((worker, Report::Done(readings))) if waiting.contains(&worker) => {
                    waiting.retain(|&other| other != worker);
                    take(worker, readings)?;
                }
                Some((_, Report::LateStart(late))) => return Err(late.into()),
                Some((worker, Report::Failed(reason))) => {
                    return Err(MachineError::WorkerFailed { worker, reason });
                }
                Some((worker, _)) => {
                    return Err(MachineError::WorkerFailed {
                        worker,
                        reason: "it sent an unexpected report".into(),
                    });
                }
                None if self.options.is_interrupted() => return Err(MachineError::Interrupted),
                None if since.elapsed() > self.options.time_limit => {
                    let seconds = self.options.time_limit.as_secs_f64();
                    let one_of_many = waiting.len() > 1;
                    return Err(if one_of_many {
                        MachineError::BatchTimedOut { seconds }
                    } else {
                        MachineError::WorkerTimedOut { worker: first, seconds }
                    });
                }
                None => backoff.wait(),
            }
        }
        Ok(())
    }
}

/// Converts an MPI error of a rank.
fn failed(worker: usize, error: &MpiError) -> MachineError {
    match *error {
        MpiError::LateStart(late) => late.into(),
        _ => MachineError::WorkerFailed { worker, reason: error.to_string() },
    }
}

impl Machine for MpiMachine<'_> {
    fn processors(&self) -> usize {
        self.job.size()
    }

    fn provenance(&self) -> Provenance {
        provenance::describe(self.job)
    }

    fn elapsed(&self) -> Seconds {
        self.started.elapsed().into()
    }

    fn run(&mut self, batch: &Batch) -> Result<Vec<Seconds>, MachineError> {
        Ok(self.run_all(std::slice::from_ref(batch))?.swap_remove(0))
    }

    fn run_all(&mut self, batches: &[Batch]) -> Result<Vec<Vec<Seconds>>, MachineError> {
        let mut given = Vec::with_capacity(batches.len());
        for batch in batches {
            batch.check(self.processors())?;
            engine::check(&batch.program)?;
            let sends =
                plan::send_mode(batch, self.largest_tag).map_err(|error| failed(0, &error))?;
            given.push((batch, sends));
        }
        // A receive from any source could match a message of a later batch.
        if batches.len() > 1 && batches.iter().any(plan::receives_from_any) {
            return batches.iter().map(|batch| self.run(batch)).collect();
        }
        self.run_watched(|machine| machine.run_batches(&given))
    }

    fn native_algorithms(
        &self,
        kind: CollectiveKind,
        procs: usize,
    ) -> Option<Vec<ForcibleAlgorithm>> {
        Some(native::algorithms(kind, procs).unwrap_or_default())
    }

    fn run_native(&mut self, calls: &NativeCalls) -> Result<Vec<Seconds>, MachineError> {
        calls.check(self.processors())?;
        self.run_watched(|machine| machine.run_calls(calls))
    }
}

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
