use super::{Collective, Data};
use orrery_base::units::Bytes;

/// The sizes of some data of an operation that is not divided into segments, at any of its sizes.
#[derive(Debug, Clone, Default)]
pub struct DataSizes {
    /// The first block and the one behind the last one of consecutive blocks.
    ranges: Vec<(u32, u32)>,
    /// The index behind the last range of each of the data.
    ends: Vec<u32>,
}

impl DataSizes {
    /// Finds the blocks of each of `data`, which must be of an operation without segments.
    pub fn new(collective: &Collective, data: impl Iterator<Item = Data>) -> Self {
        let mut new = Self::default();
        let blocks = collective.call().layout.count(collective.ranks) as u32;
        for one in data {
            new.add(collective, one, blocks);
            new.ends.push(new.ranges.len() as u32);
        }
        new
    }

    /// Adds the ranges of blocks of one of the data; `blocks` is the number of all blocks.
    fn add(&mut self, collective: &Collective, data: Data, blocks: u32) {
        match data {
            Data::Empty => {}
            Data::Blocks { first, count } => {
                let first = first as u32 % blocks;
                let (end, rest) = (
                    (first + count as u32).min(blocks),
                    (first + count as u32).saturating_sub(blocks),
                );
                self.ranges.push((first, end));
                self.ranges.extend((rest > 0).then_some((0, rest)));
            }
            // The blocks of an alltoall have equal sizes.
            Data::Pair { .. } => self.ranges.push((0, 1)),
            Data::Bruck { .. } => {
                let one = Collective { block: Bytes::new(1), ..*collective };
                self.ranges.push((0, one.bytes(data).get() as u32));
            }
            Data::Reachable { .. } => {
                let mut all = collective.blocks(data);
                all.sort_unstable();
                let runs = all.chunk_by(|one, next| one + 1 == *next);
                self.ranges.extend(runs.map(|run| (run[0] as u32, run[run.len() - 1] as u32 + 1)));
            }
        }
    }

    /// The sizes of the data with these indices.
    #[must_use]
    pub fn select(&self, indices: impl Iterator<Item = usize>) -> Self {
        let mut new = Self::default();
        for index in indices {
            let first = if index == 0 { 0 } else { self.ends[index - 1] };
            new.ranges.extend_from_slice(&self.ranges[first as usize..self.ends[index] as usize]);
            new.ends.push(new.ranges.len() as u32);
        }
        new
    }

    /// Sets `sizes` to the size of each of the data, at the size of the operation in `collective`,
    /// which otherwise must be that of [`new`](Self::new).
    pub fn set(&self, collective: &Collective, sizes: &mut Vec<Bytes>) {
        let (length, longer) = collective.call().layout.block_sizes();
        let offset = |block: u32| u64::from(block) * length + u64::from(block).min(longer);
        let mut first = 0;
        sizes.clear();
        sizes.extend(self.ends.iter().map(|&end| {
            let ranges = &self.ranges[first as usize..end as usize];
            first = end;
            Bytes::new(ranges.iter().map(|&(first, end)| offset(end) - offset(first)).sum())
        }));
    }
}
