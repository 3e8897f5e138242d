use std::io::{self, Write};

use crate::schedule::{Operation, Rank, Request, Tag, Transfer};
use crate::trace::actions::{Action, CollectiveKind, Trace, TraceSchedule, WORLD};
use crate::units::{Bytes, Seconds};

/// Why a trace cannot be written as a time-independent one.
#[derive(Debug, thiserror::Error)]
pub enum WriteError {
    /// The operating system refused something.
    #[error(transparent)]
    System(#[from] io::Error),
    /// Something that such traces have no words for.
    #[error("rank {rank}, action {statement}: a time-independent trace cannot say {what}")]
    Unsayable {
        /// Whose action it is.
        rank: Rank,
        /// The action, as cursors count.
        statement: u32,
        /// What cannot be said.
        what: &'static str,
    },
}

/// Writes a time-independent trace that all ranks share, one rank behind the other, in the dialect of SimGrid 3.20 and
/// later. Repetitions are written out; collective operations of a communicator become messages.
///
/// # Errors
///
/// When writing fails, and what cannot be said.
pub fn write(trace: &Trace, out: &mut impl Write) -> Result<(), WriteError> {
    for rank in Rank::first(trace.ranks()) {
        RankWriter { trace, rank, out, open: Vec::new(), probes: false, statement: 0 }.write()?;
    }
    Ok(())
}

/// How many lines an action of a rank takes, or a few less.
pub(in crate::trace) fn lines(trace: &Trace, rank: Rank, action: Action) -> u64 {
    match action {
        Action::Collective { communicator, .. } if communicator != WORLD => trace.operations(rank, action),
        _ => 1,
    }
}

struct RankWriter<'a, W> {
    trace: &'a Trace,
    rank: Rank,
    out: &'a mut W,
    /// Posted transfers in order: sender, receiver and tag, and the request.
    open: Vec<((i64, i64, u32), Request)>,
    /// Whether the last action was a probe, which is a word of the receive behind it.
    probes: bool,
    statement: u32,
}

