//! Samples that are measured and not yet on the disk.

use std::collections::VecDeque;

use crate::sample::Sample;
use crate::store::{Store, StoreError};
use crate::timestamp::Timestamp;

/// The maximum number of samples that are kept in memory while the disk is full: about 10 MB, and
/// half a day of a host with ten series each 10 s.
pub const MAX_PENDING: usize = 50_000;

/// The number of samples of a transaction.
const BATCH: usize = 1000;

/// Samples that wait for the disk, the oldest first.
#[derive(Debug, Default)]
pub struct Pending {
    samples: VecDeque<Sample>,
    aside: VecDeque<Sample>,
    dropped: u64,
}

impl Pending {
    /// Adds a sample; without room, the oldest one is dropped and counted.
    pub fn push(&mut self, sample: Sample) {
        if self.len() >= MAX_PENDING {
            // What is set aside is older.
            if self.aside.pop_front().is_none() {
                self.samples.pop_front();
            }
            self.dropped += 1;
        }
        self.samples.push_back(sample);
    }

    /// Marks the samples after a time as those to set aside.
    pub fn set_aside(&mut self, after: Timestamp) {
        let (later, others): (VecDeque<Sample>, _) =
            std::mem::take(&mut self.samples).into_iter().partition(|sample| sample.time > after);
        self.samples = others;
        self.aside.extend(later);
    }

    /// The samples to set aside.
    pub fn aside(&mut self) -> &[Sample] {
        self.aside.make_contiguous()
    }

    /// Drops the samples to set aside, which the store has now.
    pub fn clear_aside(&mut self) {
        self.aside.clear();
    }

    /// The number of samples.
    pub fn len(&self) -> usize {
        self.samples.len() + self.aside.len()
    }

    /// Returns true if there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The number of samples that were dropped since the last call.
    pub fn take_dropped(&mut self) -> u64 {
        std::mem::take(&mut self.dropped)
    }

    /// Appends the samples that are not to set aside to the store; returns the number of those that
    /// are on the disk now.
    ///
    /// # Errors
    ///
    /// Returns the error of the store, and keeps the samples that are not on the disk.
    pub fn write(&mut self, store: &mut Store) -> Result<usize, StoreError> {
        let mut written = 0;
        while !self.samples.is_empty() {
            let count = self.samples.len().min(BATCH);
            store.append(&self.samples.make_contiguous()[..count])?;
            self.samples.drain(..count);
            written += count;
        }
        Ok(written)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_oldest_are_dropped_and_counted() {
        let mut pending = Pending::default();
        let series: crate::name::SeriesName = "node1/load".parse().expect("it is valid");
        for at in 0..MAX_PENDING as i64 + 3 {
            pending.push(Sample {
                series: series.clone(),
                time: Timestamp::from_micros(at),
                value: 0.0,
            });
        }
        assert_eq!(
            (pending.len(), pending.take_dropped(), pending.take_dropped()),
            (MAX_PENDING, 3, 0)
        );
        let folder = tempfile::tempdir().expect("there is a folder for temporary files");
        let mut store = Store::open(&folder.path().join("series.db")).expect("it is new");
        assert_eq!(pending.write(&mut store).expect("there is space"), MAX_PENDING);
        let id = store.find(&series).expect("it is readable").expect("it was written");
        assert_eq!(
            store.recent(id, MAX_PENDING).expect("it is readable")[0].0,
            Timestamp::from_micros(3)
        );
        assert!(pending.is_empty());
    }
}
