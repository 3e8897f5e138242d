//! The operations of a process in a step of a routine.

use super::program::RoutineProgram;
use super::stage::{Axis, Order, Process, Stage};
use crate::schedule::{
    Algorithm, Collective, CollectiveKind, Cursor, Operation, Rank, Request, Schedule as _, Tag,
    Transfer,
};
use orrery_base::units::Bytes;

impl RoutineProgram {
    /// The next operation of a process in a stage of communication; `None` after the last one, and
    /// for a kernel.
    pub(super) fn transfer(
        &self,
        stage: &Stage,
        process: Process,
        cursor: &mut Cursor,
    ) -> Option<Operation> {
        match stage {
            Stage::Kernel { .. } => None,
            Stage::Broadcast { message, root, order } => {
                let size = self.size(message, process)?;
                let algorithm = match order {
                    Order::Native => self.collectives.broadcast,
                    Order::Split => Algorithm::Chain(2, Bytes::ZERO),
                    Order::Increasing | Order::Decreasing => self.collectives.ring,
                };
                self.collective(
                    (CollectiveKind::Broadcast, algorithm, size),
                    (message.along, *root),
                    *order,
                    process,
                    cursor,
                )
            }
            Stage::Sum { message, root } => {
                let size = self.size(message, process)?;
                let (kind, algorithm) = match root {
                    Some(_) => (CollectiveKind::Reduce, self.collectives.reduce),
                    None => (CollectiveKind::Allreduce, self.collectives.allreduce),
                };
                let root = (message.along, root.unwrap_or(0));
                self.collective((kind, algorithm, size), root, Order::Native, process, cursor)
            }
            Stage::Send { message, from, to } => {
                let (size, own) = (self.size(message, process)?, process.coordinate(message.along));
                let rank = |other| self.rank(process.with(message.along, other));
                match cursor.advance() {
                    0 if own == *from => Some(Operation::send(rank(*to), size)),
                    0 if own == *to => Some(Operation::receive(rank(*from), size)),
                    _ => None,
                }
            }
            Stage::Exchange { message, between } => {
                let (size, own) = (self.size(message, process)?, process.coordinate(message.along));
                let other = match *between {
                    [one, other] if one == own => other,
                    [one, other] if other == own => one,
                    _ => return None,
                };
                let other = self.rank(process.with(message.along, other));
                match cursor.advance() {
                    0 => Some(Operation::Post(
                        Transfer::Send { to: other, size, tag: Tag(0) },
                        Request(0),
                    )),
                    1 => Some(Operation::receive(other, size)),
                    2 => Some(Operation::Wait(Request(0))),
                    _ => None,
                }
            }
            Stage::Spread { message, from } => {
                let at = |other| process.with(message.along, other);
                if process.coordinate(message.along) != *from {
                    let size = self.size(message, process).filter(|_| cursor.advance() == 0)?;
                    return Some(Operation::receive(self.rank(at(*from)), size));
                }
                let transfer = |other: u32| {
                    let size = self.size(message, at(other)).filter(|_| other != *from)?;
                    Some(Transfer::Send { to: self.rank(at(other)), size, tag: Tag(0) })
                };
                posted(&transfer, self.grid.along(message.along), cursor)
            }
            Stage::Combine { message, root } => {
                let size = self.size(message, process)?;
                let operation = (CollectiveKind::Reduce, Algorithm::Binomial, size);
                self.collective(operation, (message.along, *root), Order::Native, process, cursor)
            }
            Stage::Mirror { message } => {
                let other = Process { row: process.column, column: process.row };
                if other == process {
                    return None;
                }
                let (sent, received) = (self.size(message, process), self.size(message, other));
                let send =
                    sent.map(|size| Transfer::Send { to: self.rank(other), size, tag: Tag(0) });
                let receive = received.map(|size| Operation::receive(self.rank(other), size));
                let all = [
                    send.map(|send| Operation::Post(send, Request(0))),
                    receive,
                    send.map(|_| Operation::Wait(Request(0))),
                ];
                std::iter::from_fn(|| all.get(cursor.advance()).copied()).flatten().next()
            }
            Stage::Transpose { .. } => {
                let places = self.grid.common_multiple();
                posted(&|place| self.turned(stage, process, place), places, cursor)
            }
        }
    }

