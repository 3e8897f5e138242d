use super::dialect::Dialect;
use super::error::Fault;
use super::line::{Line, Refused, Result, bytes, plain, wrong};
use crate::schedule::{Rank, Request, Tag};
use crate::trace::actions::{Action, RankActions};

/// The names of actions in both dialects, upper and lower case alike.
pub(super) const KNOWN: [&str; 31] = [
    "init",
    "finalize",
    "compute",
    "sleep",
    "location",
    "send",
    "isend",
    "recv",
    "irecv",
    "sendRecv",
    "wait",
    "test",
    "waitall",
    "barrier",
    "bcast",
    "reduce",
    "allreduce",
    "gather",
    "scatter",
    "allgather",
    "alltoall",
    "gatherv",
    "scatterv",
    "allgatherv",
    "alltoallv",
    "reducescatter",
    "scan",
    "exscan",
    "comm_size",
    "comm_split",
    "comm_dup",
];

/// A posted transfer; its sender may be [`Action::ANY_SOURCE`].
#[derive(Debug, Clone, Copy)]
struct Posted {
    from: Rank,
    to: Rank,
    tag: Tag,
    request: Request,
}

/// Reads the lines of one rank.
#[derive(Debug)]
pub(super) struct RankReader {
    pub(super) rank: u32,
    /// The line on which it is first told of.
    pub(super) first: usize,
    pub(super) told: RankActions,
    /// Posted transfers: sender, receiver, tag and request, in the order of posting.
    open: Vec<Posted>,
    free: Vec<Request>,
    /// Bytes of an element where no datatype is named.
    pub(super) element: u64,
    /// A peer or root beyond all others, with line and byte.
    pub(super) farthest: (u32, usize, usize),
}

impl RankReader {
    pub(super) fn new(rank: u32, first: usize) -> Self {
        Self {
            rank,
            first,
            told: RankActions::default(),
            open: Vec::new(),
            free: Vec::new(),
            element: 8,
            farthest: (0, 0, 0),
        }
    }

    /// Reads an action; the words of the line before it are taken.
    pub(super) fn line(
        &mut self,
        mut line: Line<'_>,
        number: usize,
        dialect: Dialect,
        ranks: &mut dyn FnMut() -> Option<u32>,
    ) -> Result<()> {
        let (byte, name) = line.need("an action")?;
        let mut lower = [0; 16];
        let Some(lower) = lower.get_mut(..name.len()) else { return Err(unknown(byte, name)) };
        lower.copy_from_slice(name);
        lower.make_ascii_lowercase();
        let line = &mut line;
        match &*lower {
            b"init" => {
                self.element = if line.word().is_some() { 8 } else { 1 };
                return Ok(());
            }
            b"finalize" | b"comm_size" | b"comm_split" | b"comm_dup" | b"location" => return Ok(()),
            b"compute" => {
                let flops = line.amount("a number of floating-point operations from 0 up")?;
                self.push(Action::Compute { flops }, number);
            }
            b"sleep" => {
                let seconds = line.amount("a number of seconds from 0 up")?;
                self.push(Action::Sleep { seconds }, number);
            }
            b"send" | b"isend" | b"recv" | b"irecv" => self.message(lower, line, number, dialect)?,
            b"sendrecv" => self.exchange(line, number)?,
            b"wait" => {
                let request = self.posted(line, dialect, byte, "wait for")?;
                let place = self.open.iter().position(|open| open.request == request).unwrap_or_default();
                self.open.remove(place);
                self.free.push(request);
                self.push(Action::Wait { request }, number);
            }
            b"test" => {
                let request = self.posted(line, dialect, byte, "test")?;
                self.push(Action::Test { request }, number);
            }
            b"waitall" => {
                if line.left() > 0 {
                    line.count("a number of requests")?;
                }
                self.wait_for_all(number);
            }
            _ => self.collective(lower, line, number, byte, ranks)?,
        }
        line.end(name)
    }

    /// Ends the rank: what is still posted is waited for, as SimGrid does.
    pub(super) fn end(&mut self, number: usize) {
        self.wait_for_all(number);
        self.told.actions.shrink_to_fit();
        self.told.lines.shrink_to_fit();
    }

    pub(super) fn push(&mut self, action: Action, number: usize) {
        self.told.actions.push(action);
        self.told.lines.push(number as u32);
    }

    fn post(&mut self, from: Rank, to: Rank, tag: Tag) -> Request {
        let request = self.free.pop().unwrap_or_else(|| {
            self.told.requests += 1;
            Request(self.told.requests - 1)
        });
        self.open.push(Posted { from, to, tag, request });
        request
    }

    fn wait_for_all(&mut self, number: usize) {
        if self.open.is_empty() {
            return;
        }
        let count = self.open.len() as u32;
        let requests: Vec<Request> = self.open.iter().map(|open| open.request).collect();
        let first = self.told.remember_awaited(&requests);
        // The last posted is free last, so that numbers are handed out again in the same order.
        self.free.extend(self.open.drain(..).rev().map(|open| open.request));
        self.push(Action::WaitAll { first, count }, number);
    }

