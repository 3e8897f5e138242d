use orrery_program::schedule::Rank;

/// Allocates the numbers of messages, and reuses them after arrival.
///
/// Each rank gets blocks of four adjacent numbers for messages to it. Their rates change together,
/// so that data indexed by number are mostly in one cache line.
#[derive(Debug)]
pub(super) struct FlowNumbers {
    /// By rank: the first free number for messages to it.
    first_free: Vec<u32>,
    /// By number: the next free number of the same rank.
    next_free: Vec<u32>,
}

/// Marks the end of a list of free numbers.
const NONE: u32 = u32::MAX;

/// The size of a block of numbers.
const BLOCK: u32 = 4;

impl FlowNumbers {
    /// Numbers for messages, starting after those of the ranks.
    pub(super) fn new(ranks: usize) -> Self {
        Self { first_free: vec![NONE; ranks], next_free: vec![NONE; ranks] }
    }

    /// The upper end of all numbers.
    pub(super) fn end(&self) -> usize {
        self.next_free.len()
    }

    /// Takes a free number for a message to a rank; `None` if a block must be added before.
    pub(super) fn take(&mut self, rank: Rank) -> Option<usize> {
        let first = &mut self.first_free[rank.index()];
        let number = *first;
        *first = *self.next_free.get(number as usize)?;
        Some(number as usize)
    }

    /// Adds a block of free numbers for messages to a rank.
    pub(super) fn add_block(&mut self, rank: Rank) {
        let first = self.next_free.len() as u32;
        self.next_free.extend((first + 1..first + BLOCK).chain([self.first_free[rank.index()]]));
        self.first_free[rank.index()] = first;
    }

    /// Frees the number of a message to a rank.
    pub(super) fn release(&mut self, rank: Rank, number: usize) {
        self.next_free[number] =
            std::mem::replace(&mut self.first_free[rank.index()], number as u32);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_to_a_rank_have_adjacent_numbers_that_are_reused() {
        let mut numbers = FlowNumbers::new(2);
        let take = |numbers: &mut FlowNumbers, rank| loop {
            match numbers.take(Rank(rank)) {
                Some(number) => return number,
                None => numbers.add_block(Rank(rank)),
            }
        };
        assert_eq!([1, 0, 1, 0].map(|rank| take(&mut numbers, rank)), [2, 6, 3, 7]);
        numbers.release(Rank(1), 2);
        assert_eq!([1, 1, 1, 1, 0].map(|rank| take(&mut numbers, rank)), [2, 4, 5, 10, 8]);
        assert_eq!(numbers.end(), 14);
    }
}
