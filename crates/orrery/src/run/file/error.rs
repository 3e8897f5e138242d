use crate::file::{FileError, FileFault, Located};
use crate::json;
use crate::run::RunProblem;

/// The reason why a runs file cannot be read or written.
pub type RunsError = FileError<Fault>;

impl FileFault for Fault {
    const FILE: &'static str = "runs file";
}

/// A fault of a runs file.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum Fault {
    /// A syntax error of JSON or a value of the wrong type.
    #[error(transparent)]
    Json(#[from] json::Fault),
    /// The file is empty.
    #[error("the file is empty; write one with \"orrery scaling import\"")]
    Empty,
    /// The file is not JSON.
    #[error("a runs file is JSON; convert this file with \"orrery scaling import\"")]
    NotJson,
    /// The file has another format.
    #[error(
        "the format is {found:?}, not \"orrery-runs\"; name a runs file, as \"orrery scaling \
            import\" writes it"
    )]
    Format {
        /// The name of the format in the file.
        found: String,
    },
    /// The file has another version of the format.
    #[error(
        "the version is {found}, but this version of orrery reads version 1; use the version that \
            wrote the file"
    )]
    Version {
        /// The version in the file.
        found: String,
    },
    /// An unknown key.
    #[error("unknown key {key:?}; keys here are {}; correct its spelling, or \
        remove it", known.join(", "))]
    Unknown {
        /// The key.
        key: String,
        /// The keys that the format has at this place.
        known: Vec<&'static str>,
    },
    /// A wrong run.
    #[error("run{}{run}: {fault}", if .run.is_empty() { "" } else { " " })]
    Run {
        /// The file and line that it was read from; empty if they are unknown.
        run: String,
        /// The problem.
        fault: Box<RunProblem>,
    },
}

/// A result whose error has a position in the text.
pub(super) type Result<T> = std::result::Result<T, Located<Fault>>;

impl From<Located<json::Fault>> for Located<Fault> {
    fn from(Located { byte, fault }: Located<json::Fault>) -> Self {
        Self { byte, fault: fault.into() }
    }
}
