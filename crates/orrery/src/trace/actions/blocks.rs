//! Blocks that are repeated, and which action stands where when they are written out. Nothing is written out: a place in
//! the long list is led back to the short one.

use super::action::Action;
use super::trace::RankActions;

/// The most actions of a rank, repetitions counted: places are numbers of 32 bits.
pub(in crate::trace) const MOST_ACTIONS: u64 = u32::MAX as u64 - 1;

/// A part of the actions of a rank.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::trace) struct Block {
    /// Where it begins in what it is a part of, written out.
    pub(in crate::trace) at: u32,
    /// Its first action, as stored.
    pub(in crate::trace) first: u32,
    /// How many actions are stored for it.
    pub(in crate::trace) stored: u32,
    /// Where it is repeated: how often, how long one round is when written out, and the parts of a round.
    pub(in crate::trace) round: Option<Round>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::trace) struct Round {
    pub(in crate::trace) times: u32,
    pub(in crate::trace) length: u32,
    pub(in crate::trace) parts: Vec<Block>,
    /// Whether nothing in it is an operation: it is stepped over at once, however often it is repeated.
    pub(super) is_silent: bool,
}

impl Block {
    /// Actions that are not repeated.
    pub(super) fn plain(at: u32, first: u32, stored: u32) -> Self {
        Self { at, first, stored, round: None }
    }

    /// The stored actions of one that is not repeated.
    pub(super) fn actions<'a>(&self, told: &'a RankActions) -> &'a [Action] {
        &told.actions[self.first as usize..][..self.stored as usize]
    }

    /// How long it is when written out.
    pub(super) fn length(&self) -> u64 {
        self.round.as_ref().map_or(u64::from(self.stored), |round| u64::from(round.times) * u64::from(round.length))
    }
}

/// The part that a place is in, and how far in; `None` beyond the end.
fn part(parts: &[Block], at: u32) -> Option<(&Block, u32)> {
    let part = &parts[parts.partition_point(|part| part.at <= at).checked_sub(1)?];
    let inside = at - part.at;
    (u64::from(inside) < part.length()).then_some((part, inside))
}

/// The stored action at a place of a list that is written out; `None` beyond its end.
pub(super) fn stored(mut parts: &[Block], mut at: u32) -> Option<u32> {
    loop {
        let (part, inside) = part(parts, at)?;
        let Some(round) = &part.round else { return Some(part.first + inside) };
        (at, parts) = (inside % round.length, &round.parts);
    }
}

/// The place behind that of an action without operations: behind all rounds without any that it is in.
pub(super) fn behind(mut parts: &[Block], at: u32) -> u32 {
    let mut inner = at;
    while let Some((part, inside)) = part(parts, inner) {
        let Some(round) = &part.round else { break };
        if round.is_silent {
            return at + (part.length() - u64::from(inside)) as u32;
        }
        (inner, parts) = (inside % round.length, &round.parts);
    }
    at + 1
}

/// Marks rounds of which no stored action has an operation; whether that is so of all parts.
pub(super) fn mark_silent(parts: &mut [Block], is_silent: &impl Fn(u32) -> bool) -> bool {
    let mut are_all = true;
    for part in parts {
        are_all &= match &mut part.round {
            Some(round) => {
                round.is_silent = mark_silent(&mut round.parts, is_silent);
                round.is_silent
            }
            None => (part.first..part.first + part.stored).all(is_silent),
        };
    }
    are_all
}
