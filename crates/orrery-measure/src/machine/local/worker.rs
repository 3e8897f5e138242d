//! The worker's side: the main loop of a process that was started as a worker of a local machine.

use std::time::Duration;

use rustix::process::{Pid, Signal, getppid, set_parent_process_death_signal};
use rustix::thread::{CpuSet, sched_setaffinity};

use super::executor::{largest_message, run_batch};
use super::handshake::{Listener, WORKER_VARIABLE, WorkerStart, connect};
use super::mesh::Mesh;
use super::processor::EmulatedProcessor;
use super::protocol::{BatchFailure, Command, ControlConnection, Join, Report};
use super::transport::{PayloadBuffer, Transport};
use crate::machine::Batch;
use crate::machine::clock::GlobalClock;
use orrery_base::units::Seconds;
use orrery_program::schedule::Rank;

/// The time within which all workers must connect to each other; the coordinator's limit is usually
/// shorter.
const JOIN_TIMEOUT: Duration = Duration::from_secs(60);

/// The reason why a worker could not serve its machine.
#[derive(Debug, thiserror::Error)]
#[error("this process was started as a worker of a local machine, but {0}")]
pub struct WorkerError(String);

/// Serves as a worker until the machine ends, if a [`super::LocalMachine`] has started this
/// process; otherwise returns `None`.
///
/// A program whose processes may be workers calls this first in `main`, and exits if there is a
/// result.
///
/// ```no_run
/// use std::process::ExitCode;
/// fn main() -> ExitCode {
///     if let Some(result) = orrery_measure::machine::local::serve_if_worker() {
///         return ExitCode::from(u8::from(result.is_err()));
///     }
///     // … the program itself
///     ExitCode::SUCCESS
/// }
/// ```
///
/// # Errors
///
/// When the coordinator cannot be reached. Later failures are reported to the coordinator.
pub fn serve_if_worker() -> Option<Result<(), WorkerError>> {
    let value = std::env::var(WORKER_VARIABLE).ok()?;
    Some(serve(&value))
}

/// Connects to the coordinator named in the environment variable and runs its commands.
fn serve(value: &str) -> Result<(), WorkerError> {
    let (start, parent) = WorkerStart::from_value(value)
        .ok_or_else(|| WorkerError(format!("{WORKER_VARIABLE}={value:?} cannot be parsed")))?;
    // The end of the control connection would suffice for a waiting worker; the signal also reaches
    // a computing one.
    let _ = set_parent_process_death_signal(Some(Signal::KILL));
    if getppid() != Pid::from_raw(parent) {
        return Err(WorkerError("its coordinator has exited".into()));
    }
    let stream = connect(start.port, start.token, start.worker)
        .map_err(|error| WorkerError(format!("it cannot connect to its coordinator: {error}")))?;
    match Worker::join(start, ControlConnection { stream }) {
        Ok(Some(mut worker)) => worker.run_commands(),
        Ok(None) => {}
        Err((mut control, reason)) => {
            let _ = control.send(&Report::Failed(reason));
            wait_for_end(&mut control);
        }
    }
    Ok(())
}

/// Waits until the coordinator closes the connection: a failed worker must not exit before.
fn wait_for_end(control: &mut ControlConnection) {
    while control.receive().is_ok() {}
}

/// The state of a worker process.
struct Worker {
    number: usize,
    control: ControlConnection,
    mesh: Mesh,
    buffer: PayloadBuffer,
    clock: GlobalClock,
    spin: bool,
    /// The processor times of messages if the worker emulates a host.
    processor: Option<EmulatedProcessor>,
}

impl Worker {
    /// Connects to the other workers; `None` if the coordinator closes its connection meanwhile.
    fn join(
        start: WorkerStart,
        mut control: ControlConnection,
    ) -> Result<Option<Self>, (ControlConnection, String)> {
        match Self::try_join(start, &mut control) {
            Ok(Some((mesh, Join { spin, overheads, .. }))) => {
                let (buffer, clock) = (PayloadBuffer::default(), GlobalClock::default());
                let processor = overheads.map(EmulatedProcessor::new);
                Ok(Some(Self {
                    number: start.worker,
                    control,
                    mesh,
                    buffer,
                    clock,
                    spin,
                    processor,
                }))
            }
            Ok(None) => Ok(None),
            Err(error) => {
                Err((control, format!("it cannot connect to the other workers: {error}")))
            }
        }
    }

    /// Connects to the other workers; returns the connections and the parameters.
    fn try_join(
        start: WorkerStart,
        control: &mut ControlConnection,
    ) -> std::io::Result<Option<(Mesh, Join)>> {
        let listener = Listener::bind(start.token)?;
        control.send(&Report::Listening(listener.port()?))?;
        let Ok(Command::Join(join)) = control.receive() else { return Ok(None) };
        let core = join.core.filter(|&core| {
            let mut set = CpuSet::new();
            set.set(core);
            sched_setaffinity(None, &set).is_ok()
        });
        let mesh = Mesh::join(listener, &join, start.token, start.worker, JOIN_TIMEOUT)?;
        control
            .send(&Report::Ready { congestion_control: mesh.congestion_control.clone(), core })?;
        Ok(Some((mesh, join)))
    }

    /// Runs commands until the coordinator closes the connection.
    fn run_commands(&mut self) {
        loop {
            let report = match self.control.receive() {
                Ok(Command::Run(batches)) => {
                    match batches.iter().map(|batch| self.run(batch)).collect() {
                        Ok(readings) => Report::Done(readings),
                        Err(failure) => match BatchFailure::report(failure) {
                            Some(report) => report,
                            None => return,
                        },
                    }
                }
                Ok(Command::Ping) => Report::Pong,
                Ok(Command::Join(_)) => {
                    Report::Failed("it received a second command to join".into())
                }
                Err(_) => return,
            };
            if self.control.send(&report).is_err() {
                return;
            }
        }
    }

    /// Runs a batch as one of its ranks; returns the readings of the rank.
    fn run(&mut self, batch: &Batch) -> Result<Vec<Seconds>, BatchFailure> {
        let workers = batch.placement.processors();
        let rank = workers.iter().position(|worker| worker.index() == self.number);
        let not_placed =
            || BatchFailure::Failed("it received a batch in which it has no rank".into());
        let rank = Rank(rank.ok_or_else(not_placed)? as u32);
        self.buffer.reserve(largest_message(&batch.program, rank))?;
        let mut transport = Transport::new(
            &mut self.mesh,
            &mut self.control,
            &mut self.buffer,
            workers,
            rank,
            self.spin,
        );
        let readings = run_batch(batch, &mut transport, &mut self.clock, self.processor.as_mut())?;
        transport.close()?;
        Ok(readings)
    }
}
