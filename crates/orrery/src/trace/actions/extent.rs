use super::action::Action;
use super::blocks::Block;
use super::replay::TraceSchedule;
use super::trace::{RankActions, Trace};
use crate::schedule::{Operation, Rank};
use crate::units::Seconds;

/// A trace of which more would be played or written than there may be: a few bytes can say 10⁹ repetitions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error(
    "with repetitions these are {actions} actions, more than {most}: rank {rank} goes beyond at its action {statement}"
)]
pub struct TooManyActions {
    /// How many there are, of all ranks; where collective operations become messages, these count.
    pub actions: u64,
    /// How many there may be.
    pub most: u64,
    /// The rank that does the first one too many.
    pub rank: Rank,
    /// The action in which it is, as cursors count.
    pub statement: u32,
}

impl Trace {
    /// Refuses a trace of more actions than `most`; repetitions count and are not walked through.
    ///
    /// # Errors
    ///
    /// How many there are, and which is the first one too many.
    pub fn check_length(&self, most: u64) -> Result<(), TooManyActions> {
        if self.actions <= most { Ok(()) } else { self.weighed(most, |_, _| 1) }
    }

    /// Refuses a trace of which more than `most` would be written, of each action so much.
    pub(in crate::trace) fn weighed(
        &self,
        most: u64,
        weight: impl Fn(Rank, Action) -> u64,
    ) -> Result<(), TooManyActions> {
        let told = || Rank::first(self.ranks()).map(|rank| (rank, &self.ranks[rank.index()]));
        let of = |rank, told: &RankActions| weigh(told, &told.blocks(), &|action| weight(rank, action));
        let all: Vec<u64> = told().map(|(rank, told)| of(rank, told)).collect();
        let mut left = most;
        for ((rank, told), own) in told().zip(&all) {
            let Some(further) = left.checked_sub(*own) else {
                let actions = all.iter().fold(0, |all: u64, own| all.saturating_add(*own));
                let statement = beyond(told, &told.blocks(), left, &|action| weight(rank, action));
                return Err(TooManyActions { actions, most, rank, statement });
            };
            left = further;
        }
        Ok(())
    }

    /// How many operations an action of a rank is that GOAL has words for.
    pub(in crate::trace) fn operations(&self, rank: Rank, action: Action) -> u64 {
        let Action::Collective { .. } = action else {
            let is_wait = matches!(action, Action::Wait { .. } | Action::WaitAll { .. });
            return u64::from(!is_wait);
        };
        let replay = TraceSchedule { trace: self, speeds: &[], test: Seconds::ZERO };
        let operations = (0..).map_while(|step| replay.operation(rank, action, step));
        operations.filter(|operation| matches!(operation, Operation::Do(_) | Operation::Post(..))).count() as u64
    }
}

/// The sum of the weights of blocks: that of a round times its repetitions.
fn weigh(told: &RankActions, parts: &[Block], weight: &impl Fn(Action) -> u64) -> u64 {
    let sum = |all: u64, own: u64| all.saturating_add(own);
    let of = |part: &Block| match &part.round {
        Some(round) => weigh(told, &round.parts, weight).saturating_mul(u64::from(round.times)),
        None => part.actions(told).iter().map(|&action| weight(action)).fold(0, sum),
    };
    parts.iter().map(of).fold(0, sum)
}

/// The place of the first action with which the weights are beyond `left`.
fn beyond(told: &RankActions, mut parts: &[Block], mut left: u64, weight: &impl Fn(Action) -> u64) -> u32 {
    let mut begin = 0;
    'deeper: loop {
        for part in parts {
            let own = weigh(told, std::slice::from_ref(part), weight);
            if let Some(further) = left.checked_sub(own) {
                left = further;
                continue;
            }
            begin += part.at;
            if let Some(round) = &part.round {
                let one = weigh(told, &round.parts, weight);
                begin += (left / one) as u32 * round.length;
                (left, parts) = (left % one, &round.parts);
                continue 'deeper;
            }
            for &action in part.actions(told) {
                match left.checked_sub(weight(action)) {
                    Some(further) => left = further,
                    None => return begin,
                }
                begin += 1;
            }
        }
        return begin;
    }
}
