use super::{KernelCall, Operands};
use orrery_base::units::{Bytes, Seconds};

/// The readings of a call.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct KernelReadings {
    /// The time of each repetition.
    pub seconds: Vec<Seconds>,
    /// The largest memory of the process during the calls less that before its operands existed,
    /// without further copies of the operands; `None` if it is unknown. Memory that the library
    /// keeps from call to call belongs to its first call.
    pub memory: Option<Bytes>,
}

/// Where kernels run: a library of BLAS and LAPACK on a host, or a simulation.
pub trait KernelMachine {
    /// Runs a call this number of times, with its operands in this state; returns the time of each
    /// repetition.
    ///
    /// # Errors
    ///
    /// When the library does not have the kernel, or when there is not enough memory.
    fn run(
        &mut self,
        call: &KernelCall,
        operands: Operands,
        repetitions: u32,
    ) -> Result<KernelReadings, KernelRunError>;
}

/// The reason why a call did not run.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum KernelRunError {
    /// The library has no such function.
    #[error("{library} has no {symbol}; leave out this kernel, or name another library")]
    NoSymbol {
        /// The library.
        library: String,
        /// The function.
        symbol: String,
    },
    /// The operands do not fit into the free memory.
    #[error(
        "the operands take {needed}, but only {free} of memory are free; use smaller dimensions"
    )]
    Memory {
        /// The memory of the operands.
        needed: Bytes,
        /// The free memory.
        free: Bytes,
    },
    /// A dimension exceeds the integers of the library.
    #[error(
        "a dimension is {value}, but {library} takes at most {} (32 bits); use smaller dimensions",
        i32::MAX
    )]
    Integers {
        /// The library.
        library: String,
        /// The dimension.
        value: u64,
    },
    /// A function of the library reports an error.
    #[error(
        "{symbol} of {library} failed with code {code}; leave out this kernel, or name another \
            library"
    )]
    Failed {
        /// The library.
        library: String,
        /// The function.
        symbol: String,
        /// The returned value.
        code: i32,
    },
}