    /// A rank that is named, remembered when it is the highest.
    pub(super) fn peer(&mut self, line: &mut Line<'_>, number: usize, expected: &'static str) -> Result<Rank> {
        let (byte, rank) = line.rank(expected)?;
        Ok(self.named(rank, number, byte))
    }

    fn named(&mut self, rank: u32, number: usize, byte: usize) -> Rank {
        if rank > self.farthest.0 {
            self.farthest = (rank, number, byte);
        }
        Rank(rank)
    }

    fn message(&mut self, name: &[u8], line: &mut Line<'_>, number: usize, dialect: Dialect) -> Result<()> {
        if name.ends_with(b"recv") {
            return self.receive(name, line, number, dialect);
        }
        let to = self.peer(line, number, "the rank of the receiver")?;
        let tag = if dialect == Dialect::Tagged { line.tag()? } else { Tag(0) };
        let count = line.count("a count of elements from 0 up")?;
        let size = bytes(count, line.datatype(self.element)?)?;
        let action = match name {
            b"send" => Action::Send { to, tag, size },
            _ => Action::PostSend { to, tag, request: self.post(Rank(self.rank), to, tag), size },
        };
        self.push(action, number);
        Ok(())
    }

    fn receive(&mut self, name: &[u8], line: &mut Line<'_>, number: usize, dialect: Dialect) -> Result<()> {
        let sender = line.sender("the rank of the sender, or -1 for any")?;
        let from = sender.map_or(Action::ANY_SOURCE, |(byte, rank)| self.named(rank, number, byte));
        let tag = if dialect == Dialect::Tagged { line.tag()? } else { Tag(0) };
        // The older dialect lets receives go without a count.
        let is_bare = dialect == Dialect::Untagged && line.left() == 0;
        let expected = "a count of elements from 0 up, or -1 for a probe before it";
        let count = if is_bare { Some(0) } else { line.probed(expected)? };
        let size = bytes(count.unwrap_or(0), line.datatype(self.element)?)?;
        if count.is_none() {
            self.push(Action::Probe, number);
        }
        let action = match name {
            b"recv" => Action::Receive { from, tag, size },
            _ => Action::PostReceive { from, tag, request: self.post(from, Rank(self.rank), tag), size },
        };
        self.push(action, number);
        Ok(())
    }

    /// `sendRecv`: both posted, then waited for.
    fn exchange(&mut self, line: &mut Line<'_>, number: usize) -> Result<()> {
        let sent = line.count("a count of elements to send")?;
        let to = self.peer(line, number, "the rank to send to")?;
        let received = line.count("a count of elements to receive")?;
        let from = self.peer(line, number, "the rank to receive from")?;
        let sent = line.datatype(self.element).and_then(|element| bytes(sent, element))?;
        let received = line.datatype(self.element).and_then(|element| bytes(received, element))?;
        if to.0 == self.rank && from.0 == self.rank {
            // SimGrid copies it in no time.
            return Ok(());
        }
        let send = self.post(Rank(self.rank), to, Tag(0));
        let receive = self.post(from, Rank(self.rank), Tag(0));
        self.push(Action::PostSend { to, tag: Tag(0), request: send, size: sent }, number);
        self.push(Action::PostReceive { from, tag: Tag(0), request: receive, size: received }, number);
        for request in [send, receive] {
            self.push(Action::Wait { request }, number);
        }
        self.open.truncate(self.open.len() - 2);
        self.free.extend([receive, send]);
        Ok(())
    }

    /// The request that a wait or a test means: the first posted that fits, or in the older dialect the last of all.
    /// One from any sender fits where none of the sender itself does: tracers name who it was.
    fn posted(&mut self, line: &mut Line<'_>, dialect: Dialect, byte: usize, action: &'static str) -> Result<Request> {
        if dialect == Dialect::Untagged && line.left() == 0 {
            let last = self.open.last().map(|open| open.request);
            return last.ok_or(Refused { byte, fault: Fault::NothingPosted { action } });
        }
        let from =
            line.sender("the rank of the sender, or -1 for any")?.map_or(Action::ANY_SOURCE, |(_, rank)| Rank(rank));
        let to = Rank(line.rank("the rank of the receiver")?.1);
        let tag = if line.left() > 0 { line.tag()? } else { Tag(0) };
        let first = |from: Rank| self.open.iter().find(|open| (open.from, open.to, open.tag) == (from, to, tag));
        let found = first(from).or_else(|| first(Action::ANY_SOURCE)).map(|open| open.request);
        let from = if from == Action::ANY_SOURCE { "any".to_owned() } else { from.to_string() };
        found.ok_or(Refused { byte, fault: Fault::NotPosted { action, from, to: to.0, tag: tag.0 } })
    }
}

pub(super) fn unknown(byte: usize, name: &[u8]) -> Refused {
    Refused { byte, fault: Fault::Unknown { action: plain(name) } }
}

/// The rank at the head of a line.
pub(super) fn head(line: &mut Line<'_>) -> Result<u32> {
    let expected = "the number of a rank";
    let (byte, rank) = line.rank(expected)?;
    if rank == u32::MAX { Err(wrong(byte, b"4294967295", expected)) } else { Ok(rank) }
}
