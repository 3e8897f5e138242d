//! A connection between two members of a clique: bounded in time, and authenticated by a challenge.
//!
//! ```text
//! listener → caller   magic, nonce of the listener
//! caller → listener   nonce of the caller, request, HMAC(secret, 0 ‖ both nonces ‖ request)
//! listener → caller   answer, HMAC(secret, 1 ‖ both nonces ‖ answer)
//! ```
//!
//! HMAC is HMAC-SHA256 (RFC 2104). Both nonces are random, so that no recorded message is accepted
//! again.

use std::io::{self, Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::time::{Duration, Instant};

use hmac::{Hmac, KeyInit as _, Mac as _};
use sha2::Sha256;

use super::error::ProbeError;

/// The first bytes of each connection: the protocol and its version.
const MAGIC: [u8; 8] = *b"orrery-1";

/// The time limit of a connection attempt.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(2);

/// The time limit of a caller, from the connection to the answer.
pub(super) const HANDSHAKE_TIMEOUT: Duration = Duration::from_secs(3);

/// The time limit in which a caller authenticates itself.
const AUTHENTICATION_TIMEOUT: Duration = Duration::from_secs(1);

/// The size of a message: kind and two numbers.
const MESSAGE_BYTES: usize = 17;

/// The size of a message authentication code.
const CODE_BYTES: usize = 32;

/// A message: what it is, and two numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Message {
    pub(super) kind: Kind,
    pub(super) first: u64,
    pub(super) second: u64,
}

/// What a message is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub(super) enum Kind {
    /// A request: take the token with this epoch and sequence number.
    Token = 1,
    /// A request: answer round trips and a transfer of this many bytes.
    Probe = 2,
    /// The answer yes; to a probe, with the number of bytes of the transfer.
    Accepted = 3,
    /// The answer to a token: a greater one was seen.
    Stale = 4,
    /// The answer to a probe: another one is under way.
    Busy = 5,
}

impl Message {
    pub(super) fn new(kind: Kind, first: u64, second: u64) -> Self {
        Self { kind, first, second }
    }

    fn encode(self) -> [u8; MESSAGE_BYTES] {
        let mut bytes = [0; MESSAGE_BYTES];
        bytes[0] = self.kind as u8;
        bytes[1..9].copy_from_slice(&self.first.to_be_bytes());
        bytes[9..].copy_from_slice(&self.second.to_be_bytes());
        bytes
    }

    /// The message of these bytes; `None` if they have an unknown kind.
    fn decode(bytes: &[u8; MESSAGE_BYTES]) -> Option<Self> {
        let number = |at: usize| {
            bytes[at..at + 8].iter().fold(0, |number, byte| number << 8 | u64::from(*byte))
        };
        let kinds = [Kind::Token, Kind::Probe, Kind::Accepted, Kind::Stale, Kind::Busy];
        let kind = kinds.into_iter().find(|kind| *kind as u8 == bytes[0])?;
        Some(Self { kind, first: number(1), second: number(9) })
    }
}

/// A connection whose reads and writes end at a deadline.
#[derive(Debug)]
pub(super) struct Session {
    stream: TcpStream,
    deadline: Instant,
    nonces: [u8; 64],
}

impl Session {
    /// Connects to a peer and sends it a request; returns the session and the peer's answer.
    pub(super) fn call(
        address: SocketAddr,
        secret: &[u8],
        request: Message,
    ) -> Result<(Self, Message), ProbeError> {
        let stream =
            TcpStream::connect_timeout(&address, CONNECT_TIMEOUT).map_err(ProbeError::of)?;
        let mut session = Self::new(stream)?;
        let mut magic = [0; 8];
        session.read(&mut magic)?;
        if magic != MAGIC {
            return Err(ProbeError::NoAgent);
        }
        let mut nonces = [0; 64];
        session.read(&mut nonces[..32])?;
        fill_random(&mut nonces[32..])?;
        session.nonces = nonces;
        session.write(&nonces[32..])?;
        session.send(secret, 0, request)?;
        let answer = session.receive(secret, 1)?;
        Ok((session, answer))
    }

