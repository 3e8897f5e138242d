//! Messages between the ranks of a program: matching, posted transfers, waiting.
//!
//! Whoever waits for anything takes in what the others send, so no send depends on its receive being posted. Messages
//! that nobody has asked for yet are kept aside; as their bytes mean nothing, that is their header only.

use std::collections::VecDeque;
use std::io;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, poll};

use super::endpoint::{HEADER, Header};
use super::mesh::Mesh;
use super::protocol::{Control, Order, Report};
use crate::machine::clock::LateStart;
use crate::platform::Processor;
use crate::schedule::Rank;

/// Why a worker cannot go on with its batch.
#[derive(Debug)]
pub(super) enum Trouble {
    /// The connection to another worker broke.
    Lost(usize),
    /// The coordinator is gone.
    Orphaned,
    /// A rank was too late for the common start of a repetition, time and again.
    LateStart(LateStart),
    /// Anything else, in words.
    Failed(String),
}

impl From<LateStart> for Trouble {
    fn from(late: LateStart) -> Self {
        Self::LateStart(late)
    }
}

/// What payloads are sent from and received into: one and the same, as their bytes mean nothing. It begins at a multiple
/// of [`HEADER`].
#[derive(Debug, Default)]
pub(super) struct Memory {
    bytes: Vec<u8>,
    begin: usize,
}

/// Small messages are read many at a time.
const LEAST: u64 = 65_536;

impl Memory {
    /// Makes room for the largest message. All of it is touched, so that no message is slowed down by the system
    /// handing out pages.
    pub fn make_room(&mut self, size: u64) -> Result<(), Trouble> {
        let size = size.max(LEAST);
        let too_large = || Trouble::Failed(format!("there is no memory for a message of {size} bytes"));
        let length = usize::try_from(size).ok().and_then(|size| size.checked_add(2 * HEADER)).ok_or_else(too_large)?;
        if length > self.bytes.len() {
            self.bytes = Vec::new();
            self.bytes.try_reserve_exact(length).map_err(|_| too_large())?;
            self.bytes.resize(length, 1);
            self.begin = self.bytes.as_ptr().align_offset(HEADER).min(HEADER);
        }
        Ok(())
    }

    fn slice(&mut self) -> &mut [u8] {
        &mut self.bytes[self.begin..]
    }
}

/// A transfer that is under way.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Pending {
    /// The so-many-th message to a rank.
    Send { to: usize, number: u64 },
    /// The so-many-th receive of this rank, which names its source or takes any.
    Receive { from: Option<usize>, number: u64 },
    /// A message to oneself.
    Complete,
}

#[derive(Debug)]
struct Receive {
    number: u64,
    from: Option<usize>,
    header: Header,
}

/// The messages of one rank during one batch.
#[derive(Debug)]
pub(super) struct Transport<'a> {
    pub mesh: &'a mut Mesh,
    pub control: &'a mut Control,
    pub memory: &'a mut Memory,
    /// The workers on which the ranks stand.
    workers: &'a [Processor],
    me: usize,
    spin: bool,
    /// Receives that have not met their message, in the order in which they were posted.
    open: Vec<Receive>,
    receives: u64,
    /// Messages that have not met their receive, in the order of their arrival.
    early: VecDeque<(usize, Header)>,
    landed: Vec<Header>,
    /// What the message says that was the last to meet its receive.
    heard: f64,
}

/// Receives poll for so long before they block, when there is a core for each worker. Waking up costs some 30 µs.
const PATIENCE: Duration = Duration::from_millis(10);

/// Who waits for one rank looks around at the others once in so many tries.
const LOOK_AROUND: u32 = 64;

impl<'a> Transport<'a> {
    pub fn new(
        mesh: &'a mut Mesh,
        control: &'a mut Control,
        memory: &'a mut Memory,
        workers: &'a [Processor],
        me: Rank,
        spin: bool,
    ) -> Self {
        let (open, landed) = (Vec::new(), Vec::new());
        let rank_of = |number: usize| workers.iter().position(|worker| worker.index() == number);
        let left_over = std::mem::take(&mut mesh.early);
        let (ours, others) = left_over.into_iter().partition::<Vec<_>, _>(|(worker, _)| rank_of(*worker).is_some());
        mesh.early = others;
        let early = ours.into_iter().filter_map(|(worker, header)| Some((rank_of(worker)?, header))).collect();
        Self { mesh, control, memory, workers, me: me.index(), spin, open, receives: 0, early, landed, heard: 0.0 }
    }

