//! Totals of a trace: its length, and counts by action. Loops are multiplied, not walked through.

use std::collections::BTreeMap;
use std::io;

use super::action::{Action, CollectiveKind};
use super::loops::Segment;
use super::trace::{RankActions, Trace};
use orrery_base::budget::Budget;
use orrery_program::schedule::{Operation, Rank, Transfer};

/// Totals of one action of a rank.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct ActionTotals {
    /// The number of times that the action is executed.
    pub count: u64,
    /// The number of bytes that it sends.
    pub sent_bytes: u64,
    /// The number of floating-point operations.
    pub flops: f64,
    /// The time that it sleeps, in seconds.
    pub sleep_seconds: f64,
}

impl ActionTotals {
    /// Adds the bytes of `count` messages of `size` bytes to those sent.
    fn add_messages(&mut self, size: u64, count: u64) {
        self.sent_bytes = self.sent_bytes.saturating_add(size.saturating_mul(count));
    }
}

/// The totals of a rank by the names of actions in time-independent traces.
pub type RankProfile = BTreeMap<&'static str, ActionTotals>;

impl Trace {
    /// The totals of each rank, with repetitions counted.
    ///
    /// The bytes of collective operations are those of the messages that replace them. Sums beyond
    /// 2⁶⁴ − 1 are 2⁶⁴ − 1.
    pub fn profile(&self) -> Vec<RankProfile> {
        let profile = |rank: Rank| {
            let mut profile = RankProfile::new();
            self.add_segments(rank, &self.ranks[rank.index()].segments(), 1, &mut profile);
            profile
        };
        Rank::first(self.ranks()).map(profile).collect()
    }

    /// Adds the actions of segments that are executed `times` times.
    fn add_segments(
        &self,
        rank: Rank,
        segments: &[Segment],
        times: u64,
        profile: &mut RankProfile,
    ) {
        for segment in segments {
            match &segment.repeated {
                Some(repeated) => {
                    self.add_segments(
                        rank,
                        &repeated.body,
                        times * u64::from(repeated.iterations),
                        profile,
                    );
                }
                None => {
                    let actions = self.ranks[rank.index()].actions_of(segment);
                    actions
                        .iter()
                        .for_each(|&action| self.add_action(rank, action, times, profile));
                }
            }
        }
    }

    /// Adds an action of a rank that is executed `times` times to its profile.
    fn add_action(&self, rank: Rank, action: Action, times: u64, profile: &mut RankProfile) {
        let totals = profile.entry(action.name()).or_default();
        totals.count += times;
        match action {
            Action::Compute { flops } => totals.flops += flops * times as f64,
            Action::Sleep { seconds } => totals.sleep_seconds += seconds * times as f64,
            Action::Do(Transfer::Send { size, .. })
            | Action::Post(Transfer::Send { size, .. }, _) => {
                totals.add_messages(size.get(), times);
            }
            Action::Collective { .. } => {
                for operation in self.operations_of(rank, action) {
                    if let Operation::Do(Transfer::Send { size, .. })
                    | Operation::Post(Transfer::Send { size, .. }, _) = operation
                    {
                        totals.add_messages(size.get(), times);
                    }
                }
            }
            _ => {}
        }
    }
}

/// A trace with more operations than its budget, with repetitions and with those that replace
/// collective operations: a file of a few bytes can hold 10⁹ repetitions, and an all-to-all of
/// 20,000 ranks has 1.6·10⁹ operations.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error(
    "the trace takes {operations} operations, counting repetitions and the messages of collective \
        operations; its budget \
     is {max_operations}, which rank {rank} exceeds at its action {statement}"
)]
pub struct TooManyOperations {
    /// The number of operations of all ranks.
    pub operations: u64,
    /// The limit.
    pub max_operations: u64,
    /// The rank of the first action beyond the limit.
    pub rank: Rank,
    /// The position of that action, as in
    /// [`Cursor::statement`](orrery_program::schedule::Cursor::statement).
    pub statement: u32,
}

/// The smallest number of bytes of a stored action in a time-independent trace.
const MIN_ACTION_LENGTH: u64 = 8;

impl Trace {
    /// The budget of the trace, by the number of actions that it stores.
    pub fn budget(&self) -> Budget {
        let stored: usize = self.ranks.iter().map(|rank| rank.actions.len()).sum();
        Budget::of_input(stored as u64 * MIN_ACTION_LENGTH)
    }

    /// The number of operations of all ranks, with repetitions, and with those that replace
    /// collective operations.
    pub fn operations(&self) -> u64 {
        let weight = |(rank, own): (Rank, &RankActions)| {
            total_weight(own, &own.segments(), &|action| self.operation_count(rank, action))
        };
        Rank::first(self.ranks()).zip(&self.ranks).map(weight).fold(0, u64::saturating_add)
    }

    /// Checks that the trace has at most `max_operations` operations, with repetitions, and with
    /// those that replace collective operations.
    ///
    /// # Errors
    ///
    /// The number of operations and the first action beyond the limit.
    pub fn check_length(&self, max_operations: u64) -> Result<(), TooManyOperations> {
        self.check_weight(max_operations, |rank, action| self.operation_count(rank, action))
    }

