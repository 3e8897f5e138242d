//! The tracer: a library that is loaded into an unmodified MPI program (`LD_PRELOAD`) and records
//! its calls.
//!
//! The library defines functions of MPI for C and Fortran. Each calls the function of the same name
//! in the MPI library by its second name (`PMPI_…`), and records the call with its times in the
//! file of the rank. There is no communication. Without the environment variable
//! `ORRERY_TRACE_FOLDER` nothing is recorded.
//!
//! | file | content |
//! |---|---|
//! | `tracer` | what calls add to the record |
//! | `communicators`, `requests` | handles of MPI and their numbers in the record |
//! | `output` | the file of the rank, as mapped memory |
//! | `start` | begin and end of the record, and between them the calls one at a time: nested calls and those of other threads are not recorded |
//! | `language` | values of C and of Fortran |
//! | `define` | the macro that defines a function for C and Fortran |
//! | `calls` | the functions |
//!
//! In Open MPI the functions of Fortran call those of C by their second names, so the library
//! defines both. In MPICH they call those of C by their first names, which are recorded.

#[macro_use]
mod define;

mod calls;
mod communicators;
mod language;
mod output;
mod requests;
mod start;
mod tracer;
