//! Collective operations as the messages that SimGrid's default algorithms make of them (its `smpi_default_selector`):
//! barrier, reduction, gather, scatter and all-gather are linear, with one size or with several; a broadcast goes along a
//! binomial tree, an all-reduce is a reduction to rank 0 and a broadcast. In a scan each sends to all above it. An
//! all-to-all follows Open MPI's table, a reduction that is scattered has a file of its own.

use super::action::CollectiveKind;
use super::{alltoall, reduce_scatter};
use crate::schedule::{Operation, Rank, Request, Tag, Transfer};
use crate::units::Bytes;

/// The tag of collective messages in a communicator: those of traces are below 2^31. Ranks take part in the same order,
/// and messages with one tag do not overtake each other, so one tag serves all. The highest means any in GOAL.
const fn tag(communicator: u32) -> Tag {
    Tag(u32::MAX - 1 - communicator)
}

/// What a rank does in a collective operation at a step; `None` when its part is over.
pub(super) fn operation(kind: CollectiveKind, part: Part<'_>, root: usize, step: usize) -> Option<Operation> {
    let sizes = part.sizes;
    match kind {
        CollectiveKind::Barrier => part.barrier(step),
        CollectiveKind::Broadcast => part.broadcast(root, step),
        CollectiveKind::Reduce | CollectiveKind::Gather => part.with_root_receiving(root, |_| part.size, step),
        CollectiveKind::GatherV => part.with_root_receiving(root, |from| sizes[from], step),
        CollectiveKind::Scatter => part.with_root_sending(root, |_| part.size, step),
        CollectiveKind::ScatterV => part.with_root_sending(root, |to| sizes[to], step),
        CollectiveKind::Allreduce => {
            let reduction = part.steps_of_reduction();
            if step < reduction {
                part.with_root_receiving(0, |_| part.size, step)
            } else {
                part.broadcast(0, step - reduction)
            }
        }
        CollectiveKind::Allgather => part.with_all(|_| part.size, step),
        CollectiveKind::AllgatherV => part.with_all(|from| sizes[from], step),
        CollectiveKind::Alltoall => alltoall::operation(part, step),
        CollectiveKind::AlltoallV => part.with_each(step),
        CollectiveKind::Scan | CollectiveKind::ExclusiveScan => part.scan(step),
        CollectiveKind::ReduceScatter => reduce_scatter::operation(part, step),
    }
}

/// The part of one rank; ranks are numbered as in the communicator.
#[derive(Debug, Clone, Copy)]
pub(super) struct Part<'a> {
    pub(super) rank: usize,
    pub(super) ranks: usize,
    pub(super) size: Bytes,
    /// The sizes of an operation that has several.
    pub(super) sizes: &'a [Bytes],
    /// Requests are numbered from here.
    pub(super) base: u32,
    pub(super) communicator: u32,
}

