//! The begin and the end of MPI in Fortran.

#![allow(unsafe_code)]

use mpi_sys::RSMPI_Fint;
use orrery::trace::recording::Function;

use crate::entry::Entry;
use crate::start;
use crate::tracer::Tracer;

/// Initialises MPI, then begins the record.
///
/// # Safety
///
/// As the function of MPI.
// SAFETY: a function with this name replaces that of the MPI library, with the same type.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mpi_init_(ierror: *mut RSMPI_Fint) {
    // SAFETY: the program passes valid arguments.
    let code = unsafe {
        call_fortran!(mpi_init_(), ierror, ());
        *ierror
    };
    start::begin(code);
}

/// Initialises MPI with a thread level, then begins the record.
///
/// # Safety
///
/// As the function of MPI.
// SAFETY: a function with this name replaces that of the MPI library, with the same type.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mpi_init_thread_(
    required: address!(required),
    provided: address!(provided),
    ierror: *mut RSMPI_Fint,
) {
    // SAFETY: the program passes valid arguments.
    let code = unsafe {
        call_fortran!(mpi_init_thread_(required, provided), ierror, (required, provided));
        *ierror
    };
    start::begin(code);
}

/// Ends MPI, and the record after it.
///
/// # Safety
///
/// As the function of MPI.
// SAFETY: a function with this name replaces that of the MPI library, with the same type.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mpi_finalize_(ierror: *mut RSMPI_Fint) {
    let entry = Entry::begin();
    // SAFETY: the program passes valid arguments.
    let code = unsafe {
        call_fortran!(mpi_finalize_(), ierror, ());
        *ierror
    };
    start::end(entry, code);
}

/// Ends the job. The call is recorded before it, since it does not return.
///
/// # Safety
///
/// As the function of MPI.
// SAFETY: a function with this name replaces that of the MPI library, with the same type.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mpi_abort_(
    comm: address!(comm),
    code: address!(code),
    ierror: *mut RSMPI_Fint,
) {
    Entry::begin().end(Function::Abort, mpi_sys::MPI_SUCCESS as RSMPI_Fint, Tracer::plain);
    // SAFETY: the program passes valid arguments.
    unsafe { call_fortran!(mpi_abort_(comm, code), ierror, (comm, code)) }
}

function_of_f08! { MPI_Init ompi_init_f mpi_init_ () }
function_of_f08! { MPI_Init_thread ompi_init_thread_f mpi_init_thread_ (required, provided) }
function_of_f08! { MPI_Finalize ompi_finalize_f mpi_finalize_ () }
function_of_f08! { MPI_Abort ompi_abort_f mpi_abort_ (comm, code) }
