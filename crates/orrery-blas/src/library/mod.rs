//! A library of BLAS and LAPACK that is loaded at run time.
//!
//! | file | content |
//! |---|---|
//! | `loaded` | the library: its functions by their names, its integers |
//! | `properties` | its threads, version and file |
//! | `products` | functions of BLAS |
//! | `factorisations` | functions of LAPACK |
//! | `additions` | functions that add matrices |

#![allow(unsafe_code)]

mod additions;
mod factorisations;
mod loaded;
mod products;
mod properties;

pub use loaded::LoadedLibrary;
use orrery::kernel::{
    KernelCall, KernelMachine, KernelReadings, KernelRoutine, KernelRunError, Operands,
};

use crate::bench::Bench;
use crate::element::{Element, Kernels, PreparedCall};
use crate::options::{BlasError, LibraryDescription, Options, Pin};

/// The number of threads if none is requested.
const DEFAULT_THREADS: u32 = 1;

/// A machine that calls a library of BLAS and LAPACK.
pub struct LibraryKernels {
    library: LoadedLibrary,
    description: LibraryDescription,
    bench: Bench,
    _pin: Option<Pin>,
}

impl LibraryKernels {
    /// Loads a library by its name, such as `libopenblas.so.0`, or by its path. It stays loaded
    /// until the process ends.
    ///
    /// # Errors
    ///
    /// When the library cannot be loaded or takes integers of 64 bits, when the number of threads
    /// cannot be set, or when the thread cannot be bound to the processor.
    ///
    /// ```
    /// use orrery_blas::{LibraryKernels, Options};
    /// let error = LibraryKernels::open("libmissing.so.3", Options::default()).err().unwrap();
    /// assert!(error.to_string().starts_with("cannot load libmissing.so.3: "));
    /// ```
    pub fn open(library: &str, options: Options) -> Result<Self, BlasError> {
        options.check()?;
        // Libraries start threads when they are loaded, on the processors of the calling thread.
        let pin = options.processor.map(Pin::new).transpose()?;
        let library = LoadedLibrary::open(library)?;
        let threads = match (
            properties::set_threads(&library, options.threads.unwrap_or(DEFAULT_THREADS)),
            options,
        ) {
            (Err(BlasError::Threads { .. }), Options { threads: None, .. }) => None,
            (threads, _) => Some(threads?),
        };
        let description = LibraryDescription {
            library: library.name().to_owned(),
            path: properties::path(&library),
            version: properties::version(&library),
            threads,
            adds_by_own_loop: !additions::has_function(&library),
        };
        Ok(Self { library, description, bench: Bench::default(), _pin: pin })
    }

    /// The description of the library.
    pub fn description(&self) -> LibraryDescription {
        self.description.clone()
    }
}

impl KernelMachine for LibraryKernels {
    /// Runs a call several times; with 0 repetitions it only finds the function.
    fn run(
        &mut self,
        call: &KernelCall,
        operands: Operands,
        repetitions: u32,
    ) -> Result<KernelReadings, KernelRunError> {
        self.bench.run(&self.library, call, operands, repetitions)
    }
}

impl Kernels for LoadedLibrary {
    fn name(&self) -> &str {
        self.name()
    }

    fn prepare<E: Element>(&self, call: &KernelCall) -> Result<PreparedCall<E>, KernelRunError> {
        let largest = call.dimensions().into_iter().max().unwrap_or(1);
        if i32::try_from(largest).is_err() {
            return Err(KernelRunError::Integers {
                library: self.name().to_owned(),
                value: largest,
            });
        }
        match call.kernel().routine {
            KernelRoutine::Gemm => products::gemm(self, call),
            KernelRoutine::Trsm => products::triangular(self, call, "trsm"),
            KernelRoutine::Syrk => products::syrk(self, call),
            KernelRoutine::Gemv => products::gemv(self, call),
            KernelRoutine::Ger => products::ger(self, call),
            KernelRoutine::Trmm => products::triangular(self, call, "trmm"),
            KernelRoutine::Axpy => products::axpy(self, call),
            KernelRoutine::Getrf => factorisations::getrf(self, call),
            KernelRoutine::Potrf => factorisations::potrf(self, call),
            KernelRoutine::Add => additions::add(self, call),
        }
    }
}