    /// The transfer of a process in a [`Stage::Transpose`] for the blocks whose numbers have the
    /// remainder `place`, counted from the first block, modulo the least common multiple of the
    /// grid; `None` if it has none.
    fn turned(&self, stage: &Stage, process: Process, place: u32) -> Option<Transfer> {
        let Stage::Transpose { axis, range, width, at, to, is_replicated } = stage else {
            return None;
        };
        let (one, other) = (self.grid.along(*axis), self.grid.along(axis.other()));
        // Blocks with this number modulo the least common multiple.
        let first = range.start / self.grid.block;
        let block = first + u64::from(place);
        let (from, target) = ((block % u64::from(one)) as u32, (block % u64::from(other)) as u32);
        let of = |along, across| {
            Process { row: 0, column: 0 }.with(*axis, along).with(axis.other(), across)
        };
        let (sender, receiver) = (of(from, *at), of(*to, target));
        let count = self.grid.common(range.clone(), block, self.grid.common_multiple());
        if sender == receiver || count == 0 || *is_replicated && from == *to {
            return None;
        }
        let size = self.bytes([count, *width]);
        if process == sender {
            Some(Transfer::Send { to: self.rank(receiver), size, tag: Tag(0) })
        } else {
            (process == receiver).then(|| Transfer::Receive {
                from: self.rank(sender),
                size,
                tag: Tag(0),
            })
        }
    }

    /// The next operation of a process in a collective operation on `block` bytes among the
    /// processes along a direction; `None` after the last one.
    fn collective(
        &self,
        (kind, algorithm, block): (CollectiveKind, Algorithm, Bytes),
        (along, root): (Axis, u32),
        order: Order,
        process: Process,
        cursor: &mut Cursor,
    ) -> Option<Operation> {
        let ranks = self.grid.along(along);
        let number = Numbering { ranks, root, order };
        let collective = Collective {
            kind,
            algorithm,
            root: Rank(number.of(root)),
            ranks: ranks as usize,
            block,
        };
        let own = Rank(number.of(process.coordinate(along)));
        let operation = collective.next(own, cursor)?;
        Some(operation.map_ranks(|peer| self.rank(process.with(along, number.coordinate(peer.0)))))
    }
}

/// The ranks that the processes of a row or column of a grid have in a collective operation.
struct Numbering {
    ranks: u32,
    root: u32,
    order: Order,
}

impl Numbering {
    /// The rank of a coordinate. The mapping is its own inverse.
    fn of(&self, coordinate: u32) -> u32 {
        match self.order {
            Order::Increasing | Order::Native => coordinate,
            Order::Decreasing => self.ranks - 1 - coordinate,
            Order::Split => {
                // The second chain begins at the last process.
                let distance = (self.ranks + coordinate - self.root) % self.ranks;
                let middle = self.ranks / 2;
                let mirrored =
                    if distance > middle { self.ranks + middle - distance } else { distance };
                (self.root + mirrored) % self.ranks
            }
        }
    }

    /// The coordinate of a rank.
    fn coordinate(&self, rank: u32) -> u32 {
        self.of(rank)
    }
}

/// The next operation of a process that goes through `places` transfers in order, posts the sends
/// and receives at once, then waits for the sends; `None` after the last one.
fn posted(
    transfer: &dyn Fn(u32) -> Option<Transfer>,
    places: u32,
    cursor: &mut Cursor,
) -> Option<Operation> {
    while cursor.step < 2 * places {
        let step = cursor.advance() as u32;
        match transfer(step % places) {
            Some(send @ Transfer::Send { .. }) if step < places => {
                return Some(Operation::Post(send, Request(step)));
            }
            Some(Transfer::Send { .. }) => return Some(Operation::Wait(Request(step - places))),
            Some(receive) if step < places => return Some(Operation::Do(receive)),
            _ => {}
        }
    }
    None
}
