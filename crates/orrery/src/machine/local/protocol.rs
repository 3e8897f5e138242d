//! The control connection between the coordinator and a worker: length-prefixed JSON.

use std::io::{self, Read, Write};
use std::net::TcpStream;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::machine::Batch;
use crate::machine::clock::LateStart;
use crate::units::Seconds;

/// What the coordinator tells a worker.
#[derive(Debug, Serialize, Deserialize)]
pub(super) enum Order {
    /// Join the mesh.
    Join(Join),
    /// Run these batches, one after the other.
    Run(Vec<Batch>),
    /// Say that you are alive.
    Ping,
}

/// How a worker joins the mesh.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Join {
    /// The port on which each worker listens, by worker.
    pub ports: Vec<u16>,
    /// Whether receives poll before they block.
    pub spin: bool,
    /// The core to stay on.
    pub core: Option<usize>,
}

/// What a worker tells the coordinator.
#[derive(Debug, Serialize, Deserialize)]
pub(super) enum Report {
    /// It listens for the other workers on this port.
    Listening(u16),
    /// It is connected to all other workers.
    Ready {
        /// The congestion control of its connections.
        congestion: String,
        /// The core that it stays on.
        core: Option<usize>,
    },
    /// It has got on with its batch.
    Progress,
    /// It is alive: the answer to a ping.
    Pong,
    /// It has run its batches; these are its readings of each.
    Done(Vec<Vec<Seconds>>),
    /// The connection to another worker broke.
    Lost(usize),
    /// Ranks of its batch were too late, time and again.
    LateStart(LateStart),
    /// It cannot go on.
    Failed(String),
}

const PREFIX: usize = 8;

/// No message of ours is longer; a longer one is garbage.
const LONGEST: u64 = 1 << 32;

/// A message as it travels: its length, then itself.
pub(super) fn frame<T: Serialize>(message: &T) -> io::Result<Vec<u8>> {
    let mut bytes = vec![0; PREFIX];
    serde_json::to_writer(&mut bytes, message)?;
    let length = (bytes.len() - PREFIX) as u64;
    bytes[..PREFIX].copy_from_slice(&length.to_le_bytes());
    Ok(bytes)
}

fn length(prefix: [u8; PREFIX]) -> io::Result<usize> {
    let length = u64::from_le_bytes(prefix);
    if length > LONGEST {
        return Err(io::Error::new(io::ErrorKind::InvalidData, "a control message is too long"));
    }
    Ok(length as usize)
}

/// The worker's end: it reads and writes whole messages.
#[derive(Debug)]
pub(super) struct Control {
    pub stream: TcpStream,
}

impl Control {
    /// Sends a message.
    pub fn send(&mut self, report: &Report) -> io::Result<()> {
        self.stream.write_all(&frame(report)?)
    }

    /// The next message; an error when the coordinator is gone.
    pub fn receive(&mut self) -> io::Result<Order> {
        let mut prefix = [0; PREFIX];
        self.stream.read_exact(&mut prefix)?;
        let mut bytes = vec![0; length(prefix)?];
        self.stream.read_exact(&mut bytes)?;
        Ok(serde_json::from_slice(&bytes)?)
    }
}

/// The coordinator's end of what a worker says: bytes as they come in, messages as they become complete.
#[derive(Debug, Default)]
pub(super) struct Inbox {
    bytes: Vec<u8>,
}

impl Inbox {
    /// Takes in what a non-blocking connection has; false when it has nothing more for now.
    pub fn fill(&mut self, mut stream: &TcpStream) -> io::Result<bool> {
        let mut chunk = [0; 16_384];
        match stream.read(&mut chunk) {
            Ok(0) => Err(io::ErrorKind::UnexpectedEof.into()),
            Ok(count) => {
                self.bytes.extend_from_slice(&chunk[..count]);
                Ok(true)
            }
            Err(error) if matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::Interrupted) => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// The next complete message.
    pub fn next<T: DeserializeOwned>(&mut self) -> io::Result<Option<T>> {
        let Some(&prefix) = self.bytes.first_chunk::<PREFIX>() else { return Ok(None) };
        let end = PREFIX + length(prefix)?;
        if self.bytes.len() < end {
            return Ok(None);
        }
        let message = serde_json::from_slice(&self.bytes[PREFIX..end])?;
        self.bytes.drain(..end);
        Ok(Some(message))
    }
}
