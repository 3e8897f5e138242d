//! Initialisation and end of MPI in a process.

use std::ffi::{c_char, c_int};
use std::ptr;
use std::time::Duration;

use super::{check, text_of};
use crate::MpiError;

/// Initialises MPI; possible once per process.
pub(crate) fn init() -> Result<(), MpiError> {
    let (mut before, mut provided) = (0, 0);
    // SAFETY: these may be called at any time; MPI takes null for the arguments of the program. Only one thread calls
    // MPI, except for a final MPI_Abort, so FUNNELED suffices.
    unsafe {
        check("MPI_Initialized", mpi_sys::MPI_Initialized(&raw mut before))?;
        if before != 0 {
            return Err(MpiError::impossible("MPI is already initialised in this process"));
        }
        let level = mpi_sys::RSMPI_THREAD_FUNNELED;
        check("MPI_Init_thread", {
            mpi_sys::MPI_Init_thread(ptr::null_mut(), ptr::null_mut(), level, &raw mut provided)
        })
    }
}

/// Finalises MPI; waits for the other processes.
pub(crate) fn finalize() -> Result<(), MpiError> {
    // SAFETY: called once, by the job that has initialised MPI, which makes no call afterwards.
    check("MPI_Finalize", unsafe { mpi_sys::MPI_Finalize() })
}

/// The time in which a launcher forwards what was printed: MPICH's discards the rest when a job is aborted.
const FORWARDING_TIME: Duration = Duration::from_secs(1);

/// Aborts all processes of the job with this exit status. Returns only if that fails.
pub(crate) fn abort(status: c_int) {
    std::thread::sleep(FORWARDING_TIME);
    // SAFETY: the world is valid whenever this is called. The watchdog calls it from a thread of its own while the main
    // thread is stuck in another call: MPI does not promise that this works, but the process has nothing to lose.
    let _ = unsafe { mpi_sys::MPI_Abort(mpi_sys::RSMPI_COMM_WORLD, status) };
}

/// The first line of the library's version string.
pub(crate) fn library() -> Result<String, MpiError> {
    // MPICH writes more than its header promises to some compilers; 8 KiB are its maximum.
    let mut text = vec![0_u8; (mpi_sys::MPI_MAX_LIBRARY_VERSION_STRING as usize + 1).max(16_384)];
    let mut length: c_int = 0;
    // SAFETY: the buffer is longer than the library asks for.
    check("MPI_Get_library_version", unsafe {
        mpi_sys::MPI_Get_library_version(text.as_mut_ptr().cast::<c_char>(), &raw mut length)
    })?;
    let first = text.iter().position(|&byte| byte == b'\n').unwrap_or(length as usize);
    Ok(text_of(&text, (first as c_int).min(length)).split_whitespace().collect::<Vec<_>>().join(" "))
}
