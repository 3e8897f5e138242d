use super::line::{Dialect, Line, bytes, shown, unexpected};
use crate::trace::actions::{Action, RankActions};
use orrery_base::file::{Fault, Result};
use orrery_base::names::advice;
use orrery_program::schedule::{Rank, Request, Tag, Transfer};

/// A posted transfer that is not yet waited for; a receive from any source has no sender.
#[derive(Debug, Clone, Copy)]
struct Pending {
    from: Option<Rank>,
    to: Rank,
    tag: Tag,
    request: Request,
}

/// A reader of the lines of one rank.
#[derive(Debug)]
pub(super) struct RankReader {
    pub(super) rank: u32,
    /// The number of its first line.
    pub(super) first_line: usize,
    pub(super) actions: RankActions,
    /// The pending transfers in the order of posting.
    pending: Vec<Pending>,
    /// Requests that can be used again.
    free: Vec<Request>,
    /// The size in bytes of an element without a datatype.
    pub(super) element: u64,
    /// The highest rank that is named as a peer or root, with its line and byte.
    pub(super) highest_peer: (u32, usize, usize),
}

impl RankReader {
    /// A reader of a rank whose first line has the number `first_line`.
    pub(super) fn new(rank: u32, first_line: usize) -> Self {
        Self {
            rank,
            first_line,
            actions: RankActions::default(),
            pending: Vec::new(),
            free: Vec::new(),
            element: 8,
            highest_peer: (0, 0, 0),
        }
    }