    /// The number of operations of an action, found by bisection of its steps.
    fn operation_count(&self, rank: Rank, action: Action) -> u64 {
        match action {
            Action::Collective { .. } => {}
            Action::WaitAll { count, .. } => return u64::from(count.min(1)),
            _ => return 1,
        }
        let schedule = self.schedule_without_times();
        // The operations are those up to the first step without one.
        let is_step = |step: usize| schedule.operation(rank, action, step).is_some();
        let (mut inside, mut beyond) = (0, 1);
        while is_step(beyond - 1) {
            (inside, beyond) = (beyond, 2 * beyond);
        }
        while beyond - inside > 1 {
            let middle = usize::midpoint(inside, beyond);
            if is_step(middle - 1) { inside = middle } else { beyond = middle }
        }
        inside as u64
    }

    /// Checks that the sum of the weights of all actions is at most `max_weight`, with repetitions
    /// counted.
    pub(in crate::trace) fn check_weight(
        &self,
        max_weight: u64,
        weight: impl Fn(Rank, Action) -> u64,
    ) -> Result<(), TooManyOperations> {
        let ranks = || Rank::first(self.ranks()).zip(&self.ranks);
        let of_rank = |(rank, own): (Rank, &RankActions)| {
            total_weight(own, &own.segments(), &|action| weight(rank, action))
        };
        let weights: Vec<u64> = ranks().map(of_rank).collect();
        let mut left = max_weight;
        for ((rank, own), own_weight) in ranks().zip(&weights) {
            let Some(rest) = left.checked_sub(*own_weight) else {
                let operations =
                    weights.iter().fold(0, |sum: u64, weight| sum.saturating_add(*weight));
                let statement =
                    first_beyond(own, &own.segments(), left, &|action| weight(rank, action));
                return Err(TooManyOperations {
                    operations,
                    max_operations: max_weight,
                    rank,
                    statement,
                });
            };
            left = rest;
        }
        Ok(())
    }

    /// The number of GOAL operations that represent an action; waits are dependencies there.
    pub(in crate::trace) fn goal_operations(&self, rank: Rank, action: Action) -> u64 {
        use CollectiveKind::{Allgather, AllgatherV, Alltoall, AlltoallV};
        let Action::Collective { kind, .. } = action else {
            let is_wait = matches!(action, Action::Wait(_) | Action::WaitAll { .. });
            return u64::from(!is_wait);
        };
        // All messages of these are posted and waited for.
        if matches!(kind, Allgather | AllgatherV | Alltoall | AlltoallV) {
            return self.operation_count(rank, action) / 2;
        }
        let is_message =
            |operation: &Operation| matches!(operation, Operation::Do(_) | Operation::Post(..));
        self.operations_of(rank, action).filter(is_message).count() as u64
    }
}

/// The sum of the weights of segments, with repetitions: that of a loop is the weight of its body
/// times its iterations.
fn total_weight(own: &RankActions, segments: &[Segment], weight: &impl Fn(Action) -> u64) -> u64 {
    let sum = |sum: u64, weight: u64| sum.saturating_add(weight);
    let of_segment = |segment: &Segment| match &segment.repeated {
        Some(repeated) => {
            total_weight(own, &repeated.body, weight).saturating_mul(u64::from(repeated.iterations))
        }
        None => own.actions_of(segment).iter().map(|&action| weight(action)).fold(0, sum),
    };
    segments.iter().map(of_segment).fold(0, sum)
}

/// The position of the first action at which the sum of the weights exceeds `left`; there must be
/// one.
fn first_beyond(
    own: &RankActions,
    mut segments: &[Segment],
    mut left: u64,
    weight: &impl Fn(Action) -> u64,
) -> u32 {
    let mut position = 0;
    'body: loop {
        for segment in segments {
            if let Some(rest) =
                left.checked_sub(total_weight(own, std::slice::from_ref(segment), weight))
            {
                left = rest;
                continue;
            }
            position += segment.start;
            if let Some(repeated) = &segment.repeated {
                let iteration = total_weight(own, &repeated.body, weight);
                position += (left / iteration) as u32 * repeated.length;
                (left, segments) = (left % iteration, &repeated.body);
                continue 'body;
            }
            for &action in own.actions_of(segment) {
                match left.checked_sub(weight(action)) {
                    Some(rest) => left = rest,
                    None => return position,
                }
                position += 1;
            }
        }
        return position;
    }
}

/// The reason why a trace cannot be written.
#[derive(Debug, thiserror::Error)]
pub enum WriteError {
    /// The operating system reports an error.
    #[error(transparent)]
    System(#[from] io::Error),
    /// An action that the format cannot represent.
    #[error(
        "rank {rank}, action {statement}: the format {format} cannot represent {item}; write \
            a binary trace (.orrt)"
    )]
    Unsupported {
        /// The rank of the action.
        rank: Rank,
        /// The position of the action, as in
        /// [`Cursor::statement`](orrery_program::schedule::Cursor::statement).
        statement: u32,
        /// The name of the format.
        format: &'static str,
        /// What the format cannot represent.
        item: &'static str,
    },
    /// Too many operations without loops.
    #[error(transparent)]
    TooMany(#[from] TooManyOperations),
}
