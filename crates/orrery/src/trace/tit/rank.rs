use super::action::{Action, Kind};
use super::dialect::Dialect;
use super::error::Fault;
use super::line::{Line, Refused, Result, bytes, plain, wrong};
use crate::schedule::{Rank, Request, Tag};
use crate::units::Bytes;

/// What a rank does, and the line of each action.
#[derive(Debug, Clone, Default)]
pub(super) struct RankActions {
    pub(super) actions: Vec<Action>,
    pub(super) lines: Vec<u32>,
    /// The requests of each `waitall`, one list behind the other.
    pub(super) awaited: Vec<Request>,
    /// Its requests have numbers below this one.
    pub(super) requests: u32,
}

/// Reads the lines of one rank.
#[derive(Debug)]
pub(super) struct RankReader {
    pub(super) rank: u32,
    /// The line on which it is first told of.
    pub(super) first: usize,
    pub(super) told: RankActions,
    /// Posted transfers: sender, receiver, tag and request, in the order of posting.
    open: Vec<(u32, u32, Tag, Request)>,
    free: Vec<Request>,
    /// Bytes of an element where no datatype is named.
    element: u64,
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
    pub(super) fn line(&mut self, mut line: Line<'_>, number: usize, dialect: Dialect) -> Result<()> {
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
                let place = self.open.iter().position(|open| open.3 == request).unwrap_or_default();
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
            _ => self.collective(lower, line, number, byte)?,
        }
        line.end(name)
    }

    /// Ends the rank: what is still posted is waited for, as SimGrid does.
    pub(super) fn end(&mut self, number: usize) {
        self.wait_for_all(number);
        self.told.actions.shrink_to_fit();
        self.told.lines.shrink_to_fit();
    }

    fn push(&mut self, action: Action, number: usize) {
        self.told.actions.push(action);
        self.told.lines.push(number as u32);
    }

    fn post(&mut self, from: u32, to: u32, tag: Tag) -> Request {
        let request = self.free.pop().unwrap_or_else(|| {
            self.told.requests += 1;
            Request(self.told.requests - 1)
        });
        self.open.push((from, to, tag, request));
        request
    }

    fn wait_for_all(&mut self, number: usize) {
        if self.open.is_empty() {
            return;
        }
        let (first, count) = (self.told.awaited.len() as u32, self.open.len() as u32);
        self.told.awaited.extend(self.open.iter().map(|open| open.3));
        // The last posted is free last, so that numbers are handed out again in the same order.
        self.free.extend(self.open.drain(..).rev().map(|open| open.3));
        self.push(Action::WaitAll { first, count }, number);
    }

    /// A rank that is named, remembered when it is the highest.
    fn peer(&mut self, line: &mut Line<'_>, number: usize, expected: &'static str) -> Result<Rank> {
        let (byte, rank) = line.rank(expected)?;
        if rank > self.farthest.0 {
            self.farthest = (rank, number, byte);
        }
        Ok(Rank(rank))
    }

    fn message(&mut self, name: &[u8], line: &mut Line<'_>, number: usize, dialect: Dialect) -> Result<()> {
        let peer = self.peer(line, number, "the rank of the other side")?;
        let tag = if dialect == Dialect::Tagged { line.tag()? } else { Tag(0) };
        // The older dialect lets receives go without a count.
        let is_bare = dialect == Dialect::Untagged && name.ends_with(b"recv") && line.left() == 0;
        let count = if is_bare { 0 } else { line.count("a count of elements from 0 up")? };
        let element = line.datatype(self.element)?;
        let size = bytes(count, element)?;
        let action = match name {
            b"send" => Action::Send { to: peer, tag, size },
            b"recv" => Action::Receive { from: peer, tag, size },
            b"isend" => Action::PostSend { to: peer, tag, request: self.post(self.rank, peer.0, tag), size },
            _ => Action::PostReceive { from: peer, tag, request: self.post(peer.0, self.rank, tag), size },
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
        let send = self.post(self.rank, to.0, Tag(0));
        let receive = self.post(from.0, self.rank, Tag(0));
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
    fn posted(&mut self, line: &mut Line<'_>, dialect: Dialect, byte: usize, action: &'static str) -> Result<Request> {
        if dialect == Dialect::Untagged && line.left() == 0 {
            let last = self.open.last().map(|open| open.3);
            return last.ok_or(Refused { byte, fault: Fault::NothingPosted { action } });
        }
        let (_, from) = line.rank("the rank of the sender")?;
        let (_, to) = line.rank("the rank of the receiver")?;
        let tag = if line.left() > 0 { line.tag()? } else { Tag(0) };
        let first = self.open.iter().find(|open| (open.0, open.1, open.2) == (from, to, tag));
        let fault = Fault::NotPosted { action, from, to, tag: tag.0 };
        first.map(|open| open.3).ok_or(Refused { byte, fault })
    }

    fn collective(&mut self, name: &[u8], line: &mut Line<'_>, number: usize, byte: usize) -> Result<()> {
        let kind = match name {
            b"barrier" => Kind::Barrier,
            b"bcast" => Kind::Broadcast,
            b"reduce" => Kind::Reduce,
            b"allreduce" => Kind::Allreduce,
            b"gather" => Kind::Gather,
            b"scatter" => Kind::Scatter,
            b"allgather" => Kind::Allgather,
            b"alltoall" => Kind::Alltoall,
            _ => return Err(unknown(byte, name)),
        };
        let (mut count, mut flops) = (0, 0.0);
        if kind != Kind::Barrier {
            count = line.count("a count of elements from 0 up")?;
        }
        if matches!(kind, Kind::Reduce | Kind::Allreduce) {
            flops = line.amount("a number of floating-point operations from 0 up")?;
        }
        let has_two = matches!(kind, Kind::Gather | Kind::Scatter | Kind::Allgather | Kind::Alltoall);
        if has_two {
            line.count("a count of elements to receive")?;
        }
        let is_rooted = matches!(kind, Kind::Broadcast | Kind::Reduce | Kind::Gather | Kind::Scatter);
        let root =
            if is_rooted && line.left() > 0 { self.peer(line, number, "the rank of the root")? } else { Rank(0) };
        let element = line.datatype(self.element)?;
        if has_two {
            line.datatype(self.element)?;
        }
        let size = if kind == Kind::Barrier { Bytes::ZERO } else { bytes(count, element)? };
        self.push(Action::Collective { kind, root, size }, number);
        if flops > 0.0 {
            self.push(Action::Compute { flops }, number);
        }
        Ok(())
    }
}

fn unknown(byte: usize, name: &[u8]) -> Refused {
    Refused { byte, fault: Fault::Unknown { action: plain(name) } }
}

/// The rank at the head of a line.
pub(super) fn head(line: &mut Line<'_>) -> Result<u32> {
    let expected = "the number of a rank";
    let (byte, rank) = line.rank(expected)?;
    if rank == u32::MAX { Err(wrong(byte, b"4294967295", expected)) } else { Ok(rank) }
}