impl<W: Write> RankWriter<'_, W> {
    fn write(mut self) -> Result<(), WriteError> {
        let (trace, rank) = (self.trace, self.rank);
        let told = &trace.ranks[rank.index()];
        writeln!(self.out, "{rank} init")?;
        while let Some(place) = told.stored(self.statement) {
            self.action(told.actions[place])?;
            self.statement += 1;
        }
        if self.probes {
            return Err(self.unsayable(PROBE));
        }
        Ok(writeln!(self.out, "{rank} finalize")?)
    }

    fn unsayable(&self, what: &'static str) -> WriteError {
        WriteError::Unsayable { rank: self.rank, statement: self.statement, what }
    }

    fn action(&mut self, action: Action) -> Result<(), WriteError> {
        let (trace, rank) = (self.trace, self.rank);
        let told = &trace.ranks[rank.index()];
        if self.probes && !matches!(action, Action::Receive { .. } | Action::PostReceive { .. }) {
            return Err(self.unsayable(PROBE));
        }
        match action {
            Action::Compute { flops } => writeln!(self.out, "{rank} compute {flops}")?,
            Action::Sleep { seconds } => writeln!(self.out, "{rank} sleep {seconds}")?,
            Action::Probe => self.probes = true,
            Action::Test { request } => {
                let (from, to, tag) = self.named(request)?.0;
                writeln!(self.out, "{rank} test {from} {to} {tag}")?;
            }
            Action::WaitAll { first, count } if count as usize == self.open.len() => {
                // Each is posted and named once, so these are all.
                debug_assert!(told.awaited(first, count).iter().all(|one| self.open.iter().any(|open| open.1 == *one)));
                self.open.clear();
                writeln!(self.out, "{rank} waitall")?;
            }
            Action::Collective { kind, communicator: WORLD, root, sizes, size } => {
                let sizes = &told.sizes[sizes as usize..][..kind.sizes(trace.ranks())];
                self.collective(kind, root, size, sizes)?;
            }
            other => {
                let replay = TraceSchedule { trace, speeds: &[], test: Seconds::ZERO };
                let mut step = 0;
                while let Some(operation) = replay.operation(rank, other, step) {
                    self.operation(operation)?;
                    step += 1;
                }
            }
        }
        Ok(())
    }

    /// A message, or a wait for one.
    fn operation(&mut self, operation: Operation) -> Result<(), WriteError> {
        let rank = self.rank;
        let (transfer, request) = match operation {
            Operation::Do(transfer) => (transfer, None),
            Operation::Post(transfer, request) => (transfer, Some(request)),
            Operation::Wait(request) => {
                let ((from, to, tag), place) = self.named(request)?;
                self.open.remove(place);
                writeln!(self.out, "{rank} wait {from} {to} {tag}")?;
                return Ok(());
            }
            _ => return Err(self.unsayable("this operation")),
        };
        let (own, posts) = (i64::from(rank.0), if request.is_some() { "i" } else { "" });
        let (name, peer, tag, size) = match transfer {
            Transfer::Send { to, tag, size } => ("send", i64::from(to.0), tag, size),
            Transfer::Receive { from, tag, size } => ("recv", i64::from(from.0), tag, size),
            Transfer::ReceiveAny { tag, size } => ("recv", ANY, tag, size),
        };
        let tag = plain(tag);
        if std::mem::take(&mut self.probes) {
            writeln!(self.out, "{rank} {posts}{name} {peer} {tag} -1")?;
        } else {
            writeln!(self.out, "{rank} {posts}{name} {peer} {tag} {}", size.get())?;
        }
        if let Some(request) = request {
            let key = if name == "send" { (own, peer, tag) } else { (peer, own, tag) };
            self.open.push((key, request));
        }
        Ok(())
    }

    /// By what a request is waited for, and its place among those that are posted.
    fn named(&self, request: Request) -> Result<((i64, i64, u32), usize), WriteError> {
        let place = self.open.iter().position(|open| open.1 == request);
        let place = place.ok_or_else(|| self.unsayable("a wait for what is not posted"))?;
        let key = self.open[place].0;
        if self.open[..place].iter().any(|open| open.0 == key) {
            return Err(self.unsayable("which of several alike messages is waited for, unless it is the first posted"));
        }
        Ok((key, place))
    }

    fn collective(&mut self, kind: CollectiveKind, root: u32, size: Bytes, sizes: &[Bytes]) -> Result<(), WriteError> {
        let (rank, size) = (self.rank, size.get());
        write!(self.out, "{rank} {}", kind.name())?;
        // With the size of an element, or the algorithm might be another.
        let (element, datatype) = if kind == CollectiveKind::ReduceScatter { datatype(size) } else { (1, "") };
        let list =
            |out: &mut W, sizes: &[Bytes]| sizes.iter().try_for_each(|size| write!(out, " {}", size.get() / element));
        match kind {
            CollectiveKind::Barrier => {}
            CollectiveKind::Broadcast => write!(self.out, " {size} {root}")?,
            CollectiveKind::Reduce => write!(self.out, " {size} 0 {root}")?,
            CollectiveKind::Allreduce | CollectiveKind::Scan | CollectiveKind::ExclusiveScan => {
                write!(self.out, " {size} 0")?
            }
            CollectiveKind::Gather | CollectiveKind::Scatter => write!(self.out, " {size} {size} {root}")?,
            CollectiveKind::Allgather | CollectiveKind::Alltoall => write!(self.out, " {size} {size}")?,
            CollectiveKind::GatherV | CollectiveKind::AllgatherV => {
                write!(self.out, " {size}")?;
                list(self.out, sizes)?;
                if kind == CollectiveKind::GatherV {
                    write!(self.out, " {root}")?;
                }
            }
            CollectiveKind::ScatterV => {
                list(self.out, sizes)?;
                write!(self.out, " {size} {root}")?;
            }
            CollectiveKind::AlltoallV => {
                let (sent, expected) = sizes.split_at(sizes.len() / 2);
                for half in [sent, expected] {
                    write!(self.out, " {}", half.iter().map(|size| size.get()).sum::<u64>())?;
                    list(self.out, half)?;
                }
            }
            CollectiveKind::ReduceScatter => {
                list(self.out, sizes)?;
                write!(self.out, " 0 {datatype}")?;
            }
        }
        Ok(writeln!(self.out)?)
    }
}

const PROBE: &str = "a probe that no receive follows";

/// Any sender, as SimGrid writes it.
const ANY: i64 = -555;

/// The tags of collective messages are beyond those of traces; here they are the highest of these.
fn plain(tag: Tag) -> u32 {
    tag.0 & 0x7FFF_FFFF
}

/// The size and the number of a datatype of so many bytes; single bytes where there is none.
fn datatype(size: u64) -> (u64, &'static str) {
    match size {
        2 => (2, "3"),
        4 => (4, "1"),
        8 => (8, "0"),
        16 => (16, "14"),
        _ => (1, "6"),
    }
}
