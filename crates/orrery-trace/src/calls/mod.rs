//! The functions of MPI that the library defines.

mod collective;
mod communicator;
mod completion;
mod files;
mod message;
mod neighbor;
mod nonblocking;
mod one_sided;
mod partitioned;
mod persistent;
mod probe;
mod process;
#[cfg(open_mpi)]
mod process_of_fortran;
