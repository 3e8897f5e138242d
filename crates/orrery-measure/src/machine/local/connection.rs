//! A non-blocking connection between two workers: messages with a header.
//!
//! The bytes of payloads have no meaning. Header and payload are contiguous in memory, so a message
//! that fits the socket buffer costs one system call at each end. All messages are read into, and
//! written from, one buffer as large as the largest of them.

use std::collections::VecDeque;
use std::io::{self, Read, Write};
use std::net::TcpStream;

/// The length of a header in bytes: a cache line, so that payloads are equally aligned on both
/// sides, which makes copies faster.
pub(super) const HEADER: usize = 64;

/// The header of a message.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Header {
    /// The size of the payload in bytes.
    pub size: u64,
    /// The tag; tags from 2^32 on belong to the machine.
    pub tag: u64,
    /// The number in a message of the machine; 0 in others.
    pub number: f64,
}

impl Header {
    /// Returns the header as bytes.
    pub fn to_bytes(self) -> [u8; HEADER] {
        let mut bytes = [0; HEADER];
        bytes[..8].copy_from_slice(&self.size.to_le_bytes());
        bytes[8..16].copy_from_slice(&self.tag.to_le_bytes());
        bytes[16..24].copy_from_slice(&self.number.to_le_bytes());
        bytes
    }

    /// Parses a header.
    pub fn from_bytes(bytes: [u8; HEADER]) -> Self {
        let word = |place| bytes[place..].first_chunk().map_or(0, |&word| u64::from_le_bytes(word));
        Self { size: word(0), tag: word(8), number: f64::from_bits(word(16)) }
    }
}

/// A message that is being sent.
#[derive(Debug)]
struct Outgoing {
    header: Header,
    /// The number of bytes sent so far, header included.
    sent: usize,
}

/// A connection to another worker.
#[derive(Debug)]
pub(super) struct Connection {
    pub stream: TcpStream,
    outgoing: VecDeque<Outgoing>,
    /// The number of messages enqueued since the start.
    pub enqueued: u64,
    /// The number of messages that the system has taken over completely.
    pub sent: u64,
    incoming: Incoming,
}

/// The state of the message that is being received.
#[derive(Debug)]
struct Incoming {
    /// The bytes of the header that have arrived.
    header: [u8; HEADER],
    header_bytes: usize,
    /// The bytes of the payload that have not arrived.
    remaining: u64,
}

impl Connection {
    /// A connection over a non-blocking socket.
    pub fn new(stream: TcpStream) -> Self {
        let incoming = Incoming { header: [0; HEADER], header_bytes: 0, remaining: 0 };
        Self { stream, outgoing: VecDeque::new(), enqueued: 0, sent: 0, incoming }
    }

    /// Returns true if messages wait to be sent.
    pub fn is_sending(&self) -> bool {
        !self.outgoing.is_empty()
    }

    /// Appends a message to those to be sent; returns its number, to be compared with `sent`.
    pub fn enqueue(&mut self, header: Header) -> u64 {
        self.outgoing.push_back(Outgoing { header, sent: 0 });
        self.enqueued += 1;
        self.enqueued
    }

    /// Sends as much as the system takes; returns true if anything was sent. The payloads are the
    /// bytes of `memory` behind the space for the header.
    pub fn send(&mut self, memory: &mut [u8]) -> io::Result<bool> {
        let mut progress = false;
        while let Some(next) = self.outgoing.front_mut() {
            memory[..HEADER].copy_from_slice(&next.header.to_bytes());
            let message = &memory[..HEADER + next.header.size as usize];
            match self.stream.write(&message[next.sent..]) {
                Ok(count) => {
                    progress = true;
                    next.sent += count;
                    if next.sent < message.len() {
                        break;
                    }
                    self.outgoing.pop_front();
                    self.sent += 1;
                }
                Err(error) if is_transient(&error) => break,
                Err(error) => return Err(error),
            }
        }
        Ok(progress)
    }

    /// Reads what has arrived, once, and appends the headers of completed messages; returns true if
    /// anything was read.
    pub fn receive(&mut self, memory: &mut [u8], completed: &mut Vec<Header>) -> io::Result<bool> {
        let place = self.incoming.place(memory.len());
        match self.stream.read(&mut memory[place..]) {
            Ok(0) => Err(io::ErrorKind::UnexpectedEof.into()),
            Ok(count) => {
                self.incoming.parse(&memory[place..place + count], completed);
                Ok(true)
            }
            Err(error) if is_transient(&error) => Ok(false),
            Err(error) => Err(error),
        }
    }
}

/// Returns true if the operation can be retried: no data, or an interrupted call.
fn is_transient(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::Interrupted)
}

impl Incoming {
    /// The place in memory for the next byte: each byte of a payload has a fixed one.
    fn place(&self, memory: usize) -> usize {
        if self.remaining == 0 {
            return 0;
        }
        let done = Header::from_bytes(self.header).size - self.remaining;
        HEADER + (done % (memory - HEADER) as u64) as usize
    }

    /// Follows headers and payloads in received bytes; appends the headers of completed messages.
    fn parse(&mut self, mut bytes: &[u8], completed: &mut Vec<Header>) {
        loop {
            if self.remaining > 0 {
                let taken = self.remaining.min(bytes.len() as u64);
                self.remaining -= taken;
                bytes = &bytes[taken as usize..];
            } else {
                let taken = (HEADER - self.header_bytes).min(bytes.len());
                self.header[self.header_bytes..self.header_bytes + taken]
                    .copy_from_slice(&bytes[..taken]);
                self.header_bytes += taken;
                bytes = &bytes[taken..];
                if self.header_bytes < HEADER {
                    return;
                }
                self.remaining = Header::from_bytes(self.header).size;
            }
            if self.remaining == 0 {
                completed.push(Header::from_bytes(self.header));
                self.header_bytes = 0;
            } else if bytes.is_empty() {
                return;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_do_not_depend_on_how_the_stream_is_cut() {
        let headers = [(0, 1), (5, 2), (40, 3), (0, 4), (1, 1 << 40)].map(|(size, tag)| Header {
            size,
            tag,
            number: tag as f64 / 8.0,
        });
        let mut stream = Vec::new();
        for header in headers {
            stream.extend_from_slice(&header.to_bytes());
            stream.extend(std::iter::repeat_n(0xff, header.size as usize));
        }
        for cut in 1..=stream.len() {
            let mut incoming = Incoming { header: [0; HEADER], header_bytes: 0, remaining: 0 };
            let mut completed = Vec::new();
            for chunk in stream.chunks(cut) {
                assert!(incoming.place(96) < 96);
                incoming.parse(chunk, &mut completed);
            }
            assert_eq!(completed, headers, "cut into pieces of {cut}");
            assert_eq!((incoming.header_bytes, incoming.remaining), (0, 0));
        }
    }
}
