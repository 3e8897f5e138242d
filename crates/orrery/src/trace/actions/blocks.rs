//! Blocks that are repeated, and which action stands where when they are written out. Nothing is written out: a place in
//! the long list is led back to the short one.

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
}

impl Block {
    /// How long it is when written out.
    pub(super) fn length(&self) -> u64 {
        self.round.as_ref().map_or(u64::from(self.stored), |round| u64::from(round.times) * u64::from(round.length))
    }
}

/// The stored action at a place of a list that is written out; `None` beyond its end.
pub(super) fn stored(mut parts: &[Block], mut at: u32) -> Option<u32> {
    loop {
        let part = &parts[parts.partition_point(|part| part.at <= at).checked_sub(1)?];
        let inside = at - part.at;
        if u64::from(inside) >= part.length() {
            return None;
        }
        let Some(round) = &part.round else { return Some(part.first + inside) };
        (at, parts) = (inside % round.length, &round.parts);
    }
}
