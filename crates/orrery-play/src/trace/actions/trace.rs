use std::borrow::Cow;
use std::fmt;

use super::action::Action;
use super::collective::CollectiveAlgorithms;
use super::communicators::Communicators;
use super::loops::{Segment, next_position, stored_index};
use orrery_base::units::Bytes;
use orrery_program::schedule::{Rank, Request};

/// The actions of a rank, and the line of each.
#[derive(Debug, Clone, Default, PartialEq)]
pub(in crate::trace) struct RankActions {
    /// The actions; those of a loop are stored once.
    pub(in crate::trace) actions: Vec<Action>,
    /// The line of each stored action; empty if the lines are unknown.
    pub(in crate::trace) lines: Vec<u32>,
    /// The table of awaited requests: the lists of all [`Action::WaitAll`], joined.
    pub(in crate::trace) awaited: Vec<Request>,
    /// The table of sizes: the lists of all collective operations with a size for each rank,
    /// joined.
    pub(in crate::trace) sizes: Vec<Bytes>,
    /// The number of requests; they are numbered from 0.
    pub(in crate::trace) requests: u32,
    /// The segments of the list; empty if there are no loops.
    pub(in crate::trace) segments: Vec<Segment>,
}

impl RankActions {
    /// The index of the stored action at a position of the written-out list; `None` beyond the end.
    pub(in crate::trace) fn stored_index(&self, position: u32) -> Option<usize> {
        let index = if self.segments.is_empty() {
            position
        } else {
            stored_index(&self.segments, position)?
        };
        ((index as usize) < self.actions.len()).then_some(index as usize)
    }

    /// The position after an action without operations.
    pub(super) fn next_position(&self, position: u32) -> u32 {
        if self.segments.is_empty() {
            position + 1
        } else {
            next_position(&self.segments, position)
        }
    }

    /// The segments of the list; one if there are no loops.
    pub(in crate::trace) fn segments(&self) -> Cow<'_, [Segment]> {
        match &self.segments[..] {
            [] => Cow::Owned(vec![Segment::plain(0, 0, self.actions.len() as u32)]),
            segments => Cow::Borrowed(segments),
        }
    }

    /// The stored actions of a segment outside of loops.
    pub(super) fn actions_of(&self, segment: &Segment) -> &[Action] {
        &self.actions[segment.first as usize..][..segment.stored as usize]
    }

    /// The requests of an [`Action::WaitAll`].
    pub(in crate::trace) fn awaited(&self, first: u32, count: u32) -> &[Request] {
        &self.awaited[first as usize..][..count as usize]
    }

    /// Adds a list to the table of awaited requests; returns the index of its first entry.
    pub(in crate::trace) fn add_awaited(&mut self, requests: &[Request]) -> u32 {
        add_list(&mut self.awaited, requests)
    }

    /// Adds a list to the table of sizes; returns the index of its first entry.
    pub(in crate::trace) fn add_sizes(&mut self, sizes: &[Bytes]) -> u32 {
        add_list(&mut self.sizes, sizes)
    }
}

/// Appends a list to a table and returns the index of its first entry. A list equal to the end of
/// the table, as in loops, is not stored again.
fn add_list<T: Clone + PartialEq>(table: &mut Vec<T>, list: &[T]) -> u32 {
    if !table.ends_with(list) {
        table.extend_from_slice(list);
    }
    (table.len() - list.len()) as u32
}

/// A trace: the actions of each rank, with amounts of computation and of data.
#[derive(Debug, Clone, PartialEq)]
pub struct Trace {
    /// The names of the source files.
    pub(in crate::trace) files: Vec<String>,
    /// The number of the source file of each rank; `u32::MAX` if it is unknown.
    pub(in crate::trace) file_of_rank: Vec<u32>,
    pub(in crate::trace) ranks: Vec<RankActions>,
    pub(in crate::trace) communicators: Communicators,
    /// The number of actions that were read, with repetitions counted.
    pub(in crate::trace) actions: u64,
    /// The algorithms of collective operations.
    pub(in crate::trace) algorithms: CollectiveAlgorithms,
}

impl Trace {
    /// Selects the algorithms of collective operations; by default those of SimGrid.
    pub fn set_algorithms(&mut self, algorithms: CollectiveAlgorithms) {
        self.algorithms = algorithms;
    }

    /// The algorithms of collective operations.
    pub fn algorithms(&self) -> &CollectiveAlgorithms {
        &self.algorithms
    }

    /// The number of ranks.
    pub fn ranks(&self) -> usize {
        self.ranks.len()
    }

    /// The number of actions of all ranks that were read, with repetitions counted.
    pub fn actions(&self) -> u64 {
        self.actions
    }

    /// Returns true if a rank computes, so that the schedule depends on the speed of processors.
    pub fn has_computation(&self) -> bool {
        let computes =
            |action: &Action| matches!(action, Action::Compute { flops } if *flops > 0.0);
        self.ranks.iter().any(|rank| rank.actions.iter().any(computes))
    }

    /// The location of an action in its source; `statement` is that of the cursor. `None` if it is
    /// unknown.
    pub fn location(&self, rank: Rank, statement: u32) -> Option<Location> {
        let own = self.ranks.get(rank.index())?;
        let line = *own.lines.get(own.stored_index(statement)?)? as usize;
        let file = self.files[self.file_of_rank[rank.index()] as usize].clone();
        Some(Location { file, line, column: 1 })
    }
}

/// A location in the source of a trace; displayed as `file:line:column`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Location {
    /// The name of the file.
    pub file: String,
    /// The number of the line, from 1.
    pub line: usize,
    /// The number of the character in the line, from 1.
    pub column: usize,
}

impl fmt::Display for Location {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}:{}", self.file, self.line, self.column)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn repeated_lists_are_stored_once() {
        let mut own = RankActions::default();
        let requests = [0, 1, 2].map(Request);
        let lists =
            [&requests[..], &requests[..], &requests[1..], &requests[..1], &requests[..], &[]];
        assert_eq!(lists.map(|list| own.add_awaited(list)), [0, 0, 1, 3, 4, 7]);
        assert_eq!(own.awaited, [0, 1, 2, 0, 0, 1, 2].map(Request));
        assert_eq!(own.awaited(3, 1), &requests[..1]);
        assert_eq!([8, 8, 9].map(|size| own.add_sizes(&[Bytes::new(size)])), [0, 0, 1]);
    }
}
