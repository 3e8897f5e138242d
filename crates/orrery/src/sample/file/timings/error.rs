use std::path::PathBuf;

use crate::file::{FileError, FileFault};
use crate::sample::CommunicationMismatch;
use crate::sample::file::Fault;

/// Why a timings file cannot be read or written.
pub type TimingsError = FileError<TimingsFault>;

impl FileFault for TimingsFault {
    const FILE: &'static str = "timings file";
}

/// What is wrong with a timings file.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TimingsFault {
    /// What can be wrong with any table: columns, fields, values.
    #[error(transparent)]
    Table(#[from] Fault),
    /// A message that is another one than before.
    #[error(transparent)]
    CommunicationMismatch(#[from] CommunicationMismatch),
    /// It is binary, or text in another encoding.
    #[error("this is not text in UTF-8; a timings file is CSV, not compressed")]
    NotText,
    /// The format line names something else.
    #[error("this is {found:?}, but \"orrery-timings 1\" is expected here, as orrery measure scheme writes it")]
    Format {
        /// What it names.
        found: String,
    },
    /// There is no line of column names.
    #[error("there is no line of column names, such as \"scheme,communication,source,destination,size,kind,seconds\"")]
    NoHeader,
    /// A message of a scheme goes with a scheme, one by itself does not.
    #[error("a {kind} reading {}; correct it or remove the line", if *.kind == "reference" {
        "belongs to no scheme: leave the columns \"scheme\" and \"communication\" empty"
    } else {
        "needs the columns \"scheme\" and \"communication\""
    })]
    Named {
        /// The word of the kind.
        kind: &'static str,
    },
    /// A message that does not leave its node uses no network.
    #[error("column \"destination\": the message stays within node {node}; messages go from node to node")]
    Inside {
        /// The node.
        node: u32,
    },
}

/// Something that a reader of a timings file should be told, though the file can be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TimingsWarning {
    /// The last line has no line break at its end, so it may be torn.
    #[error(
        "{}:{line}: the last line does not end with a line break, so it may be torn; it is dropped (if it is whole, add \
         the line break)", path.display()
    )]
    TornLine {
        /// The file.
        path: PathBuf,
        /// The number of the line.
        line: usize,
    },
    /// The file does not name its format.
    #[error("{}: there is no line \"# format: orrery-timings 1\"; the file is read as of version 1", path.display())]
    NoFormat {
        /// The file.
        path: PathBuf,
    },
}
