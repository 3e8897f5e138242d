use std::path::{Path, PathBuf};

use rusqlite::ErrorCode;

/// The reason why the database of samples cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// The file cannot be opened.
    #[error("{}: {reason}; check that the folder exists, that you may write in it, and that \
        the file, if there is one, is a database of `orrery monitor`", path.display())]
    Open {
        /// The file.
        path: PathBuf,
        /// The error of SQLite.
        reason: rusqlite::Error,
    },
    /// The path names no file that samples can be in.
    #[error("{}: {reason}, and samples need a file; name one, such as series.db", path.display())]
    NoFile {
        /// The path.
        path: PathBuf,
        /// What is wrong.
        reason: &'static str,
    },
    /// A file of the open database has lost its name.
    #[error("{}: another program removed, replaced or moved this file of the database; put it \
        back, or start again with another one", path.display())]
    Lost {
        /// The file.
        path: PathBuf,
    },
    /// The file is a database of another program.
    #[error("{}: this database has no samples of `orrery monitor`; name another \
        file", path.display())]
    Other {
        /// The file.
        path: PathBuf,
    },
    /// The file is of a later version of this program.
    #[error("{}: the database has version {version}, and this program reads versions up to \
        {known}; use a later program", path.display())]
    Version {
        /// The file.
        path: PathBuf,
        /// The version of the file.
        version: i64,
        /// The last version that this program reads.
        known: i64,
    },
    /// The database cannot be read or written.
    #[error("the database of samples: {0}")]
    Database(rusqlite::Error),
}

impl From<rusqlite::Error> for StoreError {
    fn from(error: rusqlite::Error) -> Self {
        Self::Database(error)
    }
}

impl StoreError {
    pub(super) fn of(path: &Path, reason: rusqlite::Error) -> Self {
        Self::Open { path: path.to_owned(), reason }
    }

    /// Returns true if there is no space left for the samples.
    pub fn is_full(&self) -> bool {
        let (Self::Database(reason) | Self::Open { reason, .. }) = self else { return false };
        reason.sqlite_error_code() == Some(ErrorCode::DiskFull)
    }

    /// Returns true if a file of the database was removed, replaced or moved.
    pub fn is_lost(&self) -> bool {
        matches!(self, Self::Lost { .. })
    }
}
