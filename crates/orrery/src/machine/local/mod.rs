//! The local machine: worker processes of one program on this host, joined by TCP over the loopback interface.
//!
//! | file | what stands there |
//! |---|---|
//! | `start`, `children`, `handshake` | processes are started, watched, and know each other by a token |
//! | `coordinator`, `protocol` | the parent gives batches to the workers and sleeps until they report |
//! | `worker`, `mesh` | a worker joins the others and runs batches |
//! | `player`, `barrier` | the operations of a rank on real time, after a barrier |
//! | `transport`, `endpoint` | matching and waiting; one connection |
//!
//! The parent takes no part in what is measured. Workers never outlive it.

mod barrier;
mod children;
mod coordinator;
mod endpoint;
mod handshake;
mod mesh;
mod player;
mod protocol;
mod provenance;
mod start;
mod transport;
mod worker;

use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use self::coordinator::Coordinator;
use self::protocol::{Order, Report};
use self::start::Crew;
pub use self::worker::{WorkerError, serve_if_worker};
use super::batch::checked;
use super::{Batch, Machine, MachineError};
use crate::platform::Processor;
use crate::sample::Provenance;
use crate::units::Seconds;

/// How receives wait for their messages.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Polling {
    /// They poll when there is a core for each worker, and block when there is not.
    #[default]
    Automatic,
    /// They poll for 10 ms before they block.
    Spin,
    /// They block at once.
    Block,
}

/// How a local machine is set up.
#[derive(Debug, Clone)]
pub struct Options {
    /// How many workers there are.
    pub workers: usize,
    /// The program of the workers, which must call [`serve_if_worker`]; without one, the running program.
    pub program: Option<PathBuf>,
    /// A worker that gives no sign of life for so long hangs. Busy operations count: a worker that computes is silent.
    pub time_limit: Duration,
    /// The workers must have started and found each other within this time.
    pub start_limit: Duration,
    /// How receives wait for their messages.
    pub polling: Polling,
    /// When this becomes true, a running batch ends with [`MachineError::Interrupted`], and the machine with it.
    pub interrupt: Option<Arc<AtomicBool>>,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            workers: 2,
            program: None,
            time_limit: Duration::from_secs(30),
            start_limit: Duration::from_secs(30),
            polling: Polling::default(),
            interrupt: None,
        }
    }
}

/// Worker processes on this host, joined by TCP over the loopback interface.
///
/// After an error of the machine itself (not of a batch that does not fit) its workers are gone, and all later batches
/// fail at once with an error that repeats the first.
///
/// ```no_run
/// use orrery::machine::{Batch, Machine, local};
/// use orrery::platform::Placement;
/// use orrery::schedule::{Program, RoundTrip};
/// use orrery::units::Bytes;
///
/// let mut machine = local::LocalMachine::start(&local::Options { workers: 4, ..local::Options::default() })?;
/// let program = Program::RoundTrip(RoundTrip { out: Bytes::new(1024), back: Bytes::ZERO });
/// let (reading, placement) = (program.reading(), Placement::identity(2));
/// let batch = Batch { program, placement, reading, warm_up: 2, first_repetition: 0, repetitions: 10 };
/// assert_eq!(machine.run(&batch)?.len(), 10);
/// # Ok::<(), orrery::machine::MachineError>(())
/// ```
#[derive(Debug)]
pub struct LocalMachine {
    state: State,
    workers: usize,
    provenance: Provenance,
    started: Instant,
}

#[derive(Debug)]
enum State {
    Alive(Coordinator),
    /// The machine has ended of this.
    Ended(String),
}

impl LocalMachine {
    /// Starts the workers and joins them to each other.
    ///
    /// # Errors
    ///
    /// When a worker cannot be started, ends at once or does not join in time; all others are ended then.
    pub fn start(options: &Options) -> Result<Self, MachineError> {
        let (spin, cores) = seats(options);
        let (coordinator, crew) = start::start(options, spin, &cores)?;
        Ok(Self::new(coordinator, &crew, spin))
    }

    fn new(coordinator: Coordinator, crew: &Crew, spin: bool) -> Self {
        let provenance = provenance::describe(crew, spin);
        Self { state: State::Alive(coordinator), workers: crew.cores.len(), provenance, started: Instant::now() }
    }

