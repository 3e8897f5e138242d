use crate::file::{FileError, FileFault, Located};
use crate::json;
use crate::run::file::error::Fault;

/// Why a plan file cannot be read or written.
pub type PlanError = FileError<PlanFault>;

impl FileFault for PlanFault {
    const FILE: &'static str = "plan file";
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

pub(super) type Result<T> = std::result::Result<T, Located<PlanFault>>;

impl From<Located<json::Fault>> for Located<PlanFault> {
    fn from(Located { byte, fault }: Located<json::Fault>) -> Self {
        Self { byte, fault: PlanFault::Entry(fault.into()) }
    }
}

impl From<Located<Fault>> for Located<PlanFault> {
    fn from(Located { byte, fault }: Located<Fault>) -> Self {
        Self { byte, fault: PlanFault::Entry(fault) }
    }
}
