use std::io;
use std::path::PathBuf;

use crate::sample::{INVALID_SAMPLE, SAMPLE_AHEAD};
use crate::secret::SecretError;

/// The reason why a request has no answer. No message contains the token.
#[derive(Debug, thiserror::Error)]
pub enum ClientError {
    /// The address of the service is not valid.
    #[error("{url}: {reason}; write http://HOST:PORT or https://HOST:PORT")]
    Url {
        /// The address.
        url: String,
        /// What is wrong.
        reason: &'static str,
    },
    /// The token would be sent without encryption to another host.
    #[error("{url}: a token is not sent to another host without encryption; use https://")]
    TokenInClear {
        /// The address.
        url: String,
    },
    /// The token cannot be used.
    #[error(transparent)]
    Secret(#[from] SecretError),
    /// The certificates cannot be read.
    #[error("{}: the certificates cannot be read: {reason}; name a file in PEM \
        format", path.display())]
    Certificates {
        /// The file.
        path: PathBuf,
        /// The error.
        reason: io::Error,
    },
    /// The host has no list of certificates.
    #[error(
        "{url}: this host has no list of certificates; name a file with the certificate of the \
            service's authority"
    )]
    NoCertificates {
        /// The address.
        url: String,
    },
    /// The service was not reached, or the connection broke.
    #[error("{url}: {reason}; check that the service runs and can be reached")]
    Unreachable {
        /// The address.
        url: String,
        /// What happened.
        reason: String,
    },
    /// The service refused the request.
    #[error("{url}: the service answered {status}: {message}")]
    Refused {
        /// The address.
        url: String,
        /// The status of HTTP.
        status: u16,
        /// The code by which the service says what is wrong; `None` in answers of other servers.
        code: Option<String>,
        /// The reason that the service gave.
        message: String,
    },
    /// The answer is not one of a service.
    #[error("{url}: the answer is not one of `orrery monitor serve`: {reason}; check the address")]
    Answer {
        /// The address.
        url: String,
        /// What is wrong.
        reason: String,
    },
}

impl ClientError {
    /// The HTTP status of the service's refusal; `None` for any other error.
    pub fn status(&self) -> Option<u16> {
        match self {
            Self::Refused { status, .. } => Some(*status),
            _ => None,
        }
    }

    /// Returns true if the service itself refused a sample for its content, which is not accepted
    /// later either. Statuses alone do not say so: proxies answer with them, too.
    pub fn is_invalid_sample(&self) -> bool {
        matches!(self, Self::Refused { code: Some(code), .. } if code == INVALID_SAMPLE)
    }

    /// Returns true if the service refused a sample that is too far ahead of its clock, and that it
    /// accepts later.
    pub fn is_sample_ahead(&self) -> bool {
        matches!(self, Self::Refused { code: Some(code), .. } if code == SAMPLE_AHEAD)
    }
}
