//! What happened, for the log of an agent.

use std::fmt;
use std::net::SocketAddr;
use std::path::PathBuf;

use orrery::units::Seconds;

/// Something that happened to a running agent.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Event {
    /// The agent measures.
    Started {
        /// The name of the host in the names of series.
        host: String,
        /// The address at which peers reach it.
        listen: Option<SocketAddr>,
    },
    /// A sensor has no value; reported again when the reason changes.
    Sensor {
        /// The reason.
        reason: String,
    },
    /// Samples cannot be written.
    StoreFailed {
        /// The reason.
        reason: String,
    },
    /// Samples are written again.
    StoreRecovered {
        /// The number of samples that were written late.
        written: usize,
    },
    /// Old samples cannot be summarised, or samples not be put back; reported again when the reason
    /// changes.
    UpkeepFailed {
        /// The reason.
        reason: String,
    },
    /// There is no room for samples that cannot be written.
    Dropped {
        /// The number of dropped samples.
        samples: u64,
    },
    /// The clock of the host is behind the last sample.
    ClockBehind {
        /// By this time.
        by: Seconds,
    },
    /// The times of samples are those of the clock again.
    ClockMet,
    /// Samples are set aside, because their times are more than an hour after the clock.
    SetAside {
        /// The number of samples that are set aside now.
        samples: u64,
    },
    /// Samples that were set aside are back.
    PutBack {
        /// The number of samples.
        samples: u64,
    },
    /// The service does not take samples.
    ForwardFailed {
        /// The reason.
        reason: String,
    },
    /// The service takes samples again.
    ForwardRecovered,
    /// The service refused samples for good.
    Refused {
        /// Their number.
        samples: u64,
        /// The reason of the first one.
        reason: String,
        /// The file with the samples.
        path: PathBuf,
    },
    /// A peer cannot be probed.
    PeerLost {
        /// The host.
        host: String,
        /// The reason.
        reason: String,
    },
    /// A peer is probed again.
    PeerReturned {
        /// The host.
        host: String,
    },
    /// The token of the clique was lost, and made anew.
    NewToken {
        /// Its epoch.
        epoch: u64,
    },
    /// The bytes for measurements of bandwidth are used up.
    BudgetSpent {
        /// The host that was not probed.
        host: String,
    },
    /// A connection without the secret was refused.
    Unauthenticated {
        /// The address.
        address: SocketAddr,
        /// What was wrong.
        reason: String,
    },
    /// systemd does not take notifications.
    Notify {
        /// The reason.
        reason: String,
    },
}

impl Event {
    /// Returns true if the operator should see it.
    pub fn is_warning(&self) -> bool {
        !matches!(
            self,
            Self::Started { .. }
                | Self::StoreRecovered { .. }
                | Self::ClockMet
                | Self::PutBack { .. }
                | Self::ForwardRecovered
                | Self::PeerReturned { .. }
        ) && !matches!(self, Self::NewToken { epoch: 1 })
    }
}

impl fmt::Display for Event {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Started { host, listen: None } => write!(f, "measuring {host}"),
            Self::Started { host, listen: Some(address) } => {
                write!(f, "measuring {host}; peers reach it at {address}")
            }
            Self::Sensor { reason } => write!(f, "not measured: {reason}"),
            Self::StoreFailed { reason } => {
                write!(f, "samples are kept in memory, because they cannot be written: {reason}")
            }
            Self::StoreRecovered { written } => {
                write!(f, "samples are written again: {written} were kept in memory")
            }
            Self::UpkeepFailed { reason } => {
                write!(f, "old samples are not summarised for now: {reason}")
            }
            Self::Dropped { samples } => {
                write!(
                    f,
                    "dropped: {samples} of the oldest samples, because they cannot be written; \
                        make space on the disk"
                )
            }
            Self::ClockBehind { by } => write!(
                f,
                "the clock is {:.0} s behind the last sample; times of samples approach it; check \
                    the synchronisation of the clock",
                by.get()
            ),
            Self::ClockMet => f.write_str("times of samples are those of the clock again"),
            Self::SetAside { samples } => write!(
                f,
                "set aside: {samples} samples with times more than an hour after the clock; they are \
                    put back when the clock reaches their times; check the clock"
            ),
            Self::PutBack { samples } => {
                write!(f, "put back: {samples} samples of those set aside")
            }
            Self::ForwardFailed { reason } => {
                write!(f, "samples are not forwarded for now: {reason}")
            }
            Self::ForwardRecovered => f.write_str("samples are forwarded again"),
            Self::Refused { samples, reason, path } => write!(
                f,
                "samples that are not forwarded, but are in {}: {samples}; the reason of the first \
                    one: {reason}",
                path.display()
            ),
            Self::PeerLost { host, reason } => write!(f, "peer {host} cannot be probed: {reason}"),
            Self::PeerReturned { host } => write!(f, "peer {host} is probed again"),
            Self::NewToken { epoch: 1 } => f.write_str("the first token of the clique"),
            Self::NewToken { epoch } => {
                write!(f, "the token of the clique was lost; its epoch is {epoch} now")
            }
            Self::BudgetSpent { host } => {
                write!(
                    f,
                    "bandwidth to {host} is not measured for now: bytes_per_hour of this host or \
                        of the peer is used up"
                )
            }
            Self::Unauthenticated { address, reason } => {
                write!(f, "{address} connected and was refused: {reason}")
            }
            Self::Notify { reason } => write!(f, "systemd cannot be notified: {reason}"),
        }
    }
}
