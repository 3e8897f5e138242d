use crate::file::{FileError, FileFault, Located};
use crate::json;

/// The reason why a file of conditions cannot be read.
pub type ConditionsError = FileError<Fault>;

impl FileFault for Fault {
    const FILE: &'static str = "file of conditions";
}

/// A fault of a file of conditions.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum Fault {
    /// A syntax error of JSON or a value of the wrong type.
    #[error(transparent)]
    Json(#[from] json::Fault),
    /// The file has another format.
    #[error(
        "the format is {found:?}, not \"orrery-conditions\"; name a file that the service \
            of \"orrery monitor\" has sent"
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
    /// An interval whose ends are in the wrong order, or do not contain the value.
    #[error(
        "the interval is {low} to {high}, and the value is {value}; the value is between the ends"
    )]
    Interval {
        /// The lower end.
        low: f64,
        /// The value.
        value: f64,
        /// The upper end.
        high: f64,
    },
    /// A number below 0.
    #[error("this is {0}, but times, sizes, rates and parts are not negative")]
    Negative(f64),
}

/// A result whose error has a position in the text.
pub(super) type Result<T> = std::result::Result<T, Located<Fault>>;

impl From<Located<json::Fault>> for Located<Fault> {
    fn from(Located { byte, fault }: Located<json::Fault>) -> Self {
        Self { byte, fault: fault.into() }
    }
}
