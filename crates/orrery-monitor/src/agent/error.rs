use std::io;
use std::net::SocketAddr;
use std::path::PathBuf;

use crate::client::ClientError;
use crate::name::NameError;
use crate::secret::SecretError;
use crate::sensor::SensorError;
use crate::store::StoreError;

/// The reason why an agent cannot start.
#[derive(Debug, thiserror::Error)]
pub enum AgentError {
    /// Another agent writes the same store.
    #[error("{}: another agent uses this store; end it, or name another store", store.display())]
    Locked {
        /// The store.
        store: PathBuf,
    },
    /// The lock of the store cannot be taken.
    #[error("{}: the lock of the store cannot be taken: {reason}; use a folder in which this user \
        may write", path.display())]
    Lock {
        /// The file of the lock.
        path: PathBuf,
        /// The error.
        reason: io::Error,
    },
    /// The store cannot be used.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The processors cannot be measured.
    #[error(transparent)]
    Sensor(#[from] SensorError),
    /// The name of the host is not valid.
    #[error("host: {0}")]
    Host(#[from] NameError),
    /// The service cannot be used.
    #[error("forward: {0}")]
    Client(#[from] ClientError),
    /// A secret cannot be used.
    #[error(transparent)]
    Secret(#[from] SecretError),
    /// The address for peers cannot be used.
    #[error(
        "probe: {address}: peers cannot reach this address: {reason}; set `listen` to an address \
            of this host and a free port"
    )]
    Listen {
        /// The address.
        address: SocketAddr,
        /// The error.
        reason: io::Error,
    },
    /// A thread cannot be started.
    #[error("a thread cannot be started: {0}; raise the limit of processes")]
    Thread(io::Error),
}
