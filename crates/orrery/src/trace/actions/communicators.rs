use crate::schedule::Rank;

/// The communicator of all ranks.
pub const WORLD: u32 = 0;

/// Groups of ranks that take part in collective operations together.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(in crate::trace) struct Communicators {
    world: u32,
    /// The others, from number 1 on.
    lists: Vec<Communicator>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Communicator {
    /// The ranks in the order of their numbers in it.
    members: Vec<Rank>,
    /// The same with these numbers, in the order of ranks.
    places: Vec<(Rank, u32)>,
}

impl Communicators {
    pub(in crate::trace) fn new(world: u32) -> Self {
        Self { world, lists: Vec::new() }
    }

    /// Adds one; `None` when a rank is named twice or does not exist, or nobody is named.
    pub(super) fn add(&mut self, members: &[Rank]) -> Option<u32> {
        let mut places: Vec<(Rank, u32)> = members.iter().copied().zip(0..).collect();
        places.sort_unstable();
        let is_twice = places.windows(2).any(|two| two[0].0 == two[1].0);
        let is_outside = places.last().is_none_or(|(rank, _)| rank.0 >= self.world);
        if is_twice || is_outside {
            return None;
        }
        self.lists.push(Communicator { members: members.to_vec(), places });
        Some(self.lists.len() as u32)
    }

    /// How many there are, that of all ranks among them.
    pub(in crate::trace) fn count(&self) -> u32 {
        self.lists.len() as u32 + 1
    }

    /// The ranks of one, other than that of all.
    pub(in crate::trace) fn members(&self, communicator: u32) -> &[Rank] {
        self.lists.get(communicator.wrapping_sub(1) as usize).map_or(&[], |list| &list.members)
    }

    /// How many ranks one has; 0 where there is none of this number.
    pub(in crate::trace) fn size(&self, communicator: u32) -> usize {
        if communicator == WORLD { self.world as usize } else { self.members(communicator).len() }
    }

    /// The number of a rank in one.
    pub(super) fn place(&self, communicator: u32, rank: Rank) -> Option<usize> {
        if communicator == WORLD {
            return (rank.0 < self.world).then_some(rank.index());
        }
        let places = &self.lists.get(communicator as usize - 1)?.places;
        let found = places.binary_search_by_key(&rank, |(rank, _)| *rank).ok()?;
        Some(places[found].1 as usize)
    }

    /// The rank of a number in one.
    pub(super) fn rank(&self, communicator: u32, place: Rank) -> Rank {
        if communicator == WORLD { place } else { self.members(communicator)[place.index()] }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_ranks_lead_to_each_other() {
        let mut all = Communicators::new(9);
        let odd = all.add(&[Rank(7), Rank(1), Rank(5)]).unwrap();
        assert_eq!((odd, all.count(), all.size(odd), all.size(WORLD)), (1, 2, 3, 9));
        assert_eq!(all.place(odd, Rank(5)), Some(2));
        assert_eq!((all.place(odd, Rank(2)), all.rank(odd, Rank(0))), (None, Rank(7)));
        assert_eq!((all.place(WORLD, Rank(8)), all.place(WORLD, Rank(9))), (Some(8), None));
        for wrong in [&[][..], &[Rank(9)], &[Rank(2), Rank(2)]] {
            assert_eq!(all.add(wrong), None);
        }
    }
}
