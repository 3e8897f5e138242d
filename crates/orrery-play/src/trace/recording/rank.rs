//! The recorded calls of one rank.

use super::coding::decode;
use super::header::Header;
use super::record::{Call, Record};
use crate::trace::binary::{Input, at_byte};
use orrery_base::file::{FaultKind, FileError};

/// The recorded calls of a rank, as the bytes of its file.
#[derive(Debug, Clone)]
pub struct RankRecording {
    /// The name of the file, in errors.
    file: String,
    /// The rank, and where and when it was recorded.
    pub header: Header,
    bytes: Vec<u8>,
    /// The offset of the first record.
    begin: usize,
}

impl RankRecording {
    /// Takes the bytes of a file; `file` is its name in errors.
    ///
    /// # Errors
    ///
    /// A file that does not begin with the head of a rank's record.
    pub fn new(bytes: Vec<u8>, file: &str) -> Result<Self, FileError> {
        let mut input = Input::new(&bytes, 0, bytes.len());
        let header = Header::decode(&mut input);
        let (header, begin) = (header.map_err(|fault| at_byte(file, fault))?, input.offset);
        Ok(Self { file: file.to_owned(), header, bytes, begin })
    }

    /// The records in order.
    pub fn records(&self) -> Records<'_> {
        let input = Input::new(&self.bytes, self.begin, self.bytes.len());
        Records { file: &self.file, input, is_torn: false, is_over: false }
    }

    /// The number of bytes of the file.
    pub fn len(&self) -> usize {
        self.bytes.len()
    }

    /// Returns true if the file has no bytes, which no readable file has.
    pub fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }
}

/// The records of a rank in order; made by [`RankRecording::records`].
///
/// The last record may be torn, if the process was killed or the file was cut: it is omitted.
#[derive(Debug)]
pub struct Records<'a> {
    file: &'a str,
    input: Input<'a>,
    is_torn: bool,
    is_over: bool,
}

impl Records<'_> {
    /// Returns true if the last record was torn, as far as it has been read.
    pub fn is_torn(&self) -> bool {
        self.is_torn
    }
}

impl Iterator for Records<'_> {
    type Item = Result<Record<'static>, FileError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.is_over {
            return None;
        }
        match decode(&mut self.input) {
            Ok(Some(record)) => return Some(Ok(record)),
            Ok(None) => {}
            Err(fault) if fault.kind() == &FaultKind::Truncated => self.is_torn = true,
            Err(fault) => {
                self.is_over = true;
                return Some(Err(at_byte(self.file, fault)));
            }
        }
        self.is_over = true;
        None
    }
}

/// How the record of a rank ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Ending {
    /// `MPI_Finalize` was called.
    Finalized,
    /// The disk was full or failed: the error number of the operating system.
    Stopped(u32),
    /// The process was killed, ended without `MPI_Finalize`, or still runs.
    #[default]
    Unfinished,
}

/// A call with its times.
#[derive(Debug, Clone, PartialEq)]
pub struct TimedCall {
    /// The begin in nanoseconds since the start of the record.
    pub begin: u64,
    /// The call.
    pub call: Call<'static>,
}

impl TimedCall {
    /// The end in nanoseconds since the start of the record.
    pub fn end(&self) -> u64 {
        self.begin.saturating_add(self.call.duration)
    }
}

/// Adds the times of calls.
#[derive(Debug, Clone, Copy, Default)]
pub struct CallClock {
    now: u64,
}

impl CallClock {
    /// The call with its begin, by the gap after the call before; calls must come in order.
    pub fn place(&mut self, call: Call<'static>) -> TimedCall {
        let begin = self.now.saturating_add(call.gap);
        let timed = TimedCall { begin, call };
        self.now = timed.end();
        timed
    }
}
