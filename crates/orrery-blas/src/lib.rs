//! Machines on which kernels of linear algebra run and are timed.
//!
//! [`LibraryKernels`] calls a library of BLAS and LAPACK that is loaded at run time.
//! [`RustKernels`] needs no library; it is correct, and several times slower than a tuned library.
//!
//! | file | content |
//! |---|---|
//! | `library` | a loaded library: its functions, threads and description; unsafe code |
//! | `rust` | the kernels in Rust |
//! | `element` | the four types of elements, and calls that only need their operands |
//! | `operands`, `buffer` | the operands of a call in mapped memory; `buffer` holds unsafe code |
//! | `bench` | repetitions of a call and their times |
//! | `memory` | memory of the process and of the host, memory that is not in caches |
//! | `options` | threads, the processor of the calling thread, and the description of a library |
//!
//! ```
//! use orrery::kernel::{KernelCall, KernelMachine, Operands};
//! use orrery_blas::{Options, RustKernels};
//! let mut machine = RustKernels::new(Options::default())?;
//! let call = KernelCall::new("dgemm".parse()?, "nt", [16, 24, 8])?;
//! let readings = machine.run(&call, Operands::Warm, 3)?;
//! assert_eq!(readings.seconds.len(), 3);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod bench;
mod buffer;
mod element;
mod library;
mod memory;
mod operands;
mod options;
mod rust;
#[cfg(test)]
mod tests;

pub use library::LibraryKernels;
pub use options::{BlasError, LibraryDescription, Options};
pub use rust::RustKernels;
