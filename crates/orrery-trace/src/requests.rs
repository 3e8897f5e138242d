//! The requests of a process: handles of MPI and numbers in the record.

use std::collections::{HashMap, VecDeque};

use crate::language::{Key, KeyHasher};

/// A request of a message.
#[derive(Debug, Clone, Copy)]
pub struct Pending {
    /// The number in the record.
    pub number: u32,
    /// The number of the communicator of a receive of any source or any tag. Its handle may be
    /// freed meanwhile.
    pub wild: Option<u32>,
    /// True after `MPI_Cancel`.
    pub may_be_cancelled: bool,
    /// True if it is persistent.
    is_persistent: bool,
    /// True if a transfer is in progress.
    is_active: bool,
}

impl Pending {
    /// Returns true if the status at the end is needed.
    pub const fn needs_status(&self) -> bool {
        self.wild.is_some() || self.may_be_cancelled
    }
}

/// The requests of a handle.
#[derive(Debug)]
struct OfHandle {
    first: Pending,
    /// Later requests: libraries give all sends that are complete at once the same handle.
    others: VecDeque<Pending>,
    /// The scan that has passed some of the requests, and how many.
    passed: (u64, usize),
}

/// The requests by their handles.
#[derive(Debug, Default)]
pub struct Requests {
    by_handle: HashMap<Key, OfHandle, KeyHasher>,
    /// Numbers that are free.
    free: Vec<u32>,
    count: u32,
    /// The number of the last scan.
    scan: u64,
}

impl Requests {
    /// Adds a request and returns its number.
    pub fn add(&mut self, handle: Key, wild: Option<u32>, is_persistent: bool) -> u32 {
        let number = self.free.pop().unwrap_or_else(|| {
            self.count += 1;
            self.count - 1
        });
        let pending = Pending {
            number,
            wild,
            may_be_cancelled: false,
            is_persistent,
            is_active: !is_persistent,
        };
        match self.by_handle.get_mut(&handle) {
            Some(known) if known.first.is_active && !known.first.is_persistent => {
                known.others.push_back(pending);
            }
            _ => {
                let new = OfHandle { first: pending, others: VecDeque::new(), passed: (0, 0) };
                self.free.extend(
                    self.by_handle.insert(handle, new).map(|replaced| replaced.first.number),
                );
            }
        }
        number
    }

    /// Begins a scan of the requests of a call.
    pub fn begin_scan(&mut self) {
        self.scan += 1;
    }

    /// The next request of a handle in this scan; `None` if there is none, or its transfer is not
    /// in progress.
    #[inline]
    pub fn next_active(&mut self, handle: Key) -> Option<Pending> {
        let known = self.by_handle.get_mut(&handle)?;
        if known.passed.0 != self.scan {
            known.passed = (self.scan, 0);
        }
        let index = known.passed.1;
        known.passed.1 += 1;
        let pending = if index == 0 { known.first } else { *known.others.get(index - 1)? };
        pending.is_active.then_some(pending)
    }

    /// Starts a persistent request and returns its number; `None` if it is not known.
    pub fn start(&mut self, handle: Key) -> Option<u32> {
        let pending = &mut self.by_handle.get_mut(&handle)?.first;
        pending.is_active = true;
        Some(pending.number)
    }

    /// Marks a request that is to be cancelled; returns its number, `None` if it is not known.
    pub fn cancel(&mut self, handle: Key) -> Option<u32> {
        let pending = &mut self.by_handle.get_mut(&handle)?.first;
        pending.may_be_cancelled = true;
        Some(pending.number)
    }

    /// Ends the transfer of a request with this number; a persistent request remains, others are
    /// removed.
    pub fn complete(&mut self, handle: Key, number: u32) {
        let Some(known) = self.by_handle.get_mut(&handle) else { return };
        if known.first.is_persistent {
            known.first.is_active = false;
            known.first.may_be_cancelled = false;
        } else if known.first.number == number {
            self.free(handle);
        } else if let Some(index) = known.others.iter().position(|other| other.number == number) {
            known.others.remove(index);
            self.free.push(number);
        }
    }

    /// Removes the first request of a handle; returns its number, `None` if there is none.
    pub fn free(&mut self, handle: Key) -> Option<u32> {
        let known = self.by_handle.get_mut(&handle)?;
        let number = known.first.number;
        match known.others.pop_front() {
            Some(next) => known.first = next,
            None => drop(self.by_handle.remove(&handle)),
        }
        self.free.push(number);
        Some(number)
    }
}
