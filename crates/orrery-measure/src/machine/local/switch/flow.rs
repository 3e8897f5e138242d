//! The messages from one worker to another on their way through the switch.
//!
//! The bytes of payloads have no meaning: headers are kept, and payloads are counted and made
//! again.

use std::collections::VecDeque;
use std::io::{self, Read, Write};
use std::net::TcpStream;

use crate::machine::local::barrier::FIRST_MACHINE_TAG;
use crate::machine::local::connection::{HEADER, Header};

/// The largest number of bytes in a frame, the unit in which links forward messages: that of
/// Ethernet.
const MAX_FRAME: u64 = 1500;

/// The number of bytes that one call reads.
const READ_SIZE: usize = 16_384;

/// The number of bytes that are written before their message is complete, and at which no more are
/// accepted.
const MIN_WRITE: usize = 16_384;

/// A part of a message.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Frame {
    /// The header of the message if this is its first part.
    header: Option<Header>,
    /// The number of bytes, header included.
    size: u64,
    is_last: bool,
    /// True if the message belongs to the machine.
    is_machine: bool,
}

/// The messages from one worker to another.
#[derive(Debug)]
pub(super) struct Flow {
    /// The bytes of the header that is being read.
    header: [u8; HEADER],
    header_bytes: usize,
    /// The bytes of the payload that have not arrived, and whether the message belongs to the
    /// machine.
    remaining: u64,
    is_machine: bool,
    /// Frames that have arrived.
    arrived: VecDeque<Frame>,
    /// Frames on the links.
    travelling: VecDeque<Frame>,
    /// Bytes for the receiver, and how many of them are written.
    delivered: Vec<u8>,
    written: usize,
    /// True if delivered bytes must be written.
    is_due: bool,
    /// True if the receiver's connection takes no more.
    is_blocked: bool,
}

impl Default for Flow {
    fn default() -> Self {
        Self {
            header: [0; HEADER],
            header_bytes: 0,
            remaining: 0,
            is_machine: false,
            arrived: VecDeque::new(),
            travelling: VecDeque::new(),
            delivered: Vec::new(),
            written: 0,
            is_due: false,
            is_blocked: false,
        }
    }
}

impl Flow {
    /// Reads once from the sender; an error if the connection has ended.
    pub fn read(&mut self, mut sender: &TcpStream) -> io::Result<()> {
        let mut bytes = [0; READ_SIZE];
        match sender.read(&mut bytes) {
            Ok(0) => Err(io::ErrorKind::UnexpectedEof.into()),
            Ok(count) => {
                self.parse(&bytes[..count]);
                Ok(())
            }
            Err(error) if is_transient(&error) => Ok(()),
            Err(error) => Err(error),
        }
    }

    /// Splits received bytes into frames.
    fn parse(&mut self, mut bytes: &[u8]) {
        while !bytes.is_empty() {
            let mut header = None;
            if self.remaining == 0 {
                let taken = (HEADER - self.header_bytes).min(bytes.len());
                self.header[self.header_bytes..self.header_bytes + taken]
                    .copy_from_slice(&bytes[..taken]);
                self.header_bytes += taken;
                bytes = &bytes[taken..];
                if self.header_bytes < HEADER {
                    return;
                }
                let complete = Header::from_bytes(self.header);
                (self.header_bytes, self.remaining) = (0, complete.size);
                self.is_machine = complete.tag >= FIRST_MACHINE_TAG;
                header = Some(complete);
            }
            let before = if header.is_some() { HEADER as u64 } else { 0 };
            let payload = self.remaining.min(bytes.len() as u64).min(MAX_FRAME - before);
            self.remaining -= payload;
            bytes = &bytes[payload as usize..];
            let (is_last, is_machine) = (self.remaining == 0, self.is_machine);
            self.arrived.push_back(Frame { header, size: before + payload, is_last, is_machine });
        }
    }

    /// Returns true if a frame can be moved to the links or delivered: the receiver is not slow,
    /// and messages of the machine wait until those before them are delivered.
    pub fn can_advance(&self) -> bool {
        let accepts = self.delivered.len() - self.written <= MIN_WRITE;
        accepts
            && self
                .arrived
                .front()
                .is_some_and(|frame| !frame.is_machine || self.travelling.is_empty())
    }

