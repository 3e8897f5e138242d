//! The recorded calls of one rank.

use super::coding::decode;
use super::record::{Call, Record};
use crate::trace::binary::{Coder, Input, VERSION, at_byte, out_of_range};
use orrery_base::file::{Fault, FaultKind, FileError, Result};

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

/// The reason why a recorded run cannot be converted to a trace.
#[derive(Debug, thiserror::Error)]
pub enum RecordingError {
    /// A damaged file.
    #[error(transparent)]
    File(#[from] FileError),
    /// A call that a trace cannot represent.
    #[error(transparent)]
    Conversion(#[from] Fault),
}

/// Returns a function that adds the rank and the number of the call, from 1, to a fault.
pub(super) fn at_call(rank: u32, call: u64) -> impl Fn(Fault) -> Fault {
    move |fault| fault.within(format_args!("rank {rank}, call {call}"))
}

/// The fault of a number that no record before defines.
pub(super) fn undefined(what: &str, number: u32) -> Fault {
    Fault::new(format_args!(
        "{what} {number} is not defined; the file is damaged, record the program again"
    ))
}

/// The first bytes of a file; a transfer in text mode alters them.
pub(in crate::trace) const MAGIC: [u8; 8] = *b"\x89ORE\r\n\x1a\n";

/// The rank of a file, and where and when it was recorded.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Header {
    /// The rank in `MPI_COMM_WORLD`.
    pub rank: u32,
    /// The number of ranks of the job.
    pub ranks: u32,
    /// The start of the record, at the end of `MPI_Init`, in nanoseconds since 1970.
    pub started: u64,
    /// The same on the clock of the times (`CLOCK_MONOTONIC`), which the processes of a host share.
    pub clock: u64,
    /// The name of the host.
    pub host: String,
    /// The path of the program.
    pub program: String,
    /// The version of the MPI library.
    pub library: String,
}

impl Header {
    /// The bytes of the head.
    pub fn encode(&self) -> Vec<u8> {
        let mut out = MAGIC.to_vec();
        out.push(VERSION);
        if let Err(fault) = self.clone().code(&mut out) {
            unreachable!("a writer finds no fault in what it is given: {fault}");
        }
        out
    }

    /// Reads the head from the first bytes of a file.
    pub(super) fn decode(input: &mut Input<'_>) -> Result<Self> {
        input.check_head(&MAGIC, "a rank's record")?;
        let mut header = Self::default();
        header.code(input)?;
        Ok(header)
    }

    /// The fields after the version.
    fn code<C: Coder>(&mut self, coder: &mut C) -> Result<()> {
        let begin = coder.offset();
        coder.number_u32(&mut self.rank, "a rank")?;
        coder.number_u32(&mut self.ranks, "a number of ranks below 2^32")?;
        if C::IS_READER && self.rank >= self.ranks {
            return Err(out_of_range(begin, "a rank below the number of ranks"));
        }
        coder.number(&mut self.started, "a time")?;
        coder.number(&mut self.clock, "a time")?;
        for text in [&mut self.host, &mut self.program, &mut self.library] {
            coder.text(text, "the length of a text", "a text")?;
        }
        Ok(())
    }
}
