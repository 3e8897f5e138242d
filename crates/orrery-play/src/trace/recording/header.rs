//! The head of a rank's file.

use super::encode::put;
use crate::trace::binary::{Input, VERSION, out_of_range};
use orrery_base::file::Result;

/// The first bytes of a file; a transfer in text mode alters them.
pub(in crate::trace) const MAGIC: [u8; 8] = *b"\x89ORE\r\n\x1a\n";

/// The rank of a file, and where and when it was recorded.
#[derive(Debug, Clone, PartialEq, Eq)]
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
        for number in [u64::from(self.rank), u64::from(self.ranks), self.started, self.clock] {
            put(&mut out, number);
        }
        for text in [&self.host, &self.program, &self.library] {
            put(&mut out, text.len() as u64);
            out.extend(text.as_bytes());
        }
        out
    }

    /// Reads the head from the first bytes of a file.
    pub(super) fn decode(input: &mut Input<'_>) -> Result<Self> {
        input.check_head(&MAGIC, "a rank's record")?;
        let begin = input.offset;
        let (rank, ranks) =
            (input.number_u32("a rank")?, input.number_u32("a number of ranks below 2^32")?);
        if rank >= ranks {
            return Err(out_of_range(begin, "a rank below the number of ranks"));
        }
        let (started, clock) = (input.number("a time")?, input.number("a time")?);
        let mut text = || input.text("the length of a text", "a text").map(str::to_owned);
        Ok(Self { rank, ranks, started, clock, host: text()?, program: text()?, library: text()? })
    }
}
