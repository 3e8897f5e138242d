use super::Processor;

/// The unordered pairs of n processors in the order of the packed upper triangle: 0-1, 0-2, …, 0-(n−1), 1-2, ….
///
/// ```
/// use orrery::platform::{Pairs, Processor};
/// let pairs = Pairs::of(4);
/// assert_eq!(pairs.count(), 6);
/// assert_eq!(pairs.index(Processor(3), Processor(1)), 4); // 1-3, in either direction
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pairs {
    processors: usize,
}

impl Pairs {
    /// The pairs of so many processors.
    pub const fn of(processors: usize) -> Self {
        Self { processors }
    }

    /// How many processors there are.
    pub const fn processors(self) -> usize {
        self.processors
    }

    /// How many pairs there are: n(n−1)/2.
    pub const fn count(self) -> usize {
        self.processors * self.processors.saturating_sub(1) / 2
    }

    /// The pairs of which there are so many; `None` when that is n(n−1)/2 for no number n of processors.
    pub const fn from_count(count: usize) -> Option<Self> {
        // n(n−1)/2 = count has the solution n = (1 + √(1 + 8 count)) / 2.
        let processors = usize::midpoint(1, (1 + 8 * count).isqrt());
        if processors * (processors - 1) / 2 == count { Some(Self { processors }) } else { None }
    }

    /// The place of pair {a, b} in the packed triangle.
    ///
    /// # Panics
    ///
    /// When a = b or one of them is not among the n processors: that is a bug of the caller.
    pub const fn index(self, a: Processor, b: Processor) -> usize {
        let (low, high) = if a.0 < b.0 { (a.index(), b.index()) } else { (b.index(), a.index()) };
        assert!(low < high && high < self.processors, "no such pair of processors");
        low * (2 * self.processors - low - 1) / 2 + high - low - 1
    }

    /// All pairs (low, high) in packed order.
    pub fn iter(self) -> impl Iterator<Item = (Processor, Processor)> {
        let n = self.processors as u32;
        (0..n).flat_map(move |low| (low + 1..n).map(move |high| (Processor(low), Processor(high))))
    }
}

/// One value for each unordered pair of processors, in the order of [`Pairs`].
#[derive(Debug, Clone, PartialEq)]
pub struct PerPair<T> {
    pairs: Pairs,
    values: Vec<T>,
}

impl<T> PerPair<T> {
    /// Values for the pairs of `processors` processors in packed order; `None` when their number is not n(n−1)/2.
    pub fn new(processors: usize, values: Vec<T>) -> Option<Self> {
        let pairs = Pairs::of(processors);
        (values.len() == pairs.count()).then_some(Self { pairs, values })
    }

    /// Values for all pairs in packed order; `None` when their number is n(n−1)/2 for no number n of processors.
    pub fn packed(values: Vec<T>) -> Option<Self> {
        Some(Self { pairs: Pairs::from_count(values.len())?, values })
    }

    /// One value for each pair, made by `make(low, high)`.
    pub fn from_fn(processors: usize, mut make: impl FnMut(Processor, Processor) -> T) -> Self {
        let pairs = Pairs::of(processors);
        Self { pairs, values: pairs.iter().map(|(low, high)| make(low, high)).collect() }
    }

    /// The value of pair {a, b}, in either direction.
    pub fn get(&self, a: Processor, b: Processor) -> &T {
        &self.values[self.pairs.index(a, b)]
    }

    /// The pairs themselves.
    pub fn pairs(&self) -> Pairs {
        self.pairs
    }

    /// The values in packed order.
    pub fn values(&self) -> &[T] {
        &self.values
    }

    /// The values in packed order, to be changed in place.
    pub fn values_mut(&mut self) -> &mut [T] {
        &mut self.values
    }
}
