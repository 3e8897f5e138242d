//! The cluster file, in TOML. `docs/file-formats.md` describes its grammar.
//!
//! ```
//! use orrery::platform::file;
//! let text = r#"
//! [[hosts]]
//! names = "node[2-5]"
//! kind = "pentium-ii"
//! cores = 2
//! memory = "768M"
//! "#;
//! let parsed = file::parse(text, "cluster.toml")?;
//! assert_eq!(parsed.cluster.kinds()[0].elements(), 8);
//!
//! let error = file::parse(&text.replace("cores", "core"), "cluster.toml").unwrap_err().to_string();
//! assert_eq!(error, "cluster.toml:5:1: unknown key \"core\"; did you mean \"cores\"?");
//! # Ok::<(), file::ClusterFileError>(())
//! ```

mod network;
mod reader;
mod table;

use crate::budget::OverBudget;
use crate::file::{FileError, FileFault};
use crate::platform::{ClusterError, HostlistError};
use crate::units::UnitError;

pub use network::{Network, SIMGRID_NETWORKS, SharingSection};
pub use reader::{ClusterFile, UnusedKey, network, parse, read};

/// The reason why a cluster file cannot be read.
pub type ClusterFileError = FileError<Fault>;

impl FileFault for Fault {
    const FILE: &'static str = "cluster file";

    fn over_budget(&self) -> Option<&OverBudget> {
        if let Self::Budget(error) = self { Some(error) } else { None }
    }
}

/// A problem in the text of a cluster file.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum Fault {
    /// The file is not text.
    #[error("the file is not UTF-8 text; a cluster file is TOML")]
    NotText,
    /// The text is not TOML.
    #[error("invalid TOML: {reason}")]
    Syntax {
        /// The error of the TOML parser.
        reason: String,
    },
    /// An unknown key.
    #[error("unknown key {key:?}; {}", advice(*.near, .known))]
    Unknown {
        /// The key.
        key: String,
        /// The valid key with the most similar name.
        near: Option<&'static str>,
        /// All valid keys.
        known: Vec<&'static str>,
    },
    /// A missing key.
    #[error("{key:?} is missing here; add it: {hint}")]
    Missing {
        /// The key.
        key: &'static str,
        /// The meaning of the key.
        hint: &'static str,
    },
    /// A value that is not allowed.
    #[error("{found} is not allowed here; expected {expected}")]
    Expected {
        /// The value.
        found: String,
        /// The allowed values.
        expected: &'static str,
    },
    /// A host of an uplink that is not described.
    #[error("the host {name:?} is not described; name hosts of [[hosts]]")]
    UnknownHost {
        /// The name of the host.
        name: String,
    },
    /// A host behind two uplinks.
    #[error("the host {name:?} is behind another uplink already; name each host once")]
    TwoUplinks {
        /// The name of the host.
        name: String,
    },
    /// An invalid list of host names.
    #[error(transparent)]
    Names(#[from] HostlistError),
    /// An invalid size.
    #[error(transparent)]
    Size(#[from] UnitError),
    /// The hosts take more memory than the text allows.
    #[error(transparent)]
    Budget(#[from] OverBudget),
    /// The entries do not form a cluster.
    #[error(transparent)]
    Cluster(#[from] ClusterError),
}

/// The advice for an unknown key.
fn advice(near: Option<&'static str>, known: &[&'static str]) -> String {
    match near {
        Some(near) => format!("did you mean {near:?}?"),
        None => format!("valid keys are {}", known.join(", ")),
    }
}
