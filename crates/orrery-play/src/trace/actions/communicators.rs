use orrery_base::file::Fault;
use orrery_program::schedule::Rank;

/// The number of the communicator of all ranks (`MPI_COMM_WORLD`).
pub const WORLD: u32 = 0;

/// The communicators of a trace, by number.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(in crate::trace) struct Communicators {
    /// The number of ranks of the trace.
    ranks: u32,
    /// The communicators from number 1.
    groups: Vec<Communicator>,
}

/// A communicator of some ranks.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Communicator {
    /// The rank of each number in the communicator.
    members: Vec<Rank>,
    /// The number of each rank, sorted by rank.
    numbers: Vec<(Rank, u32)>,
}

impl Communicators {
    /// The communicator of all ranks.
    pub(in crate::trace) fn new(ranks: u32) -> Self {
        Self { ranks, groups: Vec::new() }
    }

    /// Adds a communicator and returns its number.
    ///
    /// # Errors
    ///
    /// When the list is empty, or a rank is named twice or does not exist.
    pub(super) fn add(&mut self, members: &[Rank]) -> Result<u32, Fault> {
        let mut numbers: Vec<(Rank, u32)> = members.iter().copied().zip(0..).collect();
        numbers.sort_unstable();
        let Some(&(last, _)) = numbers.last() else {
            return Err(Fault::new("a communicator has no ranks; give it one or more"));
        };
        if last.0 >= self.ranks {
            return Err(Fault::new(format!(
                "a communicator has rank {last}, but the ranks of the trace are 0 to {}; name one of \
                 these",
                self.ranks.saturating_sub(1)
            )));
        }
        if let Some(two) = numbers.windows(2).find(|two| two[0].0 == two[1].0) {
            let rank = two[0].0;
            return Err(Fault::new(format!("a communicator has rank {rank} twice; name it once")));
        }
        self.groups.push(Communicator { members: members.to_vec(), numbers });
        Ok(self.groups.len() as u32)
    }

    /// The number of communicators, including that of all ranks.
    pub(in crate::trace) fn count(&self) -> u32 {
        self.groups.len() as u32 + 1
    }

    /// The ranks of a communicator; empty for that of all ranks and for unknown numbers.
    pub(in crate::trace) fn members(&self, communicator: u32) -> &[Rank] {
        self.groups.get(communicator.wrapping_sub(1) as usize).map_or(&[], |group| &group.members)
    }

    /// The number of ranks of a communicator; 0 for unknown numbers.
    pub(in crate::trace) fn size(&self, communicator: u32) -> usize {
        if communicator == WORLD { self.ranks as usize } else { self.members(communicator).len() }
    }

    /// The number of a rank in a communicator; `None` if it is not a member.
    pub(super) fn number(&self, communicator: u32, rank: Rank) -> Option<usize> {
        if communicator == WORLD {
            return (rank.0 < self.ranks).then_some(rank.index());
        }
        let numbers = &self.groups.get(communicator as usize - 1)?.numbers;
        let found = numbers.binary_search_by_key(&rank, |(rank, _)| *rank).ok()?;
        Some(numbers[found].1 as usize)
    }

    /// The rank with a number in a communicator, which must have this number.
    pub(super) fn rank(&self, communicator: u32, number: Rank) -> Rank {
        if communicator == WORLD { number } else { self.members(communicator)[number.index()] }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_ranks_are_inverse() {
        let mut all = Communicators::new(9);
        let odd = all.add(&[Rank(7), Rank(1), Rank(5)]).unwrap();
        assert_eq!((odd, all.count(), all.size(odd), all.size(WORLD)), (1, 2, 3, 9));
        assert_eq!(all.number(odd, Rank(5)), Some(2));
        assert_eq!((all.number(odd, Rank(2)), all.rank(odd, Rank(0))), (None, Rank(7)));
        assert_eq!((all.number(WORLD, Rank(8)), all.number(WORLD, Rank(9))), (Some(8), None));
        for (wrong, words) in [
            (&[][..], "has no ranks"),
            (&[Rank(9)], "rank 9, but the ranks of the trace are 0 to 8"),
            (&[Rank(2), Rank(2)], "has rank 2 twice"),
        ] {
            let error = all.add(wrong).unwrap_err().to_string();
            assert!(error.contains(words), "{error}");
        }
    }
}
