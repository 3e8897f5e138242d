//! One connection of the mesh: messages framed by a header, without ever blocking.
//!
//! A message is a header and so many bytes without meaning. Header and payload lie next to each other in memory, so a
//! message that fits the socket costs one system call at each end. All messages are read into, and written from, one
//! memory as large as the largest of them.

use std::collections::VecDeque;
use std::io::{self, Read, Write};
use std::net::TcpStream;

/// The length of a header on the wire: a cache line, so that whatever is copied between us and the system lies alike
/// on both sides, which makes copies faster.
pub(super) const HEADER: usize = 64;

/// What stands before each payload.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Header {
    /// Bytes of payload.
    pub size: u64,
    /// The tag; those from 2^32 on are the machine's own.
    pub tag: u64,
    /// What a message of the machine itself says.
    pub number: f64,
}

impl Header {
    fn to_bytes(self) -> [u8; HEADER] {
        let mut bytes = [0; HEADER];
        bytes[..8].copy_from_slice(&self.size.to_le_bytes());
        bytes[8..16].copy_from_slice(&self.tag.to_le_bytes());
        bytes[16..24].copy_from_slice(&self.number.to_le_bytes());
        bytes
    }

    fn from_bytes(bytes: [u8; HEADER]) -> Self {
        let word = |place| bytes[place..].first_chunk().map_or(0, |&word| u64::from_le_bytes(word));
        Self { size: word(0), tag: word(8), number: f64::from_bits(word(16)) }
    }
}

/// A message on its way out.
#[derive(Debug)]
struct Outgoing {
    header: Header,
    sent: usize,
}

/// One connection.
#[derive(Debug)]
pub(super) struct Endpoint {
    pub stream: TcpStream,
    queue: VecDeque<Outgoing>,
    /// How many messages were ever given to it to be sent.
    pub queued: u64,
    /// How many of them the system has taken over entirely.
    pub sent: u64,
    incoming: Incoming,
}

/// What is known of the message that is coming in.
#[derive(Debug)]
struct Incoming {
    /// Its header, as far as it has arrived.
    header: [u8; HEADER],
    held: usize,
    /// The bytes of its payload that are still to come.
    remaining: u64,
}

impl Endpoint {
    /// Over a connection that does not block.
    pub fn new(stream: TcpStream) -> Self {
        let incoming = Incoming { header: [0; HEADER], held: 0, remaining: 0 };
        Self { stream, queue: VecDeque::new(), queued: 0, sent: 0, incoming }
    }

    /// Whether messages wait to be sent.
    pub fn is_sending(&self) -> bool {
        !self.queue.is_empty()
    }

    /// Puts a message behind those that are to be sent; returns its number, to be compared with `sent`.
    pub fn enqueue(&mut self, header: Header) -> u64 {
        self.queue.push_back(Outgoing { header, sent: 0 });
        self.queued += 1;
        self.queued
    }

    /// Sends what the system takes. The payloads are the bytes of `memory` behind the place of the header.
    pub fn push(&mut self, memory: &mut [u8]) -> io::Result<bool> {
        let mut moved = false;
        while let Some(next) = self.queue.front_mut() {
            memory[..HEADER].copy_from_slice(&next.header.to_bytes());
            let message = &memory[..HEADER + next.header.size as usize];
            match self.stream.write(&message[next.sent..]) {
                Ok(count) => {
                    moved = true;
                    next.sent += count;
                    if next.sent < message.len() {
                        break;
                    }
                    self.queue.pop_front();
                    self.sent += 1;
                }
                Err(error) if is_transient(&error) => break,
                Err(error) => return Err(error),
            }
        }
        Ok(moved)
    }

    /// Takes in what has arrived, as much as one read gives; appends the headers of the messages that are complete.
    pub fn pull(&mut self, memory: &mut [u8], landed: &mut Vec<Header>) -> io::Result<bool> {
        let place = self.incoming.place(memory.len());
        match self.stream.read(&mut memory[place..]) {
            Ok(0) => Err(io::ErrorKind::UnexpectedEof.into()),
            Ok(count) => {
                self.incoming.digest(&memory[place..place + count], landed);
                Ok(true)
            }
            Err(error) if is_transient(&error) => Ok(false),
            Err(error) => Err(error),
        }
    }
}

fn is_transient(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::Interrupted)
}

impl Incoming {
    /// Where in the memory the next byte belongs: each byte of a payload has its place.
    fn place(&self, memory: usize) -> usize {
        if self.remaining == 0 {
            return 0;
        }
        let done = Header::from_bytes(self.header).size - self.remaining;
        HEADER + (done % (memory - HEADER) as u64) as usize
    }

    /// Follows the headers and payloads in what has arrived.
    fn digest(&mut self, mut bytes: &[u8], landed: &mut Vec<Header>) {
        loop {
            if self.remaining > 0 {
                let taken = self.remaining.min(bytes.len() as u64);
                self.remaining -= taken;
                bytes = &bytes[taken as usize..];
            } else {
                let taken = (HEADER - self.held).min(bytes.len());
                self.header[self.held..self.held + taken].copy_from_slice(&bytes[..taken]);
                self.held += taken;
                bytes = &bytes[taken..];
                if self.held < HEADER {
                    return;
                }
                self.remaining = Header::from_bytes(self.header).size;
            }
            if self.remaining == 0 {
                landed.push(Header::from_bytes(self.header));
                self.held = 0;
            } else if bytes.is_empty() {
                return;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// However the stream is cut, the same messages come out.
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
            let mut incoming = Incoming { header: [0; HEADER], held: 0, remaining: 0 };
            let mut landed = Vec::new();
            for chunk in stream.chunks(cut) {
                assert!(incoming.place(96) < 96);
                incoming.digest(chunk, &mut landed);
            }
            assert_eq!(landed, headers, "cut into pieces of {cut}");
            assert_eq!((incoming.held, incoming.remaining), (0, 0));
        }
    }
}
