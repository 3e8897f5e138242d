use crate::schedule::{Operation, Rank, Request, Tag, Transfer};
use crate::units::Bytes;

/// A rank that takes part in a collective operation; it returns the rank's operations step by step.
///
/// Ranks are numbered as in the communicator.
#[derive(Debug, Clone, Copy)]
pub(super) struct Participant<'a> {
    /// The number of the rank in the communicator.
    pub(super) rank: usize,
    /// The number of ranks of the communicator.
    pub(super) ranks: usize,
    /// The size of the block.
    pub(super) size: Bytes,
    /// The size of the block of each rank, for operations with a list of sizes.
    pub(super) sizes: &'a [Bytes],
    /// The number of the first request that the operation uses.
    pub(super) first_request: u32,
    /// The number of the communicator.
    pub(super) communicator: u32,
}

impl Participant<'_> {
    /// The tag of the messages of collective operations in the communicator, with or without a list of sizes.
    ///
    /// The highest tag is the wildcard in GOAL. One tag serves all operations: ranks call them in the same order, and
    /// messages with one tag do not overtake each other.
    fn tag(&self) -> Tag {
        let last = if self.sizes.is_empty() { u32::MAX - 1 } else { Tag::EQUAL_SIZES - 1 };
        Tag(last - self.communicator)
    }

    /// Returns a send to another rank of the communicator.
    pub(super) fn send(&self, to: usize, size: Bytes) -> Transfer {
        Transfer::Send { to: Rank(to as u32), size, tag: self.tag() }
    }

    /// Returns a receive from another rank of the communicator.
    pub(super) fn receive(&self, from: usize, size: Bytes) -> Transfer {
        Transfer::Receive { from: Rank(from as u32), size, tag: self.tag() }
    }

    /// Returns the operation that posts a transfer with the k-th request.
    pub(super) fn post(&self, transfer: Transfer, k: usize) -> Operation {
        Operation::Post(transfer, Request(self.first_request + k as u32))
    }

    /// Returns the wait for the k-th request.
    pub(super) fn wait(&self, k: usize) -> Operation {
        Operation::Wait(Request(self.first_request + k as u32))
    }

    /// A send and a receive that are both in flight (`MPI_Sendrecv`), in four steps.
    pub(super) fn exchange(&self, to: (usize, Bytes), from: (usize, Bytes), step: usize) -> Operation {
        match step {
            0 => self.post(self.send(to.0, to.1), 0),
            1 => self.post(self.receive(from.0, from.1), 1),
            k => self.wait(k - 2),
        }
    }

    /// Returns the number of the k-th other rank.
    fn other(&self, k: usize) -> usize {
        if k < self.rank { k } else { k + 1 }
    }

    /// Returns a step of a linear barrier: rank 0 receives an empty message from each other rank, then sends one to
    /// each.
    pub(super) fn barrier(&self, step: usize) -> Option<Operation> {
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

    /// Returns a step of a broadcast along a binomial tree: the relative rank v = (rank − root) mod p receives from v −
    /// 2ᵏ, where 2ᵏ is the lowest set bit of v, and sends to v + 2ʲ for j = k − 1, …, 0.
    pub(super) fn broadcast(&self, root: usize, step: usize) -> Option<Operation> {
        let ranks = self.ranks;
        let relative = (self.rank + ranks - root) % ranks;
        let absolute = |relative: usize| (relative + root) % ranks;
        let lowest_bit = if relative == 0 { ranks.next_power_of_two() } else { 1 << relative.trailing_zeros() };
        let mut sends = step;
        if relative != 0 {
            if step == 0 {
                return Some(Operation::Do(self.receive(absolute(relative - lowest_bit), self.size)));
            }
            sends -= 1;
        }
        let distances = std::iter::successors(Some(lowest_bit / 2), |distance| Some(distance / 2));
        let mut children = distances.take_while(|&distance| distance > 0).filter(|d| relative + d < ranks);
        children.nth(sends).map(|distance| Operation::Do(self.send(absolute(relative + distance), self.size)))
    }

    /// The number of steps of this rank in a reduction to rank 0.
    pub(super) fn reduction_steps(&self) -> usize {
        if self.rank == 0 { 2 * (self.ranks - 1) } else { 2 }
    }

    /// The root receives a block of size `expected(rank)` from each other rank.
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

    /// The root sends a block of size `sent(rank)` to each other rank.
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
    pub(super) fn with_others(&self, step: usize, transfer: impl Fn(usize) -> Transfer) -> Option<Operation> {
        self.posted(self.ranks - 1, step, |k| transfer(self.other(k)))
    }

    /// Posts a number of transfers, then waits for all.
    pub(super) fn posted(
        &self,
        transfers: usize,
        step: usize,
        transfer: impl Fn(usize) -> Transfer,
    ) -> Option<Operation> {
        match step {
            k if k < transfers => Some(self.post(transfer(k), k)),
            k if k < 2 * transfers => Some(self.wait(k - transfers)),
            _ => None,
        }
    }

    /// Posts a send to and a receive from each other rank, then waits for all.
    pub(super) fn with_all(&self, expected: impl Fn(usize) -> Bytes, step: usize) -> Option<Operation> {
        self.posted(2 * (self.ranks - 1), step, |k| {
            let peer = self.other(k / 2);
            if k % 2 == 0 { self.send(peer, self.size) } else { self.receive(peer, expected(peer)) }
        })
    }

    /// Posts a receive from each other rank, then a send to each, then waits for all. The list of sizes holds those
    /// sent, then those received.
    pub(super) fn with_each(&self, step: usize) -> Option<Operation> {
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

    /// Returns a step of a scan: receives from all lower ranks and sends to all higher ranks.
    pub(super) fn scan(&self, step: usize) -> Option<Operation> {
        self.with_others(step, |peer| {
            if peer < self.rank { self.receive(peer, self.size) } else { self.send(peer, self.size) }
        })
    }
}
