//! Messages between the ranks of a program: matching, posted transfers, waiting.
//!
//! A waiting rank receives all messages of the others, so no send depends on its receive being
//! posted. Unexpected messages are kept until their receive is posted; since payloads have no
//! meaning, only the headers are kept.

use std::collections::VecDeque;
use std::io;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, poll};

use super::connection::{HEADER, Header};
use super::mesh::Mesh;
use super::protocol::{BatchFailure, Command, ControlConnection, Report};
use orrery_cluster::platform::Processor;
use orrery_program::schedule::Rank;

/// The buffer from which all payloads are sent and into which they are received, since their bytes
/// have no meaning. It is aligned to [`HEADER`].
#[derive(Debug, Default)]
pub(super) struct PayloadBuffer {
    bytes: Vec<u8>,
    begin: usize,
}

/// The minimum size of the buffer in bytes, so that several small messages are read with one call.
const MIN_BUFFER: u64 = 65_536;

impl PayloadBuffer {
    /// Allocates space for messages up to `size` bytes. All pages are written, so that no message
    /// waits for the system to provide them.
    pub fn reserve(&mut self, size: u64) -> Result<(), BatchFailure> {
        let size = size.max(MIN_BUFFER);
        let too_large = || {
            BatchFailure::Failed(format!("cannot allocate memory for a message of {size} bytes"))
        };
        let length = usize::try_from(size)
            .ok()
            .and_then(|size| size.checked_add(2 * HEADER))
            .ok_or_else(too_large)?;
        if length > self.bytes.len() {
            self.bytes = Vec::new();
            self.bytes.try_reserve_exact(length).map_err(|_| too_large())?;
            self.bytes.resize(length, 1);
            self.begin = self.bytes.as_ptr().align_offset(HEADER).min(HEADER);
        }
        Ok(())
    }

    /// Returns the buffer from its aligned start.
    fn slice(&mut self) -> &mut [u8] {
        &mut self.bytes[self.begin..]
    }
}

/// A posted transfer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Pending {
    /// The message with this number on the connection to a rank.
    Send { to: usize, number: u64 },
    /// The receive with this number on this rank; `from` is `None` for any source.
    Receive { from: Option<usize>, number: u64 },
    /// A transfer that was complete when it was posted.
    Complete,
}

/// A posted receive without a matching message so far.
#[derive(Debug)]
struct PostedReceive {
    number: u64,
    from: Option<usize>,
    header: Header,
}

/// The messages of one rank during one batch.
#[derive(Debug)]
pub(super) struct Transport<'a> {
    mesh: &'a mut Mesh,
    control: &'a mut ControlConnection,
    buffer: &'a mut PayloadBuffer,
    /// The worker of each rank.
    workers: &'a [Processor],
    rank: usize,
    spin: bool,
    /// Posted receives without a message, in the order of posting.
    posted: Vec<PostedReceive>,
    /// The number of receives posted so far.
    receives: u64,
    /// Unexpected messages by source rank, in the order of arrival.
    unexpected: VecDeque<(usize, Header)>,
    /// Headers of messages that one call has completed.
    completed: Vec<Header>,
    /// The number in the message that was matched last.
    last_number: f64,
    /// True if this rank has slept since [`Transport::take_slept`].
    slept: bool,
}

/// The time for which receives poll before they block if there is a core for each worker. A wake-up
/// costs about 30 µs.
const SPIN_TIME: Duration = Duration::from_millis(10);

/// The number of attempts after which a rank that waits for one other rank checks all ranks once.
const CHECK_ALL_INTERVAL: u32 = 64;

impl<'a> Transport<'a> {
    /// Creates the transport of a rank for one batch.
    pub fn new(
        mesh: &'a mut Mesh,
        control: &'a mut ControlConnection,
        buffer: &'a mut PayloadBuffer,
        workers: &'a [Processor],
        rank: Rank,
        spin: bool,
    ) -> Self {
        let rank_of = |number: usize| workers.iter().position(|worker| worker.index() == number);
        let earlier = std::mem::take(&mut mesh.unexpected);
        let (ours, others) =
            earlier.into_iter().partition::<Vec<_>, _>(|(worker, _)| rank_of(*worker).is_some());
        mesh.unexpected = others;
        let unexpected = ours
            .into_iter()
            .filter_map(|(worker, header)| Some((rank_of(worker)?, header)))
            .collect();
        Self {
            mesh,
            control,
            buffer,
            workers,
            rank: rank.index(),
            spin,
            posted: Vec::new(),
            receives: 0,
            unexpected,
            completed: Vec::new(),
            last_number: 0.0,
            slept: false,
        }
    }

    /// Returns the number of this rank.
    pub fn rank(&self) -> usize {
        self.rank
    }

    /// The number of ranks.
    pub fn rank_count(&self) -> usize {
        self.workers.len()
    }

