use std::io::{self, Write};

use super::graph::FOR_START;
use super::lower::lower;
use super::{ANY, Operation, OperationKind, TooManyOperations};
use crate::schedule::{Rank, Schedule};

/// Writes a schedule as GOAL, operation by operation: the graph that [`super::GoalGraph::from_schedule`] makes of it.
///
/// # Errors
///
/// When writing fails, and when there are more operations than GOAL's readers can number.
pub fn write<S: Schedule + ?Sized>(schedule: &S, out: &mut impl Write) -> io::Result<()> {
    writeln!(out, "num_ranks {}", schedule.ranks())?;
    let mut first = 0;
    for rank in Rank::first(schedule.ranks()) {
        writeln!(out, "rank {rank} {{")?;
        let mut label = 0;
        first = lower(schedule, rank, first, |operation, waits| {
            label += 1;
            line(out, label, operation)?;
            for wait in waits {
                let word = if wait & FOR_START == 0 { "requires" } else { "irequires" };
                writeln!(out, "l{label} {word} l{}", (wait & !FOR_START) - first + 1)?;
            }
            Ok::<(), io::Error>(())
        })?;
        writeln!(out, "}}")?;
    }
    Ok(())
}

/// An operation; labels are l1, l2, … in each rank.
fn line(out: &mut impl Write, label: u32, operation: Operation) -> io::Result<()> {
    let Operation { size, peer, tag, kind, .. } = operation;
    match kind {
        OperationKind::Calculate => writeln!(out, "l{label}: calc {size}"),
        OperationKind::Send => writeln!(out, "l{label}: send {size}b to {peer} tag {tag}"),
        OperationKind::Receive if peer == ANY => writeln!(out, "l{label}: recv {size}b from -1 tag {tag}"),
        OperationKind::Receive => writeln!(out, "l{label}: recv {size}b from {peer} tag {tag}"),
    }
}

impl From<TooManyOperations> for io::Error {
    fn from(error: TooManyOperations) -> Self {
        Self::other(error)
    }
}
