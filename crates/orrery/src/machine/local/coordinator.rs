//! The coordinating parent: it gives orders to the workers, sleeps until they report, and finds out who is to blame
//! when they do not.

use std::io::{self, Write};
use std::net::TcpStream;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};

use super::children::Children;
use super::protocol::{Inbox, Order, Report, frame};
use crate::machine::MachineError;

/// An interrupt is noticed within this time.
const GLANCE: Duration = Duration::from_millis(40);

/// A worker that is alive answers a ping within this time.
const GRACE: Duration = Duration::from_millis(250);

/// The control connection to a worker.
#[derive(Debug)]
struct Link {
    stream: TcpStream,
    inbox: Inbox,
}

/// The workers, as the coordinator sees them.
#[derive(Debug)]
pub(super) struct Coordinator {
    pub children: Children,
    links: Vec<Link>,
    limit: Duration,
    interrupt: Option<Arc<AtomicBool>>,
}

impl Coordinator {
    /// Over connections that have been greeted, by worker.
    pub fn new(
        children: Children,
        streams: Vec<TcpStream>,
        limit: Duration,
        interrupt: Option<Arc<AtomicBool>>,
    ) -> Result<Self, MachineError> {
        let mut links = Vec::with_capacity(streams.len());
        for stream in streams {
            stream.set_nonblocking(true).map_err(failed("preparing the connection to a worker"))?;
            links.push(Link { stream, inbox: Inbox::default() });
        }
        Ok(Self { children, links, limit, interrupt })
    }

    /// Changes the time limit.
    pub fn set_limit(&mut self, limit: Duration) {
        self.limit = limit;
    }

    /// Gives one order to some workers.
    pub fn order(&mut self, workers: &[usize], order: &Order) -> Result<(), MachineError> {
        let bytes = frame(order).map_err(failed("writing down a batch"))?;
        let end = Instant::now() + self.limit;
        for &worker in workers {
            let mut rest = &bytes[..];
            while !rest.is_empty() {
                check(self.interrupt.as_ref())?;
                match (&self.links[worker].stream).write(rest) {
                    Ok(count) => rest = &rest[count..],
                    Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                    Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                        if Instant::now() > end {
                            return Err(MachineError::WorkerTimedOut { worker, seconds: self.limit.as_secs_f64() });
                        }
                        sleep(&mut [PollFd::new(&self.links[worker].stream, PollFlags::OUT)], GLANCE)?;
                    }
                    Err(_) => return Err(self.died(worker)),
                }
            }
        }
        Ok(())
    }

    /// Waits until `take` has said of each of these workers that it has got what it wanted. `take` is given what the
    /// workers report, signs of life and failures excepted.
    pub fn gather(
        &mut self,
        workers: &[usize],
        mut take: impl FnMut(usize, Report) -> Result<(), MachineError>,
    ) -> Result<(), MachineError> {
        let mut waiting = workers.to_vec();
        let mut deadline = Instant::now() + self.limit;
        let mut suspects: Option<Vec<usize>> = None;
        loop {
            for place in (0..waiting.len()).rev() {
                let worker = waiting[place];
                while let Some(report) = self.next(worker)? {
                    if let Some(suspects) = &mut suspects {
                        suspects.retain(|suspect| *suspect != worker);
                    }
                    match report {
                        Report::Pong => {}
                        Report::Progress => {
                            deadline = Instant::now() + self.limit;
                            suspects = None;
                        }
                        Report::Lost(other) => return Err(self.lost(worker, other)),
                        Report::LateStart(late) => return Err(late.into()),
                        Report::Failed(reason) => return Err(MachineError::WorkerFailed { worker, reason }),
                        wanted => {
                            take(worker, wanted)?;
                            waiting.remove(place);
                            break;
                        }
                    }
                }
            }
            let Some(&first) = waiting.last() else { return Ok(()) };
            check(self.interrupt.as_ref())?;
            if Instant::now() >= deadline {
                match suspects {
                    None => {
                        self.order(&waiting, &Order::Ping)?;
                        suspects = Some(waiting.clone());
                        deadline = Instant::now() + GRACE;
                    }
                    // Those who wait for a message answer; who does not is the one for whom they wait.
                    Some(silent) => {
                        let worker = silent.iter().copied().min().unwrap_or(first);
                        return Err(MachineError::WorkerTimedOut { worker, seconds: self.limit.as_secs_f64() });
                    }
                }
            }
            self.listen(deadline.saturating_duration_since(Instant::now()))?;
        }
    }

    /// The next report of a worker that is already here.
    fn next(&mut self, worker: usize) -> Result<Option<Report>, MachineError> {
        let report = self.links[worker].inbox.next();
        report.map_err(|error| MachineError::WorkerFailed { worker, reason: format!("it speaks in riddles: {error}") })
    }

    /// Sleeps until a worker has said something, or the time is over, or an interrupt must be looked for.
    fn listen(&mut self, patience: Duration) -> Result<(), MachineError> {
        let patience = if self.interrupt.is_some() { patience.min(GLANCE) } else { patience };
        let mut fds: Vec<_> = self.links.iter().map(|link| PollFd::new(&link.stream, PollFlags::IN)).collect();
        sleep(&mut fds, patience)?;
        let ready: Vec<bool> = fds.iter().map(|fd| !fd.revents().is_empty()).collect();
        drop(fds);
        for worker in (0..ready.len()).filter(|&worker| ready[worker]) {
            loop {
                let link = &mut self.links[worker];
                match link.inbox.fill(&link.stream) {
                    Ok(true) => {}
                    Ok(false) => break,
                    Err(_) => return Err(self.died(worker)),
                }
            }
        }
        Ok(())
    }

    /// A worker has closed its connection.
    fn died(&mut self, worker: usize) -> MachineError {
        let how = self.children.last_words(worker).unwrap_or_else(|| "it closed its connection".into());
        MachineError::WorkerDied { worker, how }
    }

    /// A worker reports that its connection to another one broke: most likely that one is dying.
    fn lost(&mut self, worker: usize, other: usize) -> MachineError {
        match self.children.last_words(other) {
            Some(how) => MachineError::WorkerDied { worker: other, how },
            None => MachineError::WorkerFailed { worker, reason: format!("its connection to worker {other} broke") },
        }
    }
}

/// An error when the caller has asked for an end.
pub(super) fn check(interrupt: Option<&Arc<AtomicBool>>) -> Result<(), MachineError> {
    match interrupt {
        Some(flag) if flag.load(Ordering::Relaxed) => Err(MachineError::Interrupted),
        _ => Ok(()),
    }
}

fn sleep(fds: &mut [PollFd<'_>], patience: Duration) -> Result<(), MachineError> {
    // A limit beyond what the system can count is none.
    match poll(fds, Timespec::try_from(patience).ok().as_ref()) {
        Ok(_) | Err(rustix::io::Errno::INTR) => Ok(()),
        Err(error) => Err(failed("waiting for the workers")(error.into())),
    }
}

pub(super) fn failed(doing: &'static str) -> impl Fn(io::Error) -> MachineError {
    move |source| MachineError::System { doing, source }
}
