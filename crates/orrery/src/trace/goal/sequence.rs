use super::steps::{Step, Steps};
use super::{ANY, GoalGraph, Operation, OperationKind};
use crate::schedule::{Rank, Request, Tag};
use crate::trace::actions::{Action, RecordError, Trace, TraceBuilder};
use crate::units::Bytes;

/// What a list cannot say of a graph, or a mistake in it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{file}:{line}:1: {reason}")]
pub struct GoalTraceError {
    /// The name of the file.
    pub file: String,
    /// The line of the operation.
    pub line: u32,
    /// What cannot be said.
    pub reason: String,
}

impl GoalGraph {
    /// The operations as a trace: of those that could be next, the first as written. A message that something waits
    /// for is begun and waited for there; a nanosecond of computation is one floating-point operation, as on a host of
    /// 1 Gf. `file` is the name of the text.
    ///
    /// # Errors
    ///
    /// Operations that wait for each other, computation beside other computation (`cpu 1`), and receives of any tag.
    pub fn trace(&self, file: &str) -> Result<Trace, GoalTraceError> {
        let at = |line: u32, reason: String| GoalTraceError { file: file.to_owned(), line, reason };
        let mut builder = TraceBuilder::new(self.ranks);
        let source = builder.add_file(file);
        for own in self.of_ranks() {
            builder.begin_rank(Some(source)).map_err(|mistake| at(1, mistake.to_string()))?;
            let Steps { list, .. } = Steps::new(self, own).map_err(|stuck| {
                let line = self.operations[stuck as usize].line;
                at(line, "this waits for what waits for it; remove one of the requires".into())
            })?;
            self.record(&list, &mut builder).map_err(|(line, reason)| at(line, reason))?;
        }
        builder.finish().map_err(|mistake| at(1, mistake.to_string()))
    }

    /// Records the steps of a rank; a message that is waited for before anything else is done is one action.
    fn record(&self, steps: &[Step], builder: &mut TraceBuilder) -> Result<(), (u32, String)> {
        let line_of = |number: u32| self.operations[number as usize].line;
        let mut at_once = None;
        let mut open = Vec::new();
        for (place, step) in steps.iter().enumerate() {
            let (line, action) = match *step {
                Step::Compute(number) | Step::Begin(number, _) => {
                    let request = if let Step::Begin(_, request) = *step { Some(request) } else { None };
                    let behind = steps[place + 1..].iter();
                    let mut waits = behind.take_while(|step| matches!(step, Step::Wait(_, _, Some(_))));
                    let is_awaited = waits.any(|step| matches!(step, Step::Wait(awaited, ..) if *awaited == number));
                    at_once = is_awaited.then_some(number);
                    let line = line_of(number);
                    let action = action(self.operations[number as usize], request.filter(|_| !is_awaited));
                    (line, action.map_err(|reason| (line, reason.to_owned()))?)
                }
                Step::Wait(number, ..) if at_once == Some(number) => continue,
                Step::Wait(_, request, Some(follower)) => (line_of(follower), Action::Wait { request }),
                Step::Wait(_, request, None) => {
                    open.push(request);
                    continue;
                }
            };
            builder.push(action, line).map_err(|mistake| (line, mistake.to_string()))?;
        }
        let told = |mistake: RecordError| (1, mistake.to_string());
        if open.is_empty() { Ok(()) } else { builder.wait_all(&open, 0).map_err(told) }
    }
}

/// An operation as an action: begun where there is a request to wait for, else a program stands in it.
fn action(operation: Operation, request: Option<Request>) -> Result<Action, &'static str> {
    let Operation { size, peer, tag, cpu, kind, .. } = operation;
    if tag == ANY {
        return Err("a trace cannot say that this receives any tag; name one");
    }
    let (peer, tag, bytes) = (Rank(peer), Tag(tag), Bytes::new(size));
    Ok(match (kind, request) {
        (OperationKind::Calculate, _) if cpu != 0 => {
            return Err("a trace cannot say that this is computed beside other operations; use cpu 0");
        }
        (OperationKind::Calculate, _) => Action::Compute { flops: size as f64 },
        (OperationKind::Send, None) => Action::Send { to: peer, tag, size: bytes },
        (OperationKind::Receive, None) => Action::Receive { from: peer, tag, size: bytes },
        (OperationKind::Send, Some(request)) => Action::PostSend { to: peer, tag, request, size: bytes },
        (OperationKind::Receive, Some(request)) => Action::PostReceive { from: peer, tag, request, size: bytes },
    })
}
