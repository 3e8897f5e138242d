//! Numbers of communicators and tags that all ranks share.
//!
//! Ranks number communicators by themselves, without messages. All members of a communicator create
//! it, and those of two communicators with the same members in the same order. So the list of
//! members, and how many equal lists a rank has created before, name a communicator at all of its
//! members.

use std::collections::{BTreeMap, BTreeSet};

use crate::trace::actions::{TraceBuilder, WORLD};
use orrery_base::file::Result;
use orrery_program::schedule::{Rank, Tag};

/// A communicator of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Communicator {
    /// Its number in the whole run.
    pub(super) id: u32,
    /// Its number in the trace; `None` if collective operations on it cannot be replayed.
    pub(super) in_trace: Result<u32, Unreplayable>,
}

/// Why collective operations on a communicator cannot be replayed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Unreplayable {
    /// It is an intercommunicator.
    JoinsGroups,
    /// It has members that are no ranks of the job.
    Foreign,
}

/// What names a communicator: whether it joins groups, its members, and the number of equal ones
/// before.
type Name = (bool, Vec<u32>, u32);

/// The communicators of a run.
#[derive(Debug, Default)]
pub(super) struct Communicators {
    known: BTreeMap<Name, Communicator>,
}

impl Communicators {
    /// The communicator with these members that a rank defines; `earlier` counts, for this rank,
    /// how many communicators with each list of members it has defined before.
    pub(super) fn define(
        &mut self,
        builder: &mut TraceBuilder,
        joins_groups: bool,
        members: &[u32],
        earlier: &mut BTreeMap<(bool, Vec<u32>), u32>,
    ) -> Result<Communicator> {
        let count = earlier.entry((joins_groups, members.to_vec())).or_default();
        let name = (joins_groups, members.to_vec(), *count);
        *count += 1;
        if let Some(known) = self.known.get(&name) {
            return Ok(*known);
        }
        let id = self.known.len() as u32;
        let in_trace = if joins_groups {
            Err(Unreplayable::JoinsGroups)
        } else if members.contains(&u32::MAX) {
            Err(Unreplayable::Foreign)
        } else if name.2 == 0 && builder.is_world(members) {
            Ok(WORLD)
        } else {
            Ok(builder.add_communicator(
                &members.iter().map(|&member| Rank(member)).collect::<Vec<_>>(),
            )?)
        };
        let communicator = Communicator { id, in_trace };
        self.known.insert(name, communicator);
        Ok(communicator)
    }
}

/// The tags of a trace, which has no communicators of messages: one for each pair of communicator
/// and tag.
///
/// The first communicator that uses a tag keeps it; other pairs have the highest tags that are
/// free.
#[derive(Debug, Default)]
pub(super) struct Tags {
    known: BTreeMap<(u32, u32), u32>,
    used: BTreeSet<u32>,
}

impl Tags {
    /// The tag in the trace of a tag in a communicator.
    pub(super) fn tag(&mut self, communicator: u32, tag: u32) -> Result<Tag> {
        if let Some(&known) = self.known.get(&(communicator, tag)) {
            return Ok(Tag(known));
        }
        let given = if self.used.contains(&tag) {
            self.highest_free().ok_or(
                "the messages have more than 2^31 pairs of communicator and tag; the file is \
                    damaged, record the program again",
            )?
        } else {
            tag
        };
        self.used.insert(given);
        self.known.insert((communicator, tag), given);
        Ok(Tag(given))
    }

    /// The highest tag that is not used; `None` if all are.
    fn highest_free(&self) -> Option<u32> {
        let mut candidate = Tag::COLLECTIVE - 1;
        for &used in self.used.iter().rev() {
            if used < candidate {
                break;
            }
            candidate = used.checked_sub(1)?;
        }
        Some(candidate)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_of_communicator_and_tag_have_different_tags() {
        let mut tags = Tags::default();
        let top = Tag::COLLECTIVE - 1;
        let found = [(0, 7), (1, 7), (0, 7), (2, 7), (0, top), (1, 8)]
            .map(|(c, t)| tags.tag(c, t).unwrap().0);
        assert_eq!(found, [7, top, 7, top - 1, top - 2, 8]);
    }

    #[test]
    fn equal_lists_of_members_are_different_communicators() {
        let (mut builder, mut all) = (TraceBuilder::new(2), Communicators::default());
        let (mut one, mut two) = (BTreeMap::new(), BTreeMap::new());
        let mut define = |earlier: &mut _, joins, members: &[u32]| {
            all.define(&mut builder, joins, members, earlier).unwrap()
        };
        let of_first =
            [&[0, 1][..], &[0, 1], &[1, 0]].map(|members| define(&mut one, false, members));
        let of_second =
            [&[0, 1][..], &[0, 1], &[1, 0]].map(|members| define(&mut two, false, members));
        assert_eq!(of_first, of_second);
        assert_eq!(
            of_first.map(|one| (one.id, one.in_trace)),
            [(0, Ok(WORLD)), (1, Ok(1)), (2, Ok(2))]
        );
        assert_eq!(define(&mut one, true, &[0, 1]).in_trace, Err(Unreplayable::JoinsGroups));
        assert_eq!(define(&mut one, false, &[0, u32::MAX]).in_trace, Err(Unreplayable::Foreign));
    }
}
