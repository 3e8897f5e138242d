use std::ops::Range;

use super::format;
use super::input::{Input, at_byte, out_of_range, truncated};
use crate::trace::actions::{Action, CollectiveKind, Trace, TraceBuilder};
use orrery_base::file::{Fault, FileError, Result};
use orrery_base::units::Bytes;
use orrery_program::schedule::{Rank, Request, Tag, Transfer};

/// Reads a binary trace; `file` is its name in errors. Memory is allocated for the content of the
/// file, never for a number that announces content.
///
/// # Errors
///
/// The first fault and its byte.
pub fn read(bytes: &[u8], file: &str) -> Result<Trace, FileError> {
    read_all(bytes).map_err(|fault| at_byte(file, fault))
}

/// Reads the header and all sections.
fn read_all(bytes: &[u8]) -> Result<Trace> {
    let (mut builder, sections) = read_header(bytes)?;
    for (rank, section) in sections.into_iter().enumerate() {
        read_section(bytes, rank, section, &mut builder)?;
    }
    builder.finish().map_err(|fault| fault.at(bytes.len()))
}

/// Reads and checks the header. Returns the builder with files and communicators, and the section
/// of each rank without its checksum.
fn read_header(bytes: &[u8]) -> Result<(TraceBuilder, Vec<Range<usize>>)> {
    let mut input = Input::new(bytes, 0, bytes.len());
    input.check_head(&format::MAGIC, "a binary trace")?;
    let ranks = input.number_u32("a number of ranks below 2^32")?;
    let mut builder = TraceBuilder::new(ranks);
    for _ in 0..input.number_u32("a number of files below 2^32")? {
        builder.add_file(input.text("the length of a name", "the name of a file")?);
    }
    for _ in 0..input.number_u32("a number of communicators below 2^32")? {
        let begin = input.offset;
        let (mut members, mut last) = (Vec::new(), 0);
        for _ in 0..input.number_u32("a number of ranks below 2^32")? {
            last = input.difference(last, "a rank below 2^32")?;
            members.push(Rank(last));
        }
        builder.add_communicator(&members).map_err(|fault| fault.at(begin))?;
    }
    let mut lengths = Vec::new();
    for _ in 0..ranks {
        let begin = input.offset;
        lengths.push((begin, input.number("the length of a rank's section")?));
    }
    let end = input.offset;
    let checksum = u32::from_le_bytes(input.array("the checksum of the header")?);
    if checksum != crc32fast::hash(&bytes[..end]) {
        return Err(wrong_checksum(end, "the header"));
    }
    let mut sections = Vec::new();
    for (at, length) in lengths {
        let begin = input.offset;
        let length =
            usize::try_from(length).ok().filter(|&length| length >= format::CHECKSUM_BYTES);
        let length = length.ok_or_else(|| out_of_range(at, "a length of at least 4"))?;
        input.take(length, "the section of a rank")?;
        sections.push(begin..input.offset - format::CHECKSUM_BYTES);
    }
    match input.left() {
        0 => Ok((builder, sections)),
        bytes => Err(Fault::new(format_args!(
            "{bytes} bytes follow the section of the last rank; remove them"
        ))
        .at(input.offset)),
    }
}

/// The fault of a wrong checksum.
fn wrong_checksum(byte: usize, section: &str) -> Fault {
    Fault::new(format_args!(
        "the checksum of {section} is wrong: the file is damaged; copy or write it again"
    ))
    .at(byte)
}

/// Reads the actions of a rank.
fn read_section(
    bytes: &[u8],
    rank: usize,
    section: Range<usize>,
    builder: &mut TraceBuilder,
) -> Result<()> {
    let mut input = Input::new(bytes, section.end, section.end + format::CHECKSUM_BYTES);
    let checksum = u32::from_le_bytes(input.array("a checksum")?);
    if checksum != crc32fast::hash(&bytes[section.clone()]) {
        return Err(wrong_checksum(section.end, &format!("rank {rank}")));
    }
    let mut input = Input::new(bytes, section.start, section.end);
    let begin = input.offset;
    let file = input.number_u32("the number of a file")?.checked_sub(1);
    builder.begin_rank(file).map_err(|fault| fault.at(begin))?;
    let (mut line, mut depth) = (0, 0_usize);
    while input.left() > 0 {
        let begin = input.offset;
        let code = input.byte("an action")?;
        match code {
            format::END => {
                builder.end_loop().map_err(|fault| fault.at(begin))?;
                depth = depth.saturating_sub(1);
            }
            format::LOOP => {
                let iterations = input.number_u32("a number of iterations below 2^32")?;
                builder.begin_loop(iterations).map_err(|fault| fault.at(begin))?;
                depth += 1;
            }
            _ => {
                if file.is_some() {
                    line = input.difference(line, "the number of a line")?;
                }
                read_action(&mut input, (begin, code), line, builder)?;
            }
        }
    }
    if depth > 0 { Err(truncated(section.end, "the end of a loop")) } else { Ok(()) }
}

