use std::fmt;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use super::{Fault, FaultKind, FileChange, FileKind, OutputFormat, Position, read_bytes, replace};
use crate::budget::OverBudget;

/// The error of a file that cannot be read or written. Each message names the file, the position if
/// there is one, and the remedy.
#[derive(Debug, thiserror::Error)]
pub enum FileError {
    /// The operating system reports an error.
    #[error("{}: cannot {action} the {format}: {reason}{}", path.display(), advice(reason, action))]
    System {
        /// The file.
        path: PathBuf,
        /// The name of such a file, such as `samples file`.
        format: &'static str,
        /// The action that failed: `open`, `read`, `write`, `replace` or `repair`.
        action: &'static str,
        /// The error of the operating system.
        reason: io::Error,
    },
    /// The file to be written already exists and is not empty.
    #[error("{}: this file already exists", path.display())]
    Exists {
        /// The file.
        path: PathBuf,
    },
    /// The file to be written exists and is of another kind; it is not replaced.
    #[error("{}: this file exists and is {}; remove it, or name another file", path.display(),
        Kinds { found: *found, expected: *expected })]
    OtherKind {
        /// The file.
        path: PathBuf,
        /// The kind of its content; `None` if it is not recognised.
        found: Option<FileKind>,
        /// The kind of the output.
        expected: FileKind,
    },
    /// Another process holds the lock of the file.
    #[error("{}: another campaign is writing to this file; wait until it ends or name another \
        file", path.display())]
    InUse {
        /// The file.
        path: PathBuf,
    },
    /// Another program has changed the file of a running campaign.
    #[error("{}: another program {change} while the campaign was writing to this \
        file", path.display())]
    Changed {
        /// The file.
        path: PathBuf,
        /// The change.
        change: FileChange,
    },
    /// The content is wrong, or a value cannot be written to the file.
    #[error("{}:{}{fault}", path.display(), Place(*position))]
    Content {
        /// The file.
        path: PathBuf,
        /// The line and the column; `None` for the content as a whole.
        position: Option<Position>,
        /// The fault.
        fault: Box<Fault>,
    },
    /// A value cannot be represented in the format.
    #[error("the {format} cannot be written: {fault}")]
    Write {
        /// The name of such a file.
        format: &'static str,
        /// The fault.
        fault: Box<Fault>,
    },
}

/// The kind of an existing file and that of the output.
struct Kinds {
    found: Option<FileKind>,
    expected: FileKind,
}

impl fmt::Display for Kinds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.found.map_or(Ok(()), |found| write!(f, "{}, ", found.name()))?;
        write!(f, "not {}", self.expected.name())
    }
}

/// A position between the name of a file and a fault.
struct Place(Option<Position>);

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.map_or(Ok(()), |position| write!(f, "{position}:"))?;
        f.write_str(" ")
    }
}

impl FileError {
    /// What is wrong with the content, if that is the error.
    pub fn fault(&self) -> Option<&Fault> {
        match self {
            Self::Content { fault, .. } | Self::Write { fault, .. } => Some(fault),
            Self::System { .. }
            | Self::Exists { .. }
            | Self::OtherKind { .. }
            | Self::InUse { .. }
            | Self::Changed { .. } => None,
        }
    }

    /// The budget that the content exceeds, if that is the error.
    pub fn over_budget(&self) -> Option<&OverBudget> {
        match self.fault()?.kind() {
            FaultKind::OverBudget(error) => Some(error.as_ref()),
            _ => None,
        }
    }

    /// Returns a function that makes an error of the operating system, which occurred during
    /// `action` on a file of this format, an error of the file.
    pub fn system(
        path: &Path,
        format: &'static str,
        action: &'static str,
    ) -> impl Fn(io::Error) -> Self {
        move |reason| Self::System { path: path.to_owned(), format, action, reason }
    }

    /// The error of a file with a fault of its content as a whole.
    pub fn whole(path: &Path, fault: Fault) -> Self {
        Self::Content { path: path.to_owned(), position: None, fault: fault.into() }
    }

    /// The error of a file with a fault of its text; its line and column are those of the fault's
    /// byte, and none if it has none.
    pub fn located(path: &Path, text: &str, fault: Fault) -> Self {
        let position = fault.byte().map(|byte| Position::of(text, byte));
        Self::Content { path: path.to_owned(), position, fault: fault.into() }
    }

    /// The error of a file with a fault at a line and a column.
    pub fn at(path: &Path, position: Position, fault: Fault) -> Self {
        Self::Content { path: path.to_owned(), position: Some(position), fault: fault.into() }
    }

    /// Returns a function that makes a fault the error of a value that a file of this format cannot
    /// represent.
    pub fn unwritable(format: &'static str) -> impl Fn(Fault) -> Self {
        move |fault| Self::Write { format, fault: fault.into() }
    }
}

/// Reads a whole file; `format` is the name of such a file in messages.
///
/// # Errors
///
/// When the file cannot be read.
pub fn read(path: &Path, format: &'static str) -> Result<Vec<u8>, FileError> {
    read_bytes(path).map_err(FileError::system(path, format, "read"))
}

/// Reads a whole text in UTF-8; `not_text` is the message if the content is not UTF-8.
///
/// # Errors
///
/// When the file cannot be read, or is no text.
pub fn read_text(path: &Path, format: &'static str, not_text: &str) -> Result<String, FileError> {
    String::from_utf8(read(path, format)?).map_err(|error| {
        let valid = &error.as_bytes()[..error.utf8_error().valid_up_to()];
        let valid = String::from_utf8_lossy(valid);
        FileError::located(path, &valid, Fault::new(not_text).at(valid.len()))
    })
}

/// Writes a whole file in one step; an older file of the same kind is replaced only with `force`.
///
/// # Errors
///
/// When an older file exists, without `force`, or the file cannot be written: see
/// [`OutputFormat::check`].
pub fn write(
    path: &Path,
    format: OutputFormat,
    content: &[u8],
    force: bool,
) -> Result<(), FileError> {
    if format.check(path)? && !force {
        return Err(FileError::Exists { path: path.to_owned() });
    }
    replace(path, content).map_err(FileError::system(path, format.name, "write"))
}

/// The remedy for an error of the operating system during `action`, to be appended to its message;
/// empty if unknown.
///
/// `action` is `open`, `read` or `write`.
///
/// ```
/// use std::io::{Error, ErrorKind};
/// assert_eq!(orrery_base::file::advice(&Error::from(ErrorKind::NotFound), "read"), "; check the name");
/// ```
pub fn advice(reason: &io::Error, action: &str) -> &'static str {
    match reason.kind() {
        ErrorKind::NotFound if action == "read" => "; check the name",
        ErrorKind::NotFound => "; create the folder first, or name another",
        ErrorKind::IsADirectory => "; name a file in it",
        ErrorKind::PermissionDenied => "; check its permissions and those of its folder",
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded => {
            "; free some space, or name a file elsewhere"
        }
        ErrorKind::FileTooLarge if action == "read" => {
            "; give an input that ends, or a larger memory limit"
        }
        ErrorKind::FileTooLarge => {
            "; raise the limit of the size of files (ulimit -f), or name a file elsewhere"
        }
        _ => "",
    }
}
