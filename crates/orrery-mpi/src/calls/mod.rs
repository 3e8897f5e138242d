//! Safe wrappers of MPI functions that check return codes.
//!
//! Communicators return errors (`MPI_ERRORS_RETURN`), and every code other than `MPI_SUCCESS`
//! becomes an [`MpiError`].

#![allow(unsafe_code)]

/// Calls a function of MPI; an error has its name.
macro_rules! call {
    ($function:ident($($argument:expr),* $(,)?)) => {
        $crate::calls::check(stringify!($function), mpi_sys::$function($($argument),*))
    };
}

mod attribute;
mod collective;
mod datatype;
mod message;
mod process;
mod tool;

use std::ffi::{CStr, c_char, c_int};

pub(crate) use attribute::carrier;
pub(crate) use collective::Collective;
pub(crate) use datatype::{Datatype, Reduction};
pub use datatype::{RawDatatype, RawOp, ReduceArguments};
pub(crate) use message::{
    ANY_SOURCE, Request, exchange_empty, post_receive, post_send, probe, receive, receive_into,
    send, send_bytes, test, wait, wait_all,
};
pub(crate) use process::{
    DYNAMIC_RULES, abort, finalize, init, initialised_level, kill_this_process, library,
};
pub(crate) use tool::{ControlVariable, text};

use orrery::machine::LateStart;

/// Why an operation on MPI failed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum MpiError {
    /// A function of MPI returned an error code.
    #[error("{call}: {reason}")]
    Call {
        /// The name of the function.
        call: &'static str,
        /// The library's message for the error code.
        reason: String,
    },
    /// Ranks of a batch missed the common start repeatedly.
    #[error(transparent)]
    LateStart(#[from] LateStart),
    /// MPI does not support the operation, or not in this state.
    #[error("{0}")]
    Impossible(String),
}

impl MpiError {
    /// An error of Orrery itself or of a broken control message.
    pub(crate) fn impossible(reason: impl Into<String>) -> Self {
        Self::Impossible(reason.into())
    }
}

/// A handle of a communicator in C.
pub type RawComm = mpi_sys::MPI_Comm;

/// A communicator of a program that has initialised MPI by itself.
#[derive(Debug, Clone, Copy)]
pub struct UserComm(RawComm);

impl UserComm {
    /// Takes the handle of the program.
    ///
    /// # Safety
    ///
    /// The handle is that of an intracommunicator, which is not freed as long as this is used.
    pub const unsafe fn new(comm: RawComm) -> Self {
        Self(comm)
    }
}

/// A communicator.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Comm(mpi_sys::MPI_Comm);

impl Comm {
    /// The same communicator, set to return errors.
    fn returning_errors(self) -> Result<Self, MpiError> {
        // SAFETY: the communicator is valid.
        unsafe { call!(MPI_Comm_set_errhandler(self.0, mpi_sys::RSMPI_ERRORS_RETURN))? };
        Ok(self)
    }

    /// A duplicate of MPI_COMM_WORLD that returns errors.
    pub fn world() -> Result<Self, MpiError> {
        // SAFETY: MPI has been initialised, which is what `Job` is made for.
        let world = unsafe { mpi_sys::RSMPI_COMM_WORLD };
        Self(world).returning_errors()?;
        Self::duplicate(UserComm(world))
    }

    /// A duplicate of a program's communicator that returns errors; all of its ranks must call
    /// this.
    pub fn duplicate(of: UserComm) -> Result<Self, MpiError> {
        // SAFETY: MPI is initialised, as the caller has checked, and the communicator is valid; the
        // handle is written before it is read.
        unsafe {
            let mut comm = mpi_sys::RSMPI_COMM_NULL;
            call!(MPI_Comm_dup(of.0, &raw mut comm))?;
            Self(comm).returning_errors()
        }
    }

    /// A communicator of this process alone that returns errors.
    pub fn own() -> Result<Self, MpiError> {
        // SAFETY: a constant of the library.
        Self::duplicate(UserComm(unsafe { mpi_sys::RSMPI_COMM_SELF }))
    }

