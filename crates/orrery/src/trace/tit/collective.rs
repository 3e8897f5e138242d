//! Collective operations as the messages that SimGrid's default algorithms make of them (its `smpi_default_selector`):
//! barrier, reduction, gather, scatter and all-gather are linear, a broadcast goes along a binomial tree, an all-reduce
//! is a reduction to rank 0 and a broadcast, an all-to-all follows Open MPI's table.

use super::action::Kind;
use super::alltoall;
use crate::schedule::{Operation, Rank, Request, Tag, Transfer};
use crate::units::Bytes;

/// The tag of collective messages: those of traces are below 2^31. Ranks take part in the same order, and messages with
/// one tag do not overtake each other, so one tag serves all.
const TAG: Tag = Tag(u32::MAX);

/// What a rank does in a collective operation at a step; `None` when its part is over. Requests are numbered from `base`.
pub(super) fn operation(
    kind: Kind,
    rank: Rank,
    root: Rank,
    ranks: usize,
    size: Bytes,
    base: u32,
    step: usize,
) -> Option<Operation> {
    let part = Part { rank: rank.index(), ranks, size, base };
    let root = root.index();
    match kind {
        Kind::Barrier => part.barrier(step),
        Kind::Broadcast => part.broadcast(root, step),
        Kind::Reduce | Kind::Gather => part.with_root_receiving(root, step),
        Kind::Scatter => part.with_root_sending(root, step),
        Kind::Allreduce => {
            let reduction = if part.rank == 0 { 2 * (ranks - 1) } else { 1 };
            if step < reduction { part.with_root_receiving(0, step) } else { part.broadcast(0, step - reduction) }
        }
        Kind::Allgather => part.with_all(step),
        Kind::Alltoall => alltoall::operation(part, step),
    }
}

pub(super) fn send(to: usize, size: Bytes) -> Transfer {
    Transfer::Send { to: Rank(to as u32), size, tag: TAG }
}

pub(super) fn receive(from: usize, size: Bytes) -> Transfer {
    Transfer::Receive { from: Rank(from as u32), size, tag: TAG }
}

/// The part of one rank.
#[derive(Debug, Clone, Copy)]
pub(super) struct Part {
    pub(super) rank: usize,
    pub(super) ranks: usize,
    pub(super) size: Bytes,
    pub(super) base: u32,
}

impl Part {
    pub(super) fn post(&self, transfer: Transfer, k: usize) -> Operation {
        Operation::Post(transfer, Request(self.base + k as u32))
    }

    pub(super) fn wait(&self, k: usize) -> Operation {
        Operation::Wait(Request(self.base + k as u32))
    }

    /// The k-th rank that is not `but`.
    fn other(but: usize, k: usize) -> usize {
        if k < but { k } else { k + 1 }
    }

    /// All tell rank 0 that they are there; it answers when it has heard of all.
    fn barrier(&self, step: usize) -> Option<Operation> {
        let others = self.ranks - 1;
        if self.rank > 0 {
            return match step {
                0 => Some(Operation::Do(send(0, Bytes::ZERO))),
                1 => Some(Operation::Do(receive(0, Bytes::ZERO))),
                _ => None,
            };
        }
        let (phase, k) = (step.checked_div(others)?, step.checked_rem(others)?);
        match phase {
            0 => Some(self.post(receive(k + 1, Bytes::ZERO), k)),
            2 => Some(self.post(send(k + 1, Bytes::ZERO), k)),
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
                return Some(Operation::Do(receive(absolute(relative - below), self.size)));
            }
            sends -= 1;
        }
        let distances = std::iter::successors(Some(below / 2), |distance| Some(distance / 2));
        let mut children = distances.take_while(|&distance| distance > 0).filter(|d| relative + d < ranks);
        children.nth(sends).map(|distance| Operation::Do(send(absolute(relative + distance), self.size)))
    }

    /// The root receives from each.
    fn with_root_receiving(&self, root: usize, step: usize) -> Option<Operation> {
        if self.rank != root {
            return (step == 0).then(|| Operation::Do(send(root, self.size)));
        }
        self.with_others(step, |peer| receive(peer, self.size))
    }

    /// The root sends to each.
    fn with_root_sending(&self, root: usize, step: usize) -> Option<Operation> {
        if self.rank != root {
            return (step == 0).then(|| Operation::Do(receive(root, self.size)));
        }
        self.with_others(step, |peer| send(peer, self.size))
    }

    /// Posts a transfer with each other rank, then waits for all.
    fn with_others(&self, step: usize, transfer: impl Fn(usize) -> Transfer) -> Option<Operation> {
        let others = self.ranks - 1;
        match step {
            k if k < others => Some(self.post(transfer(Self::other(self.rank, k)), k)),
            k if k < 2 * others => Some(self.wait(k - others)),
            _ => None,
        }
    }

    /// Posts a send to and a receive from each other rank, then waits for all.
    fn with_all(&self, step: usize) -> Option<Operation> {
        let transfers = 2 * (self.ranks - 1);
        match step {
            k if k < transfers => {
                let peer = Self::other(self.rank, k / 2);
                let transfer = if k % 2 == 0 { send(peer, self.size) } else { receive(peer, self.size) };
                Some(self.post(transfer, k))
            }
            k if k < 2 * transfers => Some(self.wait(k - transfers)),
            _ => None,
        }
    }
}