    /// This rank.
    pub fn me(&self) -> usize {
        self.me
    }

    /// How many ranks there are.
    pub fn ranks(&self) -> usize {
        self.workers.len()
    }

    /// Whether receives poll before they block: there is a core for each worker then.
    pub fn spins(&self) -> bool {
        self.spin
    }

    /// Begins to send a message.
    pub fn post_send(&mut self, to: usize, size: u64, tag: u64) -> Result<Pending, Trouble> {
        self.send(to, Header { size, tag, number: 0.0 })
    }

    /// Tells another rank a number, by an empty message.
    pub fn tell(&mut self, to: usize, tag: u64, number: f64) -> Result<(), Trouble> {
        let told = self.send(to, Header { size: 0, tag, number })?;
        self.wait(told)
    }

    /// The next number that another rank tells; no other transfer may be under way.
    pub fn hear(&mut self, from: usize, tag: u64) -> Result<f64, Trouble> {
        let heard = self.post_receive(Some(from), 0, tag)?;
        self.wait(heard)?;
        Ok(self.heard)
    }

    fn send(&mut self, to: usize, header: Header) -> Result<Pending, Trouble> {
        if to == self.me {
            self.deliver(to, header)?;
            return Ok(Pending::Complete);
        }
        let (worker, endpoint) = self.mesh.endpoint(self.workers, to)?;
        let number = endpoint.enqueue(header);
        endpoint.push(self.memory.slice()).map_err(|error| lost(worker, &error))?;
        Ok(Pending::Send { to, number })
    }

    /// Begins to receive a message.
    pub fn post_receive(&mut self, from: Option<usize>, size: u64, tag: u64) -> Result<Pending, Trouble> {
        let header = Header { size, tag, number: 0.0 };
        let meets = |&(source, early): &(usize, Header)| early.tag == tag && from.is_none_or(|from| from == source);
        if let Some(place) = self.early.iter().position(meets) {
            let (source, early) = self.early.remove(place).unwrap_or((0, header));
            same_size(source, early, header)?;
            self.heard = early.number;
            return Ok(Pending::Complete);
        }
        self.receives += 1;
        let number = self.receives;
        self.open.push(Receive { number, from, header });
        Ok(Pending::Receive { from, number })
    }

    /// Whether a transfer is complete, as far as is known without looking.
    fn is_complete(&self, pending: Pending) -> bool {
        match pending {
            Pending::Send { to, number } => {
                self.mesh.endpoints[self.workers[to].index()].as_ref().is_none_or(|endpoint| endpoint.sent >= number)
            }
            Pending::Receive { number, .. } => self.open.iter().all(|receive| receive.number != number),
            Pending::Complete => true,
        }
    }

    /// Gets on with all transfers as far as that is possible at once.
    pub fn test(&mut self) -> Result<(), Trouble> {
        self.look_around().map(|_| ())
    }

    /// Waits until a transfer is complete.
    pub fn wait(&mut self, pending: Pending) -> Result<(), Trouble> {
        let mut since: Option<Instant> = None;
        let mut tries = 0_u32;
        while !self.is_complete(pending) {
            tries = tries.wrapping_add(1);
            let wide = tries.is_multiple_of(LOOK_AROUND);
            let moved = match pending {
                Pending::Receive { from: Some(from), .. } if !wide && from != self.me => self.pull(from)?,
                Pending::Send { to, .. } if !wide => self.push(to)?,
                _ => self.look_around()?,
            };
            if moved {
                since = None;
            } else if !self.spin {
                self.block()?;
            } else if wide {
                match since {
                    None => since = Some(Instant::now()),
                    Some(begin) if begin.elapsed() > PATIENCE => self.block()?,
                    Some(_) => {}
                }
            }
        }
        Ok(())
    }

    /// Ends the batch. Other ranks may have begun the next one already: what they have sent is kept for it.
    pub fn close(self) -> Result<(), Trouble> {
        if !self.open.is_empty() {
            return Err(Trouble::Failed("a receive found no message".into()));
        }
        let workers = self.workers;
        self.mesh.early.extend(self.early.into_iter().map(|(rank, header)| (workers[rank].index(), header)));
        Ok(())
    }

