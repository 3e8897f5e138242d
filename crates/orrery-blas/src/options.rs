use std::fmt;
use std::marker::PhantomData;
use std::path::PathBuf;

use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};

/// How kernels run.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Options {
    /// The number of threads of a call; `None` is 1, or the library's own number if no function
    /// sets it.
    pub threads: Option<u32>,
    /// The processor on which the calling thread runs, by the number of the system; `None` leaves
    /// the choice to the system.
    ///
    /// The thread is bound as long as the machine exists.
    pub processor: Option<u32>,
}

/// The reason why a machine cannot be made.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BlasError {
    /// The library cannot be loaded.
    #[error(
        "cannot load {library}: {reason}; name a shared library of BLAS that is installed, or its \
            path"
    )]
    Load {
        /// The library.
        library: String,
        /// The reason by the dynamic linker.
        reason: String,
    },
    /// The library takes integers of 64 bits.
    #[error(
        "{library} takes integers of 64 bits (ILP64); name its variant with integers of 32 bits"
    )]
    Integers {
        /// The library.
        library: String,
    },
    /// No function sets the number of threads.
    #[error(
        "{library} has no function that sets the number of threads; \
         set its environment variable, such as OMP_NUM_THREADS, and leave out the number"
    )]
    Threads {
        /// The library.
        library: String,
    },
    /// The library runs another number of threads.
    #[error(
        "the number of threads of {library} is {actual}, but {requested} is requested; request \
            {actual}, or take another library"
    )]
    OtherThreads {
        /// The library.
        library: String,
        /// The requested number of threads.
        requested: u32,
        /// The number of threads that it runs.
        actual: u32,
    },
    /// The number of threads is 0, or there are several threads for one processor.
    #[error("the number of threads is {threads}; give 1 on a given processor, otherwise 1 or more")]
    ImpossibleThreads {
        /// The number of threads.
        threads: u32,
    },
    /// The thread cannot be bound to the processor.
    #[error("cannot run on processor {processor}{reason}; this process may run on {allowed}")]
    Processor {
        /// The processor.
        processor: u32,
        /// The reason by the system, after a colon; empty if the processor is not allowed.
        reason: String,
        /// The processors on which this process may run.
        allowed: String,
    },
}

impl Options {
    /// Checks the number of threads by itself.
    pub(crate) fn check(self) -> Result<(), BlasError> {
        match self.threads {
            Some(threads) if threads == 0 || threads > 1 && self.processor.is_some() => {
                Err(BlasError::ImpossibleThreads { threads })
            }
            _ => Ok(()),
        }
    }
}

/// Binds the calling thread to a processor until it is dropped, which happens in the same thread.
pub struct Pin {
    before: CpuSet,
    /// Other threads cannot have it.
    not_send: PhantomData<*const ()>,
}

impl Pin {
    /// Binds the calling thread.
    ///
    /// # Errors
    ///
    /// When the thread may not run on the processor.
    pub fn new(processor: u32) -> Result<Self, BlasError> {
        let fail = |reason: String, before: &CpuSet| {
            let allowed: Vec<String> = (0..CpuSet::MAX_CPU)
                .filter(|one| before.is_set(*one))
                .map(|one| one.to_string())
                .collect();
            BlasError::Processor { processor, reason, allowed: allowed.join(", ") }
        };
        let before =
            sched_getaffinity(None).map_err(|error| fail(format!(": {error}"), &CpuSet::new()))?;
        if processor as usize >= CpuSet::MAX_CPU || !before.is_set(processor as usize) {
            return Err(fail(String::new(), &before));
        }
        let mut set = CpuSet::new();
        set.set(processor as usize);
        sched_setaffinity(None, &set).map_err(|error| fail(format!(": {error}"), &before))?;
        Ok(Self { before, not_send: PhantomData })
    }
}

impl Drop for Pin {
    fn drop(&mut self) {
        // If it fails, the thread stays where it is; measurements are over.
        let _ = sched_setaffinity(None, &self.before);
    }
}

/// The library behind a machine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LibraryDescription {
    /// The name by which it was requested.
    pub library: String,
    /// The loaded file that holds the kernels, if it is known.
    pub path: Option<PathBuf>,
    /// The version as the library reports it.
    pub version: Option<String>,
    /// The number of threads of a call; `None` if the environment sets it.
    pub threads: Option<u32>,
    /// True if matrices are added by a loop of Orrery, because the library has no function for it.
    pub adds_by_own_loop: bool,
}

impl fmt::Display for LibraryDescription {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.library)?;
        if let Some(path) = &self.path {
            write!(f, " ({})", path.display())?;
        }
        if let Some(version) = &self.version {
            write!(f, ", {version}")?;
        }
        match self.threads {
            Some(1) => write!(f, ", 1 thread")?,
            Some(threads) => write!(f, ", {threads} threads")?,
            None => write!(f, ", threads by the environment")?,
        }
        if self.adds_by_own_loop {
            write!(f, "; matrices are added by a loop of Orrery")?;
        }
        Ok(())
    }
}
