//! The parent's side: it sends commands to the workers, sleeps until they report, and identifies
//! the worker that fails.

use std::io::{self, Write};
use std::net::TcpStream;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};

use super::processes::WorkerProcesses;
use super::protocol::{Command, Report, ReportReader, frame};
use crate::machine::MachineError;

/// The interval in which the interrupt flag is checked.
const INTERRUPT_INTERVAL: Duration = Duration::from_millis(40);

/// The time within which a running worker must answer a ping.
const PING_TIMEOUT: Duration = Duration::from_millis(250);

/// The control connection to a worker.
#[derive(Debug)]
struct WorkerConnection {
    stream: TcpStream,
    reader: ReportReader,
}

/// The control connections to all workers, and their processes.
#[derive(Debug)]
pub(super) struct Coordinator {
    pub processes: WorkerProcesses,
    connections: Vec<WorkerConnection>,
    /// The time without a report after which a worker is checked.
    time_limit: Duration,
    interrupt: Option<Arc<AtomicBool>>,
}

impl Coordinator {
    /// A coordinator over authenticated connections, by worker.
    pub fn new(
        processes: WorkerProcesses,
        streams: Vec<TcpStream>,
        time_limit: Duration,
        interrupt: Option<Arc<AtomicBool>>,
    ) -> Result<Self, MachineError> {
        let mut connections = Vec::with_capacity(streams.len());
        for stream in streams {
            stream
                .set_nonblocking(true)
                .map_err(failed("cannot prepare the connection to a worker"))?;
            connections.push(WorkerConnection { stream, reader: ReportReader::default() });
        }
        Ok(Self { processes, connections, time_limit, interrupt })
    }

    /// Changes the time limit.
    pub fn set_time_limit(&mut self, time_limit: Duration) {
        self.time_limit = time_limit;
    }