    /// Sends and receives what is possible now, with all ranks in order; whether anything moved.
    fn look_around(&mut self) -> Result<bool, Trouble> {
        let mut moved = false;
        for rank in 0..self.workers.len() {
            if rank != self.me {
                moved |= self.push(rank)?;
                moved |= self.pull(rank)?;
            }
        }
        Ok(moved)
    }

    fn push(&mut self, rank: usize) -> Result<bool, Trouble> {
        let (worker, endpoint) = self.mesh.endpoint(self.workers, rank)?;
        if !endpoint.is_sending() {
            return Ok(false);
        }
        endpoint.push(self.memory.slice()).map_err(|error| lost(worker, &error))
    }

    fn pull(&mut self, rank: usize) -> Result<bool, Trouble> {
        let (worker, endpoint) = self.mesh.endpoint(self.workers, rank)?;
        let moved = endpoint.pull(self.memory.slice(), &mut self.landed).map_err(|error| lost(worker, &error))?;
        for place in 0..self.landed.len() {
            self.deliver(rank, self.landed[place])?;
        }
        self.landed.clear();
        Ok(moved)
    }

    /// A message has arrived: the first receive that waits for it meets it.
    fn deliver(&mut self, source: usize, message: Header) -> Result<(), Trouble> {
        let meets = |r: &Receive| r.header.tag == message.tag && r.from.is_none_or(|from| from == source);
        if let Some(place) = self.open.iter().position(meets) {
            self.heard = message.number;
            return same_size(source, message, self.open.remove(place).header);
        }
        self.early.push_back((source, message));
        Ok(())
    }

    /// Sleeps until something can move, and moves it.
    fn block(&mut self) -> Result<(), Trouble> {
        let mut ready = Vec::new();
        {
            let mut fds = Vec::with_capacity(self.workers.len());
            let mut ranks = Vec::with_capacity(self.workers.len());
            for (rank, worker) in self.workers.iter().enumerate() {
                if let Some(endpoint) = &self.mesh.endpoints[worker.index()] {
                    let out = if endpoint.is_sending() { PollFlags::OUT } else { PollFlags::empty() };
                    fds.push(PollFd::new(&endpoint.stream, PollFlags::IN | out));
                    ranks.push(rank);
                }
            }
            fds.push(PollFd::new(&self.control.stream, PollFlags::IN));
            match poll(&mut fds, None) {
                Ok(_) => {}
                Err(rustix::io::Errno::INTR) => return Ok(()),
                Err(error) => return Err(Trouble::Failed(format!("cannot wait for messages: {error}"))),
            }
            let control = fds.pop().is_some_and(|fd| !fd.revents().is_empty());
            ready.extend(ranks.into_iter().zip(&fds).filter(|(_, fd)| !fd.revents().is_empty()).map(|(rank, _)| rank));
            if control {
                drop(fds);
                self.answer()?;
            }
        }
        for rank in ready {
            self.push(rank)?;
            self.pull(rank)?;
        }
        Ok(())
    }

    /// The coordinator speaks in the middle of a batch: it asks for a sign of life, or it is gone.
    fn answer(&mut self) -> Result<(), Trouble> {
        match self.control.receive() {
            Ok(Order::Ping) => self.report(&Report::Pong),
            Ok(Order::Join(_) | Order::Run(_)) => Err(Trouble::Failed("it was given an order during a batch".into())),
            Err(_) => Err(Trouble::Orphaned),
        }
    }

    /// Tells the coordinator something.
    pub fn report(&mut self, report: &Report) -> Result<(), Trouble> {
        self.control.send(report).map_err(|_| Trouble::Orphaned)
    }
}

fn lost(worker: usize, error: &io::Error) -> Trouble {
    match error.kind() {
        io::ErrorKind::UnexpectedEof | io::ErrorKind::ConnectionReset | io::ErrorKind::BrokenPipe => {
            Trouble::Lost(worker)
        }
        _ => Trouble::Failed(format!("connection to worker {worker}: {error}")),
    }
}

fn same_size(source: usize, message: Header, receive: Header) -> Result<(), Trouble> {
    if message.size == receive.size {
        return Ok(());
    }
    let (sent, expected) = (message.size, receive.size);
    Err(Trouble::Failed(format!("rank {source} sent {sent} bytes where {expected} were expected")))
}
