use crate::schedule::Rank;

/// The numbers of messages, which are used again once a message has arrived.
///
/// Those of messages to one rank are neighbours, four at a time, since these change their rates together: what is looked up
/// for them by number mostly lies side by side.
#[derive(Debug)]
pub(super) struct Numbers {
    /// By rank: the number that the next message to it gets.
    next: Vec<u32>,
    /// By number: the one that is next when it is taken.
    after: Vec<u32>,
}

/// No number.
const NONE: u32 = u32::MAX;

/// So many numbers a rank gets at a time.
const TOGETHER: u32 = 4;

impl Numbers {
    /// For so many ranks, whose own numbers stand below those of messages.
    pub(super) fn new(ranks: usize) -> Self {
        Self { next: vec![NONE; ranks], after: vec![NONE; ranks] }
    }

    /// The end of all numbers.
    pub(super) fn end(&self) -> usize {
        self.after.len()
    }

    /// A number for a message to a rank, unless there is none at present.
    pub(super) fn take(&mut self, rank: Rank) -> Option<usize> {
        let next = &mut self.next[rank.index()];
        let number = *next;
        *next = *self.after.get(number as usize)?;
        Some(number as usize)
    }

    /// Gives a rank more numbers.
    pub(super) fn add(&mut self, rank: Rank) {
        let first = self.after.len() as u32;
        self.after.extend((first + 1..first + TOGETHER).chain([self.next[rank.index()]]));
        self.next[rank.index()] = first;
    }

    /// A message to a rank has no use for its number any more.
    pub(super) fn give_back(&mut self, rank: Rank, number: usize) {
        self.after[number] = std::mem::replace(&mut self.next[rank.index()], number as u32);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_to_a_rank_have_neighbouring_numbers_and_use_them_again() {
        let mut numbers = Numbers::new(2);
        let take = |numbers: &mut Numbers, rank| loop {
            match numbers.take(Rank(rank)) {
                Some(number) => return number,
                None => numbers.add(Rank(rank)),
            }
        };
        assert_eq!([1, 0, 1, 0].map(|rank| take(&mut numbers, rank)), [2, 6, 3, 7]);
        numbers.give_back(Rank(1), 2);
        assert_eq!([1, 1, 1, 1, 0].map(|rank| take(&mut numbers, rank)), [2, 4, 5, 10, 8]);
        assert_eq!(numbers.end(), 14);
    }
}
