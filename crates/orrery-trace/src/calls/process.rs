//! The begin and the end of MPI, in C and Fortran.

#![allow(unsafe_code, non_snake_case)]

use std::ffi::{c_char, c_int};

use mpi_sys::MPI_Comm;
use orrery::trace::recording::Function;

use crate::start;
use crate::start::Entry;
use crate::tracer::Tracer;

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
    Entry::begin().end(Function::Abort, mpi_sys::MPI_SUCCESS as c_int, Tracer::plain);
    // SAFETY: the program passes valid arguments.
    unsafe { mpi_sys::PMPI_Abort(comm, code) }
}

/// Initialises MPI in Fortran, then begins the record.
///
/// # Safety
///
/// As the function of MPI.
// SAFETY: a function with this name replaces that of the MPI library, with the same type.
#[cfg(open_mpi)]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mpi_init_(ierror: *mut mpi_sys::RSMPI_Fint) {
    // SAFETY: the program passes valid arguments.
    let code = unsafe {
        call_fortran!(mpi_init_(), ierror, ());
        *ierror
    };
    start::begin(code);
}

/// Initialises MPI in Fortran with a thread level, then begins the record.
///
/// # Safety
///
/// As the function of MPI.
// SAFETY: a function with this name replaces that of the MPI library, with the same type.
#[cfg(open_mpi)]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mpi_init_thread_(
    required: address!(required),
    provided: address!(provided),
    ierror: *mut mpi_sys::RSMPI_Fint,
) {
    // SAFETY: the program passes valid arguments.
    let code = unsafe {
        call_fortran!(mpi_init_thread_(required, provided), ierror, (required, provided));
        *ierror
    };
    start::begin(code);
}

/// Ends the record after the last call, in Fortran.
///
/// # Safety
///
/// As the function of MPI.
// SAFETY: a function with this name replaces that of the MPI library, with the same type.
#[cfg(open_mpi)]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mpi_finalize_(ierror: *mut mpi_sys::RSMPI_Fint) {
    let entry = Entry::begin();
    // SAFETY: the program passes valid arguments.
    let code = unsafe {
        call_fortran!(mpi_finalize_(), ierror, ());
        *ierror
    };
    start::end(entry, code);
}

/// Ends the job in Fortran. The call is recorded before it, since it does not return.
///
/// # Safety
///
/// As the function of MPI.
// SAFETY: a function with this name replaces that of the MPI library, with the same type.
#[cfg(open_mpi)]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mpi_abort_(
    comm: address!(comm),
    code: address!(code),
    ierror: *mut mpi_sys::RSMPI_Fint,
) {
    Entry::begin().end(Function::Abort, mpi_sys::MPI_SUCCESS as c_int, Tracer::plain);
    // SAFETY: the program passes valid arguments.
    unsafe { call_fortran!(mpi_abort_(comm, code), ierror, (comm, code)) }
}

function_of_f08! { MPI_Init ompi_init_f mpi_init_ () }
function_of_f08! { MPI_Init_thread ompi_init_thread_f mpi_init_thread_ (required, provided) }
function_of_f08! { MPI_Finalize ompi_finalize_f mpi_finalize_ () }
function_of_f08! { MPI_Abort ompi_abort_f mpi_abort_ (comm, code) }
