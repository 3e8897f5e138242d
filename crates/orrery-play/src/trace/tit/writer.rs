use std::io::Write;

use crate::trace::actions::{Action, CollectiveKind, Trace, WORLD, WriteError};
use orrery_base::units::Bytes;
use orrery_program::schedule::{Operation, Rank, Request, Tag, Transfer};

/// Writes a time-independent trace that all ranks share, rank by rank, in the dialect of SimGrid
/// 3.20 and later.
///
/// Loops are written out. Collective operations of a communicator other than that of all ranks
/// become messages.
///
/// # Errors
///
/// A writer that fails, and an action that the format cannot represent.
pub fn write(trace: &Trace, out: &mut impl Write) -> Result<(), WriteError> {
    for rank in Rank::first(trace.ranks()) {
        RankWriter { trace, rank, out, pending: Vec::new(), probes: false, statement: 0 }
            .write()?;
    }
    Ok(())
}

/// The number of lines of an action of a rank; waits for messages of collective operations are not
/// counted.
pub(in crate::trace) fn line_count(trace: &Trace, rank: Rank, action: Action) -> u64 {
    match action {
        Action::Collective { communicator, .. } if communicator != WORLD => {
            trace.goal_operations(rank, action)
        }
        _ => 1,
    }
}

/// A writer of the lines of one rank.
struct RankWriter<'a, W> {
    trace: &'a Trace,
    rank: Rank,
    out: &'a mut W,
    /// The pending transfers in the order of posting: sender, receiver and tag, and the request.
    pending: Vec<((i64, i64, u32), Request)>,
    /// True after a probe, which is written as an argument of the receive after it.
    probes: bool,
    /// The position of the current action.
    statement: u32,
}

