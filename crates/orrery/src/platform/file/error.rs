use std::io;
use std::path::PathBuf;

use crate::platform::{ClusterError, HostlistError};
use crate::units::UnitError;

/// Why a cluster file cannot be read. Each says where, what and what to do next.
#[derive(Debug, thiserror::Error)]
pub enum ClusterFileError {
    /// The operating system refused something.
    #[error("{}: cannot read the cluster file: {reason}; check its name and its permissions", path.display())]
    System {
        /// The file.
        path: PathBuf,
        /// What the system said.
        reason: io::Error,
    },
    /// Something in the file cannot be read.
    #[error("{}:{line}:{column}: {fault}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// The number of the line, from 1.
        line: usize,
        /// The number of the character in the line, from 1.
        column: usize,
        /// What is wrong.
        fault: Fault,
    },
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
