//! The requests of a process: handles of MPI and numbers in the record.

use std::collections::HashMap;

use mpi_sys::MPI_Comm;

use crate::language::{Key, KeyHasher};

/// A request of a message.
#[derive(Debug, Clone, Copy)]
pub struct Pending {
    /// The number in the record.
    pub number: u32,
    /// The communicator of a receive of any source or any tag.
    pub wild: Option<MPI_Comm>,
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

/// The requests by their handles.
#[derive(Debug, Default)]
pub struct Requests {
    by_handle: HashMap<Key, Pending, KeyHasher>,
    /// Numbers that are free.
    free: Vec<u32>,
    count: u32,
}

impl Requests {
    /// Adds a request and returns its number.
    pub fn add(&mut self, handle: Key, wild: Option<MPI_Comm>, is_persistent: bool) -> u32 {
        let number = self.free.pop().unwrap_or_else(|| {
            self.count += 1;
            self.count - 1
        });
        let pending = Pending { number, wild, may_be_cancelled: false, is_persistent, is_active: !is_persistent };
        if let Some(replaced) = self.by_handle.insert(handle, pending) {
            self.free.push(replaced.number);
        }
        number
    }

    /// The request of a handle whose transfer is in progress.
    #[inline]
    pub fn active(&self, handle: Key) -> Option<Pending> {
        self.by_handle.get(&handle).copied().filter(|pending| pending.is_active)
    }

    /// Starts a persistent request and returns its number.
    pub fn start(&mut self, handle: Key) -> Option<u32> {
        let pending = self.by_handle.get_mut(&handle)?;
        pending.is_active = true;
        Some(pending.number)
    }

    /// Marks a request that is to be cancelled; returns its number.
    pub fn cancel(&mut self, handle: Key) -> Option<u32> {
        let pending = self.by_handle.get_mut(&handle)?;
        pending.may_be_cancelled = true;
        Some(pending.number)
    }

    /// Ends the transfer of a request.
    pub fn complete(&mut self, handle: Key) {
        if let Some(pending) = self.by_handle.get_mut(&handle) {
            pending.is_active = false;
            if !pending.is_persistent {
                self.free(handle);
            }
        }
    }

    /// Removes a request; returns its number.
    pub fn free(&mut self, handle: Key) -> Option<u32> {
        let pending = self.by_handle.remove(&handle)?;
        self.free.push(pending.number);
        Some(pending.number)
    }
}
