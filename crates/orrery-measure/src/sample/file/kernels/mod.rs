//! The kernel timings file: times of calls of kernels, as CSV in the style of the samples file.
//!
//! ```text
//! # format: orrery-kernels 1
//! # machine: local
//! host,library,kernel,variant,m,n,k,operands,threads,rep,seconds,memory
//! a,libopenblas.so.0,dgemm,nn,100,100,100,warm,1,0,0.000041,240000
//! ```
//!
//! A file may be compressed by zstd when it is read. Columns are found by name, in any order;
//! comments and unknown columns are ignored. Without a variant, calls are of the first one of the
//! kernel; dimensions that the kernel does not have are empty.
//!
//! ```
//! use orrery_measure::sample::file::kernels;
//! let text = "# format: orrery-kernels 1\nkernel,m,n,k,seconds\ndgemm,100,100,100,0.000041\n";
//! let loaded = kernels::parse(text, "by-hand.csv")?;
//! assert_eq!(loaded.timings.readings[0].call.variant(), "nn");
//! # Ok::<(), orrery_base::file::FileError>(())
//! ```

mod read_write;
mod row;

pub use read_write::{KernelsWriter, parse, read, to_text};

use super::Warning;
use crate::sample::KernelTimings;

/// The content of a kernel timings file.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct LoadedKernels {
    /// The readings with their provenance.
    pub timings: KernelTimings,
    /// Defects that do not prevent the use of the file.
    pub warnings: Vec<Warning>,
}
