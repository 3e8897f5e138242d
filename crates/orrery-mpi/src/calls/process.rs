//! Initialisation and end of MPI in a process.

use std::ffi::{c_char, c_int};
use std::thread;
use std::time::Duration;
use std::{env, ptr};

use rustix::process::{Signal, getpid, kill_process};

use super::text_of;
use crate::{MpiError, ThreadLevel};

/// The setting with which Open MPI heeds the variables that force an algorithm. Without such a
/// variable the choice is the same.
pub(crate) const DYNAMIC_RULES: &str = "OMPI_MCA_coll_tuned_use_dynamic_rules";

/// Initialises MPI as a program does that needs this thread level; returns the level that MPI
/// provides. Possible once per process.
pub(crate) fn init(level: ThreadLevel) -> Result<ThreadLevel, MpiError> {
    let (mut before, mut provided) = (0, 0);
    if env::var_os(DYNAMIC_RULES).is_none() {
        // SAFETY: the thread that joins the job is the only one of the process.
        unsafe { env::set_var(DYNAMIC_RULES, "1") };
    }
    // SAFETY: these may be called at any time; MPI takes null for the arguments of the program. One
    // thread calls MPI, which every level allows.
    unsafe {
        call!(MPI_Initialized(&raw mut before))?;
        if before != 0 {
            return Err(MpiError::impossible("MPI is already initialised in this process"));
        }
        let (count, arguments) = (ptr::null_mut(), ptr::null_mut());
        if level == ThreadLevel::Single {
            // Libraries have settings for the level of this call.
            call!(MPI_Init(count, arguments))?;
        } else {
            let level = constant(level);
            call!(MPI_Init_thread(count, arguments, level, &raw mut provided))?;
        }
    }
    provided_level()
}

/// The thread level that the initialised MPI provides.
fn provided_level() -> Result<ThreadLevel, MpiError> {
    let mut provided = 0;
    // SAFETY: MPI is initialised.
    unsafe { call!(MPI_Query_thread(&raw mut provided)) }?;
    let found = ThreadLevel::ALL.into_iter().find(|&level| constant(level) == provided);
    found.ok_or_else(|| {
        MpiError::impossible(format!("MPI provides an unknown thread level: {provided}"))
    })
}

/// The thread level of MPI in a program that has initialised it, and not ended it.
pub(crate) fn initialised_level() -> Result<ThreadLevel, MpiError> {
    is_usable()?;
    provided_level()
}

/// Checks that the program has initialised MPI, and not ended it.
pub(crate) fn is_usable() -> Result<(), MpiError> {
    let (mut before, mut after) = (0, 0);
    // SAFETY: these may be called at any time.
    unsafe {
        call!(MPI_Initialized(&raw mut before))?;
        call!(MPI_Finalized(&raw mut after))?;
    }
    if before == 0 || after != 0 {
        return Err(MpiError::impossible(
            "MPI is not initialised, or already finalised, in this process",
        ));
    }
    Ok(())
}

/// The library's value for a thread level.
fn constant(level: ThreadLevel) -> c_int {
    // SAFETY: constants of the library.
    unsafe {
        match level {
            ThreadLevel::Single => mpi_sys::RSMPI_THREAD_SINGLE,
            ThreadLevel::Funneled => mpi_sys::RSMPI_THREAD_FUNNELED,
            ThreadLevel::Serialized => mpi_sys::RSMPI_THREAD_SERIALIZED,
            ThreadLevel::Multiple => mpi_sys::RSMPI_THREAD_MULTIPLE,
        }
    }
}

/// Finalises MPI; waits for the other processes.
pub(crate) fn finalize() -> Result<(), MpiError> {
    // SAFETY: called once, by the job that has initialised MPI, which makes no call afterwards.
    unsafe { call!(MPI_Finalize()) }
}

/// The time in which a launcher forwards what was printed: MPICH's discards the rest when a job is
/// aborted.
const FORWARDING_TIME: Duration = Duration::from_secs(1);

/// Aborts all processes of the job with this exit status. Returns only if that fails. For the
/// thread that has initialised MPI.
pub(crate) fn abort(status: c_int) {
    thread::sleep(FORWARDING_TIME);
    // SAFETY: the world is valid until MPI is finalised, after which this is not called.
    let _ = unsafe { mpi_sys::MPI_Abort(mpi_sys::RSMPI_COMM_WORLD, status) };
}

/// Ends this process by SIGKILL; the launcher then ends the others. Any thread may call this, since
/// it does not call MPI.
pub(crate) fn kill_this_process() {
    thread::sleep(FORWARDING_TIME);
    // A process may always signal itself.
    let _ = kill_process(getpid(), Signal::KILL);
}

/// The first line of the library's version string.
pub(crate) fn library() -> Result<String, MpiError> {
    // MPICH writes more than its header promises to some compilers; 8 KiB are its maximum.
    let mut text = vec![0_u8; (mpi_sys::MPI_MAX_LIBRARY_VERSION_STRING as usize + 1).max(16_384)];
    let mut length: c_int = 0;
    // SAFETY: the buffer is longer than the library asks for.
    unsafe { call!(MPI_Get_library_version(text.as_mut_ptr().cast::<c_char>(), &raw mut length)) }?;
    let first = text.iter().position(|&byte| byte == b'\n').unwrap_or(length as usize);
    Ok(text_of(&text, (first as c_int).min(length))
        .split_whitespace()
        .collect::<Vec<_>>()
        .join(" "))
}
