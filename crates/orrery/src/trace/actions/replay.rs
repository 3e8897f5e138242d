use prefetch_index::prefetch_index;

use super::action::Action;
use super::collective::{self, Part};
use super::trace::Trace;
use crate::schedule::{Cursor, Operation, Rank, Schedule, Tag, Transfer};
use crate::units::{Bytes, Seconds};

/// Actions of 24 bytes that lie this far ahead are in the next line of a cache. Many ranks take turns, each in a list of its own,
/// so that no processor foresees that one is needed next.
const AHEAD: usize = 3;

/// A trace as a schedule, see [`Trace::schedule`].
#[derive(Debug, Clone, Copy)]
pub struct TraceSchedule<'a> {
    pub(in crate::trace) trace: &'a Trace,
    pub(in crate::trace) speeds: &'a [f64],
    pub(in crate::trace) test: Seconds,
}

impl Schedule for TraceSchedule<'_> {
    fn ranks(&self) -> usize {
        self.trace.ranks()
    }

    fn next(&self, rank: Rank, cursor: &mut Cursor) -> Option<Operation> {
        let told = self.trace.ranks.get(rank.index())?;
        loop {
            let place = told.stored(cursor.statement)?;
            let action = told.actions[place];
            prefetch_index(&told.actions, place + AHEAD);
            let step = cursor.advance();
            let operation = self.operation(rank, action, step);
            if operation.is_some() {
                return operation;
            }
            // What has no operation at all may be repeated without end.
            let behind = if step == 0 { told.behind(cursor.statement) } else { cursor.statement + 1 };
            *cursor = Cursor { statement: behind, step: 0 };
        }
    }
}

impl TraceSchedule<'_> {
    /// Whether a stored action has no operation, as a wait for nothing or a collective operation of one rank.
    pub(super) fn is_silent(&self, rank: Rank, place: u32) -> bool {
        let action = self.trace.ranks[rank.index()].actions[place as usize];
        let may_be = matches!(action, Action::WaitAll { .. } | Action::Collective { .. });
        may_be && self.operation(rank, action, 0).is_none()
    }

    /// The operation of an action at a step; `None` behind its last.
    pub(in crate::trace) fn operation(&self, rank: Rank, action: Action, step: usize) -> Option<Operation> {
        let told = &self.trace.ranks[rank.index()];
        match action {
            Action::WaitAll { first, count } => told.awaited(first, count).get(step).map(|&one| Operation::Wait(one)),
            Action::Test { request } => match step {
                0 => Some(Operation::Spin(self.test)),
                1 => Some(Operation::Test(request)),
                _ => None,
            },
            Action::Collective { kind, communicator, root, sizes, size } => {
                let communicators = &self.trace.communicators;
                let ranks = communicators.size(communicator);
                let place = communicators.place(communicator, rank)?;
                let sizes = &told.sizes[sizes as usize..][..kind.sizes(ranks)];
                let part = Part { rank: place, ranks, size, sizes, base: told.requests, communicator };
                let operation = collective::operation(kind, part, root as usize, step)?;
                Some(with_peer(operation, |peer| communicators.rank(communicator, peer)))
            }
            _ if step > 0 => None,
            Action::Compute { flops } => Some(Operation::Compute(Seconds::new(flops / self.speeds[rank.index()]))),
            Action::Sleep { seconds } => Some(Operation::Spin(Seconds::new(seconds))),
            Action::Probe => Some(Operation::Spin(self.test)),
            Action::Send { to, tag, size } => Some(Operation::Do(Transfer::Send { to, size, tag })),
            Action::Receive { from, tag, size } => Some(Operation::Do(receive(from, tag, size))),
            Action::PostSend { to, tag, request, size } => {
                Some(Operation::Post(Transfer::Send { to, size, tag }, request))
            }
            Action::PostReceive { from, tag, request, size } => {
                Some(Operation::Post(receive(from, tag, size), request))
            }
            Action::Wait { request } => Some(Operation::Wait(request)),
        }
    }
}

fn receive(from: Rank, tag: Tag, size: Bytes) -> Transfer {
    if from == Action::ANY_SOURCE { Transfer::ReceiveAny { size, tag } } else { Transfer::Receive { from, size, tag } }
}

/// The operation with another name for the rank that it names.
fn with_peer(operation: Operation, name: impl Fn(Rank) -> Rank) -> Operation {
    let renamed = |transfer| match transfer {
        Transfer::Send { to, size, tag } => Transfer::Send { to: name(to), size, tag },
        Transfer::Receive { from, size, tag } => Transfer::Receive { from: name(from), size, tag },
        any @ Transfer::ReceiveAny { .. } => any,
    };
    match operation {
        Operation::Do(transfer) => Operation::Do(renamed(transfer)),
        Operation::Post(transfer, request) => Operation::Post(renamed(transfer), request),
        other => other,
    }
}
