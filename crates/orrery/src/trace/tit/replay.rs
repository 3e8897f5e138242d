use super::action::Action;
use super::collective;
use super::trace::Trace;
use crate::schedule::{Cursor, Operation, Rank, Schedule, Transfer};
use crate::units::Seconds;

/// A trace as a schedule, see [`Trace::schedule`].
#[derive(Debug, Clone, Copy)]
pub struct Replay<'a> {
    pub(super) trace: &'a Trace,
    pub(super) speeds: &'a [f64],
    pub(super) test: Seconds,
}

impl Schedule for Replay<'_> {
    fn ranks(&self) -> usize {
        self.trace.ranks()
    }

    fn next(&self, rank: Rank, cursor: &mut Cursor) -> Option<Operation> {
        let told = self.trace.ranks.get(rank.index())?;
        loop {
            let action = told.actions.get(cursor.statement as usize)?;
            let step = cursor.advance();
            let operation = match *action {
                Action::WaitAll { first, count } => {
                    (step < count as usize).then(|| Operation::Wait(told.awaited[first as usize + step]))
                }
                Action::Test { request } => match step {
                    0 => Some(Operation::Spin(self.test)),
                    1 => Some(Operation::Test(request)),
                    _ => None,
                },
                Action::Collective { kind, root, size } => {
                    collective::operation(kind, rank, root, self.ranks(), size, told.requests, step)
                }
                _ if step > 0 => None,
                Action::Compute { flops } => Some(Operation::Compute(Seconds::new(flops / self.speeds[rank.index()]))),
                Action::Sleep { seconds } => Some(Operation::Spin(Seconds::new(seconds))),
                Action::Send { to, tag, size } => Some(Operation::Do(Transfer::Send { to, size, tag })),
                Action::Receive { from, tag, size } => Some(Operation::Do(Transfer::Receive { from, size, tag })),
                Action::PostSend { to, tag, request, size } => {
                    Some(Operation::Post(Transfer::Send { to, size, tag }, request))
                }
                Action::PostReceive { from, tag, request, size } => {
                    Some(Operation::Post(Transfer::Receive { from, size, tag }, request))
                }
                Action::Wait { request } => Some(Operation::Wait(request)),
            };
            if operation.is_some() {
                return operation;
            }
            *cursor = Cursor { statement: cursor.statement + 1, step: 0 };
        }
    }
}
