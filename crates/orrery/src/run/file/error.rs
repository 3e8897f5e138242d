use crate::file::{FileError, FileFault, Located};
use crate::json;
use crate::run::RunProblem;

/// Why a runs file cannot be read or written.
pub type RunsError = FileError<Fault>;

impl FileFault for Fault {
    const FILE: &'static str = "runs file";
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

pub(super) type Result<T> = std::result::Result<T, Located<Fault>>;

impl From<Located<json::Fault>> for Located<Fault> {
    fn from(Located { byte, fault }: Located<json::Fault>) -> Self {
        Self { byte, fault: fault.into() }
    }
}
