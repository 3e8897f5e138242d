//! Graphs of GOAL as sequential programs.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use super::graph::{ANY, GoalGraph, GoalOperation, OperationKind, START_FLAG};
use orrery_base::file::{Fault, Result};
use orrery_base::units::Seconds;
use orrery_program::schedule::{Cursor, Operation, Rank, Request, Schedule};

/// A graph of GOAL whose ranks are sequential programs, as a schedule.
///
/// Messages are posted, and waited for before the first operation that depends on them. The
/// processor and the network interface of operations are ignored.
#[derive(Debug, Clone, PartialEq)]
pub struct SequentialSchedule {
    /// The operations of each rank, with their lines.
    ranks: Vec<Vec<(Operation, u32)>>,
}

impl SequentialSchedule {
    /// Orders the operations of each rank by their dependencies.
    ///
    /// # Errors
    ///
    /// A rank with operations that may run at the same time, other than messages.
    pub fn new(graph: &GoalGraph) -> Result<Self> {
        let rank = |own| -> Result<Vec<_>> {
            let steps = Steps::new(graph, own).map_err(at_line)?;
            check(graph.operations(), &steps).map_err(at_line)?;
            Ok(steps.list.iter().map(|&step| operation(graph.operations(), step)).collect())
        };
        Ok(Self { ranks: graph.operations_by_rank().into_iter().map(rank).collect::<Result<_>>()? })
    }

    /// The line of a statement of a rank, as in [`Cursor::statement`].
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

/// A fault at a line of a text that is not known.
fn at_line((line, fault): (u32, Fault)) -> Fault {
    fault.within(format_args!("line {line}"))
}

/// Returns an error with its line unless each operation depends on all blocking steps before it.
fn check(all: &[GoalOperation], steps: &Steps) -> Result<(), (u32, Fault)> {
    // The operations of the blocking steps so far, in order.
    let mut blocking: Vec<u32> = Vec::new();
    // For each operation, the number of blocking steps that it depends on, including itself.
    let mut depth: BTreeMap<u32, usize> = BTreeMap::new();
    for &step in &steps.list {
        let number = match step {
            Step::Wait(number, ..) => {
                blocking.push(number);
                continue;
            }
            Step::Compute(number) | Step::Post(number, _) => number,
        };
        let operation = all[number as usize];
        let dependencies = steps.dependencies(number);
        let mut covered = 0;
        for &dependency in dependencies {
            let other = all[(dependency & !START_FLAG) as usize];
            if dependency & START_FLAG != 0 && other.kind == OperationKind::Calculate {
                let fault = format!(
                    "this operation runs during the computation of line {}, which a sequential \
                        program cannot do; replay the graph with the network loggp, or write \
                        requires",
                    other.line
                );
                return Err((operation.line, fault.into()));
            }
            covered =
                covered.max(depth.get(&(dependency & !START_FLAG)).copied().unwrap_or_default());
        }
        // The blocking steps that no dependency covers must be dependencies themselves.
        if let Some(other) = blocking[covered..].iter().find(|other| !dependencies.contains(other))
        {
            let fault = format!(
                "this operation does not depend on line {}, but a sequential program runs it \
                    afterwards; replay the graph with the network loggp, or add the dependency",
                all[*other as usize].line
            );
            return Err((operation.line, fault.into()));
        }
        if operation.kind == OperationKind::Receive && operation.tag == ANY {
            let fault =
                "this receives any tag; replay the graph with the network loggp, or name the tag";
            return Err((operation.line, fault.into()));
        }
        if operation.kind == OperationKind::Calculate {
            blocking.push(number);
        }
        depth.insert(number, blocking.len());
    }
    Ok(())
}

/// The operation of a step, with its line.
fn operation(all: &[GoalOperation], step: Step) -> (Operation, u32) {
    let (Step::Compute(number) | Step::Post(number, _) | Step::Wait(number, ..)) = step;
    let node = all[number as usize];
    let operation = match step {
        Step::Compute(_) => Operation::Compute(Seconds::new(node.size as f64 * 1e-9)),
        Step::Wait(_, request, _) => Operation::Wait(request),
        Step::Post(_, request) => Operation::Post(node.transfer(), request),
    };
    (operation, node.line)
}

/// A step of a sequential program; operations are given by their numbers in the graph.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Step {
    /// A computation.
    Compute(u32),
    /// A nonblocking send or receive.
    Post(u32, Request),
    /// A wait for a message, and the operation that depends on it; `None` for the waits at the end
    /// of the program.
    Wait(u32, Request, Option<u32>),
}