    /// Reads an action after the number of the rank, in the line `number`; `ranks` returns the
    /// number of ranks, for lines with a number for each.
    pub(super) fn line(
        &mut self,
        mut line: Line<'_>,
        number: usize,
        dialect: Dialect,
        ranks: &mut dyn FnMut() -> Option<u32>,
    ) -> Result<()> {
        let (byte, name) = line.need("an action")?;
        let mut lower = [0; 16];
        let Some(lower) = lower.get_mut(..name.len()) else {
            return Err(unknown_action(byte, name));
        };
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
                let flops = line.amount("a number of floating-point operations from 0")?;
                self.push(Action::Compute { flops }, number);
            }
            b"sleep" => {
                let seconds = line.amount("a number of seconds from 0")?;
                self.push(Action::Sleep { seconds }, number);
            }
            b"send" | b"isend" | b"recv" | b"irecv" => {
                self.message(lower, line, number, dialect)?;
            }
            b"sendrecv" => self.exchange(line, number)?,
            b"wait" => {
                let request = self.request(line, dialect, byte, "wait for")?;
                let index =
                    self.pending.iter().position(|one| one.request == request).unwrap_or_default();
                self.pending.remove(index);
                self.free.push(request);
                self.push(Action::Wait(request), number);
            }
            b"test" => {
                let request = self.request(line, dialect, byte, "test")?;
                self.push(Action::Test(request), number);
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

    /// Ends the rank: appends a wait for the pending transfers, as SimGrid does.
    pub(super) fn end(&mut self, number: usize) {
        self.wait_for_all(number);
        self.actions.actions.shrink_to_fit();
        self.actions.lines.shrink_to_fit();
    }

    /// Appends an action of the line `number`.
    pub(super) fn push(&mut self, action: Action, number: usize) {
        self.actions.actions.push(action);
        self.actions.lines.push(number as u32);
    }

    /// The request of a new transfer, which is pending from now on.
    fn post(&mut self, from: Option<Rank>, to: Rank, tag: Tag) -> Request {
        let request = self.free.pop().unwrap_or_else(|| {
            self.actions.requests += 1;
            Request(self.actions.requests - 1)
        });
        self.pending.push(Pending { from, to, tag, request });
        request
    }

    /// Appends a wait for all pending transfers.
    fn wait_for_all(&mut self, number: usize) {
        if self.pending.is_empty() {
            return;
        }
        let count = self.pending.len() as u32;
        let requests: Vec<Request> = self.pending.iter().map(|one| one.request).collect();
        let first = self.actions.add_awaited(&requests);
        // In reverse, so that the next transfers use the requests in the same order.
        self.free.extend(self.pending.drain(..).rev().map(|one| one.request));
        self.push(Action::WaitAll { first, count }, number);
    }

    /// Reads a peer or root.
    pub(super) fn peer(
        &mut self,
        line: &mut Line<'_>,
        number: usize,
        expected: &'static str,
    ) -> Result<Rank> {
        let (byte, rank) = line.rank(expected)?;
        Ok(self.checked_later(rank, number, byte))
    }

    /// Stores the highest peer for a later check, since the number of ranks is known after the last
    /// line only; returns it as a rank.
    fn checked_later(&mut self, rank: u32, number: usize, byte: usize) -> Rank {
        if rank > self.highest_peer.0 {
            self.highest_peer = (rank, number, byte);
        }
        Rank(rank)
    }

    /// Reads a send or a receive after its name.
    fn message(
        &mut self,
        name: &[u8],
        line: &mut Line<'_>,
        number: usize,
        dialect: Dialect,
    ) -> Result<()> {
        if name.ends_with(b"recv") {
            return self.receive(name, line, number, dialect);
        }
        let to = self.peer(line, number, "the rank of the receiver")?;
        let tag = if dialect == Dialect::Tagged { line.tag()? } else { Tag(0) };
        let count = line.count("a count of elements from 0")?;
        let size = bytes(count, line.datatype(self.element)?)?;
        let send = Transfer::Send { to, tag, size };
        let action = match name {
            b"send" => Action::Do(send),
            _ => Action::Post(send, self.post(Some(Rank(self.rank)), to, tag)),
        };
        self.push(action, number);
        Ok(())
    }

    /// Reads a receive after its name.
    fn receive(
        &mut self,
        name: &[u8],
        line: &mut Line<'_>,
        number: usize,
        dialect: Dialect,
    ) -> Result<()> {
        let sender = line.sender("the rank of the sender, or -1 for any")?;
        let from = sender.map(|(byte, rank)| self.checked_later(rank, number, byte));
        let tag = if dialect == Dialect::Tagged { line.tag()? } else { Tag(0) };
        // In the older dialect a receive may have no count.
        let is_bare = dialect == Dialect::Untagged && line.left() == 0;
        let expected = "a count of elements from 0, or -1 for a probe before the receive";
        let count = if is_bare { Some(0) } else { line.count_or_probe(expected)? };
        let size = bytes(count.unwrap_or(0), line.datatype(self.element)?)?;
        if count.is_none() {
            self.push(Action::Probe, number);
        }
        let receive = match from {
            Some(from) => Transfer::Receive { from, tag, size },
            None => Transfer::ReceiveAny { tag, size },
        };
        let action = match name {
            b"recv" => Action::Do(receive),
            _ => Action::Post(receive, self.post(from, Rank(self.rank), tag)),
        };
        self.push(action, number);
        Ok(())
    }

    /// Reads a `sendRecv`: both messages are posted, then waited for.
    fn exchange(&mut self, line: &mut Line<'_>, number: usize) -> Result<()> {
        let sent = line.count("a count of elements to send")?;
        let to = self.peer(line, number, "the rank to send to")?;
        let received = line.count("a count of elements to receive")?;
        let from = self.peer(line, number, "the rank to receive from")?;
        let sent = line.datatype(self.element).and_then(|element| bytes(sent, element))?;
        let received = line.datatype(self.element).and_then(|element| bytes(received, element))?;
        if to.0 == self.rank && from.0 == self.rank {
            // SimGrid copies the message in no time.
            return Ok(());
        }
        let tag = Tag(0);
        let send = self.post(Some(Rank(self.rank)), to, tag);
        let receive = self.post(Some(from), Rank(self.rank), tag);
        self.push(Action::Post(Transfer::Send { to, tag, size: sent }, send), number);
        self.push(Action::Post(Transfer::Receive { from, tag, size: received }, receive), number);
        for request in [send, receive] {
            self.push(Action::Wait(request), number);
        }
        self.pending.truncate(self.pending.len() - 2);
        self.free.extend([receive, send]);
        Ok(())
    }

    /// The request that a wait or a test names: the first posted that matches, or in the older
    /// dialect the last of all. `action` names the action in errors.
    ///
    /// A receive from any source matches if none from the named sender does: tracers write the
    /// actual sender.
    fn request(
        &mut self,
        line: &mut Line<'_>,
        dialect: Dialect,
        byte: usize,
        action: &'static str,
    ) -> Result<Request> {
        if dialect == Dialect::Untagged && line.left() == 0 {
            let last = self.pending.last().map(|one| one.request);
            return last.ok_or(
                Fault::new(format!(
                    "no pending Isend or Irecv to {action}; post one \
                before"
                ))
                .at(byte),
            );
        }
        let from =
            line.sender("the rank of the sender, or -1 for any")?.map(|(_, rank)| Rank(rank));
        let to = Rank(line.rank("the rank of the receiver")?.1);
        let tag = if line.left() > 0 { line.tag()? } else { Tag(0) };
        let first = |from: Option<Rank>| {
            self.pending.iter().find(|one| (one.from, one.to, one.tag) == (from, to, tag))
        };
        let found = first(from).or_else(|| first(None)).map(|one| one.request);
        let from = from.map_or("any".to_owned(), |from| from.to_string());
        found.ok_or_else(|| {
            let (to, tag) = (to.0, tag.0);
            let fault = format!(
                "no pending isend or irecv from {from} to {to} with tag {tag} to {action}; \
                        post one before"
            );
            Fault::new(fault).at(byte)
        })
    }
}

/// The actions of both dialects; upper and lower case are the same.
const ACTIONS: [&str; 31] = [
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

/// The fault for an unknown action.
pub(super) fn unknown_action(byte: usize, name: &[u8]) -> Fault {
    let action = shown(name);
    let advice = advice(&action, "actions", ACTIONS);
    Fault::new(format!("unknown action {action:?}; {advice}")).at(byte)
}

/// Reads the rank at the beginning of a line.
pub(super) fn rank_of_line(line: &mut Line<'_>) -> Result<u32> {
    let expected = "the number of a rank";
    let (byte, rank) = line.rank(expected)?;
    if rank == u32::MAX { Err(unexpected(byte, b"4294967295", expected)) } else { Ok(rank) }
}
