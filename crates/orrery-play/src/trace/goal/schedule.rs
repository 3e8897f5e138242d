use std::collections::BTreeMap;
use std::io::{self, Write};

use super::graph::{ANY, GoalGraph, GoalOperation, MAX_OPERATIONS, OperationKind, START_FLAG};
use orrery_base::file::{Fault, Result};
use orrery_base::units::Bytes;
use orrery_program::schedule::{Cursor, Operation, Rank, Request, Schedule, Tag, Transfer};

/// The first duration that is too long: 2^64 ns.
const MAX_NANOSECONDS: f64 = 18_446_744_073_709_551_616.0;

/// Converts a rank of a schedule to operations of GOAL, numbered from `first`; returns the number
/// after the last one.
///
/// Calls `take` with each operation and its dependencies, which have [`START_FLAG`] if they are on
/// the start. An operation depends on the end of the blocking operation before it and on the start
/// of the transfers posted before it.
fn convert<S: Schedule + ?Sized, E: From<Fault>>(
    schedule: &S,
    rank: Rank,
    first: u32,
    mut take: impl FnMut(GoalOperation, &[u32]) -> Result<(), E>,
) -> Result<u32, E> {
    let mut posted: BTreeMap<Request, u32> = BTreeMap::new();
    let mut dependencies: Vec<u32> = Vec::new();
    let mut cursor = Cursor::default();
    let mut number = first;
    while let Some(operation) = schedule.next(rank, &mut cursor) {
        let (converted, request) = match operation {
            Operation::Do(transfer) => (message(transfer), None),
            Operation::Post(transfer, request) => (message(transfer), Some(request)),
            Operation::Compute(time) | Operation::Spin(time) => {
                let nanoseconds = (time.get() * 1e9).round();
                if nanoseconds >= MAX_NANOSECONDS {
                    let fault = format!(
                        "computation {} of rank {rank} takes {:?} s, but GOAL represents at most \
                            1.8e10 s; shorten it, or give a higher speed",
                        cursor.statement + 1,
                        time.get()
                    );
                    return Err(Fault::new(fault).into());
                }
                (GoalOperation::new(OperationKind::Calculate, ANY, 0, nanoseconds as u64), None)
            }
            Operation::Wait(request) => {
                if let Some(number) = posted.remove(&request) {
                    dependencies.retain(|&dependency| dependency != number | START_FLAG);
                    dependencies.push(number);
                }
                continue;
            }
            Operation::Test(_)
            | Operation::Combine(_)
            | Operation::Start(_)
            | Operation::Stop(_) => continue,
        };
        if number >= MAX_OPERATIONS {
            let fault =
                format!("the schedule has more than {MAX_OPERATIONS} operations; split the trace");
            return Err(Fault::new(fault).into());
        }
        take(GoalOperation { rank: rank.0, line: cursor.statement, ..converted }, &dependencies)?;
        dependencies.clear();
        // The start of a posted transfer is after all that it depends on.
        dependencies.push(if request.is_some() { number | START_FLAG } else { number });
        posted.extend(request.map(|request| (request, number)));
        number += 1;
    }
    Ok(number)
}

impl GoalGraph {
    /// A schedule as a graph. The `line` of each operation is its statement in the schedule; times
    /// are rounded to nanoseconds.
    ///
    /// An operation depends on the end of the blocking operation before it and on the start of the
    /// transfers posted before it. Each rank has one processor and one network interface; tests and
    /// timers take no time. The highest tag is replaced by the next lower one, since it is the
    /// wildcard of GOAL.
    ///
    /// # Errors
    ///
    /// A schedule with more operations than a graph holds, or with a longer duration.
    pub fn from_schedule<S: Schedule + ?Sized>(schedule: &S) -> Result<Self> {
        let (mut operations, mut dependencies): (Vec<GoalOperation>, Vec<Vec<u32>>) =
            (Vec::new(), Vec::new());
        let mut first = 0;
        for rank in Rank::first(schedule.ranks()) {
            first = convert(schedule, rank, first, |operation, own| {
                operations.push(operation);
                dependencies.push(own.to_vec());
                Ok::<(), Fault>(())
            })?;
        }
        Ok(Self::new(schedule.ranks() as u32, operations, &dependencies))
    }
}

/// A send or a receive.
fn message(transfer: Transfer) -> GoalOperation {
    let plain = |tag: Tag| tag.0.min(ANY - 1);
    let size = |size: Bytes| size.get();
    match transfer {
        Transfer::Send { to, size: bytes, tag } => {
            GoalOperation::new(OperationKind::Send, to.0, plain(tag), size(bytes))
        }
        Transfer::Receive { from, size: bytes, tag } => {
            GoalOperation::new(OperationKind::Receive, from.0, plain(tag), size(bytes))
        }
        Transfer::ReceiveAny { size: bytes, tag } => {
            GoalOperation::new(OperationKind::Receive, ANY, plain(tag), size(bytes))
        }
    }
}

/// Writes a schedule in GOAL: the graph of [`GoalGraph::from_schedule`], operation by operation.
///
/// # Errors
///
/// A writer that fails, and a schedule with more operations than a graph holds, or with a longer
/// duration.
pub fn write<S: Schedule + ?Sized>(schedule: &S, out: &mut impl Write) -> io::Result<()> {
    writeln!(out, "num_ranks {}", schedule.ranks())?;
    let mut first = 0;
    for rank in Rank::first(schedule.ranks()) {
        writeln!(out, "rank {rank} {{")?;
        let mut label = 0;
        first = convert(schedule, rank, first, |operation, dependencies| {
            label += 1;
            write_operation(out, label, operation)?;
            for dependency in dependencies {
                let word = if dependency & START_FLAG == 0 { "requires" } else { "irequires" };
                writeln!(out, "l{label} {word} l{}", (dependency & !START_FLAG) - first + 1)?;
            }
            Ok::<(), io::Error>(())
        })?;
        writeln!(out, "}}")?;
    }
    Ok(())
}

/// Writes an operation; labels are l1, l2, … in each rank.
fn write_operation(out: &mut impl Write, label: u32, operation: GoalOperation) -> io::Result<()> {
    let GoalOperation { size, peer, tag, kind, .. } = operation;
    match kind {
        OperationKind::Calculate => writeln!(out, "l{label}: calc {size}"),
        OperationKind::Send => writeln!(out, "l{label}: send {size}b to {peer} tag {tag}"),
        OperationKind::Receive if peer == ANY => {
            writeln!(out, "l{label}: recv {size}b from -1 tag {tag}")
        }
        OperationKind::Receive => writeln!(out, "l{label}: recv {size}b from {peer} tag {tag}"),
    }
}
