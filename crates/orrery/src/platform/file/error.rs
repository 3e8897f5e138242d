use crate::file::{FileError, FileFault};
use crate::platform::{ClusterError, HostlistError};
use crate::units::UnitError;

/// Why a cluster file cannot be read.
pub type ClusterFileError = FileError<Fault>;

impl FileFault for Fault {
    const FILE: &'static str = "cluster file";
}

/// What is wrong with a cluster file.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum Fault {
    /// It is no text.
    #[error("this is not text in UTF-8; a cluster file is TOML")]
    NotText,
    /// It is no TOML.
    #[error("this is no TOML: {reason}")]
    Syntax {
        /// What the TOML reader says.
        reason: String,
    },
    /// A key is not known.
    #[error("the key {key:?} is not known here; {}", advice(*.near, .known))]
    Unknown {
        /// The key.
        key: String,
        /// The known key that looks most like it.
        near: Option<&'static str>,
        /// All keys that may stand here.
        known: Vec<&'static str>,
    },
    /// A key is missing.
    #[error("this entry has no {key:?}; add it: {hint}")]
    Missing {
        /// The key.
        key: &'static str,
        /// What it holds.
        hint: &'static str,
    },
    /// Something else is expected.
    #[error("this is {found}, but {expected} should stand here")]
    Expected {
        /// What stands there.
        found: String,
        /// What should stand there.
        expected: &'static str,
    },
    /// Names of hosts that cannot be read.
    #[error(transparent)]
    Names(#[from] HostlistError),
    /// A size that cannot be read.
    #[error(transparent)]
    Size(#[from] UnitError),
    /// The entries do not make a cluster.
    #[error(transparent)]
    Cluster(#[from] ClusterError),
}

fn advice(near: Option<&'static str>, known: &[&'static str]) -> String {
    match near {
        Some(near) => format!("did you mean {near:?}?"),
        None => format!("known are {}", known.join(", ")),
    }
}
