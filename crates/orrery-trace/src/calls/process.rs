//! The begin and the end of MPI, and processes outside of the job.

#![allow(unsafe_code, non_snake_case)]

use std::ffi::{c_char, c_int};

use mpi_sys::MPI_Comm;
use orrery::trace::recording::Function;

use crate::entry::Entry;
use crate::start;

/// Initialises MPI, then begins the record.
///
/// # Safety
///
/// As the function of MPI.
// SAFETY: a function with this name replaces that of the MPI library, with the same type.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn MPI_Init(count: *mut c_int, arguments: *mut *mut *mut c_char) -> c_int {
    // SAFETY: the program passes valid arguments.
    let code = unsafe { mpi_sys::PMPI_Init(count, arguments) };
    start::begin(code);
    code
}

/// Initialises MPI with a thread level, then begins the record.
///
/// # Safety
///
/// As the function of MPI.
// SAFETY: a function with this name replaces that of the MPI library, with the same type.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn MPI_Init_thread(
    count: *mut c_int,
    arguments: *mut *mut *mut c_char,
    required: c_int,
    provided: *mut c_int,
) -> c_int {
    // SAFETY: the program passes valid arguments.
    let code = unsafe { mpi_sys::PMPI_Init_thread(count, arguments, required, provided) };
    start::begin(code);
    code
}

/// Ends the record after the last call.
///
/// # Safety
///
/// As the function of MPI.
// SAFETY: a function with this name replaces that of the MPI library, with the same type.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn MPI_Finalize() -> c_int {
    let entry = Entry::begin();
    // SAFETY: the program may call the function.
    let code = unsafe { mpi_sys::PMPI_Finalize() };
    start::end(entry, code);
    code
}

/// Ends the job. The call is recorded before it, since it does not return.
///
/// # Safety
///
/// As the function of MPI.
// SAFETY: a function with this name replaces that of the MPI library, with the same type.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn MPI_Abort(comm: MPI_Comm, code: c_int) -> c_int {
    Entry::begin().end(
        Function::Abort,
        mpi_sys::MPI_SUCCESS as c_int,
        crate::tracer::Tracer::plain,
    );
    // SAFETY: the program passes valid arguments.
    unsafe { mpi_sys::PMPI_Abort(comm, code) }
}

functions! {
    Comm_spawn: [C]
        (command: Text, arguments: Texts, count: Int, info: Info, root: Int, comm: Comm,
         other: NewComm, codes: Ints)
        |tracer| tracer.plain();
    Comm_spawn_multiple: [C]
        (count: Int, commands: Texts, arguments: TextsOfAll, counts: Ints, infos: Infos, root: Int,
         comm: Comm, other: NewComm, codes: Ints)
        |tracer| tracer.plain();
    Comm_accept, Comm_connect: [C]
        (port: Text, info: Info, root: Int, comm: Comm, other: NewComm)
        |tracer| tracer.plain();
    Comm_join: [C]
        (descriptor: Int, other: NewComm)
        |tracer| tracer.plain();
    Comm_create_from_group: [C]
        (group: Group, tag: Text, info: Info, handler: ErrorHandler, created: NewComm)
        |tracer| tracer.plain();
    Intercomm_create_from_groups: [C]
        (group: Group, leader: Int, others: Group, other: Int, tag: Text, info: Info,
         handler: ErrorHandler, created: NewComm)
        |tracer| tracer.plain();
    Session_init: [C]
        (info: Info, handler: ErrorHandler, session: NewSession)
        |tracer| tracer.plain();
    Session_finalize: [C]
        (session: NewSession)
        |tracer| tracer.plain();
}
