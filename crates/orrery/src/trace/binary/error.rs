use crate::trace::actions::RecordError;

/// Why a binary trace cannot be read: what is wrong, and at which byte.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{file}: byte {byte}: {fault}")]
pub struct BinaryError {
    /// The name of the file.
    pub file: String,
    /// The byte, from 0.
    pub byte: usize,
    /// What is wrong.
    pub fault: Fault,
}

/// What is wrong with a binary trace.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Fault {
    /// It does not begin as a trace.
    #[error("this is no trace of orrery, or a transfer took it for text")]
    NotTrace,
    /// A version that is not known.
    #[error("this is version {found} of the format; this orrery reads version 1")]
    Version {
        /// The version.
        found: u8,
    },
    /// The file ends too early.
    #[error("the file ends where {expected} should stand; it may be torn")]
    Torn {
        /// What should stand there.
        expected: &'static str,
    },
    /// Something follows the last rank.
    #[error("{bytes} bytes follow behind the last rank")]
    Leftover {
        /// How many bytes.
        bytes: usize,
    },
    /// A checksum that does not fit.
    #[error("the checksum of {what} does not fit: the file was damaged")]
    Checksum {
        /// Of what.
        what: String,
    },
    /// A number that is too large for what it means.
    #[error("{expected} should stand here")]
    Number {
        /// What should stand there.
        expected: &'static str,
    },
    /// A name that is not UTF-8.
    #[error("this name of a file is not text")]
    NotText,
    /// An operation that is not known.
    #[error("there is no operation {found}")]
    Operation {
        /// Its number.
        found: u8,
    },
    /// An operation that cannot be.
    #[error(transparent)]
    RecordError(#[from] RecordError),
}
