//! Processors, pairs of them, and the processor of each rank.

use std::fmt;

use serde::{Deserialize, Serialize};

use orrery_program::schedule::Rank;

/// A slot for one process, numbered from 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Processor(pub u32);

impl Processor {
    /// The number as an index into arrays per processor.
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// The first `count` processors.
    pub fn first(count: usize) -> impl Iterator<Item = Self> {
        (0..count as u32).map(Self)
    }
}

impl fmt::Display for Processor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// The unordered pairs of n processors in the order of the packed upper triangle: 0-1, 0-2, …,
/// 0-(n−1), 1-2, ….
///
/// ```
/// use orrery_cluster::platform::{Pairs, Processor};
/// let pairs = Pairs::of(4);
/// assert_eq!(pairs.count(), 6);
/// assert_eq!(pairs.index(Processor(3), Processor(1)), 4); // 1-3, in either direction
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pairs {
    processors: usize,
}

impl Pairs {
    /// The pairs of this number of processors.
    pub const fn of(processors: usize) -> Self {
        Self { processors }
    }

    /// The number of processors, n.
    pub const fn processors(self) -> usize {
        self.processors
    }

    /// The number of pairs, n(n−1)/2.
    pub const fn count(self) -> usize {
        self.processors * self.processors.saturating_sub(1) / 2
    }

    /// The processors whose number of pairs is `count`; `None` if `count` is not n(n−1)/2 for any
    /// n.
    pub const fn from_count(count: usize) -> Option<Self> {
        // n(n−1)/2 = count has the solution n = (1 + √(1 + 8 count)) / 2.
        let processors = usize::midpoint(1, (1 + 8 * count).isqrt());
        if processors * (processors - 1) / 2 == count { Some(Self { processors }) } else { None }
    }

    /// The index of pair {a, b} in the packed triangle.
    ///
    /// # Panics
    ///
    /// When a = b, or one of them is not among the n processors.
    pub const fn index(self, a: Processor, b: Processor) -> usize {
        let (low, high) = if a.0 < b.0 { (a.index(), b.index()) } else { (b.index(), a.index()) };
        assert!(low < high && high < self.processors, "no such pair of processors");
        low * (2 * self.processors - low - 1) / 2 + high - low - 1
    }

    /// The pair (low, high) with this index in the packed triangle; `None` beyond the last one.
    ///
    /// ```
    /// use orrery_cluster::platform::{Pairs, Processor};
    /// assert_eq!(Pairs::of(4).get(3), Some((Processor(1), Processor(2))));
    /// assert_eq!(Pairs::of(4).get(6), None);
    /// for pairs in (0..9).map(Pairs::of) {
    ///     assert!((0..).map_while(|index| pairs.get(index)).eq(pairs.iter()));
    /// }
    /// ```
    pub const fn get(self, index: usize) -> Option<(Processor, Processor)> {
        if index >= self.count() {
            return None;
        }
        // The last rows of the triangle have 1, 2, … pairs: r pairs after this one contain k whole
        // rows, k(k+1)/2 ≤ r.
        let after = self.count() - 1 - index;
        let rows = ((8 * after + 1).isqrt() - 1) / 2;
        let low = self.processors - 2 - rows;
        let first = low * (2 * self.processors - low - 1) / 2;
        Some((Processor(low as u32), Processor((index - first + low + 1) as u32)))
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
    /// Values for the pairs of `processors` processors in packed order; `None` if their number is
    /// not n(n−1)/2.
    pub fn new(processors: usize, values: Vec<T>) -> Option<Self> {
        let pairs = Pairs::of(processors);
        (values.len() == pairs.count()).then_some(Self { pairs, values })
    }

    /// Values for all pairs in packed order; `None` if their number is not n(n−1)/2 for any n.
    pub fn packed(values: Vec<T>) -> Option<Self> {
        Some(Self { pairs: Pairs::from_count(values.len())?, values })
    }

    /// The value `make(low, high)` for each pair.
    pub fn from_fn(processors: usize, mut make: impl FnMut(Processor, Processor) -> T) -> Self {
        let pairs = Pairs::of(processors);
        Self { pairs, values: pairs.iter().map(|(low, high)| make(low, high)).collect() }
    }

    /// The value of pair {a, b}, in either order.
    pub fn get(&self, a: Processor, b: Processor) -> &T {
        &self.values[self.pairs.index(a, b)]
    }

    /// The pairs that have values.
    pub fn pairs(&self) -> Pairs {
        self.pairs
    }

    /// The values of the pairs 0-1, 0-2, …, 0-(n−1), 1-2, …, in this order.
    pub fn values(&self) -> &[T] {
        &self.values
    }

    /// The values in the order of [`Self::values`], for changes in place.
    pub fn values_mut(&mut self) -> &mut [T] {
        &mut self.values
    }
}

/// The processor of each rank of a program.
///
/// A processor takes one process, so no two ranks may have the same one; see
/// [`Placement::is_distinct`].
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Placement(Vec<Processor>);

impl Placement {
    /// Places rank r on the r-th of these processors.
    pub fn new(processors: impl IntoIterator<Item = Processor>) -> Self {
        Self(processors.into_iter().collect())
    }

    /// Places rank r on processor r.
    pub fn identity(ranks: usize) -> Self {
        Self(Processor::first(ranks).collect())
    }

    /// The number of ranks.
    pub fn ranks(&self) -> usize {
        self.0.len()
    }

    /// The processor of a rank.
    ///
    /// # Panics
    ///
    /// When the rank has no processor. Schedules are checked against their placement before they
    /// run.
    pub fn processor(&self, rank: Rank) -> Processor {
        self.0[rank.index()]
    }

    /// Returns true if no two ranks have the same processor.
    pub fn is_distinct(&self) -> bool {
        let mut sorted = self.0.clone();
        sorted.sort_unstable();
        sorted.windows(2).all(|pair| pair[0] != pair[1])
    }

    /// The placement on selected processors of a larger machine, of which the own numbers are
    /// places in the list.
    ///
    /// ```
    /// use orrery_cluster::platform::{Placement, Processor};
    /// let placed = Placement::new([1, 0].map(Processor)).on(&[4, 7].map(Processor));
    /// assert_eq!(placed.processors(), [7, 4].map(Processor));
    /// ```
    ///
    /// # Panics
    ///
    /// When a number is beyond the list.
    #[must_use]
    pub fn on(&self, selected: &[Processor]) -> Self {
        Self::new(self.0.iter().map(|processor| selected[processor.index()]))
    }

    /// The processors in the order of the ranks.
    pub fn processors(&self) -> &[Processor] {
        &self.0
    }
}

/// The name of a processor: the name of its host, with the processor's number where several
/// processors have the same host; the number alone where the host is unknown.
///
/// ```
/// use orrery_cluster::platform::{Processor, processor_name};
/// let hosts = ["a", "a", "b", ""].map(String::from);
/// assert_eq!([1, 2, 3].map(|one| processor_name(&hosts, Processor(one))), ["a-1", "b", "3"]);
/// ```
pub fn processor_name(hosts: &[String], processor: Processor) -> String {
    let Some(host) = hosts.get(processor.index()).filter(|host| !host.is_empty()) else {
        return processor.to_string();
    };
    let is_unique = hosts.iter().filter(|other| *other == host).count() == 1;
    if is_unique { host.clone() } else { format!("{host}-{processor}") }
}
