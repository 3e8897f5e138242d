//! The identity of the database: whether its files still have their names.

use std::fs::OpenOptions;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use orrery::file::Identity;

use super::error::StoreError;

/// The permissions of a new database; its log and its index get the same ones.
const MODE: u32 = 0o600;

/// The ends of the names of the log and of its index, which SQLite puts beside the database.
const SIBLINGS: [&str; 2] = ["-wal", "-shm"];

/// The files of an open database, by device and inode. SQLite goes on writing to files that have
/// lost their names; nobody finds what it writes there.
#[derive(Debug, Clone)]
pub struct StoreFile(Arc<[(Identity, PathBuf)]>);

impl StoreFile {
    /// Checks that the path names a file, which need not exist.
    pub(crate) fn check_path(path: &Path) -> Result<(), StoreError> {
        let fault = |reason| StoreError::NoFile { path: path.to_owned(), reason };
        let text = path.as_os_str().as_encoded_bytes();
        if text.is_empty() {
            return Err(fault("an empty path names no file"));
        }
        if text.starts_with(b"file:") {
            return Err(fault("addresses are not paths"));
        }
        if text.starts_with(b":") {
            return Err(fault("a database in memory is lost with the process"));
        }
        let is_file = path.metadata().map_or(true, |found| found.is_file());
        if is_file { Ok(()) } else { Err(fault("this is no regular file")) }
    }

    /// Checks that the path names a file, and creates it, readable by its owner only, if it does
    /// not exist.
    pub(super) fn create(path: &Path) -> Result<(), StoreError> {
        Self::check_path(path)?;
        // SQLite has the errors of a file that cannot be created, and creates the target of a link.
        let _ = OpenOptions::new().write(true).create_new(true).mode(MODE).open(path);
        Self::check_path(path)
    }

    /// The files of the database at a path, which is open and has been written to.
    pub(super) fn of(path: &Path) -> Result<Self, StoreError> {
        let lost = || StoreError::Lost { path: path.to_owned() };
        let real = path.canonicalize().map_err(|_| lost())?;
        let path = std::path::absolute(path).map_err(|_| lost())?;
        let mut files = vec![(Identity::at(&path).ok_or_else(lost)?, path)];
        for end in SIBLINGS {
            let mut name = real.clone().into_os_string();
            name.push(end);
            let sibling = PathBuf::from(name);
            // File systems without shared memory have databases without a log.
            files.extend(Identity::at(&sibling).map(|identity| (identity, sibling)));
        }
        Ok(Self(files.into()))
    }

    /// Checks that all files have their names.
    ///
    /// # Errors
    ///
    /// Returns the first file that was removed, replaced or moved.
    pub fn check(&self) -> Result<(), StoreError> {
        let lost = self.0.iter().find(|(identity, path)| Identity::at(path) != Some(*identity));
        lost.map_or(Ok(()), |(_, path)| Err(StoreError::Lost { path: path.clone() }))
    }
}
