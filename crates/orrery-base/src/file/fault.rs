use std::fmt;

use super::FileKind;
use crate::budget::OverBudget;
use crate::units::UnknownName;

/// What is wrong with a content, where, and what to do about it, as a sentence.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    message: Box<str>,
    kind: FaultKind,
    byte: Option<usize>,
    place: Box<str>,
}

/// The faults that a caller decides by.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FaultKind {
    /// No caller decides by the kind.
    Other,
    /// The content is not text.
    NotText,
    /// The content is empty.
    Empty,
    /// The content is no file of the kind as which it was read.
    Format {
        /// The kind as which it was read.
        wanted: FileKind,
        /// The kind of the content; `None` if it is not recognised.
        found: Option<FileKind>,
    },
    /// No rank has recorded its calls in the folder of a run.
    NoRecord,
    /// A file that the content names cannot be read.
    Unreadable,
    /// The content ends within a value or a run.
    Truncated,
    /// A table of measurements has no line of column names.
    NoHeader,
    /// A mapping of columns to their meanings is missing or wrong.
    Mapping,
    /// The metric that is the time is not named, or is another quantity.
    Metric,
    /// The selection of results from a content is incomplete or ambiguous, contradicts it, or
    /// selects none.
    Selection,
    /// The content exceeds its budget.
    OverBudget(Box<OverBudget>),
}

/// A result whose error is a fault of the content.
pub type Result<T, E = Fault> = std::result::Result<T, E>;

impl Fault {
    /// A fault of the content as a whole.
    pub fn new(message: impl fmt::Display) -> Self {
        let message = message.to_string().into();
        Self { message, kind: FaultKind::Other, byte: None, place: Box::default() }
    }

    /// Sets the kind of the fault, which is [`FaultKind::Other`] before.
    #[must_use]
    pub fn of_kind(self, kind: FaultKind) -> Self {
        Self { kind, ..self }
    }

    /// Sets the byte of the text, from 0, at which the fault is.
    #[must_use]
    pub fn at(self, byte: usize) -> Self {
        Self { byte: Some(byte), ..self }
    }

    /// Puts a path within a JSON text, such as `models.lmo.fixed_delay.value[3]`, before the path
    /// that the fault has already.
    #[must_use]
    pub fn within(self, path: impl fmt::Display) -> Self {
        Self { place: format!("{path}{}", self.place).into(), ..self }
    }

    /// The kind by which a caller may decide what to do.
    pub fn kind(&self) -> &FaultKind {
        &self.kind
    }

    /// The byte of the text, from 0; `None` for a fault of the whole.
    pub fn byte(&self) -> Option<usize> {
        self.byte
    }

    /// The path within a JSON text; empty in other formats.
    pub fn place(&self) -> &str {
        &self.place
    }
}

impl From<String> for Fault {
    fn from(message: String) -> Self {
        Self::new(message)
    }
}

impl From<&str> for Fault {
    fn from(message: &str) -> Self {
        Self::new(message)
    }
}

impl From<Fault> for std::io::Error {
    fn from(fault: Fault) -> Self {
        Self::other(fault)
    }
}

impl From<UnknownName> for Fault {
    fn from(error: UnknownName) -> Self {
        Self::new(error)
    }
}

impl From<OverBudget> for Fault {
    fn from(error: OverBudget) -> Self {
        Self::new(&error).of_kind(FaultKind::OverBudget(error.into()))
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.place.is_empty() {
            write!(f, "{}: ", self.place)?;
        }
        f.write_str(&self.message)
    }
}

impl std::error::Error for Fault {}
