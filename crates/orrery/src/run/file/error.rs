use std::io;
use std::path::{Path, PathBuf};

use crate::file::advice;
use crate::json::{self, json_path, line_and_column};
use crate::run::RunProblem;

/// Why a runs file cannot be read or written. Each says where, what and what to do next.
#[derive(Debug, thiserror::Error)]
pub enum RunsError {
    /// The operating system refused something.
    #[error("{}: cannot {doing} the runs file: {reason}{}", path.display(), advice(reason, doing))]
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
        fault: Fault,
    },
    /// A run cannot be written.
    #[error("the runs cannot be written: {place}: {fault}")]
    Write {
        /// The place in the JSON where it would stand.
        place: String,
        /// What is wrong.
        fault: Fault,
    },
}

pub(super) fn prefix(place: &str) -> String {
    if place.is_empty() { String::new() } else { format!("{place}: ") }
}

/// What is wrong with a runs file.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum Fault {
    /// The JSON itself.
    #[error(transparent)]
    Json(#[from] json::Fault),
    /// There is nothing in the file.
    #[error("the file is empty; make one with \"orrery scaling import\"")]
    Empty,
    /// It is no JSON at all.
    #[error("a runs file is JSON; make one of this file with \"orrery scaling import\"")]
    NotJson,
    /// It is JSON of another kind.
    #[error("the format is {found:?}, not \"orrery-runs\"; name a runs file, such as \"orrery scaling import\" writes")]
    Format {
        /// The name of the format that was found.
        found: String,
    },
    /// It is of another version.
    #[error("the version is {found}, but this version of orrery reads version 1; use the version that wrote the file")]
    Version {
        /// The version that was found.
        found: String,
    },
    /// A key that the format does not have.
    #[error("the key {key:?} is not known here; known are {}: is it misspelt?", known.join(", "))]
    Unknown {
        /// The key.
        key: String,
        /// The keys that are known in its place.
        known: Vec<&'static str>,
    },
    /// A run that cannot be.
    #[error("run{}{run}: {fault}", if .run.is_empty() { "" } else { " " })]
    Run {
        /// Where it comes from; empty where that is not known.
        run: String,
        /// What is wrong with it.
        fault: Box<RunProblem>,
    },
}

/// A fault and the byte of the text where it stands.
pub(super) type Refused = json::Refused<Fault>;

pub(super) type Result<T> = std::result::Result<T, Refused>;

impl From<json::Refused> for Refused {
    fn from(refused: json::Refused) -> Self {
        Self { byte: refused.byte, fault: refused.fault.into() }
    }
}

/// With all that tells a person where it is.
pub(super) fn in_text(refused: Refused, text: &str, path: &Path) -> RunsError {
    let (line, column) = line_and_column(text, refused.byte);
    let place = json_path(text, refused.byte);
    RunsError::Read { path: path.to_owned(), line, column, place, fault: refused.fault }
}