    /// A communicator of some ranks of this one, in this order, that returns errors; all of them
    /// must call this.
    pub fn of_ranks(self, ranks: &[c_int]) -> Result<Self, MpiError> {
        // SAFETY: handles are written before they are read; the list is as long as it says, and its
        // ranks exist.
        unsafe {
            let (mut group, mut first) = (mpi_sys::RSMPI_GROUP_NULL, mpi_sys::RSMPI_GROUP_NULL);
            let mut comm = mpi_sys::RSMPI_COMM_NULL;
            call!(MPI_Comm_group(self.0, &raw mut group))?;
            call!(MPI_Group_incl(group, ranks.len() as c_int, ranks.as_ptr(), &raw mut first))?;
            call!(MPI_Comm_create_group(self.0, first, 0, &raw mut comm))?;
            call!(MPI_Group_free(&raw mut first))?;
            call!(MPI_Group_free(&raw mut group))?;
            Self(comm).returning_errors()
        }
    }

    /// A duplicate that returns errors and whose info object has this key; all of its ranks must
    /// call this.
    pub fn with_info(self, key: &CStr, value: &CStr) -> Result<Self, MpiError> {
        // SAFETY: handles are written before they are read; the texts end with a zero byte, and MPI
        // copies them.
        unsafe {
            let (mut info, mut comm) = (mpi_sys::RSMPI_INFO_NULL, mpi_sys::RSMPI_COMM_NULL);
            call!(MPI_Info_create(&raw mut info))?;
            call!(MPI_Info_set(info, key.as_ptr(), value.as_ptr()))?;
            call!(MPI_Comm_dup_with_info(self.0, info, &raw mut comm))?;
            call!(MPI_Info_free(&raw mut info))?;
            Self(comm).returning_errors()
        }
    }

    /// Frees the communicator, on all of its ranks.
    pub fn free(mut self) -> Result<(), MpiError> {
        // SAFETY: the handle is not used afterwards.
        unsafe { call!(MPI_Comm_free(&raw mut self.0)) }
    }

    /// The rank of this process.
    pub fn rank(self) -> Result<usize, MpiError> {
        let mut rank = 0;
        // SAFETY: the communicator is valid until MPI is finalised.
        unsafe { call!(MPI_Comm_rank(self.0, &raw mut rank)) }?;
        Ok(rank as usize)
    }

    /// The number of processes.
    pub fn size(self) -> Result<usize, MpiError> {
        let mut size = 0;
        // SAFETY: as above.
        unsafe { call!(MPI_Comm_size(self.0, &raw mut size)) }?;
        Ok(size as usize)
    }

    /// The largest valid tag of a message (MPI_TAG_UB).
    pub fn largest_tag(self) -> Result<u32, MpiError> {
        let mut value: *const c_int = std::ptr::null();
        let mut found = 0;
        let key = mpi_sys::MPI_TAG_UB as c_int;
        // SAFETY: for this attribute MPI writes a pointer to an int of its own, which stays until
        // it is finalised.
        let tag = unsafe {
            let place = (&raw mut value).cast();
            call!(MPI_Comm_get_attr(self.0, key, place, &raw mut found))?;
            if found == 0 || value.is_null() { MIN_TAG_UB } else { *value }
        };
        Ok(tag as u32)
    }
}

/// The least value of MPI_TAG_UB that the standard allows.
const MIN_TAG_UB: c_int = 32_767;

/// Returns an error if a return code is not `MPI_SUCCESS`.
#[inline]
fn check(call: &'static str, code: c_int) -> Result<(), MpiError> {
    if code == 0 { Ok(()) } else { Err(failed(call, code)) }
}

/// The error for a return code.
#[cold]
fn failed(call: &'static str, code: c_int) -> MpiError {
    let mut text = [0_u8; mpi_sys::MPI_MAX_ERROR_STRING as usize + 1];
    let mut length = 0;
    // SAFETY: the buffer is as long as the library asks for.
    let found = unsafe {
        mpi_sys::MPI_Error_string(code, text.as_mut_ptr().cast::<c_char>(), &raw mut length)
    };
    let reason = if found == 0 { text_of(&text, length) } else { format!("error code {code}") };
    MpiError::Call { call, reason }
}

/// The text that an MPI function has written into a buffer, on one line.
fn text_of(text: &[u8], length: c_int) -> String {
    let text = &text[..(length.max(0) as usize).min(text.len())];
    let text = String::from_utf8_lossy(text);
    text.trim_matches(|c: char| c.is_whitespace() || c == '\0')
        .lines()
        .collect::<Vec<_>>()
        .join("; ")
}
