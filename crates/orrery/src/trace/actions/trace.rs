use std::borrow::Cow;

use super::action::Action;
use super::blocks::{Block, behind, stored};
use super::communicators::Communicators;
use super::place::Location;
use super::replay::TraceSchedule;
use crate::schedule::{Rank, Request};
use crate::units::{Bytes, Seconds};

/// What a rank does, and the line of each action.
#[derive(Debug, Clone, Default, PartialEq)]
pub(in crate::trace) struct RankActions {
    pub(in crate::trace) actions: Vec<Action>,
    /// The lines of the actions; empty where they are not known.
    pub(in crate::trace) lines: Vec<u32>,
    /// The requests of each wait for several, one list behind the other.
    pub(in crate::trace) awaited: Vec<Request>,
    /// The sizes of collective operations that have several, one list behind the other.
    pub(in crate::trace) sizes: Vec<Bytes>,
    /// Its requests have numbers below this one.
    pub(in crate::trace) requests: u32,
    /// The parts of the list, where something is repeated; empty where nothing is.
    pub(in crate::trace) parts: Vec<Block>,
}

impl RankActions {
    /// The stored action at a place of the whole list.
    pub(in crate::trace) fn stored(&self, statement: u32) -> Option<usize> {
        let place = if self.parts.is_empty() { statement } else { stored(&self.parts, statement)? };
        ((place as usize) < self.actions.len()).then_some(place as usize)
    }

    /// The place behind that of an action without operations.
    pub(super) fn behind(&self, statement: u32) -> u32 {
        if self.parts.is_empty() { statement + 1 } else { behind(&self.parts, statement) }
    }

    /// The parts of the list; one where nothing is repeated.
    pub(in crate::trace) fn blocks(&self) -> Cow<'_, [Block]> {
        match &self.parts[..] {
            [] => Cow::Owned(vec![Block::plain(0, 0, self.actions.len() as u32)]),
            parts => Cow::Borrowed(parts),
        }
    }

    /// The requests of a wait for several.
    pub(in crate::trace) fn awaited(&self, first: u32, count: u32) -> &[Request] {
        &self.awaited[first as usize..][..count as usize]
    }

    /// Remembers requests that are waited for together, and says where they stand.
    pub(in crate::trace) fn remember_awaited(&mut self, requests: &[Request]) -> u32 {
        remember(&mut self.awaited, requests)
    }

    /// Remembers the sizes of a collective operation, and says where they stand.
    pub(in crate::trace) fn remember_sizes(&mut self, sizes: &[Bytes]) -> u32 {
        remember(&mut self.sizes, sizes)
    }
}

/// Appends what belongs to an action, and says where it stands. What is as it was last time, as in loops, is not stored twice.
fn remember<T: Clone + PartialEq>(told: &mut Vec<T>, these: &[T]) -> u32 {
    if !told.ends_with(these) {
        told.extend_from_slice(these);
    }
    (told.len() - these.len()) as u32
}

/// A trace: what each rank did, in amounts.
#[derive(Debug, Clone, PartialEq)]
pub struct Trace {
    pub(in crate::trace) files: Vec<String>,
    /// For each rank the number of its file.
    pub(in crate::trace) origins: Vec<u32>,
    pub(in crate::trace) ranks: Vec<RankActions>,
    pub(in crate::trace) communicators: Communicators,
    /// Actions that were read; repetitions count.
    pub(in crate::trace) actions: u64,
}

impl Trace {
    /// How many ranks take part.
    pub fn ranks(&self) -> usize {
        self.ranks.len()
    }

    /// How many actions were read, of all ranks together; repetitions count.
    pub fn actions(&self) -> u64 {
        self.actions
    }

    /// Whether ranks compute: how long that takes depends on the speed of processors.
    pub fn computes(&self) -> bool {
        let computes = |action: &Action| matches!(action, Action::Compute { flops } if *flops > 0.0);
        self.ranks.iter().any(|told| told.actions.iter().any(computes))
    }

    /// Where an action of a rank stands: the `statement` of its cursor. `None` where the trace does not say.
    pub fn location(&self, rank: Rank, statement: u32) -> Option<Location> {
        let told = self.ranks.get(rank.index())?;
        let line = *told.lines.get(told.stored(statement)?)? as usize;
        Some(Location { file: self.files[self.origins[rank.index()] as usize].clone(), line, column: 1 })
    }

    /// The trace as a schedule: rank r computes `speeds[r]` operations in a second, a test takes so long.
    ///
    /// # Panics
    ///
    /// When there are fewer speeds than ranks.
    pub fn schedule<'a>(&'a self, speeds: &'a [f64], test: Seconds) -> TraceSchedule<'a> {
        assert!(speeds.len() >= self.ranks(), "a speed for each rank");
        TraceSchedule { trace: self, speeds, test }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_as_it_was_last_time_is_stored_once() {
        let mut told = RankActions::default();
        let requests = [0, 1, 2].map(Request);
        let firsts = [&requests[..], &requests[..], &requests[1..], &requests[..1], &requests[..], &[]];
        assert_eq!(firsts.map(|these| told.remember_awaited(these)), [0, 0, 1, 3, 4, 7]);
        assert_eq!(told.awaited, [0, 1, 2, 0, 0, 1, 2].map(Request));
        assert_eq!(told.awaited(3, 1), &requests[..1]);
        assert_eq!([8, 8, 9].map(|size| told.remember_sizes(&[Bytes::new(size)])), [0, 0, 1]);
    }
}
