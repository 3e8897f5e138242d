//! The head of a rank's file.

use crate::trace::binary::{Coder, Input, VERSION, out_of_range};
use orrery_base::file::Result;

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
