//! The messages that the ranks of the job have sent so far, counted by the preloaded
//! `count_sends.c`.

#![allow(unsafe_code)]

use std::ffi::{c_char, c_int, c_ulong, c_void};
use std::{mem, ptr};

use super::RANKS;

/// The number of messages of each rank.
pub type Messages = [u64; RANKS];

/// The function of `count_sends.c`.
type SentMessages = unsafe extern "C" fn() -> c_ulong;

unsafe extern "C" {
    /// Of the C library: the address of a name in all loaded objects, if the handle is null.
    fn dlsym(handle: *mut c_void, name: *const c_char) -> *mut c_void;
}

/// The counter of this rank.
pub struct Counter {
    sent_messages: SentMessages,
    rank: usize,
}

impl Counter {
    /// The counter of a rank; `None` if none is preloaded.
    pub fn of_rank(rank: usize) -> Option<Self> {
        // SAFETY: the name ends with a null byte.
        let address = unsafe { dlsym(ptr::null_mut(), c"orrery_sent_messages".as_ptr()) };
        if address.is_null() {
            return None;
        }
        // SAFETY: the only object with this name is `count_sends.c`, where it is a function of this
        // type.
        let sent_messages = unsafe { mem::transmute::<*mut c_void, SentMessages>(address) };
        Some(Self { sent_messages, rank })
    }

    /// The messages of all ranks so far, and whether a rank has stated that it is done. All ranks
    /// call this.
    pub fn share(&self, is_done: bool) -> Result<(Messages, bool), String> {
        let mut own = [0_u64; RANKS + 1];
        let mut sums = own;
        // SAFETY: the function reads a number.
        own[self.rank] = unsafe { (self.sent_messages)() };
        own[RANKS] = is_done.into();
        // SAFETY: MPI is initialised until the job ends; both arrays have the stated length.
        let code = unsafe {
            let (send, receive) = (own.as_ptr().cast(), sums.as_mut_ptr().cast());
            let (number, sum) = (mpi_sys::RSMPI_UINT64_T, mpi_sys::RSMPI_SUM);
            mpi_sys::MPI_Allreduce(
                send,
                receive,
                own.len() as c_int,
                number,
                sum,
                mpi_sys::RSMPI_COMM_WORLD,
            )
        };
        if code != 0 {
            return Err(format!("MPI_Allreduce: error code {code}"));
        }
        let mut messages = Messages::default();
        messages.copy_from_slice(&sums[..RANKS]);
        Ok((messages, sums[RANKS] > 0))
    }
}