/// The operations of a rank as a sequential program.
#[derive(Debug)]
pub(super) struct Steps {
    pub(super) list: Vec<Step>,
    /// The number of the first operation of the rank.
    first: u32,
    /// The dependencies of each operation.
    dependencies: Vec<Vec<u32>>,
}

impl Steps {
    /// Orders the operations `own` of a rank. Of the operations whose dependencies are complete,
    /// the first in the text is next; a message is waited for before the first operation that
    /// depends on it.
    ///
    /// # Errors
    ///
    /// The line of an operation in a cycle of dependencies.
    pub(super) fn new(graph: &GoalGraph, own: Range<u32>) -> Result<Self, (u32, Fault)> {
        let first = own.start;
        let mut dependencies: Vec<Vec<u32>> = vec![Vec::new(); own.len()];
        for number in own.clone() {
            for (dependent, on_start) in graph.dependents(number) {
                let dependency = if on_start { number | START_FLAG } else { number };
                dependencies[(dependent - first) as usize].push(dependency);
            }
        }
        let order = topological_order(graph, own, &dependencies)?;
        let mut steps = Self { list: Vec::with_capacity(2 * order.len()), first, dependencies };
        let (mut open, mut free, mut requests) = (BTreeMap::new(), Vec::new(), 0);
        for number in order {
            for awaited in &steps.dependencies[(number - first) as usize] {
                // A dependency on a start needs no wait: the operation is posted before this one.
                if let Some(request) = open.remove(awaited) {
                    free.push(request);
                    steps.list.push(Step::Wait(*awaited, request, Some(number)));
                }
            }
            if graph.operations()[number as usize].kind == OperationKind::Calculate {
                steps.list.push(Step::Compute(number));
                continue;
            }
            let request = free.pop().unwrap_or_else(|| {
                requests += 1;
                Request(requests - 1)
            });
            open.insert(number, request);
            steps.list.push(Step::Post(number, request));
        }
        steps
            .list
            .extend(open.into_iter().map(|(number, request)| Step::Wait(number, request, None)));
        Ok(steps)
    }

    /// The dependencies of an operation; those on a start have [`START_FLAG`].
    fn dependencies(&self, number: u32) -> &[u32] {
        &self.dependencies[(number - self.first) as usize]
    }
}

/// The operations of a rank in an order in which each is after its dependencies, otherwise in the
/// order of the text.
///
/// # Errors
///
/// The line of an operation in a cycle of dependencies.
fn topological_order(
    graph: &GoalGraph,
    own: Range<u32>,
    dependencies: &[Vec<u32>],
) -> Result<Vec<u32>, (u32, Fault)> {
    let first = own.start;
    let mut left: Vec<usize> = dependencies.iter().map(Vec::len).collect();
    let mut order = Vec::with_capacity(own.len());
    let mut ready: BTreeSet<u32> =
        own.filter(|number| left[(number - first) as usize] == 0).collect();
    while let Some(number) = ready.pop_first() {
        order.push(number);
        for (dependent, _) in graph.dependents(number) {
            let left = &mut left[(dependent - first) as usize];
            *left -= 1;
            if *left == 0 {
                ready.insert(dependent);
            }
        }
    }
    match (first..).zip(left).find(|(_, left)| *left > 0) {
        Some((in_cycle, _)) => {
            let fault =
                "this operation requires itself through others; remove one of the dependencies";
            Err((graph.operations()[in_cycle as usize].line, fault.into()))
        }
        None => Ok(order),
    }
}
