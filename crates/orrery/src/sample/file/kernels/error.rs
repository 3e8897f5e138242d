use crate::budget::OverBudget;
use crate::file::{FileError, FileFault};
use crate::kernel::KernelCallError;
use crate::sample::file::Fault;
use crate::units::UnknownName;

/// The reason why a kernel timings file cannot be read or written.
pub type KernelsError = FileError<KernelsFault>;

impl FileFault for KernelsFault {
    const FILE: &'static str = "kernel timings file";

    fn over_budget(&self) -> Option<&OverBudget> {
        if let Self::Table(Fault::Budget(error)) = self { Some(error) } else { None }
    }
}

/// A fault of a kernel timings file.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum KernelsFault {
    /// A fault of columns, fields or values, as in samples files.
    #[error(transparent)]
    Table(#[from] Fault),
    /// The kernel is unknown.
    #[error(transparent)]
    Kernel(#[from] UnknownName),
    /// The variant or the dimensions are impossible.
    #[error(transparent)]
    Call(#[from] KernelCallError),
    /// It is binary, or text in another encoding.
    #[error("this is not text in UTF-8; a kernel timings file is CSV, plain or compressed by zstd")]
    NotText,
    /// The format line names another format or version.
    #[error(
        "the format is {found:?}, but \"orrery-kernels 1\" is expected here, such as orrery \
            measure kernels writes"
    )]
    Format {
        /// The format found.
        found: String,
    },
    /// There is no line of column names.
    #[error("there is no line of column names, such as \"kernel,m,n,k,seconds\"; add it")]
    NoHeader,
}
