use std::net::SocketAddr;
use std::path::PathBuf;

use crate::secret::SecretError;
use crate::store::StoreError;

/// The reason why a service cannot start.
#[derive(Debug, thiserror::Error)]
pub enum ServiceError {
    /// The database of samples cannot be used.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The address cannot be listened on.
    #[error(
        "cannot listen on {address}: {reason}; choose another address or port, or end the program \
            that uses it"
    )]
    Listen {
        /// The address.
        address: SocketAddr,
        /// The error of the system.
        reason: std::io::Error,
    },
    /// Other hosts could reach the service without a token or without TLS.
    #[error(
        "{address} is not a loopback address, so other hosts can reach it: give a token file, a \
            certificate and its key, or listen on 127.0.0.1"
    )]
    Unprotected {
        /// The address.
        address: SocketAddr,
    },
    /// A file of tokens or the key cannot be read, or others may read or write it.
    #[error(transparent)]
    Secret(#[from] SecretError),
    /// A file has no valid tokens.
    #[error("{}: {reason}", path.display())]
    Tokens {
        /// The file.
        path: PathBuf,
        /// What is wrong, and what to do.
        reason: String,
    },
    /// The certificate or its key cannot be used.
    #[error("{}: {reason}", path.display())]
    Tls {
        /// The file.
        path: PathBuf,
        /// What is wrong, and what to do.
        reason: String,
    },
    /// A thread or the event loop cannot be started.
    #[error("the service cannot start: {0}; check the limits of processes and open files")]
    Start(std::io::Error),
}
