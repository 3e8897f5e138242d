//! The local machine: worker processes on this host, connected by TCP over the loopback interface.
//!
//! | file | content |
//! |---|---|
//! | `launch` | the settings and the start of a machine |
//! | `processes` | the worker processes |
//! | `handshake` | listener, token, and the first message of each connection |
//! | `coordinator`, `protocol` | the parent sends batches to the workers and waits for their reports |
//! | `worker`, `mesh` | a worker connects to the others and runs batches |
//! | `executor`, `barrier` | the operations of a rank in real time, after a barrier |
//! | `emulation`, `switch`, `processor` | a cluster to emulate; its links; the processor times of its hosts |
//! | `transport`, `connection` | matching and waiting; one connection |
//!
//! The parent takes no part in measurements. Workers never outlive it.

mod barrier;
mod connection;
mod coordinator;
mod emulation;
mod executor;
mod handshake;
mod launch;
mod mesh;
mod processes;
mod processor;
mod protocol;
mod switch;
mod transport;
mod worker;

use std::io;
use std::time::Instant;

use self::coordinator::Coordinator;
pub use self::emulation::Emulation;
use self::launch::Launched;
pub use self::launch::{Options, Polling};
use self::protocol::{Command, Report};
use self::switch::Switch;
pub use self::worker::{WorkerError, serve_if_worker};
use super::batch::BatchReadings;
use super::{Batch, Machine, MachineError};
use crate::sample::Provenance;
use orrery_base::units::Seconds;
use orrery_play::engine;

/// Worker processes on this host, connected by TCP over the loopback interface.
///
/// After an error of the machine itself (not of a batch that does not fit) its workers are killed,
/// and all later batches fail with an error that repeats the first.
///
/// ```no_run
/// use orrery_measure::machine::{Batch, Machine, local};
/// use orrery_cluster::platform::Placement;
/// use orrery_program::schedule::{Program, RoundTrip};
/// use orrery_base::units::Bytes;
///
/// let mut machine = local::LocalMachine::start(&local::Options { workers: 4, ..local::Options::default() })?;
/// let program = Program::RoundTrip(RoundTrip { out: Bytes::new(1024), back: Bytes::ZERO });
/// let (reading, placement) = (program.reading(), Placement::identity(2));
/// let batch = Batch { program, placement, reading, warm_up: 2, first_repetition: 0, repetitions: 10 };
/// assert_eq!(machine.run(&batch)?.len(), 10);
/// # Ok::<(), orrery_measure::machine::MachineError>(())
/// ```
#[derive(Debug)]
pub struct LocalMachine {
    state: State,
    workers: usize,
    provenance: Provenance,
    started: Instant,
    /// The links of an emulated cluster; dropped after the workers.
    _switch: Option<Switch>,
}

/// The state of the machine: running, or ended by an error.
#[derive(Debug)]
enum State {
    Running(Coordinator),
    /// The machine has ended with this error.
    Failed(String),
}

impl LocalMachine {
    /// Starts the workers and connects them to each other.
    ///
    /// # Errors
    ///
    /// When a worker cannot be started, exits, or does not connect in time; all others are killed
    /// then.
    pub fn start(options: &Options) -> Result<Self, MachineError> {
        let Launched { coordinator, switch, provenance } = launch::launch(options)?;
        let state = State::Running(coordinator);
        Ok(Self {
            state,
            workers: options.worker_count(),
            provenance,
            started: Instant::now(),
            _switch: switch,
        })
    }

    /// The process ids of the workers; empty after the machine has failed.
    pub fn worker_ids(&self) -> Vec<u32> {
        match &self.state {
            State::Running(coordinator) => coordinator.processes.ids().collect(),
            State::Failed(_) => Vec::new(),
        }
    }
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
            batch.check(self.workers)?;
            engine::check(&batch.program)?;
        }
        let coordinator = match &mut self.state {
            State::Running(coordinator) => coordinator,
            State::Failed(why) => {
                let source = io::Error::other(format!("the machine has failed before: {why}"));
                return Err(MachineError::System { doing: "cannot run a batch", source });
            }
        };
        run(coordinator, self.workers, batches)
            .inspect_err(|error| self.state = State::Failed(error.to_string()))
    }
}

/// Sends each worker the batches in which it takes part, in order, and reduces the readings.
fn run(
    coordinator: &mut Coordinator,
    workers: usize,
    batches: &[Batch],
) -> Result<Vec<Vec<Seconds>>, MachineError> {
    let mut readings = BatchReadings::new(batches.iter().collect(), workers);
    let busy: Vec<usize> =
        (0..workers).filter(|&worker| !readings.batches_of(worker).is_empty()).collect();
    for &worker in &busy {
        let share = readings.batches_of(worker).iter().map(|&b| batches[b].clone()).collect();
        coordinator.send(&[worker], &Command::Run(share))?;
    }
    coordinator.collect_reports(&busy, |worker, report| {
        let Report::Done(of_batches) = report else {
            return Err(MachineError::WorkerFailed {
                worker,
                reason: "it sent an unexpected report".into(),
            });
        };
        readings.add(worker, &of_batches)
    })?;
    Ok(readings.into_reduced())
}
