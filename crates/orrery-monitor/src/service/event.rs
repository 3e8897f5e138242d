use std::fmt;
use std::net::SocketAddr;

/// What happens in a service, for its log. An event has no token and no value of a header.
#[derive(Debug, Clone, PartialEq)]
pub enum Event {
    /// The service answers.
    Listening {
        /// Its address.
        address: SocketAddr,
        /// True if it answers over TLS.
        tls: bool,
    },
    /// Samples cannot be stored; senders repeat them.
    StoreFailed {
        /// The error.
        error: String,
    },
    /// Samples can be stored again.
    StoreRecovered,
    /// Samples of other processes cannot be read, or old samples not be summarised.
    UpkeepFailed {
        /// The error.
        error: String,
    },
    /// A connection cannot be accepted.
    AcceptFailed {
        /// The error.
        error: String,
    },
    /// The store has more series than the service forecasts.
    TooManySeries {
        /// The maximum.
        limit: usize,
    },
    /// Series in the store have no valid names: they are left out.
    InvalidNames {
        /// Their number.
        count: usize,
        /// What is wrong with the first one.
        first: String,
    },
    /// The service has received the signal to end.
    Stopping,
}

impl Event {
    /// Returns true if the operator should see it.
    pub fn is_warning(&self) -> bool {
        !matches!(self, Self::Listening { .. } | Self::StoreRecovered | Self::Stopping)
    }
}

impl fmt::Display for Event {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Listening { address, tls } => {
                write!(f, "listening on {}://{address}", if *tls { "https" } else { "http" })
            }
            Self::StoreFailed { error } => {
                write!(
                    f,
                    "samples are not stored: {error}; senders repeat them until they are stored"
                )
            }
            Self::StoreRecovered => write!(f, "samples are stored again"),
            Self::UpkeepFailed { error } => {
                write!(f, "reading or thinning out the database failed: {error}")
            }
            Self::AcceptFailed { error } => {
                write!(
                    f,
                    "cannot accept a connection: {error}; raise the limit of open files, or lower \
                        --max-connections"
                )
            }
            Self::TooManySeries { limit } => {
                write!(
                    f,
                    "the database has more than {limit} series; others have no forecasts; raise \
                        --max-series"
                )
            }
            Self::InvalidNames { count, first } => {
                write!(f, "left out: series of the database without valid names, {count}: {first}")
            }
            Self::Stopping => write!(f, "stopping"),
        }
    }
}