    /// Returns true if receives poll before they block: there is a core for each worker then.
    pub fn spins(&self) -> bool {
        self.spin
    }

    /// Returns true if this rank has slept until a message arrived since the last call.
    pub fn take_slept(&mut self) -> bool {
        std::mem::take(&mut self.slept)
    }

    /// Posts a send.
    pub fn post_send(&mut self, to: usize, size: u64, tag: u64) -> Result<Pending, BatchFailure> {
        self.send(to, Header { size, tag, number: 0.0 })
    }

    /// Sends a number to another rank in an empty message, and waits for completion.
    pub fn send_number(&mut self, to: usize, tag: u64, number: f64) -> Result<(), BatchFailure> {
        let send = self.send(to, Header { size: 0, tag, number })?;
        self.wait(send)
    }

    /// Receives the next number from another rank; no other transfer may be pending.
    pub fn receive_number(&mut self, from: usize, tag: u64) -> Result<f64, BatchFailure> {
        let receive = self.post_receive(Some(from), 0, tag)?;
        self.wait(receive)?;
        Ok(self.last_number)
    }

    /// Enqueues a message to a rank and sends as much of it as possible.
    fn send(&mut self, to: usize, header: Header) -> Result<Pending, BatchFailure> {
        if to == self.rank {
            self.deliver(to, header)?;
            return Ok(Pending::Complete);
        }
        let (worker, connection) = self.mesh.connection(self.workers, to)?;
        let number = connection.enqueue(header);
        connection.send(self.buffer.slice()).map_err(|error| connection_failure(worker, &error))?;
        Ok(Pending::Send { to, number })
    }

    /// Posts a receive; `from` is `None` for any source.
    pub fn post_receive(
        &mut self,
        from: Option<usize>,
        size: u64,
        tag: u64,
    ) -> Result<Pending, BatchFailure> {
        let header = Header { size, tag, number: 0.0 };
        let matches = |&(source, message): &(usize, Header)| {
            message.tag == tag && from.is_none_or(|from| from == source)
        };
        if let Some(place) = self.unexpected.iter().position(matches) {
            let (source, message) = self.unexpected.remove(place).unwrap_or((0, header));
            check_size(source, message, header)?;
            self.last_number = message.number;
            return Ok(Pending::Complete);
        }
        self.receives += 1;
        let number = self.receives;
        self.posted.push(PostedReceive { number, from, header });
        Ok(Pending::Receive { from, number })
    }

    /// Returns true if a transfer is known to be complete; does not check the connections.
    fn is_complete(&self, pending: Pending) -> bool {
        match pending {
            Pending::Send { to, number } => {
                let connection = self.mesh.connections[self.workers[to].index()].as_ref();
                connection.is_none_or(|connection| connection.sent >= number)
            }
            Pending::Receive { number, .. } => {
                self.posted.iter().all(|receive| receive.number != number)
            }
            Pending::Complete => true,
        }
    }

    /// Advances all transfers as far as possible without blocking.
    pub fn test(&mut self) -> Result<(), BatchFailure> {
        self.advance_all().map(|_| ())
    }

    /// Waits until a transfer is complete.
    pub fn wait(&mut self, pending: Pending) -> Result<(), BatchFailure> {
        let mut idle_since: Option<Instant> = None;
        let mut attempts = 0_u32;
        while !self.is_complete(pending) {
            attempts = attempts.wrapping_add(1);
            let check_all = attempts.is_multiple_of(CHECK_ALL_INTERVAL);
            let progress = match pending {
                Pending::Receive { from: Some(from), .. } if !check_all && from != self.rank => {
                    self.receive(from)?
                }
                Pending::Send { to, .. } if !check_all => self.push(to)?,
                _ => self.advance_all()?,
            };
            if progress {
                idle_since = None;
            } else if !self.spin {
                self.block()?;
            } else if check_all {
                match idle_since {
                    None => idle_since = Some(Instant::now()),
                    Some(begin) if begin.elapsed() > SPIN_TIME => self.block()?,
                    Some(_) => {}
                }
            }
        }
        Ok(())
    }

    /// Ends the batch and keeps messages for the next one. Other ranks may have started the next
    /// one already; their messages are kept for it.
    pub fn close(self) -> Result<(), BatchFailure> {
        if !self.posted.is_empty() {
            return Err(BatchFailure::Failed("a posted receive has no matching message".into()));
        }
        let workers = self.workers;
        self.mesh.unexpected.extend(
            self.unexpected.into_iter().map(|(rank, header)| (workers[rank].index(), header)),
        );
        Ok(())
    }

    /// Sends and receives with all ranks in order without blocking; returns true if anything was
    /// transferred.
    fn advance_all(&mut self) -> Result<bool, BatchFailure> {
        let mut progress = false;
        for rank in 0..self.workers.len() {
            if rank != self.rank {
                progress |= self.push(rank)?;
                progress |= self.receive(rank)?;
            }
        }
        Ok(progress)
    }

