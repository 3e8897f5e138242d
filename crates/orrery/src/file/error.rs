use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::{fmt, fs};

use super::{FileChange, Located, Position, replace};
use crate::budget::OverBudget;

/// A fault of the content of files of one format.
pub trait FileFault: fmt::Debug + fmt::Display {
    /// The name of such a file in messages, such as `samples file`.
    const FILE: &'static str;

    /// The budget that the content exceeds, if that is the fault.
    fn over_budget(&self) -> Option<&OverBudget> {
        None
    }
}

/// The error of a file that cannot be read or written. Each message names the file, the position if
/// there is one, and the remedy.
#[derive(Debug, thiserror::Error)]
pub enum FileError<F: FileFault> {
    /// The operating system reports an error.
    #[error("{}: cannot {action} the {}: \
        {reason}{}", path.display(), F::FILE, advice(reason, action))]
    System {
        /// The file.
        path: PathBuf,
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
    /// The content is wrong at a known position.
    #[error("{}:{position}: {}{fault}", path.display(), prefix(.place))]
    At {
        /// The file.
        path: Box<Path>,
        /// The line and the column.
        position: Position,
        /// The path within a JSON text, such as `models.lmo.fixed_delay.value[3]`; empty in other
        /// formats.
        place: Box<str>,
        /// The fault.
        fault: F,
    },
    /// The content as a whole is wrong, or a value cannot be written to the file.
    #[error("{}: {fault}", path.display())]
    Whole {
        /// The file.
        path: PathBuf,
        /// The fault.
        fault: F,
    },
    /// A value cannot be represented in the format.
    #[error("the {} cannot be written: {}{fault}", F::FILE, prefix(.place))]
    Write {
        /// The path within the JSON text that would hold the value.
        place: String,
        /// The fault.
        fault: F,
    },
}

/// The path within a JSON text as the beginning of a message.
fn prefix(place: &str) -> String {
    if place.is_empty() { String::new() } else { format!("{place}: ") }
}

impl<F: FileFault> FileError<F> {
    /// The budget that the content exceeds, if that is the error.
    pub fn over_budget(&self) -> Option<&OverBudget> {
        match self {
            Self::At { fault, .. } | Self::Whole { fault, .. } | Self::Write { fault, .. } => {
                fault.over_budget()
            }
            Self::System { .. }
            | Self::Exists { .. }
            | Self::InUse { .. }
            | Self::Changed { .. } => None,
        }
    }

    /// Converts an error of the operating system during `action`.
    pub(crate) fn system(path: &Path, action: &'static str) -> impl Fn(io::Error) -> Self {
        move |reason| Self::System { path: path.to_owned(), action, reason }
    }

    /// A fault of the file as a whole.
    pub(crate) fn whole(path: &Path, fault: F) -> Self {
        Self::Whole { path: path.to_owned(), fault }
    }

    /// A fault at a byte of the text of the file.
    pub(crate) fn located(path: &Path, text: &str, Located { byte, fault }: Located<F>) -> Self {
        Self::At {
            path: path.into(),
            position: Position::of(text, byte),
            place: Box::default(),
            fault,
        }
    }
}

/// Reads a whole file.
pub(crate) fn read<F: FileFault>(path: &Path) -> Result<Vec<u8>, FileError<F>> {
    fs::read(path).map_err(FileError::system(path, "read"))
}

/// Writes a whole file in one step; an existing file that is not empty is replaced only with
/// `force`.
pub(crate) fn write<F: FileFault>(
    path: &Path,
    content: &[u8],
    force: bool,
) -> Result<(), FileError<F>> {
    let occupied = fs::metadata(path).is_ok_and(|found| found.is_file() && found.len() > 0);
    if occupied && !force {
        return Err(FileError::Exists { path: path.to_owned() });
    }
    replace(path, content).map_err(FileError::system(path, "write"))
}

/// The remedy for an error of the operating system during `action`, to be appended to its message;
/// empty if unknown.
///
/// `action` is `open`, `read` or `write`.
///
/// ```
/// use std::io::{Error, ErrorKind};
/// assert_eq!(orrery::file::advice(&Error::from(ErrorKind::NotFound), "read"), "; check the name");
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
        ErrorKind::FileTooLarge => {
            "; raise the limit of the size of files (ulimit -f), or name a file elsewhere"
        }
        _ => "",
    }
}
