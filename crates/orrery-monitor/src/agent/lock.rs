//! One agent for each store.

use std::fs::{File, TryLockError};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};

use super::error::AgentError;

/// The lock of a store: a file beside it, which the system unlocks when the process ends.
#[derive(Debug)]
pub(super) struct AgentLock {
    _file: File,
}

impl AgentLock {
    /// Locks the store for this process.
    pub(super) fn take(store: &Path) -> Result<Self, AgentError> {
        let mut path = store.as_os_str().to_owned();
        path.push(".agent");
        let path = PathBuf::from(path);
        let at = |reason| AgentError::Lock { path: path.clone(), reason };
        let file = File::options().create(true).append(true).mode(0o600).open(&path).map_err(at)?;
        match file.try_lock() {
            Ok(()) => Ok(Self { _file: file }),
            Err(TryLockError::WouldBlock) => Err(AgentError::Locked { store: store.to_owned() }),
            Err(TryLockError::Error(error)) => Err(at(error)),
        }
    }
}