/// The expected value of a size.
const SIZE: &str = "a number of bytes";

/// The expected value of a request.
const REQUEST: &str = "the number of a request";

/// Reads an action after its code and its line; `begin` is the byte of the code.
fn read_action(
    input: &mut Input<'_>,
    (begin, code): (usize, u8),
    line: u32,
    builder: &mut TraceBuilder,
) -> Result<()> {
    let request = |input: &mut Input<'_>| input.number_u32(REQUEST).map(Request);
    let action = match code {
        format::COMPUTE => {
            Action::Compute { flops: input.number("a number of operations")? as f64 }
        }
        format::COMPUTE_F64 => {
            Action::Compute { flops: f64::from_le_bytes(input.array("a number of operations")?) }
        }
        format::SLEEP => {
            Action::Sleep { seconds: f64::from_le_bytes(input.array("a number of seconds")?) }
        }
        format::SEND..=format::RECEIVE_ANY => {
            Action::Do(read_transfer(input, code - format::SEND)?)
        }
        format::POST_SEND..=format::POST_RECEIVE_ANY => {
            let request = request(input)?;
            Action::Post(read_transfer(input, code - format::POST_SEND)?, request)
        }
        format::WAIT => Action::Wait(request(input)?),
        format::TEST => Action::Test(request(input)?),
        format::PROBE => Action::Probe,
        format::WAIT_ALL => {
            let mut requests = Vec::new();
            for _ in 0..input.number_u32("a number of requests")? {
                requests.push(request(input)?);
            }
            return builder.wait_all(&requests, line).map_err(|fault| fault.at(begin));
        }
        _ => return read_collective(input, (begin, code), line, builder),
    };
    builder.push(action, line).map_err(|fault| fault.at(begin))
}

/// Reads a transfer: 0 for a send, 1 for a receive, 2 for a receive from any source.
fn read_transfer(input: &mut Input<'_>, kind: u8) -> Result<Transfer> {
    let begin = input.offset;
    let expected = if kind == 0 { "a rank below 2^32" } else { "a rank below 2^32 - 1" };
    let peer = if kind < 2 { Rank(input.number_u32(expected)?) } else { Rank(0) };
    if kind == 1 && peer.0 == u32::MAX {
        return Err(out_of_range(begin, expected));
    }
    let (tag, size) = (Tag(input.number_u32("a tag")?), Bytes::new(input.number(SIZE)?));
    Ok(match kind {
        0 => Transfer::Send { to: peer, tag, size },
        1 => Transfer::Receive { from: peer, tag, size },
        _ => Transfer::ReceiveAny { tag, size },
    })
}

/// Reads a collective operation after its code and its line.
fn read_collective(
    input: &mut Input<'_>,
    (begin, code): (usize, u8),
    line: u32,
    builder: &mut TraceBuilder,
) -> Result<()> {
    let kind = code
        .checked_sub(format::COLLECTIVE)
        .and_then(|number| CollectiveKind::ALL.get(usize::from(number)));
    let kind = *kind.ok_or_else(|| {
        Fault::new(format_args!(
            "{code} is not the code of an action; codes are 0 to 14 and 16 to 30; write the trace \
                again"
        ))
        .at(begin)
    })?;
    let communicator = input.number_u32("the number of a communicator")?;
    let ranks = builder.communicator_size(communicator).map_err(|fault| fault.at(begin))?;
    let root = if kind.is_rooted() { input.number_u32("the number of the root")? } else { 0 };
    let size = Bytes::new(input.number(SIZE)?);
    let mut sizes = Vec::new();
    for _ in 0..kind.size_count(ranks) {
        sizes.push(Bytes::new(input.number(SIZE)?));
    }
    builder
        .collective(kind, communicator, root, size, &sizes, line)
        .map_err(|fault| fault.at(begin))
}