impl Part<'_> {
    pub(super) fn send(&self, to: usize, size: Bytes) -> Transfer {
        Transfer::Send { to: Rank(to as u32), size, tag: tag(self.communicator) }
    }

    pub(super) fn receive(&self, from: usize, size: Bytes) -> Transfer {
        Transfer::Receive { from: Rank(from as u32), size, tag: tag(self.communicator) }
    }

    pub(super) fn post(&self, transfer: Transfer, k: usize) -> Operation {
        Operation::Post(transfer, Request(self.base + k as u32))
    }

    pub(super) fn wait(&self, k: usize) -> Operation {
        Operation::Wait(Request(self.base + k as u32))
    }

    /// Sends and receives at the same time, in four steps.
    pub(super) fn exchange(&self, to: (usize, Bytes), from: (usize, Bytes), step: usize) -> Operation {
        match step {
            0 => self.post(self.send(to.0, to.1), 0),
            1 => self.post(self.receive(from.0, from.1), 1),
            k => self.wait(k - 2),
        }
    }

    /// The k-th rank that is not this one.
    fn other(&self, k: usize) -> usize {
        if k < self.rank { k } else { k + 1 }
    }

    /// All tell rank 0 that they are there; it answers when it has heard of all.
    fn barrier(&self, step: usize) -> Option<Operation> {
        let others = self.ranks - 1;
        if self.rank > 0 {
            return match step {
                0 => Some(Operation::Do(self.send(0, Bytes::ZERO))),
                1 => Some(Operation::Do(self.receive(0, Bytes::ZERO))),
                _ => None,
            };
        }
        let (phase, k) = (step.checked_div(others)?, step.checked_rem(others)?);
        match phase {
            0 => Some(self.post(self.receive(k + 1, Bytes::ZERO), k)),
            2 => Some(self.post(self.send(k + 1, Bytes::ZERO), k)),
            1 | 3 => Some(self.wait(k)),
            _ => None,
        }
    }

    /// The relative rank v = (rank − root) mod p receives from v without its lowest set bit 2^k and sends to v + 2^j for
    /// j below k, the farthest first.
    fn broadcast(&self, root: usize, step: usize) -> Option<Operation> {
        let ranks = self.ranks;
        let relative = (self.rank + ranks - root) % ranks;
        let absolute = |relative: usize| (relative + root) % ranks;
        let below = if relative == 0 { ranks.next_power_of_two() } else { 1 << relative.trailing_zeros() };
        let mut sends = step;
        if relative != 0 {
            if step == 0 {
                return Some(Operation::Do(self.receive(absolute(relative - below), self.size)));
            }
            sends -= 1;
        }
        let distances = std::iter::successors(Some(below / 2), |distance| Some(distance / 2));
        let mut children = distances.take_while(|&distance| distance > 0).filter(|d| relative + d < ranks);
        children.nth(sends).map(|distance| Operation::Do(self.send(absolute(relative + distance), self.size)))
    }

    /// How many steps this rank has in a reduction to rank 0.
    pub(super) fn steps_of_reduction(&self) -> usize {
        if self.rank == 0 { 2 * (self.ranks - 1) } else { 2 }
    }

    /// The root receives from each, who sends its block.
    pub(super) fn with_root_receiving(
        &self,
        root: usize,
        expected: impl Fn(usize) -> Bytes,
        step: usize,
    ) -> Option<Operation> {
        if self.rank != root {
            return self.posted(1, step, |_| self.send(root, self.size));
        }
        self.with_others(step, |peer| self.receive(peer, expected(peer)))
    }

    /// The root sends to each, who expects its block.
    pub(super) fn with_root_sending(
        &self,
        root: usize,
        sent: impl Fn(usize) -> Bytes,
        step: usize,
    ) -> Option<Operation> {
        if self.rank != root {
            return (step == 0).then(|| Operation::Do(self.receive(root, self.size)));
        }
        self.with_others(step, |peer| self.send(peer, sent(peer)))
    }

    /// Posts a transfer with each other rank, then waits for all.
    fn with_others(&self, step: usize, transfer: impl Fn(usize) -> Transfer) -> Option<Operation> {
        self.posted(self.ranks - 1, step, |k| transfer(self.other(k)))
    }

    /// Posts so many transfers, then waits for all.
    fn posted(&self, transfers: usize, step: usize, transfer: impl Fn(usize) -> Transfer) -> Option<Operation> {
        match step {
            k if k < transfers => Some(self.post(transfer(k), k)),
            k if k < 2 * transfers => Some(self.wait(k - transfers)),
            _ => None,
        }
    }

    /// Posts a send to and a receive from each other rank, then waits for all.
    fn with_all(&self, expected: impl Fn(usize) -> Bytes, step: usize) -> Option<Operation> {
        self.posted(2 * (self.ranks - 1), step, |k| {
            let peer = self.other(k / 2);
            if k % 2 == 0 { self.send(peer, self.size) } else { self.receive(peer, expected(peer)) }
        })
    }

    /// Posts a receive from each other rank, then a send to each, then waits for all; sizes sent stand before those that
    /// are expected.
    fn with_each(&self, step: usize) -> Option<Operation> {
        let (sent, expected) = self.sizes.split_at(self.ranks);
        let others = self.ranks - 1;
        self.posted(2 * others, step, |k| {
            if k < others {
                self.receive(self.other(k), expected[self.other(k)])
            } else {
                self.send(self.other(k - others), sent[self.other(k - others)])
            }
        })
    }

    /// Receives from all below, sends to all above.
    fn scan(&self, step: usize) -> Option<Operation> {
        self.with_others(step, |peer| {
            if peer < self.rank { self.receive(peer, self.size) } else { self.send(peer, self.size) }
        })
    }
}