    /// Sends one command to some workers.
    pub fn send(&mut self, workers: &[usize], command: &Command) -> Result<(), MachineError> {
        let bytes = frame(command).map_err(failed("cannot serialise a batch"))?;
        let deadline = Instant::now() + self.time_limit;
        for &worker in workers {
            let mut rest = &bytes[..];
            while !rest.is_empty() {
                check_interrupt(self.interrupt.as_ref())?;
                match (&self.connections[worker].stream).write(rest) {
                    Ok(count) => rest = &rest[count..],
                    Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                    Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                        if Instant::now() > deadline {
                            return Err(self.timed_out(worker));
                        }
                        let mut fds =
                            [PollFd::new(&self.connections[worker].stream, PollFlags::OUT)];
                        wait_for(&mut fds, INTERRUPT_INTERVAL)?;
                    }
                    Err(_) => return Err(self.worker_died(worker)),
                }
            }
        }
        Ok(())
    }

    /// Waits for one final report of each of these workers and passes it to `take`. Signs of life
    /// are handled here, and failures returned.
    pub fn collect_reports(
        &mut self,
        workers: &[usize],
        mut take: impl FnMut(usize, Report) -> Result<(), MachineError>,
    ) -> Result<(), MachineError> {
        let mut waiting = workers.to_vec();
        let mut deadline = Instant::now() + self.time_limit;
        // The workers that have not answered a ping, once the time limit has passed.
        let mut unanswered: Option<Vec<usize>> = None;
        loop {
            for place in (0..waiting.len()).rev() {
                let worker = waiting[place];
                while let Some(report) = self.next_report(worker)? {
                    if let Some(unanswered) = &mut unanswered {
                        unanswered.retain(|other| *other != worker);
                    }
                    match report {
                        Report::Pong => {}
                        Report::Progress => {
                            deadline = Instant::now() + self.time_limit;
                            unanswered = None;
                        }
                        Report::ConnectionLost(other) => {
                            return Err(self.connection_lost(worker, other));
                        }
                        Report::LateStart(late) => return Err(late.into()),
                        Report::Failed(reason) => {
                            return Err(MachineError::WorkerFailed { worker, reason });
                        }
                        last => {
                            take(worker, last)?;
                            waiting.remove(place);
                            break;
                        }
                    }
                }
            }
            let Some(&first) = waiting.last() else { return Ok(()) };
            check_interrupt(self.interrupt.as_ref())?;
            if Instant::now() >= deadline {
                match unanswered {
                    None => {
                        self.send(&waiting, &Command::Ping)?;
                        unanswered = Some(waiting.clone());
                        deadline = Instant::now() + PING_TIMEOUT;
                    }
                    // Workers that wait for a message answer pings; one that does not is the cause
                    // of the delay.
                    Some(silent) => {
                        return Err(self.timed_out(silent.iter().copied().min().unwrap_or(first)));
                    }
                }
            }
            self.wait_for_reports(deadline.saturating_duration_since(Instant::now()))?;
        }
    }

    /// The next complete report of a worker; `None` if none has arrived.
    fn next_report(&mut self, worker: usize) -> Result<Option<Report>, MachineError> {
        let report = self.connections[worker].reader.next();
        report.map_err(|error| {
            let reason = format!("it sent an unreadable control message: {error}");
            MachineError::WorkerFailed { worker, reason }
        })
    }

    /// Sleeps until a worker sends something, the timeout has passed, or the interrupt flag must be
    /// checked; reads what has arrived.
    fn wait_for_reports(&mut self, timeout: Duration) -> Result<(), MachineError> {
        let timeout =
            if self.interrupt.is_some() { timeout.min(INTERRUPT_INTERVAL) } else { timeout };
        let mut fds: Vec<_> =
            self.connections.iter().map(|c| PollFd::new(&c.stream, PollFlags::IN)).collect();
        wait_for(&mut fds, timeout)?;
        let ready: Vec<bool> = fds.iter().map(|fd| !fd.revents().is_empty()).collect();
        drop(fds);
        for worker in (0..ready.len()).filter(|&worker| ready[worker]) {
            loop {
                let connection = &mut self.connections[worker];
                match connection.reader.fill(&connection.stream) {
                    Ok(true) => {}
                    Ok(false) => break,
                    Err(_) => return Err(self.worker_died(worker)),
                }
            }
        }
        Ok(())
    }

    /// Returns the error for a worker that exceeded the time limit.
    fn timed_out(&self, worker: usize) -> MachineError {
        MachineError::WorkerTimedOut { worker, seconds: self.time_limit.as_secs_f64() }
    }

    /// The error for a worker that has closed its connection.
    fn worker_died(&mut self, worker: usize) -> MachineError {
        let how = self
            .processes
            .wait_for_exit(worker)
            .unwrap_or_else(|| "it closed its connection".into());
        MachineError::WorkerDied { worker, how }
    }

    /// The error for a worker whose connection to another worker broke: most likely the other one
    /// died.
    fn connection_lost(&mut self, worker: usize, other: usize) -> MachineError {
        match self.processes.wait_for_exit(other) {
            Some(how) => MachineError::WorkerDied { worker: other, how },
            None => MachineError::WorkerFailed {
                worker,
                reason: format!("its connection to worker {other} broke"),
            },
        }
    }
}

/// Returns an error if the caller has requested an interruption.
pub(super) fn check_interrupt(interrupt: Option<&Arc<AtomicBool>>) -> Result<(), MachineError> {
    match interrupt {
        Some(flag) if flag.load(Ordering::Relaxed) => Err(MachineError::Interrupted),
        _ => Ok(()),
    }
}

/// Waits until a connection is ready or the timeout has passed, or a signal arrives.
fn wait_for(fds: &mut [PollFd<'_>], timeout: Duration) -> Result<(), MachineError> {
    // A timeout that the system cannot represent is no limit.
    match poll(fds, Timespec::try_from(timeout).ok().as_ref()) {
        Ok(_) | Err(rustix::io::Errno::INTR) => Ok(()),
        Err(error) => Err(failed("cannot wait for the workers")(error.into())),
    }
}

/// Returns a function that makes an error of the operating system, which occurred during an action,
/// an error of the machine.
pub(super) fn failed(doing: &'static str) -> impl Fn(io::Error) -> MachineError {
    move |source| MachineError::System { doing, source }
}
