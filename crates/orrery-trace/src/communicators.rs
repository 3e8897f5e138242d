//! The communicators of a process: handles of MPI, numbers in the record, and the ranks of their
//! members.

#![allow(unsafe_code)]

use std::collections::HashMap;
use std::ffi::c_int;

use mpi_sys::{MPI_Comm, MPI_Group};
use orrery::trace::recording::{Peer, Record};

use crate::language::{Key, KeyHasher, key};

/// A communicator.
#[derive(Debug)]
pub struct Communicator {
    /// The number in the record.
    pub number: u32,
    /// The rank of this process in it.
    pub rank: u32,
    /// The number of ranks, of an intercommunicator that of the other group.
    pub size: usize,
    /// The rank of the job of each peer, [`u32::MAX`] for other processes; empty if it is the rank
    /// itself.
    peers: Vec<u32>,
}

impl Communicator {
    /// The peer with a rank in the communicator: none for `MPI_PROC_NULL`, any for
    /// `MPI_ANY_SOURCE`.
    #[inline]
    pub fn peer(&self, rank: c_int) -> Peer {
        // SAFETY: constants of the library.
        let (none, any) = unsafe { (mpi_sys::RSMPI_PROC_NULL, mpi_sys::RSMPI_ANY_SOURCE) };
        if rank == any {
            return Peer::Any;
        }
        if rank == none || rank < 0 {
            return Peer::None;
        }
        if self.peers.is_empty() {
            return Peer::Rank(rank as u32);
        }
        match self.peers.get(rank as usize) {
            Some(&u32::MAX) | None => Peer::Foreign,
            Some(&peer) => Peer::Rank(peer),
        }
    }
}

/// The communicators by their handles.
#[derive(Debug)]
pub struct Communicators {
    /// The group of all ranks of the job.
    world: MPI_Group,
    by_handle: HashMap<Key, usize, KeyHasher>,
    all: Vec<Communicator>,
    /// The handle that was used last, and its index.
    last: (Key, usize),
}

impl Communicators {
    /// No communicator.
    pub fn new() -> Self {
        let world = group(mpi_sys::PMPI_Comm_group, world());
        Self { world, by_handle: HashMap::default(), all: Vec::new(), last: (Key::MAX, 0) }
    }

    /// The communicator of a handle; one that is not known yet is defined, and its record passed to
    /// `define`.
    #[inline]
    pub fn get(&mut self, handle: MPI_Comm, define: impl FnOnce(&Record<'_>)) -> &Communicator {
        let found = key(handle);
        if self.last.0 != found {
            let index = match self.by_handle.get(&found) {
                Some(&index) => index,
                None => self.define(handle, define),
            };
            self.last = (found, index);
        }
        &self.all[self.last.1]
    }

    /// The communicator with a number in the record.
    pub fn with_number(&self, number: u32) -> &Communicator {
        &self.all[number as usize]
    }

    /// Removes a handle, which may be used for another communicator.
    pub fn remove(&mut self, handle: Key) {
        self.by_handle.remove(&handle);
        self.last = (Key::MAX, 0);
    }

    /// Defines the communicator of a handle.
    fn define(&mut self, handle: MPI_Comm, define: impl FnOnce(&Record<'_>)) -> usize {
        let (mut joins_groups, mut rank) = (0, 0);
        // SAFETY: the program has used the handle in a call that succeeded.
        unsafe {
            mpi_sys::PMPI_Comm_test_inter(handle, &raw mut joins_groups);
            mpi_sys::PMPI_Comm_rank(handle, &raw mut rank);
        }
        let joins_groups = joins_groups != 0;
        let own = self.ranks_of(group(mpi_sys::PMPI_Comm_group, handle));
        let other = if joins_groups {
            self.ranks_of(group(mpi_sys::PMPI_Comm_remote_group, handle))
        } else {
            Vec::new()
        };
        let number = self.all.len() as u32;
        let (members, peers) = if joins_groups {
            // Both groups define the same list.
            let mut members = [own, other.clone()].concat();
            members.sort_unstable();
            (members, other)
        } else {
            (own.clone(), own)
        };
        define(&Record::Communicator { number, joins_groups, members: members.into() });
        let size = peers.len();
        let is_identity = peers.iter().copied().eq(0..size as u32);
        let peers = if is_identity { Vec::new() } else { peers };
        self.all.push(Communicator { number, rank: rank as u32, size, peers });
        self.by_handle.insert(key(handle), self.all.len() - 1);
        self.all.len() - 1
    }

    /// The ranks of the job of the members of a group, which is freed.
    fn ranks_of(&self, mut group: MPI_Group) -> Vec<u32> {
        let mut size = 0;
        // SAFETY: both groups are valid, and the lists are as long as the call says.
        unsafe {
            mpi_sys::PMPI_Group_size(group, &raw mut size);
            let from: Vec<c_int> = (0..size).collect();
            let mut to = vec![mpi_sys::RSMPI_UNDEFINED; size as usize];
            mpi_sys::PMPI_Group_translate_ranks(
                group,
                size,
                from.as_ptr(),
                self.world,
                to.as_mut_ptr(),
            );
            mpi_sys::PMPI_Group_free(&raw mut group);
            to.into_iter().map(|rank| u32::try_from(rank).unwrap_or(u32::MAX)).collect()
        }
    }
}

/// The communicator of all ranks.
pub fn world() -> MPI_Comm {
    // SAFETY: a constant of the library.
    unsafe { mpi_sys::RSMPI_COMM_WORLD }
}

/// The group that a function of MPI returns for a communicator.
fn group(of: unsafe extern "C" fn(MPI_Comm, *mut MPI_Group) -> c_int, comm: MPI_Comm) -> MPI_Group {
    // SAFETY: the communicator is valid; the handle is written before it is read.
    unsafe {
        let mut group = mpi_sys::RSMPI_GROUP_NULL;
        of(comm, &raw mut group);
        group
    }
}
