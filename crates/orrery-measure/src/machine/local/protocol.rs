//! The control connection between the coordinator and a worker: length-prefixed JSON.

use std::io::{self, Read, Write};
use std::net::TcpStream;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::machine::Batch;
use crate::machine::LateStart;
use orrery_base::units::Seconds;
use orrery_cluster::platform::PiecewiseTime;

/// A message from the coordinator to a worker.
#[derive(Debug, Serialize, Deserialize)]
pub(super) enum Command {
    /// Connect to the other workers.
    Join(Join),
    /// Run these batches, one after the other.
    Run(Vec<Batch>),
    /// Answer with [`Report::Pong`].
    Ping,
}

/// The parameters with which a worker connects to the others.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Join {
    /// The ports of the other workers, or of the switch between them.
    pub peers: Peers,
    /// The number of workers.
    pub workers: usize,
    /// True if receives poll before they block.
    pub spin: bool,
    /// The core to bind the worker to.
    pub core: Option<usize>,
    /// The processor times of a blocking send, a posted send and a receive, if the worker emulates
    /// a host.
    pub overheads: Option<[PiecewiseTime; 3]>,
}

/// The ports to which a worker connects.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) enum Peers {
    /// The port on which each worker listens, by worker.
    Direct(Vec<u16>),
    /// The port of the switch.
    Switch(u16),
}

/// A message from a worker to the coordinator.
#[derive(Debug, Serialize, Deserialize)]
pub(super) enum Report {
    /// The worker listens for other workers on this port.
    Listening(u16),
    /// The worker is connected to all other workers.
    Ready {
        /// The congestion control of its connections.
        congestion_control: String,
        /// The core that it is bound to.
        core: Option<usize>,
    },
    /// A sign of life during a long batch.
    Progress,
    /// The answer to a ping.
    Pong,
    /// The batches are complete; the readings of each.
    Done(Vec<Vec<Seconds>>),
    /// The connection to another worker broke.
    ConnectionLost(usize),
    /// Ranks of the batch missed the common start repeatedly.
    LateStart(LateStart),
    /// The worker cannot continue.
    Failed(String),
}

/// The reason why a worker cannot continue its batch.
#[derive(Debug)]
pub(super) enum BatchFailure {
    /// The connection to another worker broke.
    ConnectionLost(usize),
    /// The connection to the coordinator broke.
    CoordinatorLost,
    /// Ranks missed the common start of a repetition repeatedly.
    LateStart(LateStart),
    /// Any other failure, in words.
    Failed(String),
}

impl BatchFailure {
    /// The report of the failure; `None` if there is no coordinator to report to.
    pub fn report(self) -> Option<Report> {
        match self {
            Self::ConnectionLost(worker) => Some(Report::ConnectionLost(worker)),
            Self::CoordinatorLost => None,
            Self::LateStart(late) => Some(Report::LateStart(late)),
            Self::Failed(reason) => Some(Report::Failed(reason)),
        }
    }
}

impl From<LateStart> for BatchFailure {
    fn from(late: LateStart) -> Self {
        Self::LateStart(late)
    }
}

/// The length of the length prefix in bytes.
const PREFIX: usize = 8;

/// The largest length of a message in bytes; a larger one is invalid.
const MAX_LENGTH: u64 = 1 << 32;

/// A message with its length prefix.
pub(super) fn frame<T: Serialize>(message: &T) -> io::Result<Vec<u8>> {
    let mut bytes = vec![0; PREFIX];
    serde_json::to_writer(&mut bytes, message)?;
    let length = (bytes.len() - PREFIX) as u64;
    bytes[..PREFIX].copy_from_slice(&length.to_le_bytes());
    Ok(bytes)
}

/// Parses a length prefix; an error if the message is too long.
fn parse_length(prefix: [u8; PREFIX]) -> io::Result<usize> {
    let length = u64::from_le_bytes(prefix);
    if length > MAX_LENGTH {
        return Err(io::Error::new(io::ErrorKind::InvalidData, "a control message is too long"));
    }
    Ok(length as usize)
}

/// The worker's end of the control connection, which blocks.
#[derive(Debug)]
pub(super) struct ControlConnection {
    pub stream: TcpStream,
}

impl ControlConnection {
    /// Sends a report.
    pub fn send(&mut self, report: &Report) -> io::Result<()> {
        self.stream.write_all(&frame(report)?)
    }

    /// Receives the next command; an error when the coordinator has closed the connection.
    pub fn receive(&mut self) -> io::Result<Command> {
        let mut prefix = [0; PREFIX];
        self.stream.read_exact(&mut prefix)?;
        let mut bytes = vec![0; parse_length(prefix)?];
        self.stream.read_exact(&mut bytes)?;
        Ok(serde_json::from_slice(&bytes)?)
    }
}

/// The coordinator's end of a control connection, which does not block: it collects bytes and
/// returns complete messages.
#[derive(Debug, Default)]
pub(super) struct ReportReader {
    bytes: Vec<u8>,
}

impl ReportReader {
    /// Reads once from a non-blocking connection; returns false if no bytes are available.
    pub fn fill(&mut self, mut stream: &TcpStream) -> io::Result<bool> {
        let mut chunk = [0; 16_384];
        match stream.read(&mut chunk) {
            Ok(0) => Err(io::ErrorKind::UnexpectedEof.into()),
            Ok(count) => {
                self.bytes.extend_from_slice(&chunk[..count]);
                Ok(true)
            }
            Err(error)
                if matches!(
                    error.kind(),
                    io::ErrorKind::WouldBlock | io::ErrorKind::Interrupted
                ) =>
            {
                Ok(false)
            }
            Err(error) => Err(error),
        }
    }

    /// Returns the next complete message; `None` if none has arrived.
    pub fn next<T: DeserializeOwned>(&mut self) -> io::Result<Option<T>> {
        let Some(&prefix) = self.bytes.first_chunk::<PREFIX>() else { return Ok(None) };
        let end = PREFIX + parse_length(prefix)?;
        if self.bytes.len() < end {
            return Ok(None);
        }
        let message = serde_json::from_slice(&self.bytes[PREFIX..end])?;
        self.bytes.drain(..end);
        Ok(Some(message))
    }
}
