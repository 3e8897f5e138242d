use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use orrery::engine;
use orrery::machine::clock::GlobalClock;
use orrery::machine::{Batch, Machine, MachineError};
use orrery::platform::Processor;
use orrery::sample::Provenance;
use orrery::units::Seconds;

use crate::control::{Order, Report};
use crate::memory::Memory;
use crate::patience::Patience;
use crate::plan::{self, Sends};
use crate::player::play;
use crate::watchdog::Watchdog;
use crate::{Job, MpiError, provenance};

/// How an MPI machine is set up.
#[derive(Debug, Clone)]
pub struct Options {
    /// A batch that gives no sign of life for so long hangs. Busy operations count: a rank that computes is silent.
    pub time_limit: Duration,
    /// When this becomes true, a running batch ends with [`MachineError::Interrupted`], and the machine with it.
    pub interrupt: Option<Arc<AtomicBool>>,
    /// Is told why the job is aborted, when that happens while rank 0 stands in a call of MPI that does not come back.
    pub last_words: Option<fn(&MachineError)>,
}

impl Default for Options {
    fn default() -> Self {
        Self { time_limit: Duration::from_secs(30), interrupt: None, last_words: None }
    }
}

impl Options {
    pub(crate) fn is_interrupted(&self) -> bool {
        self.interrupt.as_ref().is_some_and(|flag| flag.load(Ordering::Relaxed))
    }
}

/// The ranks of an MPI job; processor r is rank r.
///
/// Rank 0 gives out the batches and takes part in them. Ranks without a part sleep. After an error of the machine itself
/// (not of a batch that does not fit) all later batches fail at once with an error that repeats the first, and
/// [`Job::end`] aborts the job.
#[derive(Debug)]
pub struct MpiMachine<'a> {
    job: &'a Job,
    options: Options,
    watchdog: Watchdog,
    memory: Memory,
    clock: GlobalClock,
    largest_tag: u32,
    /// The machine has ended of this.
    ended: Option<String>,
    started: Instant,
}

impl<'a> MpiMachine<'a> {
    /// The machine of this job, of which this process must be rank 0; all others [`Job::serve`].
    ///
    /// # Errors
    ///
    /// When this is another rank, or the system refuses a thread.
    pub fn start(job: &'a Job, options: Options) -> Result<Self, MachineError> {
        if job.rank() != 0 {
            let reason = "rank 0 runs the machine, all others serve it".into();
            return Err(MachineError::WorkerNotStarted { worker: job.rank(), reason });
        }
        let watchdog = Watchdog::start(&options)?;
        let largest_tag = job.messages.largest_tag().map_err(|error| failed(0, &error))?;
        job.is_served();
        Ok(Self {
            job,
            options,
            watchdog,
            memory: Memory::default(),
            clock: GlobalClock::default(),
            largest_tag,
            ended: None,
            started: Instant::now(),
        })
    }

    /// Gives batches out, takes part in them, and gathers the readings.
    fn perform(&mut self, batches: &[(&Batch, Sends)]) -> Result<Vec<Vec<Seconds>>, MachineError> {
        let takes_part = |batch: &Batch, rank| batch.placement.processors().iter().any(|p| p.index() == rank);
        // The numbers of the batches of each rank.
        let shares: Vec<Vec<usize>> = (0..self.job.size())
            .map(|rank| (0..batches.len()).filter(|&b| takes_part(batches[b].0, rank)).collect())
            .collect();
        for (rank, share) in shares.iter().enumerate().skip(1).filter(|(_, share)| !share.is_empty()) {
            let order = Order::Run(share.iter().map(|&b| batches[b]).collect());
            self.job.control.order(rank, &order).map_err(|error| failed(0, &error))?;
        }
        let mut reduced: Vec<Vec<Seconds>> =
            batches.iter().map(|(batch, _)| vec![Seconds::ZERO; batch.repetitions as usize]).collect();
        for &b in &shares[0] {
            let (batch, sends) = batches[b];
            let watchdog = &self.watchdog;
            let mut alive = || {
                watchdog.beat();
                Ok(())
            };
            let readings = play(batch, sends, self.job.place(), &mut self.memory, &mut self.clock, &mut alive);
            reduce(batch, 0, &readings.map_err(|error| failed(0, &error))?, &mut reduced[b])?;
        }
        let waiting = (1..shares.len()).filter(|&rank| !shares[rank].is_empty()).collect();
        self.gather(waiting, |worker, readings| {
            if readings.len() != shares[worker].len() {
                return Err(MachineError::WorkerFailed {
                    worker,
                    reason: format!("it ran {} batches", readings.len()),
                });
            }
            let mut of_batches = shares[worker].iter().zip(readings);
            of_batches.try_for_each(|(&b, readings)| reduce(batches[b].0, worker, &readings, &mut reduced[b]))
        })?;
        Ok(reduced)
    }

    /// Waits until all these ranks have reported, and hands over what each has read.
    fn gather(
        &self,
        mut waiting: Vec<usize>,
        mut take: impl FnMut(usize, Vec<Vec<Seconds>>) -> Result<(), MachineError>,
    ) -> Result<(), MachineError> {
        let mut since = Instant::now();
        let mut patience = Patience::default();
        while let Some(&first) = waiting.first() {
            match self.job.control.next_report().map_err(|error| failed(0, &error))? {
                Some((_, Report::Progress)) => {
                    since = Instant::now();
                    self.watchdog.beat();
                }
                Some((worker, Report::Done(readings))) if waiting.contains(&worker) => {
                    waiting.retain(|&other| other != worker);
                    take(worker, readings)?;
                }
                Some((_, Report::LateStart(late))) => return Err(late.into()),
                Some((worker, Report::Failed(reason))) => return Err(MachineError::WorkerFailed { worker, reason }),
                Some((worker, Report::Done(_) | Report::Seat(_))) => {
                    return Err(MachineError::WorkerFailed { worker, reason: "it said something out of turn".into() });
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
                None => patience.wait(),
            }
        }
        Ok(())
    }
}

/// Takes the readings of a rank into those of the batch.
fn reduce(batch: &Batch, worker: usize, readings: &[Seconds], reduced: &mut [Seconds]) -> Result<(), MachineError> {
    let is_read = batch.is_read_on(Processor(worker as u32));
    if readings.len() != if is_read { reduced.len() } else { 0 } {
        return Err(MachineError::WorkerFailed { worker, reason: format!("it sent {} readings", readings.len()) });
    }
    reduced.iter_mut().zip(readings).for_each(|(maximum, &reading)| *maximum = maximum.max(reading));
    Ok(())
}

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
            let sends = plan::sends(batch, self.largest_tag).map_err(|error| failed(0, &error))?;
            given.push((batch, sends));
        }
        // A receive from any source could take what another rank has sent in a later batch already.
        if batches.len() > 1 && batches.iter().any(plan::takes_any) {
            return batches.iter().map(|batch| self.run(batch)).collect();
        }
        if let Some(why) = &self.ended {
            let source = io::Error::other(format!("the machine has ended before: {why}"));
            return Err(MachineError::System { doing: "cannot run a batch", source });
        }
        if self.options.is_interrupted() {
            return Err(MachineError::Interrupted);
        }
        self.watchdog.watch();
        let readings = self.perform(&given);
        self.watchdog.rest();
        readings.inspect_err(|error| {
            self.ended = Some(error.to_string());
            self.job.is_broken();
        })
    }
}
