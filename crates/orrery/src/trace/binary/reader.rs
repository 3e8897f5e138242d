use std::ops::Range;

use super::checksum::checksum;
use super::code;
use super::error::{BinaryError, Fault};
use super::head::{Head, SEAL, head};
use super::input::{Input, Result};
use crate::schedule::{Rank, Request, Tag};
use crate::trace::actions::{Action, CollectiveKind, Trace, TraceBuilder};
use crate::units::Bytes;

/// Reads a binary trace; `file` is its name in errors. Memory is taken for what is there, not for what is announced.
///
/// # Errors
///
/// What is wrong, and at which byte.
pub fn read(bytes: &[u8], file: &str) -> std::result::Result<Trace, BinaryError> {
    all(bytes).map_err(|(byte, fault)| BinaryError { file: file.to_owned(), byte, fault })
}

fn all(bytes: &[u8]) -> Result<Trace> {
    let Head { mut builder, parts } = head(bytes)?;
    for (rank, part) in parts.into_iter().enumerate() {
        read_part(bytes, rank, part, &mut builder)?;
    }
    builder.finish().map_err(|mistake| (bytes.len(), mistake.into()))
}

/// Reads what a rank did.
fn read_part(bytes: &[u8], rank: usize, part: Range<usize>, builder: &mut TraceBuilder) -> Result<()> {
    let mut input = Input::new(bytes, part.end, part.end + SEAL);
    let sum = u32::from_le_bytes(input.word("a checksum")?);
    if sum != checksum(&bytes[part.clone()]) {
        return Err((part.end, Fault::Checksum { what: format!("rank {rank}") }));
    }
    let mut input = Input::new(bytes, part.start, part.end);
    let at = input.at;
    let file = input.small("the number of a file")?.checked_sub(1);
    builder.begin_rank(file).map_err(|mistake| (at, mistake.into()))?;
    let (mut line, mut depth) = (0, 0_usize);
    while input.left() > 0 {
        let at = input.at;
        let found = input.byte("an operation")?;
        let mistaken = |mistake| (at, Fault::RecordError(mistake));
        match found {
            code::END => {
                builder.end_loop().map_err(mistaken)?;
                depth = depth.saturating_sub(1);
            }
            code::REPEAT => {
                builder.begin_loop(input.small("a number of repetitions below 2^32")?).map_err(mistaken)?;
                depth += 1;
            }
            _ => {
                if file.is_some() {
                    line = input.next_to(line, "the distance of a line")?;
                }
                operation(&mut input, (at, found), line, builder)?;
            }
        }
    }
    if depth > 0 { Err((part.end, Fault::Torn { expected: "the end of a block that is repeated" })) } else { Ok(()) }
}

const TAG: &str = "a tag";

const SIZE: &str = "a number of bytes";

const REQUEST: &str = "the number of a request";

/// Reads an operation, whose code and line are read.
fn operation(input: &mut Input<'_>, (at, found): (usize, u8), line: u32, builder: &mut TraceBuilder) -> Result<()> {
    let rank = |input: &mut Input<'_>| input.small("a rank below 2^32").map(Rank);
    let request = |input: &mut Input<'_>| input.small(REQUEST).map(Request);
    let message = |input: &mut Input<'_>| Ok((Tag(input.small(TAG)?), Bytes::new(input.number(SIZE)?)));
    let action = match found {
        code::COMPUTE => Action::Compute { flops: input.number("a number of operations")? as f64 },
        code::COMPUTE_F64 => Action::Compute { flops: f64::from_le_bytes(input.word("a number of operations")?) },
        code::SLEEP => Action::Sleep { seconds: f64::from_le_bytes(input.word("a number of seconds")?) },
        code::SEND => {
            let (to, (tag, size)) = (rank(input)?, message(input)?);
            Action::Send { to, tag, size }
        }
        code::RECEIVE => {
            let (from, (tag, size)) = (named(input)?, message(input)?);
            Action::Receive { from, tag, size }
        }
        code::RECEIVE_ANY => {
            let (tag, size) = message(input)?;
            Action::Receive { from: Action::ANY_SOURCE, tag, size }
        }
        code::POST_SEND => {
            let (request, to, (tag, size)) = (request(input)?, rank(input)?, message(input)?);
            Action::PostSend { to, tag, request, size }
        }
        code::POST_RECEIVE => {
            let (request, from, (tag, size)) = (request(input)?, named(input)?, message(input)?);
            Action::PostReceive { from, tag, request, size }
        }
        code::POST_RECEIVE_ANY => {
            let (request, (tag, size)) = (request(input)?, message(input)?);
            Action::PostReceive { from: Action::ANY_SOURCE, tag, request, size }
        }
        code::WAIT => Action::Wait { request: request(input)? },
        code::TEST => Action::Test { request: request(input)? },
        code::PROBE => Action::Probe,
        code::WAIT_ALL => {
            let mut requests = Vec::new();
            for _ in 0..input.small("a number of requests")? {
                requests.push(request(input)?);
            }
            return builder.wait_all(&requests, line).map_err(|mistake| (at, mistake.into()));
        }
        _ => return collective(input, (at, found), line, builder),
    };
    builder.push(action, line).map_err(|mistake| (at, mistake.into()))
}

/// A sender; the highest number would mean any.
fn named(input: &mut Input<'_>) -> Result<Rank> {
    let (at, expected) = (input.at, "a rank below 2^32 - 1");
    let rank = Rank(input.small(expected)?);
    if rank == Action::ANY_SOURCE { Err((at, Fault::Number { expected })) } else { Ok(rank) }
}

fn collective(input: &mut Input<'_>, (at, found): (usize, u8), line: u32, builder: &mut TraceBuilder) -> Result<()> {
    let kind = found.checked_sub(code::COLLECTIVE).and_then(|number| CollectiveKind::ALL.get(usize::from(number)));
    let kind = *kind.ok_or((at, Fault::Operation { found }))?;
    let communicator = input.small("the number of a communicator")?;
    let ranks = builder.members(communicator).map_err(|mistake| (at, mistake.into()))?;
    let root = if kind.is_rooted() { input.small("the number of the root")? } else { 0 };
    let size = Bytes::new(input.number(SIZE)?);
    let mut sizes = Vec::new();
    for _ in 0..kind.sizes(ranks) {
        sizes.push(Bytes::new(input.number(SIZE)?));
    }
    builder.collective(kind, communicator, root, size, &sizes, line).map_err(|mistake| (at, mistake.into()))
}
