use crate::budget::OverBudget;
use crate::file::{FileError, FileFault};
use crate::routine::RoutineError;
use crate::sample::file::Fault;

/// The reason why a routine timings file cannot be read.
pub type RoutinesError = FileError<RoutinesFault>;

impl FileFault for RoutinesFault {
    const FILE: &'static str = "routine timings file";

    fn over_budget(&self) -> Option<&OverBudget> {
        if let Self::Table(Fault::Budget(error)) = self { Some(error) } else { None }
    }
}

/// A fault of a routine timings file.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RoutinesFault {
    /// A fault of columns, fields or values, as in samples files.
    #[error(transparent)]
    Table(#[from] Fault),
    /// The variant, the dimensions or the grid are impossible.
    #[error(transparent)]
    Call(#[from] RoutineError),
    /// It is binary, or text in another encoding.
    #[error(
        "this is not text in UTF-8; a routine timings file is CSV, plain or compressed by zstd"
    )]
    NotText,
    /// The format line names another format or version.
    #[error(
        "the format is {found:?}, but \"orrery-routines 1\" is expected here, such as \
            orrery-scalapack writes"
    )]
    Format {
        /// The format found.
        found: String,
    },
    /// There is no line of column names.
    #[error(
        "there is no line of column names, such as \"routine,m,n,k,block,rows,columns,seconds\"; \
            add it"
    )]
    NoHeader,
}