    /// Sends pending messages to a rank without blocking; returns true if anything was sent.
    fn push(&mut self, rank: usize) -> Result<bool, BatchFailure> {
        let (worker, connection) = self.mesh.connection(self.workers, rank)?;
        if !connection.is_sending() {
            return Ok(false);
        }
        connection.send(self.buffer.slice()).map_err(|error| connection_failure(worker, &error))
    }

    /// Receives from a rank without blocking; returns true if anything was received.
    fn receive(&mut self, rank: usize) -> Result<bool, BatchFailure> {
        let (worker, connection) = self.mesh.connection(self.workers, rank)?;
        let received = connection.receive(self.buffer.slice(), &mut self.completed);
        let progress = received.map_err(|error| connection_failure(worker, &error))?;
        for place in 0..self.completed.len() {
            self.deliver(rank, self.completed[place])?;
        }
        self.completed.clear();
        Ok(progress)
    }

    /// Matches a message that has arrived with the first posted receive, or keeps it as unexpected.
    fn deliver(&mut self, source: usize, message: Header) -> Result<(), BatchFailure> {
        let matches = |r: &PostedReceive| {
            r.header.tag == message.tag && r.from.is_none_or(|from| from == source)
        };
        if let Some(place) = self.posted.iter().position(matches) {
            self.last_number = message.number;
            return check_size(source, message, self.posted.remove(place).header);
        }
        self.unexpected.push_back((source, message));
        Ok(())
    }

    /// Sleeps until a connection is ready, then sends and receives on it.
    fn block(&mut self) -> Result<(), BatchFailure> {
        let mut ready = Vec::new();
        self.slept = true;
        {
            let mut fds = Vec::with_capacity(self.workers.len());
            let mut ranks = Vec::with_capacity(self.workers.len());
            for (rank, worker) in self.workers.iter().enumerate() {
                if let Some(connection) = &self.mesh.connections[worker.index()] {
                    let out =
                        if connection.is_sending() { PollFlags::OUT } else { PollFlags::empty() };
                    fds.push(PollFd::new(&connection.stream, PollFlags::IN | out));
                    ranks.push(rank);
                }
            }
            fds.push(PollFd::new(&self.control.stream, PollFlags::IN));
            match poll(&mut fds, None) {
                Ok(_) => {}
                Err(rustix::io::Errno::INTR) => return Ok(()),
                Err(error) => {
                    return Err(BatchFailure::Failed(format!("cannot wait for messages: {error}")));
                }
            }
            let is_control_ready = fds.pop().is_some_and(|fd| !fd.revents().is_empty());
            ready.extend(
                ranks
                    .into_iter()
                    .zip(&fds)
                    .filter(|(_, fd)| !fd.revents().is_empty())
                    .map(|(rank, _)| rank),
            );
            if is_control_ready {
                drop(fds);
                self.answer_coordinator()?;
            }
        }
        for rank in ready {
            self.push(rank)?;
            self.receive(rank)?;
        }
        Ok(())
    }

    /// Answers a ping of the coordinator during a batch; fails if it sends another command or has
    /// closed the connection.
    fn answer_coordinator(&mut self) -> Result<(), BatchFailure> {
        match self.control.receive() {
            Ok(Command::Ping) => self.report(&Report::Pong),
            Ok(Command::Join(_) | Command::Run(_)) => {
                let reason = "it received a command during a batch; this is a fault of Orrery, report \
                    it with the command";
                Err(BatchFailure::Failed(reason.into()))
            }
            Err(_) => Err(BatchFailure::CoordinatorLost),
        }
    }

    /// Sends a report to the coordinator.
    pub fn report(&mut self, report: &Report) -> Result<(), BatchFailure> {
        self.control.send(report).map_err(|_| BatchFailure::CoordinatorLost)
    }
}

/// The failure for an error of the connection to a worker.
fn connection_failure(worker: usize, error: &io::Error) -> BatchFailure {
    match error.kind() {
        io::ErrorKind::UnexpectedEof
        | io::ErrorKind::ConnectionReset
        | io::ErrorKind::BrokenPipe => BatchFailure::ConnectionLost(worker),
        _ => BatchFailure::Failed(format!("connection to worker {worker}: {error}")),
    }
}

/// Returns an error if a message has another size than its receive.
fn check_size(source: usize, message: Header, receive: Header) -> Result<(), BatchFailure> {
    if message.size == receive.size {
        return Ok(());
    }
    let (sent, expected) = (message.size, receive.size);
    Err(BatchFailure::Failed(format!(
        "rank {source} sent {sent} bytes to a receive of {expected} bytes; this is a fault of Orrery, \
            report it with the command"
    )))
}
