use std::collections::BTreeMap;

use super::graph::FOR_START;
use super::{ANY, GoalGraph, Operation as Node, OperationKind};
use crate::schedule::{Cursor, Operation, Rank, Request, Schedule, Tag, Transfer};
use crate::units::Bytes;

/// Lowers a rank of a schedule: gives each operation, numbered from `first`, and what it waits for: the end of another
/// or (with the highest bit set) its start. Gives the number behind the last.
///
/// An operation waits for the end of what its program stood in before it, and for the start of what was posted before it.
pub(super) fn lower<S: Schedule + ?Sized, E: From<TooManyOperations>>(
    schedule: &S,
    rank: Rank,
    first: u32,
    mut take: impl FnMut(Node, &[u32]) -> Result<(), E>,
) -> Result<u32, E> {
    let mut posted: BTreeMap<Request, u32> = BTreeMap::new();
    let mut before: Vec<u32> = Vec::new();
    let mut cursor = Cursor::default();
    let mut number = first;
    while let Some(operation) = schedule.next(rank, &mut cursor) {
        let (node, request) = match operation {
            Operation::Do(transfer) => (message(transfer), None),
            Operation::Post(transfer, request) => (message(transfer), Some(request)),
            Operation::Compute(time) | Operation::Spin(time) => {
                (node(OperationKind::Calculate, ANY, 0, (time.get() * 1e9).round() as u64), None)
            }
            Operation::Wait(request) => {
                if let Some(number) = posted.remove(&request) {
                    before.retain(|&wait| wait != number | FOR_START);
                    before.push(number);
                }
                continue;
            }
            Operation::Test(_) | Operation::Start(_) | Operation::Stop(_) => continue,
        };
        if number >= FOR_START {
            return Err(TooManyOperations.into());
        }
        take(Node { rank: rank.0, line: cursor.statement, ..node }, &before)?;
        before.clear();
        // The start of what is posted is behind everything that it waits for.
        before.push(if request.is_some() { number | FOR_START } else { number });
        posted.extend(request.map(|request| (request, number)));
        number += 1;
    }
    Ok(number)
}

impl GoalGraph {
    /// A schedule as a graph: the `line` of each operation is the statement of its schedule, times are whole nanoseconds.
    ///
    /// An operation waits for the end of what its program stood in before it, and for the start of what was posted
    /// before it. Programs have one processor and one interface; tests and timers take no time. Of collective operations
    /// of traces, whose tag is the highest, the tag is one less, since the highest stands for any.
    ///
    /// # Errors
    ///
    /// More operations than a graph holds.
    pub fn from_schedule<S: Schedule + ?Sized>(schedule: &S) -> Result<Self, TooManyOperations> {
        let (mut operations, mut waits): (Vec<Node>, Vec<Vec<u32>>) = (Vec::new(), Vec::new());
        let mut first = 0;
        for rank in Rank::first(schedule.ranks()) {
            first = lower(schedule, rank, first, |node, before| {
                operations.push(node);
                waits.push(before.to_vec());
                Ok::<(), TooManyOperations>(())
            })?;
        }
        Ok(Self::new(schedule.ranks() as u32, operations, &waits))
    }

    /// A graph of operations, rank by rank, and what each waits for.
    fn new(ranks: u32, operations: Vec<Node>, waits: &[Vec<u32>]) -> Self {
        let mut followers: Vec<Vec<u32>> = vec![Vec::new(); operations.len()];
        for (number, waits) in waits.iter().enumerate() {
            for wait in waits {
                followers[(wait & !FOR_START) as usize].push(number as u32 | wait & FOR_START);
            }
        }
        let mut ends = Vec::with_capacity(operations.len());
        let mut flat = Vec::new();
        for own in followers {
            flat.extend(own);
            ends.push(flat.len() as u32);
        }
        Self { ranks, operations, ends, followers: flat }
    }
}

/// A schedule with more operations than a graph can number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("there are more than {FOR_START} operations; split the trace")]
pub struct TooManyOperations;

fn node(kind: OperationKind, peer: u32, tag: u32, size: u64) -> Node {
    Node { size, rank: 0, peer, tag, line: 0, cpu: 0, nic: 0, kind }
}

fn message(transfer: Transfer) -> Node {
    let own = |tag: Tag| tag.0.min(ANY - 1);
    let size = |size: Bytes| size.get();
    match transfer {
        Transfer::Send { to, size: bytes, tag } => node(OperationKind::Send, to.0, own(tag), size(bytes)),
        Transfer::Receive { from, size: bytes, tag } => node(OperationKind::Receive, from.0, own(tag), size(bytes)),
        Transfer::ReceiveAny { size: bytes, tag } => node(OperationKind::Receive, ANY, own(tag), size(bytes)),
    }
}