    /// Challenges a caller; returns the session and its request.
    pub(super) fn answer(stream: TcpStream, secret: &[u8]) -> Result<(Self, Message), ProbeError> {
        let mut session = Self::new(stream)?;
        session.set_time_limit(AUTHENTICATION_TIMEOUT);
        let mut nonces = [0; 64];
        fill_random(&mut nonces[..32])?;
        session.write(&MAGIC)?;
        session.write(&nonces[..32])?;
        session.read(&mut nonces[32..])?;
        session.nonces = nonces;
        let request = session.receive(secret, 0)?;
        session.set_time_limit(HANDSHAKE_TIMEOUT);
        Ok((session, request))
    }

    /// A session whose time limit is [`HANDSHAKE_TIMEOUT`] from now on.
    fn new(stream: TcpStream) -> Result<Self, ProbeError> {
        stream.set_nodelay(true).map_err(ProbeError::of)?;
        Ok(Self { stream, deadline: Instant::now() + HANDSHAKE_TIMEOUT, nonces: [0; 64] })
    }

    /// Sets the time at which reads and writes end.
    pub(super) fn set_time_limit(&mut self, limit: Duration) {
        self.deadline = Instant::now() + limit;
    }

    /// Sends the answer to the caller.
    pub(super) fn reply(&mut self, secret: &[u8], answer: Message) -> Result<(), ProbeError> {
        self.send(secret, 1, answer)
    }

    /// Sends a message with its authentication; `direction` is 0 for the request, 1 for the answer.
    fn send(&mut self, secret: &[u8], direction: u8, message: Message) -> Result<(), ProbeError> {
        let bytes = message.encode();
        let code = self.code(secret, direction, &bytes)?.finalize().into_bytes();
        let mut both = [0; MESSAGE_BYTES + CODE_BYTES];
        both[..MESSAGE_BYTES].copy_from_slice(&bytes);
        both[MESSAGE_BYTES..].copy_from_slice(&code);
        self.write(&both)
    }

    /// Receives a message in a direction, as [`send`](Self::send) has it; an error if its
    /// authentication is wrong.
    fn receive(&mut self, secret: &[u8], direction: u8) -> Result<Message, ProbeError> {
        let (mut bytes, mut code) = ([0; MESSAGE_BYTES], [0; CODE_BYTES]);
        self.read(&mut bytes)?;
        self.read(&mut code)?;
        // Compared in constant time.
        self.code(secret, direction, &bytes)?
            .verify_slice(&code)
            .map_err(|_| ProbeError::Secret)?;
        Message::decode(&bytes).ok_or(ProbeError::NoAgent)
    }

    /// The message authentication code of a message of this session in a direction, from which an
    /// answer differs from a request.
    fn code(&self, secret: &[u8], direction: u8, bytes: &[u8]) -> Result<Hmac<Sha256>, ProbeError> {
        let mut code = Hmac::<Sha256>::new_from_slice(secret).map_err(|_| ProbeError::Secret)?;
        code.update(&[direction]);
        code.update(&self.nonces);
        code.update(bytes);
        Ok(code)
    }

    /// Reads all of the bytes before the deadline.
    pub(super) fn read(&mut self, mut bytes: &mut [u8]) -> Result<(), ProbeError> {
        while !bytes.is_empty() {
            self.stream.set_read_timeout(Some(self.time_left()?)).map_err(ProbeError::of)?;
            match self.stream.read(bytes) {
                Ok(0) => return Err(ProbeError::Closed),
                Ok(count) => bytes = &mut bytes[count..],
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(ProbeError::of(error)),
            }
        }
        Ok(())
    }

    /// Writes all of the bytes before the deadline.
    pub(super) fn write(&mut self, mut bytes: &[u8]) -> Result<(), ProbeError> {
        while !bytes.is_empty() {
            self.stream.set_write_timeout(Some(self.time_left()?)).map_err(ProbeError::of)?;
            match self.stream.write(bytes) {
                Ok(0) => return Err(ProbeError::Closed),
                Ok(count) => bytes = &bytes[count..],
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(ProbeError::of(error)),
            }
        }
        Ok(())
    }

    /// The time to the deadline; an error if it has passed.
    fn time_left(&self) -> Result<Duration, ProbeError> {
        let left = self.deadline.saturating_duration_since(Instant::now());
        if left.is_zero() { Err(ProbeError::Timeout) } else { Ok(left) }
    }
}

/// Fills bytes with random ones of the system.
fn fill_random(bytes: &mut [u8]) -> Result<(), ProbeError> {
    let random = rustls::crypto::ring::default_provider().secure_random;
    random
        .fill(bytes)
        .map_err(|_| ProbeError::Connection(io::Error::other("the system gives no random numbers")))
}
