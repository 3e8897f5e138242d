use std::path::Path;

use super::graph::{ANY, GoalGraph, GoalOperation, OperationKind};
use super::sequential::{Step, Steps};
use crate::trace::actions::{Action, Trace, TraceBuilder};
use orrery_base::file::{Fault, FileError, Position, Result};
use orrery_program::schedule::Request;

impl GoalGraph {
    /// Converts the graph to a trace; `file` is its name in errors and locations.
    ///
    /// Of the operations whose dependencies are complete, the first in the text is next. A
    /// nanosecond of computation is one floating-point operation, as on a host of 1 Gflop/s.
    ///
    /// # Errors
    ///
    /// Cycles of dependencies, computation on a second processor (`cpu 1`), and receives of any
    /// tag.
    pub fn to_trace(&self, file: &str) -> Result<Trace, FileError> {
        let at = |line: u32, fault| {
            FileError::at(Path::new(file), Position { line: line as usize, column: 1 }, fault)
        };
        let mut builder = TraceBuilder::new(self.ranks);
        let source = builder.add_file(file);
        for own in self.operations_by_rank() {
            builder.begin_rank(Some(source)).map_err(|fault| at(1, fault))?;
            let Steps { list, .. } =
                Steps::new(self, own).map_err(|(line, fault)| at(line, fault))?;
            self.record(&list, &mut builder).map_err(|(line, fault)| at(line, fault))?;
        }
        builder.finish().map_err(|fault| at(1, fault))
    }

    /// Records the steps of a rank. A message that is waited for right after it is posted becomes a
    /// blocking action.
    fn record(&self, steps: &[Step], builder: &mut TraceBuilder) -> Result<(), (u32, Fault)> {
        let line_of = |number: u32| self.operations[number as usize].line;
        let mut blocking = None;
        let mut open = Vec::new();
        for (index, step) in steps.iter().enumerate() {
            let (line, action) = match *step {
                Step::Compute(number) | Step::Post(number, _) => {
                    let request =
                        if let Step::Post(_, request) = *step { Some(request) } else { None };
                    let following = steps[index + 1..].iter();
                    let mut waits =
                        following.take_while(|step| matches!(step, Step::Wait(_, _, Some(_))));
                    let is_awaited = waits
                        .any(|step| matches!(step, Step::Wait(awaited, ..) if *awaited == number));
                    blocking = is_awaited.then_some(number);
                    let line = line_of(number);
                    let action =
                        action(self.operations[number as usize], request.filter(|_| !is_awaited));
                    (line, action.map_err(|fault| (line, fault))?)
                }
                Step::Wait(number, ..) if blocking == Some(number) => continue,
                Step::Wait(_, request, Some(follower)) => {
                    (line_of(follower), Action::Wait(request))
                }
                Step::Wait(_, request, None) => {
                    open.push(request);
                    continue;
                }
            };
            builder.push(action, line).map_err(|fault| (line, fault))?;
        }
        if open.is_empty() {
            Ok(())
        } else {
            builder.wait_all(&open, 0).map_err(|fault| (1, fault))
        }
    }
}

/// An operation as an action: nonblocking with a request, otherwise blocking.
fn action(operation: GoalOperation, request: Option<Request>) -> Result<Action> {
    let GoalOperation { cpu, kind, .. } = operation;
    if operation.tag == ANY {
        return Err("a trace cannot represent a receive of any tag; name the tag".into());
    }
    if kind == OperationKind::Calculate {
        if cpu != 0 {
            let fault = "a trace cannot represent computation on a second processor; use cpu 0";
            return Err(fault.into());
        }
        return Ok(Action::Compute { flops: operation.size as f64 });
    }
    let transfer = operation.transfer();
    Ok(request.map_or(Action::Do(transfer), |request| Action::Post(transfer, request)))
}
