use super::Data;

/// The ranks that take part in a stage, numbered from the root on.
///
/// In a folded space the number of ranks is the largest power of two q up to p: of the first 2·(p −
/// q) ranks those with odd numbers have left their data with the rank below.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Space {
    /// The number of ranks of the operation, p.
    pub(super) ranks: usize,
    /// The absolute rank with the number 0.
    pub(super) root: usize,
    /// The number of ranks that left their data with another one, p − q.
    pub(super) absent: usize,
}

impl Space {
    /// All ranks, numbered from `root` on.
    pub(super) const fn all(ranks: usize, root: usize) -> Self {
        Self { ranks, root, absent: 0 }
    }

    /// As many ranks as the largest power of two, numbered from `root` on.
    pub(super) const fn folded(ranks: usize, root: usize) -> Self {
        let power = 1 << ranks.ilog2();
        Self { ranks, root, absent: ranks - power }
    }

    /// The number of ranks that take part.
    pub(super) const fn size(self) -> usize {
        self.ranks - self.absent
    }

    /// The number of an absolute rank; `None` if it left its data with another one.
    pub(super) const fn number(self, rank: usize) -> Option<usize> {
        let relative = (rank + self.ranks - self.root) % self.ranks;
        if relative >= 2 * self.absent {
            Some(relative - self.absent)
        } else if relative.is_multiple_of(2) {
            Some(relative / 2)
        } else {
            None
        }
    }

    /// The absolute rank with a number.
    pub(super) const fn rank(self, number: usize) -> usize {
        (self.start(number) + self.root) % self.ranks
    }

    /// The first block of a number, which is also its rank relative to the root.
    const fn start(self, number: usize) -> usize {
        if number < self.absent { 2 * number } else { number + self.absent }
    }

    /// The blocks of one number: two if another rank left its data there.
    pub(super) fn blocks_of(self, number: usize) -> std::ops::Range<usize> {
        self.start(number)..self.start(number + 1)
    }

    /// The blocks of `count` consecutive numbers from `first` on, modulo the size.
    pub(super) const fn blocks(self, first: usize, count: usize) -> Data {
        let end = first + count;
        let start = self.start(first);
        let count = if end <= self.size() {
            self.start(end) - start
        } else {
            self.ranks - start + self.start(end - self.size())
        };
        Data::Blocks { first: start, count }
    }
}
