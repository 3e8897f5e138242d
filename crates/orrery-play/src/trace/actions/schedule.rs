use prefetch_index::prefetch_index;

use super::action::Action;
use super::collective::Participation;
use super::trace::Trace;
use orrery_base::units::Seconds;
use orrery_program::schedule::{Cursor, Operation, Rank, Schedule, Tag};

/// The number of actions to prefetch ahead: 3 × 32 bytes reach the next cache line. A replay
/// alternates between the lists of many ranks, which hardware prefetchers do not follow.
const PREFETCH_DISTANCE: usize = 3;

/// A trace as a schedule; made by [`Trace::schedule`].
#[derive(Debug, Clone, Copy)]
pub struct TraceSchedule<'a> {
    pub(in crate::trace) trace: &'a Trace,
    /// The speed of each rank in floating-point operations per second.
    pub(in crate::trace) speeds: &'a [f64],
    /// The time of a test or a probe.
    pub(in crate::trace) test: Seconds,
}

impl Trace {
    /// The trace as a schedule. Rank r computes `speeds[r]` floating-point operations per second; a
    /// test or a probe takes the time `test`.
    ///
    /// # Panics
    ///
    /// When there are fewer speeds than ranks.
    pub fn schedule<'a>(&'a self, speeds: &'a [f64], test: Seconds) -> TraceSchedule<'a> {
        assert!(speeds.len() >= self.ranks(), "a speed for each rank");
        TraceSchedule { trace: self, speeds, test }
    }

    /// The schedule without times.
    pub(in crate::trace) fn schedule_without_times(&self) -> TraceSchedule<'_> {
        TraceSchedule { trace: self, speeds: &[], test: Seconds::ZERO }
    }

    /// The operations of an action, without times.
    pub(super) fn operations_of(
        &self,
        rank: Rank,
        action: Action,
    ) -> impl Iterator<Item = Operation> + '_ {
        let schedule = self.schedule_without_times();
        (0..).map_while(move |step| schedule.operation(rank, action, step))
    }
}

impl Schedule for TraceSchedule<'_> {
    fn ranks(&self) -> usize {
        self.trace.ranks()
    }

    fn next(&self, rank: Rank, cursor: &mut Cursor) -> Option<Operation> {
        let own = self.trace.ranks.get(rank.index())?;
        loop {
            let index = own.stored_index(cursor.statement)?;
            let action = own.actions[index];
            prefetch_index(&own.actions, index + PREFETCH_DISTANCE);
            let step = cursor.advance();
            let operation = self.operation(rank, action, step);
            if operation.is_some() {
                return operation;
            }
            // A loop without any operation may have billions of iterations: it is skipped as a
            // whole.
            let statement =
                if step == 0 { own.next_position(cursor.statement) } else { cursor.statement + 1 };
            *cursor = Cursor { statement, step: 0 };
        }
    }
}

impl TraceSchedule<'_> {
    /// Returns true if a stored action has no operation, such as a wait for no request or a barrier
    /// of one rank.
    pub(super) fn is_silent(&self, rank: Rank, index: u32) -> bool {
        let action = self.trace.ranks[rank.index()].actions[index as usize];
        let may_be = matches!(action, Action::WaitAll { .. } | Action::Collective { .. });
        may_be && self.operation(rank, action, 0).is_none()
    }

    /// The operation of an action at a step, from 0; `None` after the last one.
    pub(in crate::trace) fn operation(
        &self,
        rank: Rank,
        action: Action,
        step: usize,
    ) -> Option<Operation> {
        let own = &self.trace.ranks[rank.index()];
        match action {
            Action::WaitAll { first, count } => {
                own.awaited(first, count).get(step).map(|&one| Operation::Wait(one))
            }
            Action::Test(request) => match step {
                0 => Some(Operation::Spin(self.test)),
                1 => Some(Operation::Test(request)),
                _ => None,
            },
            Action::Collective { kind, communicator, root, sizes, size } => {
                let communicators = &self.trace.communicators;
                let ranks = communicators.size(communicator);
                let number = communicators.number(communicator, rank)?;
                let sizes = &own.sizes[sizes as usize..][..kind.size_count(ranks)];
                let root = root as usize;
                let call = Participation { kind, rank: number, ranks, root, size, sizes }
                    .call(&self.trace.algorithms)?;
                let step = call.step(number, step)?;
                let operation =
                    call.operation(step, tag(communicator, !sizes.is_empty()), own.requests);
                Some(operation.map_ranks(|peer| communicators.rank(communicator, peer)))
            }
            _ if step > 0 => None,
            Action::Compute { flops } => {
                Some(Operation::Compute(Seconds::new(flops / self.speeds[rank.index()])))
            }
            Action::Sleep { seconds } => Some(Operation::Spin(Seconds::new(seconds))),
            Action::Probe => Some(Operation::Spin(self.test)),
            Action::Do(transfer) => Some(Operation::Do(transfer)),
            Action::Post(transfer, request) => Some(Operation::Post(transfer, request)),
            Action::Wait(request) => Some(Operation::Wait(request)),
        }
    }
}

/// The tag of the messages of collective operations in a communicator, with or without a list of
/// sizes.
///
/// The highest tag is the wildcard in GOAL. One tag serves all operations: ranks call them in the
/// same order, and messages with one tag do not overtake each other.
const fn tag(communicator: u32, has_sizes: bool) -> Tag {
    let last = if has_sizes { Tag::EQUAL_SIZES - 1 } else { u32::MAX - 1 };
    Tag(last - communicator)
}
