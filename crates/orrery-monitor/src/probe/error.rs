use std::io;

/// The reason why a peer was not probed.
#[derive(Debug, thiserror::Error)]
pub enum ProbeError {
    /// There is no connection, or it broke.
    #[error("{0}; check that its agent runs and can be reached")]
    Connection(io::Error),
    /// The time limit was reached.
    #[error(
        "it did not answer in time; check that its agent runs, or make bandwidth_bytes smaller for \
            a slow link"
    )]
    Timeout,
    /// The peer closed the connection.
    #[error("it closed the connection; check that both have the same secret")]
    Closed,
    /// The authentication is wrong.
    #[error("the authentication is wrong; give both the same secret")]
    Secret,
    /// The other side has another protocol.
    #[error(
        "there is no agent at this address; check the port, and that both have the same version"
    )]
    NoAgent,
    /// The peer is probing or being probed.
    #[error("it is busy with another probe")]
    Busy,
}

impl ProbeError {
    /// The error of a connection: a time limit, a closed connection, or another error of the
    /// system.
    pub(super) fn of(error: io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::TimedOut | io::ErrorKind::WouldBlock => Self::Timeout,
            io::ErrorKind::ConnectionReset | io::ErrorKind::BrokenPipe => Self::Closed,
            _ => Self::Connection(error),
        }
    }
}
