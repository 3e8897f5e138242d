//! Compute kernels of dense linear algebra: their calls, and models of their times by polynomial
//! regression.
//!
//! A [`KernelModel`] is fitted to the times of calls of one kernel on one host. It is a polynomial
//! of the dimensions with non-negative coefficients, in pieces where the smallest dimension passes
//! a break. The memory of calls is a polynomial of the sizes of the operands.
//!
//! Source: E. Caron, F. Suter, *Parallel extension of a dynamic performance forecasting tool*,
//! RR-4470, INRIA, 2002, section 2; terms of `dgemm` and relative weights as in
//! [`KernelRoutine::terms`].

mod call;
#[cfg(feature = "estimation")]
mod fit;
#[cfg(feature = "estimation")]
mod machine;
#[cfg(feature = "estimation")]
mod memory_fit;
mod model;
mod routine;
mod term;

pub use call::{KernelCall, KernelCallError, Operands};
#[cfg(feature = "estimation")]
pub use fit::{KernelTime, NO_TIMES, fit};
#[cfg(feature = "estimation")]
pub use machine::{KernelMachine, KernelReadings, KernelRunError};
#[cfg(feature = "estimation")]
pub use memory_fit::fit_memory;
pub use model::{KernelMemoryTerm, KernelModel, KernelPiece, KernelTermEstimate};
pub use routine::{Kernel, KernelRoutine, Precision};
pub use term::Term;
