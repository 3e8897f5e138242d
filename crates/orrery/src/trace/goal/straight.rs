use std::collections::BTreeMap;

use super::graph::FOR_START;
use super::{ANY, Goal, Kind, Operation as Node};
use crate::schedule::{Cursor, Operation, Rank, Request, Schedule, Tag, Transfer};
use crate::units::{Bytes, Seconds};

/// A trace in GOAL whose ranks do one thing after the other, as a schedule.
///
/// Transfers are posted, and waited for where another operation waits for them. Processors and interfaces of a rank are
/// not told apart.
#[derive(Debug, Clone, PartialEq)]
pub struct Straight {
    /// What each rank does, with its line.
    ranks: Vec<Vec<(Operation, u32)>>,
}

/// Why the operations of a rank are no sequence.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum StraightError {
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

impl Straight {
    /// The operations of a trace in an order that they allow.
    ///
    /// # Errors
    ///
    /// When a rank does more than one thing at a time, other than transfers.
    pub fn new(goal: &Goal) -> Result<Self, StraightError> {
        let mut waits: Vec<Vec<u32>> = vec![Vec::new(); goal.operations().len()];
        for number in 0..goal.operations().len() as u32 {
            for (follower, for_start) in goal.followers(number) {
                waits[follower as usize].push(if for_start { number | FOR_START } else { number });
            }
        }
        let mut ranks = vec![Vec::new(); goal.ranks() as usize];
        let mut begin = 0;
        for own in goal.operations().chunk_by(|a, b| a.rank == b.rank) {
            let end = begin + own.len();
            let order = in_order(goal, &waits, begin..end)?;
            if let Some(node) = own.first() {
                ranks[node.rank as usize] = Writer::default().rank(goal.operations(), &waits, &order)?;
            }
            begin = end;
        }
        Ok(Self { ranks })
    }

    /// The line of a statement of a rank, as the cursor counts.
    pub fn line(&self, rank: Rank, statement: u32) -> Option<u32> {
        self.ranks.get(rank.index())?.get(statement as usize).map(|(_, line)| *line)
    }
}

impl Schedule for Straight {
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

/// The operations of a rank so that each stands behind those that it waits for; otherwise as they stand in the text.
fn in_order(goal: &Goal, waits: &[Vec<u32>], own: std::ops::Range<usize>) -> Result<Vec<u32>, StraightError> {
    let mut left: Vec<usize> = waits[own.clone()].iter().map(Vec::len).collect();
    let mut free: std::collections::BTreeSet<u32> =
        own.clone().filter(|&number| left[number - own.start] == 0).map(|number| number as u32).collect();
    let mut order = Vec::with_capacity(own.len());
    while let Some(number) = free.pop_first() {
        order.push(number);
        for (follower, _) in goal.followers(number) {
            let left = &mut left[follower as usize - own.start];
            *left -= 1;
            if *left == 0 {
                free.insert(follower);
            }
        }
    }
    match left.iter().position(|&left| left > 0) {
        Some(stuck) => Err(StraightError::Circle { line: goal.operations()[own.start + stuck].line }),
        None => Ok(order),
    }
}

/// Writes the program of a rank.
#[derive(Default)]
struct Writer {
    written: Vec<(Operation, u32)>,
    /// What the program has stood in, in order: it is behind all of them.
    stood: Vec<u32>,
    /// For each operation, how many of those it is certain to be behind; one more once it was stood in itself.
    behind: BTreeMap<u32, usize>,
    /// Transfers under way with their requests.
    open: BTreeMap<u32, Request>,
    free: Vec<Request>,
    requests: u32,
}

impl Writer {
    fn rank(mut self, all: &[Node], waits: &[Vec<u32>], order: &[u32]) -> Result<Vec<(Operation, u32)>, StraightError> {
        for &number in order {
            self.operation(all, &waits[number as usize], number)?;
        }
        let left: Vec<u32> = self.open.keys().copied().collect();
        left.into_iter().for_each(|number| self.stand_in(all, number));
        Ok(self.written)
    }

    fn operation(&mut self, all: &[Node], waits: &[u32], number: u32) -> Result<(), StraightError> {
        let node = all[number as usize];
        let mut certain = 0;
        for &wait in waits {
            let (other, for_start) = (wait & !FOR_START, wait & FOR_START != 0);
            if for_start && all[other as usize].kind == Kind::Calculate {
                return Err(StraightError::Together { line: node.line, with: all[other as usize].line });
            }
            if !for_start && self.open.contains_key(&other) {
                self.stand_in(all, other);
            }
            certain = certain.max(self.behind.get(&other).copied().unwrap_or_default());
        }
        // Beyond the certain ones, everything that the program stood in must be waited for.
        if let Some(other) = self.stood[certain..].iter().find(|other| !waits.contains(other)) {
            return Err(StraightError::Parallel { later: node.line, earlier: all[*other as usize].line });
        }
        self.behind.insert(number, self.stood.len());
        let (peer, size, tag) = (Rank(node.peer), Bytes::new(node.size), Tag(node.tag));
        let transfer = match node.kind {
            Kind::Calculate => {
                let time = Seconds::new(node.size as f64 * 1e-9);
                self.written.push((Operation::Compute(time), node.line));
                self.stood.push(number);
                self.behind.insert(number, self.stood.len());
                return Ok(());
            }
            Kind::Send => Transfer::Send { to: peer, size, tag },
            Kind::Receive if node.tag == ANY => return Err(StraightError::AnyTag { line: node.line }),
            Kind::Receive if node.peer == ANY => Transfer::ReceiveAny { size, tag },
            Kind::Receive => Transfer::Receive { from: peer, size, tag },
        };
        let request = self.free.pop().unwrap_or_else(|| {
            self.requests += 1;
            Request(self.requests - 1)
        });
        self.open.insert(number, request);
        self.written.push((Operation::Post(transfer, request), node.line));
        Ok(())
    }

    /// Waits for a transfer.
    fn stand_in(&mut self, all: &[Node], number: u32) {
        let Some(request) = self.open.remove(&number) else { return };
        self.free.push(request);
        self.written.push((Operation::Wait(request), all[number as usize].line));
        self.stood.push(number);
    }
}
