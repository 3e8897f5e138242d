use std::io;
use std::path::{Path, PathBuf};

use crate::file::advice;
use crate::sample::Mismatch;
use crate::sample::file::Fault;
use crate::sample::file::whole::Refused;

/// Why a timings file cannot be read or written. Each says where, what and what to do next.
#[derive(Debug, thiserror::Error)]
pub enum TimingsError {
    /// The operating system refused something.
    #[error("{}: cannot {doing} the timings file: {reason}{}", path.display(), advice(reason, doing))]
    System {
        /// The file.
        path: PathBuf,
        /// What was being done: `open`, `read`, `write`.
        doing: &'static str,
        /// What the system said.
        reason: io::Error,
    },
    /// The file that is to be written exists.
    #[error(
        "{}: this file exists already; continue its campaign with --resume, replace it with --force, or name another file",
        path.display()
    )]
    Exists {
        /// The file.
        path: PathBuf,
    },
    /// Another campaign is writing to the file.
    #[error("{}: another campaign is writing to this file; wait for its end or name another file", path.display())]
    InUse {
        /// The file.
        path: PathBuf,
    },
    /// A line that cannot be read.
    #[error("{}:{line}:{column}: {fault}", path.display())]
    Line {
        /// The file.
        path: PathBuf,
        /// The number of the line, from 1.
        line: usize,
        /// The number of the character in the line, from 1.
        column: usize,
        /// What is wrong with it.
        fault: TimingsFault,
    },
    /// A file that cannot be read as a whole, or something that cannot be written.
    #[error("{}: {fault}", path.display())]
    Whole {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        fault: TimingsFault,
    },
}

/// What is wrong with a timings file.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TimingsFault {
    /// What can be wrong with any table: columns, fields, values.
    #[error(transparent)]
    Table(#[from] Fault),
    /// A message that is another one than before.
    #[error(transparent)]
    Mismatch(#[from] Mismatch),
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
    #[error(
        "there is no line of column names, such as \"scheme,communication,source,destination,size,kind,seconds\"; if the \
         campaign was stopped before its first reading, begin it again with --force"
    )]
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

impl TimingsError {
    /// What a file refused.
    pub(super) fn refused(path: &Path) -> impl Fn(Refused) -> Self {
        |refused| {
            let path = path.to_owned();
            match refused {
                Refused::System(doing, reason) => Self::System { path, doing, reason },
                Refused::Exists => Self::Exists { path },
                Refused::InUse => Self::InUse { path },
            }
        }
    }
}

impl TimingsFault {
    /// As an error of the whole file.
    pub(super) fn of(self, path: &Path) -> TimingsError {
        TimingsError::Whole { path: path.to_owned(), fault: self }
    }
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
