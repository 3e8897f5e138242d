use std::ops::Range;

use super::checksum::checksum;
use super::code::{MAGIC, VERSION};
use super::error::Fault;
use super::input::{Input, Result};
use crate::schedule::Rank;
use crate::trace::actions::TraceBuilder;

/// What stands before the ranks.
#[derive(Debug)]
pub(super) struct Head {
    /// Holds files and communicators.
    pub(super) builder: TraceBuilder,
    /// Where the part of each rank stands, its checksum left out.
    pub(super) parts: Vec<Range<usize>>,
}

/// Reads the head and finds the parts; the checksum of the head is looked at, those of the parts are not.
pub(super) fn head(bytes: &[u8]) -> Result<Head> {
    if !bytes.starts_with(&MAGIC) {
        return Err((0, Fault::NotTrace));
    }
    let mut input = Input::new(bytes, MAGIC.len(), bytes.len());
    let at = input.at;
    let found = input.byte("the version")?;
    if found != VERSION {
        return Err((at, Fault::Version { found }));
    }
    let ranks = input.small("a number of ranks below 2^32")?;
    let mut builder = TraceBuilder::new(ranks);
    for _ in 0..input.small("a number of files below 2^32")? {
        let length = input.small("the length of a name")?;
        let at = input.at;
        let name = input.take(length as usize, "the name of a file")?;
        builder.add_file(std::str::from_utf8(name).map_err(|_| (at, Fault::NotText))?);
    }
    for _ in 0..input.small("a number of communicators below 2^32")? {
        let at = input.at;
        let (mut members, mut last) = (Vec::new(), 0);
        for _ in 0..input.small("a number of ranks below 2^32")? {
            last = input.next_to(last, "a rank below 2^32")?;
            members.push(Rank(last));
        }
        builder.add_communicator(&members).map_err(|mistake| (at, mistake.into()))?;
    }
    let mut lengths = Vec::new();
    for _ in 0..ranks {
        let at = input.at;
        lengths.push((at, input.number("the length of a rank's part")?));
    }
    let end = input.at;
    let sum = u32::from_le_bytes(input.word("the checksum of the head")?);
    if sum != checksum(&bytes[..end]) {
        return Err((end, Fault::Checksum { what: "the head".into() }));
    }
    let mut parts = Vec::new();
    for (at, length) in lengths {
        let begin = input.at;
        let length = usize::try_from(length).ok().filter(|&length| length >= SEAL);
        let length = length.ok_or((at, Fault::Number { expected: "a length from 4 up" }))?;
        input.take(length, "what a rank did")?;
        parts.push(begin..input.at - SEAL);
    }
    match input.left() {
        0 => Ok(Head { builder, parts }),
        bytes => Err((input.at, Fault::Leftover { bytes })),
    }
}

/// The bytes of a checksum.
pub(super) const SEAL: usize = 4;