impl<W: Write> RankWriter<'_, W> {
    /// Writes all lines.
    fn write(mut self) -> Result<(), WriteError> {
        let (trace, rank) = (self.trace, self.rank);
        let own = &trace.ranks[rank.index()];
        writeln!(self.out, "{rank} init")?;
        while let Some(index) = own.stored_index(self.statement) {
            self.action(own.actions[index])?;
            self.statement += 1;
        }
        if self.probes {
            return Err(self.unsupported(PROBE));
        }
        Ok(writeln!(self.out, "{rank} finalize")?)
    }

    /// The error for the current action.
    fn unsupported(&self, item: &'static str) -> WriteError {
        WriteError::Unsupported { rank: self.rank, statement: self.statement, format: "tit", item }
    }

    /// Writes the lines of an action.
    fn action(&mut self, action: Action) -> Result<(), WriteError> {
        let (trace, rank) = (self.trace, self.rank);
        let own = &trace.ranks[rank.index()];
        let receives = matches!(
            action,
            Action::Do(transfer) | Action::Post(transfer, _)
                if !matches!(transfer, Transfer::Send { .. })
        );
        if self.probes && !receives {
            return Err(self.unsupported(PROBE));
        }
        match action {
            Action::Compute { flops } => writeln!(self.out, "{rank} compute {flops}")?,
            Action::Sleep { seconds } => writeln!(self.out, "{rank} sleep {seconds}")?,
            Action::Probe => self.probes = true,
            Action::Test(request) => {
                let (from, to, tag) = self.pending(request)?.0;
                writeln!(self.out, "{rank} test {from} {to} {tag}")?;
            }
            Action::WaitAll { first, count } if count as usize == self.pending.len() => {
                // Each request is pending and listed once, so the list holds all pending requests.
                debug_assert!(
                    own.awaited(first, count)
                        .iter()
                        .all(|one| self.pending.iter().any(|two| two.1 == *one))
                );
                self.pending.clear();
                writeln!(self.out, "{rank} waitall")?;
            }
            Action::Collective { kind, communicator: WORLD, root, sizes, size } => {
                let sizes = &own.sizes[sizes as usize..][..kind.size_count(trace.ranks())];
                self.collective(kind, root, size, sizes)?;
            }
            other => {
                let replay = trace.schedule_without_times();
                let mut step = 0;
                while let Some(operation) = replay.operation(rank, other, step) {
                    self.operation(operation)?;
                    step += 1;
                }
            }
        }
        Ok(())
    }

    /// Writes a message, or a wait for one.
    fn operation(&mut self, operation: Operation) -> Result<(), WriteError> {
        let rank = self.rank;
        let (transfer, request) = match operation {
            Operation::Do(transfer) => (transfer, None),
            Operation::Post(transfer, request) => (transfer, Some(request)),
            Operation::Wait(request) => {
                let ((from, to, tag), index) = self.pending(request)?;
                self.pending.remove(index);
                writeln!(self.out, "{rank} wait {from} {to} {tag}")?;
                return Ok(());
            }
            // The format has no combination.
            Operation::Combine(_) => return Ok(()),
            _ => return Err(self.unsupported("this operation")),
        };
        let (own, posts) = (i64::from(rank.0), if request.is_some() { "i" } else { "" });
        let (name, peer, tag, size) = match transfer {
            Transfer::Send { to, tag, size } => ("send", i64::from(to.0), tag, size),
            Transfer::Receive { from, tag, size } => ("recv", i64::from(from.0), tag, size),
            Transfer::ReceiveAny { tag, size } => ("recv", ANY_SOURCE, tag, size),
        };
        let tag = tag_in_range(tag);
        if std::mem::take(&mut self.probes) {
            writeln!(self.out, "{rank} {posts}{name} {peer} {tag} -1")?;
        } else {
            writeln!(self.out, "{rank} {posts}{name} {peer} {tag} {}", size.get())?;
        }
        if let Some(request) = request {
            let key = if name == "send" { (own, peer, tag) } else { (peer, own, tag) };
            self.pending.push((key, request));
        }
        Ok(())
    }

    /// The sender, the receiver and the tag of a pending request, and its index; an error if an
    /// earlier pending transfer has the same ones, since a wait would name that.
    fn pending(&self, request: Request) -> Result<((i64, i64, u32), usize), WriteError> {
        let index = self.pending.iter().position(|one| one.1 == request);
        let index =
            index.ok_or_else(|| self.unsupported("a wait for a request that is not pending"))?;
        let key = self.pending[index].0;
        if self.pending[..index].iter().any(|one| one.0 == key) {
            return Err(self.unsupported(
                "a wait for a message while an earlier one with its peer and tag is pending",
            ));
        }
        Ok((key, index))
    }

    /// Writes a collective operation of all ranks.
    fn collective(
        &mut self,
        kind: CollectiveKind,
        root: u32,
        size: Bytes,
        sizes: &[Bytes],
    ) -> Result<(), WriteError> {
        let (rank, size) = (self.rank, size.get());
        write!(self.out, "{rank} {}", kind.name())?;
        // The size of an element decides the algorithm, so it is written as a datatype.
        let (element, datatype) =
            if kind == CollectiveKind::ReduceScatter { datatype(size) } else { (1, "") };
        let list = |out: &mut W, sizes: &[Bytes]| {
            sizes.iter().try_for_each(|size| write!(out, " {}", size.get() / element))
        };
        match kind {
            CollectiveKind::Barrier => {}
            CollectiveKind::Broadcast => write!(self.out, " {size} {root}")?,
            CollectiveKind::Reduce => write!(self.out, " {size} 0 {root}")?,
            CollectiveKind::Allreduce | CollectiveKind::Scan | CollectiveKind::ExclusiveScan => {
                write!(self.out, " {size} 0")?;
            }
            CollectiveKind::Gather | CollectiveKind::Scatter => {
                write!(self.out, " {size} {size} {root}")?;
            }
            CollectiveKind::Allgather | CollectiveKind::Alltoall => {
                write!(self.out, " {size} {size}")?;
            }
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

/// The item that the format cannot represent.
const PROBE: &str = "a probe without a receive after it";

/// The sender of a receive from any source, as SimGrid writes it.
const ANY_SOURCE: i64 = -555;

/// A tag below 2³¹: that of a collective operation, which is 2³¹ or more, without its highest bit.
fn tag_in_range(tag: Tag) -> u32 {
    tag.0 & 0x7FFF_FFFF
}

/// The size and the number of a datatype with a size in bytes; single bytes if there is none.
fn datatype(size: u64) -> (u64, &'static str) {
    match size {
        2 => (2, "3"),
        4 => (4, "1"),
        8 => (8, "0"),
        16 => (16, "14"),
        _ => (1, "6"),
    }
}
