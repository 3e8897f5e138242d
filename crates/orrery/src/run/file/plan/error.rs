use std::io;
use std::path::{Path, PathBuf};

use crate::file::advice;
use crate::json::{self, json_path, line_and_column};
use crate::run::file::error::{Fault, prefix};

/// Why a plan file cannot be read or written. Each says where, what and what to do next.
#[derive(Debug, thiserror::Error)]
pub enum PlanError {
    /// The operating system refused something.
    #[error("{}: cannot {doing} the plan file: {reason}{}", path.display(), advice(reason, doing))]
    System {
        /// The file.
        path: PathBuf,
        /// What was being done: `read`, `write`.
        doing: &'static str,
        /// What the system said.
        reason: io::Error,
    },
    /// The file that is to be written exists.
    #[error("{}: this file exists already; replace it with --force, or name another file", path.display())]
    Exists {
        /// The file.
        path: PathBuf,
    },
    /// Something in the file cannot be read.
    #[error("{}:{line}:{column}: {}{fault}", path.display(), prefix(.place))]
    Read {
        /// The file.
        path: PathBuf,
        /// The number of the line, from 1.
        line: usize,
        /// The number of the character in the line, from 1.
        column: usize,
        /// The place in the JSON, such as `runs[3].seconds`; empty for the file as a whole.
        place: String,
        /// What is wrong.
        fault: PlanFault,
    },
    /// A run cannot be written.
    #[error("the plan cannot be written: {place}: {fault}")]
    Write {
        /// The place in the JSON where it would stand.
        place: String,
        /// What is wrong.
        fault: PlanFault,
    },
}

/// What is wrong with a plan file.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum PlanFault {
    /// There is nothing in the file.
    #[error("the file is empty; make a plan with \"orrery scaling advise\"")]
    Empty,
    /// It is no JSON at all.
    #[error("a plan file is JSON; make one with \"orrery scaling advise\"")]
    NotJson,
    /// It is JSON of another kind.
    #[error("the format is {found:?}, not \"orrery-plan\"; name a plan file, such as \"orrery scaling advise\" writes")]
    Format {
        /// The name of the format that was found.
        found: String,
    },
    /// Anything else, as in a runs file.
    #[error(transparent)]
    Entry(#[from] Fault),
}

pub(super) type Refused = json::Refused<PlanFault>;

pub(super) type Result<T> = std::result::Result<T, Refused>;

impl From<json::Refused> for Refused {
    fn from(refused: json::Refused) -> Self {
        Self { byte: refused.byte, fault: PlanFault::Entry(refused.fault.into()) }
    }
}

impl From<json::Refused<Fault>> for Refused {
    fn from(refused: json::Refused<Fault>) -> Self {
        Self { byte: refused.byte, fault: PlanFault::Entry(refused.fault) }
    }
}

/// With all that tells a person where it is.
pub(super) fn in_text(refused: Refused, text: &str, path: &Path) -> PlanError {
    let (line, column) = line_and_column(text, refused.byte);
    let place = json_path(text, refused.byte);
    PlanError::Read { path: path.to_owned(), line, column, place, fault: refused.fault }
}