    /// The process numbers of the workers, none when the machine has ended.
    pub fn worker_ids(&self) -> Vec<u32> {
        match &self.state {
            State::Alive(coordinator) => coordinator.children.ids().collect(),
            State::Ended(_) => Vec::new(),
        }
    }
}

/// Whether receives poll, and the core of each worker.
fn seats(options: &Options) -> (bool, Vec<Option<usize>>) {
    let cores = super::host::usable_cores();
    // The second number knows of processor shares of containers.
    let available = std::thread::available_parallelism().map_or(1, usize::from).min(cores.len());
    let enough = options.workers <= available;
    let spin = match options.polling {
        Polling::Automatic => enough,
        Polling::Spin => true,
        Polling::Block => false,
    };
    // Left to the system, workers that share cores wander: the same pair is on one core now, and then on two, where a
    // message takes ten times as long. Each stays on a core, in turn, so that a link is the same link all the time.
    let seat = |worker: usize| (!cores.is_empty()).then(|| cores[worker % cores.len()]);
    (spin, (0..options.workers).map(seat).collect())
}

impl Machine for LocalMachine {
    fn processors(&self) -> usize {
        self.workers
    }

    fn provenance(&self) -> Provenance {
        self.provenance.clone()
    }

    fn elapsed(&self) -> Seconds {
        self.started.elapsed().into()
    }

    fn run(&mut self, batch: &Batch) -> Result<Vec<Seconds>, MachineError> {
        Ok(self.run_all(std::slice::from_ref(batch))?.swap_remove(0))
    }

    fn run_all(&mut self, batches: &[Batch]) -> Result<Vec<Vec<Seconds>>, MachineError> {
        for batch in batches {
            checked(batch, self.workers)?;
        }
        let coordinator = match &mut self.state {
            State::Alive(coordinator) => coordinator,
            State::Ended(why) => {
                let source = io::Error::other(format!("the machine has ended before: {why}"));
                return Err(MachineError::System { doing: "cannot run a batch", source });
            }
        };
        run(coordinator, self.workers, batches).inspect_err(|error| self.state = State::Ended(error.to_string()))
    }
}

/// Has each worker run the batches in which it has a part, in order, and reduces their readings.
fn run(coordinator: &mut Coordinator, workers: usize, batches: &[Batch]) -> Result<Vec<Vec<Seconds>>, MachineError> {
    let takes_part = |batch: &Batch, worker| batch.placement.processors().iter().any(|p| p.index() == worker);
    // The numbers of the batches of each worker.
    let parts: Vec<Vec<usize>> =
        (0..workers).map(|worker| (0..batches.len()).filter(|&b| takes_part(&batches[b], worker)).collect()).collect();
    let busy: Vec<usize> = (0..workers).filter(|&worker| !parts[worker].is_empty()).collect();
    for &worker in &busy {
        let share = parts[worker].iter().map(|&b| batches[b].clone()).collect();
        coordinator.order(&[worker], &Order::Run(share))?;
    }
    let mut reduced: Vec<Vec<Seconds>> =
        batches.iter().map(|batch| vec![Seconds::ZERO; batch.repetitions as usize]).collect();
    coordinator.gather(&busy, |worker, report| {
        let Report::Done(readings) = report else {
            return Err(MachineError::WorkerFailed { worker, reason: "it answered something else".into() });
        };
        if readings.len() != parts[worker].len() {
            return Err(MachineError::WorkerFailed { worker, reason: format!("it ran {} batches", readings.len()) });
        }
        for (&b, readings) in parts[worker].iter().zip(readings) {
            reduce(&batches[b], worker, &readings, &mut reduced[b])?;
        }
        Ok(())
    })?;
    Ok(reduced)
}

/// Adds the readings of one worker to those of its batch.
fn reduce(batch: &Batch, worker: usize, readings: &[Seconds], reduced: &mut [Seconds]) -> Result<(), MachineError> {
    let is_read = batch.is_read_on(Processor(worker as u32));
    if readings.len() != if is_read { reduced.len() } else { 0 } {
        return Err(MachineError::WorkerFailed { worker, reason: format!("it sent {} readings", readings.len()) });
    }
    reduced.iter_mut().zip(readings).for_each(|(maximum, &reading)| *maximum = maximum.max(reading));
    Ok(())
}
