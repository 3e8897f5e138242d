//! The bytes of records; docs/file-formats.md describes them.

use super::function::{Function, Shape};
use super::record::{Body, Call, Completion, Matched, Message, Outcome, Peer, Record};
use crate::trace::binary::{Coder, Input, out_of_range};
use orrery_base::file::Result;

/// The code after the last record: files are extended with zeros before they are written.
const NO_RECORD: u8 = 0;
/// A communicator.
const COMMUNICATOR: u8 = 1;
/// A record that stops.
const STOPPED: u8 = 2;
/// Calls of other threads.
const OVERLAPPING: u8 = 3;
/// The end.
const END: u8 = 4;
/// Before the code of a function: its content is not that of its shape.
const FAILED: u8 = 5;
/// Before the code of a function: calls without a result.
const POLLS: u8 = 6;

/// The bytes of a record that marks the end or a stop; a file keeps this many free for it.
pub const MAX_MARK_BYTES: usize = 8;

/// Appends a record to a buffer.
///
/// The first byte is never 0, so that a file whose rest is zeros ends with the last record whose
/// first byte is written. A writer that stores this byte last leaves no torn record when the
/// process is killed.
pub fn encode(record: &Record<'_>, out: &mut Vec<u8>) {
    match record {
        Record::Call(call) => {
            match call.body {
                Body::Plain if empty(call.function.shape()) != Body::Plain => out.push(FAILED),
                Body::Polls(_) => out.push(POLLS),
                _ => {}
            }
            out.push(call.function.code());
        }
        Record::Communicator { .. } => out.push(COMMUNICATOR),
        Record::Stopped(_) => out.push(STOPPED),
        Record::Overlapping(_) => out.push(OVERLAPPING),
        Record::End => out.push(END),
    }
    if let Err(fault) = code(out, &mut record.clone()) {
        unreachable!("a writer finds no fault in what it is given: {fault}");
    }
}

/// The next record; `None` after the last one.
pub(super) fn decode(input: &mut Input<'_>) -> Result<Option<Record<'static>>> {
    if input.left() == 0 {
        return Ok(None);
    }
    let mut record = match input.byte("a record")? {
        NO_RECORD => return Ok(None),
        COMMUNICATOR => {
            let members = Vec::new().into();
            Record::Communicator { number: 0, joins_groups: false, members }
        }
        STOPPED => Record::Stopped(0),
        OVERLAPPING => Record::Overlapping(0),
        END => Record::End,
        mark => {
            let is_marked = mark == FAILED || mark == POLLS;
            let code = if is_marked { input.byte("the code of a function")? } else { mark };
            let function = Function::with_code(code).ok_or_else(|| {
                out_of_range(input.offset - 1, "the code of a record or of a function")
            })?;
            let body = match mark {
                FAILED => Body::Plain,
                POLLS => Body::Polls(0),
                _ => empty(function.shape()),
            };
            Record::Call(Call { function, gap: 0, duration: 0, body })
        }
    };
    code(input, &mut record)?;
    Ok(Some(record))
}

/// The content of a call of a shape with empty fields, which are read afterwards.
fn empty(shape: Shape) -> Body<'static> {
    let message = Message::default();
    match shape {
        Shape::Plain | Shape::Unsupported => Body::Plain,
        Shape::Send => Body::Send(message),
        Shape::Receive => Body::Receive(message, None),
        Shape::Exchange => Body::Exchange(message, message, None),
        Shape::PostSend | Shape::PostReceive | Shape::PersistentSend | Shape::PersistentReceive => {
            Body::Post(0, message)
        }
        Shape::Start => Body::Start(Vec::new().into()),
        Shape::Complete => Body::Complete(Vec::new().into()),
        Shape::Probe => Body::Probe(message, Matched::default()),
        Shape::Cancel | Shape::Free => Body::Request(0),
        Shape::Collective(_) => {
            Body::Collective { communicator: 0, root: 0, size: 0, sizes: Vec::new().into() }
        }
    }
}

/// The first tag that is too high.
const TAG_END: u64 = 1 << 31;

/// What fields hold.
const BYTES: &str = "a number of bytes";
const COMMUNICATOR_NUMBER: &str = "the number of a communicator";
const LENGTH: &str = "the length of a list below 2^32";
const REQUEST: &str = "the number of a request";
const TIME: &str = "a number of nanoseconds";

/// The fields of a record after the code of its kind or its function.
fn code<C: Coder>(coder: &mut C, record: &mut Record<'_>) -> Result<()> {
    match record {
        Record::Call(Call { gap, duration, body, .. }) => {
            coder.number(gap, TIME)?;
            coder.number(duration, TIME)?;
            code_body(coder, body)
        }
        Record::Communicator { number, joins_groups, members } => {
            coder.number_u32(number, COMMUNICATOR_NUMBER)?;
            let mut joins = u8::from(*joins_groups);
            coder.byte(&mut joins, "0 or 1")?;
            *joins_groups = joins == 1;
            let mut expected = 0_u32;
            coder.list(members, "a number of ranks below 2^32", |coder, member| {
                coder.difference(expected, member, "a rank below 2^32")?;
                expected = member.wrapping_add(1);
                Ok(())
            })
        }
        Record::Stopped(code) => coder.number_u32(code, "an error number below 2^32"),
        Record::Overlapping(calls) => coder.number(calls, "a number of calls"),
        Record::End => Ok(()),
    }
}

