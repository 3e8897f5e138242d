use std::collections::BTreeMap;

use super::graph::FOR_START;
use super::steps::{Step, Steps};
use super::{ANY, GoalGraph, Operation as Node, OperationKind};
use crate::schedule::{Cursor, Operation, Rank, Schedule, Tag, Transfer};
use crate::units::{Bytes, Seconds};

/// A trace in GOAL whose ranks do one thing after the other, as a schedule.
///
/// Transfers are posted, and waited for where another operation waits for them. Processors and interfaces of a rank are
/// not told apart.
#[derive(Debug, Clone, PartialEq)]
pub struct SequentialSchedule {
    /// What each rank does, with its line.
    ranks: Vec<Vec<(Operation, u32)>>,
}

/// Why the operations of a rank are no sequence.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum SequentialError {
    /// An operation could go on while its program stands in another.
    #[error(
        "line {later}: this need not wait for line {earlier}, which does not fit a program that does one thing after the \
         other; only loggp replays such graphs"
    )]
    Parallel {
        /// The line of the operation.
        later: u32,
        /// The line of the one that stands in its way.
        earlier: u32,
    },
    /// An operation starts with a computation.
    #[error("line {line}: this starts together with the computation of line {with}; only loggp replays such graphs")]
    Together {
        /// The line of the operation.
        line: u32,
        /// The line of the computation.
        with: u32,
    },
    /// A receive with any tag.
    #[error("line {line}: a receive with any tag; only loggp replays such traces")]
    AnyTag {
        /// The line of the receive.
        line: u32,
    },
    /// Operations that wait for each other.
    #[error("line {line}: this waits for operations that wait for it")]
    Circle {
        /// The line of one of them.
        line: u32,
    },
}

impl SequentialSchedule {
    /// The operations of a trace in an order that they allow.
    ///
    /// # Errors
    ///
    /// When a rank does more than one thing at a time, other than transfers.
    pub fn new(goal: &GoalGraph) -> Result<Self, SequentialError> {
        let rank = |own| {
            let line = |stuck: u32| goal.operations()[stuck as usize].line;
            let steps = Steps::new(goal, own).map_err(|stuck| SequentialError::Circle { line: line(stuck) })?;
            check(goal.operations(), &steps)?;
            Ok(steps.list.iter().map(|&step| operation(goal.operations(), step)).collect())
        };
        Ok(Self { ranks: goal.of_ranks().into_iter().map(rank).collect::<Result<_, _>>()? })
    }

    /// The line of a statement of a rank, as the cursor counts.
    pub fn line(&self, rank: Rank, statement: u32) -> Option<u32> {
        self.ranks.get(rank.index())?.get(statement as usize).map(|(_, line)| *line)
    }
}

impl Schedule for SequentialSchedule {
    fn ranks(&self) -> usize {
        self.ranks.len()
    }

    fn next(&self, rank: Rank, cursor: &mut Cursor) -> Option<Operation> {
        let own = self.ranks.get(rank.index())?;
        if cursor.step > 0 {
            *cursor = Cursor { statement: cursor.statement + 1, step: 0 };
        }
        cursor.step = 1;
        own.get(cursor.statement as usize).map(|(operation, _)| *operation)
    }
}

/// Refuses steps that a program would stand in while the graph goes on.
fn check(all: &[Node], steps: &Steps) -> Result<(), SequentialError> {
    // What the program has stood in, in order: it is behind all of them.
    let mut stood: Vec<u32> = Vec::new();
    // For each operation, how many of those it is certain to be behind; one more once it was stood in itself.
    let mut behind: BTreeMap<u32, usize> = BTreeMap::new();
    for &step in &steps.list {
        let number = match step {
            Step::Wait(number, ..) => {
                stood.push(number);
                continue;
            }
            Step::Compute(number) | Step::Begin(number, _) => number,
        };
        let node = all[number as usize];
        let waits = steps.waits(number);
        let mut certain = 0;
        for &wait in waits {
            let other = all[(wait & !FOR_START) as usize];
            if wait & FOR_START != 0 && other.kind == OperationKind::Calculate {
                return Err(SequentialError::Together { line: node.line, with: other.line });
            }
            certain = certain.max(behind.get(&(wait & !FOR_START)).copied().unwrap_or_default());
        }
        // Beyond the certain ones, everything that the program stood in must be waited for.
        if let Some(other) = stood[certain..].iter().find(|other| !waits.contains(other)) {
            return Err(SequentialError::Parallel { later: node.line, earlier: all[*other as usize].line });
        }
        if node.kind == OperationKind::Receive && node.tag == ANY {
            return Err(SequentialError::AnyTag { line: node.line });
        }
        if node.kind == OperationKind::Calculate {
            stood.push(number);
        }
        behind.insert(number, stood.len());
    }
    Ok(())
}

/// A step as an operation, with its line.
fn operation(all: &[Node], step: Step) -> (Operation, u32) {
    let (Step::Compute(number) | Step::Begin(number, _) | Step::Wait(number, ..)) = step;
    let node = all[number as usize];
    let (peer, size, tag) = (Rank(node.peer), Bytes::new(node.size), Tag(node.tag));
    let operation = match step {
        Step::Compute(_) => Operation::Compute(Seconds::new(node.size as f64 * 1e-9)),
        Step::Wait(_, request, _) => Operation::Wait(request),
        Step::Begin(_, request) => {
            let transfer = match node.kind {
                OperationKind::Send => Transfer::Send { to: peer, size, tag },
                _ if node.peer == ANY => Transfer::ReceiveAny { size, tag },
                _ => Transfer::Receive { from: peer, size, tag },
            };
            Operation::Post(transfer, request)
        }
    };
    (operation, node.line)
}
