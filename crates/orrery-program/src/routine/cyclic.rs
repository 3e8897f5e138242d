use orrery_base::file::Fault;

/// Indices 0 to n − 1 in blocks of r, which processes have in turn: index i belongs to process (f +
/// ⌊i/r⌋) mod P.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cyclic {
    extent: u64,
    block: u64,
    processes: u32,
    first: u32,
}

impl Cyclic {
    /// The distribution of `extent` indices in blocks of `block` over `processes` processes, of
    /// which `first` has the first block.
    ///
    /// # Errors
    ///
    /// When blocks are empty, when there is no process, or when the first one is not among them.
    ///
    /// ```
    /// use orrery_program::routine::Cyclic;
    /// let columns = Cyclic::new(10, 3, 2, 0)?;
    /// // 0 1 2 | 3 4 5 | 6 7 8 | 9
    /// assert_eq!((columns.owner(7), columns.count(0), columns.count(1)), (0, 6, 4));
    /// # Ok::<(), orrery_base::file::Fault>(())
    /// ```
    pub fn new(extent: u64, block: u64, processes: u32, first: u32) -> Result<Self, Fault> {
        if block == 0 {
            return Err(Fault::new("the size of a block is 0; give 1 or more"));
        }
        if first >= processes {
            return Err(Fault::new(format!(
                "the first block is on process {first}; it must be below {processes}, the number \
                    of processes"
            )));
        }
        if extent > MAX_EXTENT || block > MAX_EXTENT {
            return Err(Fault::new(format!(
                "there are {} rows or columns; give at most 1099511627776",
                extent.max(block)
            )));
        }
        Ok(Self { extent, block, processes, first })
    }

    /// The number of indices n.
    pub fn extent(&self) -> u64 {
        self.extent
    }

    /// The number of indices of a block r.
    pub fn block(&self) -> u64 {
        self.block
    }

    /// The number of processes P.
    pub fn processes(&self) -> u32 {
        self.processes
    }

    /// The process that has an index.
    pub fn owner(&self, index: u64) -> u32 {
        ((u64::from(self.first) + index / self.block) % u64::from(self.processes)) as u32
    }

    /// The number of indices of a process (`NUMROC` of ScaLAPACK).
    pub fn count(&self, process: u32) -> u64 {
        let processes = u64::from(self.processes);
        let distance = (processes + u64::from(process) - u64::from(self.first)) % processes;
        let (blocks, rest) = (self.extent / self.block, self.extent % self.block);
        let own = (blocks / processes + u64::from(distance < blocks % processes)) * self.block;
        own + if distance == blocks % processes { rest } else { 0 }
    }

    /// The largest number of indices of a process.
    pub fn largest_count(&self) -> u64 {
        self.count(self.first)
    }

    /// The number of indices that each process of this distribution and each one of another
    /// distribution of the same indices have in common.
    ///
    /// The pattern repeats after lcm(P·r, Q·s) indices: whole periods are counted once, and the
    /// rest by itself.
    ///
    /// # Errors
    ///
    /// When the distributions have different numbers of indices, or too many blocks in a period.
    pub fn overlaps(&self, other: &Self) -> Result<Overlaps, Fault> {
        if self.extent != other.extent {
            return Err(Fault::new(format!(
                "there are {} rows or columns before the redistribution and {} after it; give the \
                    same number",
                self.extent, other.extent
            )));
        }
        let (own, others) =
            (self.block * u64::from(self.processes), other.block * u64::from(other.processes));
        let period = u128::from(own / gcd(own, others)) * u128::from(others);
        let period =
            u64::try_from(period).map_or(self.extent, |period| period.min(self.extent)).max(1);
        let blocks = period / self.block + period / other.block;
        if blocks > MAX_BLOCKS {
            return Err(Fault::new(format!(
                "the layouts repeat only after {blocks} blocks; at most 67108864 are possible; use \
                    larger blocks"
            )));
        }
        let (periods, rest) = (self.extent / period, self.extent % period);
        let mut counts = vec![0; self.processes as usize * other.processes as usize];
        self.add_common(other, 0..rest, &mut counts);
        let of_rest = counts.clone();
        self.add_common(other, rest..period, &mut counts);
        counts
            .iter_mut()
            .zip(of_rest)
            .for_each(|(count, of_rest)| *count = *count * periods + of_rest);
        Ok(Overlaps { columns: other.processes as usize, counts })
    }

    /// Adds to `counts`, by pair of processes, the number of indices of a range that both have.
    fn add_common(&self, other: &Self, range: std::ops::Range<u64>, counts: &mut [u64]) {
        let mut index = range.start;
        while index < range.end {
            let end_of_block = |one: &Self| (index / one.block + 1) * one.block;
            let end = end_of_block(self).min(end_of_block(other)).min(range.end);
            let pair =
                self.owner(index) as usize * other.processes as usize + other.owner(index) as usize;
            counts[pair] += end - index;
            index = end;
        }
    }
}

/// The number of common indices of each pair of processes of two distributions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Overlaps {
    columns: usize,
    /// By process of the first distribution, then of the second.
    counts: Vec<u64>,
}

impl Overlaps {
    /// The number of indices that process `from` of the first distribution and `to` of the second
    /// have in common.
    pub fn get(&self, from: u32, to: u32) -> u64 {
        self.counts[from as usize * self.columns + to as usize]
    }

    /// For each process of the first distribution, the number of processes of the second one with
    /// which it has indices in common.
    pub(super) fn targets(&self) -> Vec<usize> {
        self.counts
            .chunks(self.columns)
            .map(|of| of.iter().filter(|count| **count > 0).count())
            .collect()
    }

    /// For each process of the second distribution, the number of processes of the first one with
    /// which it has indices in common.
    pub(super) fn sources(&self) -> Vec<usize> {
        let has_common = |from: &[u64], to: usize| from[to] > 0;
        (0..self.columns)
            .map(|to| self.counts.chunks(self.columns).filter(|from| has_common(from, to)).count())
            .collect()
    }

    /// The numbers of processes of the first and of the second distribution.
    pub fn shape(&self) -> (usize, usize) {
        (self.counts.len() / self.columns.max(1), self.columns)
    }
}

/// The largest number of indices.
const MAX_EXTENT: u64 = 1 << 40;

/// The largest number of blocks of both distributions in a period.
const MAX_BLOCKS: u64 = 1 << 26;

/// The greatest common divisor.
pub(super) fn gcd(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { gcd(b, a % b) }
}