/// The content of a call.
fn code_body<C: Coder>(coder: &mut C, body: &mut Body<'_>) -> Result<()> {
    match body {
        Body::Plain => Ok(()),
        Body::Polls(calls) => coder.number(calls, "a number of calls"),
        Body::Send(sent) => code_message(coder, sent),
        Body::Receive(received, matched) => code_received(coder, received, matched),
        Body::Exchange(sent, received, matched) => {
            code_message(coder, sent)?;
            code_received(coder, received, matched)
        }
        Body::Post(request, message) => {
            coder.number_u32(request, REQUEST)?;
            code_message(coder, message)
        }
        Body::Start(requests) => {
            coder.list(requests, LENGTH, |coder, request| coder.number_u32(request, REQUEST))
        }
        Body::Complete(completions) => coder.list(completions, LENGTH, code_completion),
        Body::Probe(message, matched) => {
            code_message(coder, message)?;
            code_matched(coder, matched)
        }
        Body::Request(request) => coder.number_u32(request, REQUEST),
        Body::Collective { communicator, root, size, sizes } => {
            coder.number_u32(communicator, COMMUNICATOR_NUMBER)?;
            coder.number_u32(root, "the rank of a root")?;
            coder.number(size, BYTES)?;
            coder.list(sizes, LENGTH, |coder, size| coder.number(size, BYTES))
        }
    }
}

/// A peer: 0 for none, 1 for any, 2 for a foreign one, otherwise the rank and 3.
fn code_peer<C: Coder>(coder: &mut C, peer: &mut Peer) -> Result<()> {
    let begin = coder.offset();
    let mut code = match *peer {
        Peer::None => 0,
        Peer::Any => 1,
        Peer::Foreign => 2,
        Peer::Rank(rank) => u64::from(rank) + 3,
    };
    coder.number(&mut code, "a rank")?;
    *peer = match code {
        0 => Peer::None,
        1 => Peer::Any,
        2 => Peer::Foreign,
        code => Peer::Rank(
            u32::try_from(code - 3).map_err(|_| out_of_range(begin, "a rank below 2^32"))?,
        ),
    };
    Ok(())
}

/// A number of a tag; a tag that is read must be below `end`.
fn code_tag<C: Coder>(coder: &mut C, tag: &mut u64, end: u64) -> Result<()> {
    let begin = coder.offset();
    coder.number(tag, "a tag")?;
    let is_valid = !C::IS_READER || *tag < end;
    if is_valid { Ok(()) } else { Err(out_of_range(begin, "a tag below 2^31")) }
}

/// A message: communicator, peer, tag and 1 or 0 for any, size.
fn code_message<C: Coder>(coder: &mut C, message: &mut Message) -> Result<()> {
    coder.number_u32(&mut message.communicator, COMMUNICATOR_NUMBER)?;
    code_peer(coder, &mut message.peer)?;
    let mut tag = message.tag.map_or(0, |tag| u64::from(tag) + 1);
    code_tag(coder, &mut tag, TAG_END + 1)?;
    message.tag = tag.checked_sub(1).map(|tag| tag as u32);
    coder.number(&mut message.size, BYTES)
}

/// A received message; if it is of any source or any tag, with 1 and what it has matched, or 0.
fn code_received<C: Coder>(
    coder: &mut C,
    message: &mut Message,
    matched: &mut Option<Matched>,
) -> Result<()> {
    code_message(coder, message)?;
    if !message.is_wild() {
        return Ok(());
    }
    let mut has_matched = u8::from(matched.is_some());
    coder.byte(&mut has_matched, "0 or 1")?;
    if has_matched == 1 { code_matched(coder, matched.get_or_insert_default()) } else { Ok(()) }
}

/// A matched message.
fn code_matched<C: Coder>(coder: &mut C, matched: &mut Matched) -> Result<()> {
    code_peer(coder, &mut matched.source)?;
    let mut tag = u64::from(matched.tag);
    code_tag(coder, &mut tag, TAG_END)?;
    matched.tag = tag as u32;
    Ok(())
}

/// A completion: the request times 4, and 0, 1 with a matched message, or 2 if it is cancelled.
fn code_completion<C: Coder>(coder: &mut C, completion: &mut Completion) -> Result<()> {
    let begin = coder.offset();
    let (outcome, mut matched) = match completion.outcome {
        Outcome::Done => (0, Matched::default()),
        Outcome::Matched(matched) => (1, matched),
        Outcome::Cancelled => (2, Matched::default()),
    };
    let mut code = u64::from(completion.request) << 2 | outcome;
    coder.number(&mut code, REQUEST)?;
    let fault = |expected: &str| out_of_range(begin, expected);
    completion.request = u32::try_from(code >> 2).map_err(|_| fault("a request below 2^32"))?;
    completion.outcome = match code & 3 {
        0 => Outcome::Done,
        1 => {
            code_matched(coder, &mut matched)?;
            Outcome::Matched(matched)
        }
        2 => Outcome::Cancelled,
        _ => return Err(fault("how a request ended: 0 to 2 in its lowest two bits")),
    };
    Ok(())
}

impl Message {
    /// Returns true for a receive of any source or any tag.
    pub fn is_wild(&self) -> bool {
        self.peer == Peer::Any || self.tag.is_none()
    }
}