    /// Moves the next frame to the links and returns its size; delivers messages of the machine
    /// before it. `None` if nothing can advance.
    pub fn next_frame(&mut self) -> Option<u64> {
        while self.can_advance() {
            let frame = self.arrived.pop_front()?;
            if !frame.is_machine {
                self.travelling.push_back(frame);
                return Some(frame.size);
            }
            self.append(frame);
        }
        None
    }

    /// Returns true if no frame waits for the links.
    pub fn is_drained(&self) -> bool {
        self.arrived.is_empty()
    }

    /// Takes the next frame from the links, to be written to the receiver; does nothing if there is
    /// none.
    pub fn deliver(&mut self) {
        if let Some(frame) = self.travelling.pop_front() {
            self.append(frame);
        }
    }

    /// Appends a frame to the bytes for the receiver. They must be written now if the message is
    /// complete, or [`MIN_WRITE`] bytes wait.
    fn append(&mut self, frame: Frame) {
        let end = self.delivered.len() + frame.size as usize;
        if let Some(header) = frame.header {
            self.delivered.extend_from_slice(&header.to_bytes());
        }
        self.delivered.resize(end, 0);
        self.is_due |= frame.is_last || end - self.written >= MIN_WRITE;
    }

    /// Returns true if delivered bytes wait for the receiver's connection.
    pub fn is_blocked(&self) -> bool {
        self.is_blocked
    }

    /// Writes delivered bytes that are due to the receiver, as many as its connection takes.
    pub fn write(&mut self, mut receiver: &TcpStream) -> io::Result<()> {
        while self.is_due {
            match receiver.write(&self.delivered[self.written..]) {
                Ok(count) => self.written += count,
                Err(error) if is_transient(&error) => {
                    self.is_blocked = true;
                    return Ok(());
                }
                Err(error) => return Err(error),
            }
            if self.written == self.delivered.len() {
                self.delivered.clear();
                (self.written, self.is_due, self.is_blocked) = (0, false, false);
            }
        }
        Ok(())
    }
}

/// Returns true if the operation can be retried: no data, or an interrupted call.
fn is_transient(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::Interrupted)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The bytes of messages with these sizes and tags.
    fn stream(messages: &[(u64, u64)]) -> Vec<u8> {
        let mut bytes = Vec::new();
        for &(size, tag) in messages {
            bytes.extend_from_slice(&Header { size, tag, number: 0.5 }.to_bytes());
            bytes.extend(std::iter::repeat_n(0, size as usize));
        }
        bytes
    }

    #[test]
    fn messages_leave_as_they_came() {
        let bytes = stream(&[(0, 1), (5, 2), (4000, 3), (0, 4), (1436, 5)]);
        for cut in [1, 7, 64, 65, 1500, bytes.len()] {
            let mut flow = Flow::default();
            for part in bytes.chunks(cut) {
                flow.parse(part);
            }
            let mut sizes = Vec::new();
            while let Some(size) = flow.next_frame() {
                sizes.push(size);
                flow.deliver();
            }
            assert!(sizes.iter().all(|&size| size <= MAX_FRAME), "{sizes:?}");
            assert_eq!(sizes.iter().sum::<u64>() as usize, bytes.len());
            assert_eq!(flow.delivered, bytes, "cut into pieces of {cut}");
        }
    }

    #[test]
    fn messages_of_the_machine_pass_at_once_but_do_not_overtake() {
        let mut flow = Flow::default();
        flow.parse(&stream(&[(0, FIRST_MACHINE_TAG), (10, 7), (0, FIRST_MACHINE_TAG + 1)]));
        assert_eq!(flow.next_frame(), Some(HEADER as u64 + 10));
        assert_eq!(flow.delivered.len(), HEADER, "the first message of the machine is delivered");
        assert_eq!(flow.next_frame(), None);
        assert!(!flow.is_drained());
        flow.deliver();
        assert_eq!((flow.next_frame(), flow.is_drained()), (None, true));
        assert_eq!(flow.delivered.len(), 3 * HEADER + 10);
    }
}
