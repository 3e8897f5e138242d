//! Safe wrappers of functions of MPI, BLACS and ScaLAPACK; the only unsafe code. Return codes are
//! checked where there are any.

#![allow(unsafe_code)]

mod blacs;
mod blas;
mod mpi;
mod recorder;
mod scalapack;

pub(crate) use blacs::{Context, GridPosition, SystemHandle, prepare_blacs};
pub(crate) use blas::openblas;
pub(crate) use mpi::{Comm, MpiError, Reduction, abort, finalize, init, library};
pub(crate) use recorder::{Record, record};
pub(crate) use scalapack::{
    Descriptor, Operand, local_count, pdgemm, pdgemr2d, pdgeqrf, pdgetrf, pdgetrs, pdpotrf,
    pdpotrs, pdsyrk, pdtrsm,
};
