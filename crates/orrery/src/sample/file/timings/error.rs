use std::path::PathBuf;

use crate::budget::OverBudget;
use crate::file::{FileError, FileFault};
use crate::sample::CommunicationMismatch;
use crate::sample::file::Fault;
use crate::sample::file::{ImplausibleTimes, RepeatedRows};

/// The reason why a timings file cannot be read or written.
pub type TimingsError = FileError<TimingsFault>;

impl FileFault for TimingsFault {
    const FILE: &'static str = "timings file";

    fn over_budget(&self) -> Option<&OverBudget> {
        if let Self::Table(Fault::Budget(error)) = self { Some(error) } else { None }
    }
}

/// A fault of a timings file.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TimingsFault {
    /// A fault of columns, fields or values, as in samples files.
    #[error(transparent)]
    Table(#[from] Fault),
    /// A message differs from its earlier declaration.
    #[error(transparent)]
    CommunicationMismatch(#[from] CommunicationMismatch),
    /// It is binary, or text in another encoding.
    #[error("this is not text in UTF-8; a timings file is CSV, plain or compressed by zstd")]
    NotText,
    /// The format line names another format or version.
    #[error(
        "the format is {found:?}, but \"orrery-timings 1\" is expected here, such as orrery \
            measure scheme writes"
    )]
    Format {
        /// The format found.
        found: String,
    },
    /// There is no line of column names.
    #[error(
        "there is no line of column names, such \
            as \"scheme,communication,source,destination,size,kind,seconds\"; add it"
    )]
    NoHeader,
    /// The columns `scheme` and `communication` do not match the kind of the reading.
    #[error("a {kind} reading {}; correct it or remove the line", if *.kind == "reference" {
        "belongs to no scheme: leave the columns \"scheme\" and \"communication\" empty"
    } else {
        "needs the columns \"scheme\" and \"communication\""
    })]
    Named {
        /// The kind, `reference` or `concurrent`.
        kind: &'static str,
    },
    /// Source and destination are the same node.
    #[error(
        "column \"destination\": the message stays within node {node}; source and destination must \
            differ"
    )]
    Inside {
        /// The node.
        node: u32,
    },
}

/// A defect of a timings file that does not prevent its use.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TimingsWarning {
    /// The last line has no line break and may be incomplete.
    #[error(
        "{}:{line}: the last line has no line break and may be incomplete; it is ignored (if it is \
            complete, add the \
         line break)", path.display()
    )]
    TornLine {
        /// The file.
        path: PathBuf,
        /// The number of the line.
        line: usize,
    },
    /// The last compressed frame is incomplete.
    #[error(
        "{}: the last compressed frame (byte {byte}) is incomplete; its readable part is kept",
        path.display()
    )]
    TornFrame {
        /// The file.
        path: PathBuf,
        /// The first byte of the frame.
        byte: usize,
    },
    /// Rows repeat earlier ones, with their launch and repetition.
    #[error("{}: {rows}", path.display())]
    RepeatedRows {
        /// The file.
        path: PathBuf,
        /// The rows.
        rows: RepeatedRows,
    },
    /// Most times are too long for their messages.
    #[error("{}: {times}", path.display())]
    ImplausibleTimes {
        /// The file.
        path: PathBuf,
        /// The times.
        times: ImplausibleTimes,
    },
    /// The file does not name its format.
    #[error("{}: there is no line \"# format: {format}\"; version 1 is assumed", path.display())]
    NoFormat {
        /// The file.
        path: PathBuf,
        /// The format and its version.
        format: &'static str,
    },
}
