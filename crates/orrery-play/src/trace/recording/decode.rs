//! The records in the bytes of a file.

use std::borrow::Cow;

use super::encode::{COMMUNICATOR, END, FAILED, NOTHING, OVERLAPPING, POLLS, STOPPED};
use super::function::{Function, Shape};
use super::record::{Body, Call, Completion, Matched, Message, Outcome, Peer, Record};
use crate::trace::binary::{Input, out_of_range};
use orrery_base::file::{Fault, Result};

/// The first tag that is too high.
const TAG_END: u64 = 1 << 31;

/// Returns true if a call of the function without content is complete.
pub(super) fn is_plain(function: Function) -> bool {
    matches!(function.shape(), Shape::Plain | Shape::Unsupported)
}

/// The next record; `None` after the last one.
pub(super) fn decode(input: &mut Input<'_>) -> Result<Option<Record<'static>>> {
    if input.left() == 0 {
        return Ok(None);
    }
    let begin = input.offset;
    Ok(Some(match input.byte("a record")? {
        NOTHING => return Ok(None),
        COMMUNICATOR => communicator(input)?,
        STOPPED => Record::Stopped(input.number_u32("an error number below 2^32")?),
        OVERLAPPING => Record::Overlapping(input.number("a number of calls")?),
        END => Record::End,
        FAILED => call(input, |_, _| Ok(Body::Plain))?,
        POLLS => call(input, |_, input| Ok(Body::Polls(input.number("a number of calls")?)))?,
        _ => {
            input.offset = begin;
            call(input, body)?
        }
    }))
}

fn communicator(input: &mut Input<'_>) -> Result<Record<'static>> {
    let number = input.number_u32("the number of a communicator")?;
    let joins_groups = input.byte("0 or 1")? == 1;
    let count = input.number_u32("a number of ranks below 2^32")?;
    let (mut members, mut expected) = (Vec::new(), 0_u32);
    for _ in 0..count {
        let member = input.difference(expected, "a rank below 2^32")?;
        members.push(member);
        expected = member.wrapping_add(1);
    }
    Ok(Record::Communicator { number, joins_groups, members: members.into() })
}

/// A call, whose content `body` reads.
fn call<'a>(
    input: &mut Input<'a>,
    body: impl FnOnce(Function, &mut Input<'a>) -> Result<Body<'static>>,
) -> Result<Record<'static>> {
    let begin = input.offset;
    let function = Function::with_code(input.byte("the code of a function")?);
    let function =
        function.ok_or_else(|| out_of_range(begin, "the code of a record or of a function"))?;
    let (gap, duration) = (input.number(TIME)?, input.number(TIME)?);
    let body = body(function, input)?;
    Ok(Record::Call(Call { function, gap, duration, body }))
}

/// The expected value of a time.
const TIME: &str = "a number of nanoseconds";

/// The expected value of a request.
const REQUEST: &str = "the number of a request";

/// The content of a call by its shape.
fn body(function: Function, input: &mut Input<'_>) -> Result<Body<'static>> {
    Ok(match function.shape() {
        Shape::Plain | Shape::Unsupported => Body::Plain,
        Shape::Send => Body::Send(message(input)?),
        Shape::Receive => {
            let (message, matched) = received(input)?;
            Body::Receive(message, matched)
        }
        Shape::Exchange => {
            let (sent, (message, matched)) = (message(input)?, received(input)?);
            Body::Exchange(sent, message, matched)
        }
        Shape::PostSend | Shape::PostReceive | Shape::PersistentSend | Shape::PersistentReceive => {
            Body::Post(input.number_u32(REQUEST)?, message(input)?)
        }
        Shape::Start => Body::Start(list(input, |input| input.number_u32(REQUEST))?),
        Shape::Complete => Body::Complete(list(input, completion)?),
        Shape::Probe => Body::Probe(message(input)?, matched(input)?),
        Shape::Cancel | Shape::Free => Body::Request(input.number_u32(REQUEST)?),
        Shape::Collective(_) => Body::Collective {
            communicator: input.number_u32("the number of a communicator")?,
            root: input.number_u32("the rank of a root")?,
            size: input.number("a number of bytes")?,
            sizes: list(input, |input| input.number("a number of bytes"))?,
        },
    })
}

/// A list after its length. Memory is allocated for its content, never for the length.
fn list<'a, T: Clone>(
    input: &mut Input<'a>,
    item: impl Fn(&mut Input<'a>) -> Result<T>,
) -> Result<Cow<'static, [T]>> {
    let count = input.number_u32("the length of a list below 2^32")?;
    let mut items = Vec::new();
    for _ in 0..count {
        items.push(item(input)?);
    }
    Ok(Cow::Owned(items))
}

fn peer(input: &mut Input<'_>) -> Result<Peer> {
    let begin = input.offset;
    Ok(match input.number("a rank")? {
        0 => Peer::None,
        1 => Peer::Any,
        2 => Peer::Foreign,
        code => {
            let rank =
                u32::try_from(code - 3).map_err(|_| out_of_range(begin, "a rank below 2^32"))?;
            Peer::Rank(rank)
        }
    })
}

/// A number below 2³¹ for a tag, or 2³¹ and less for a tag and 1.
fn tag(input: &mut Input<'_>, end: u64) -> Result<u32> {
    let begin = input.offset;
    let tag = input.number("a tag")?;
    if tag < end { Ok(tag as u32) } else { Err(out_of_range(begin, "a tag below 2^31")) }
}

fn message(input: &mut Input<'_>) -> Result<Message> {
    let communicator = input.number_u32("the number of a communicator")?;
    let peer = peer(input)?;
    let tag = tag(input, TAG_END + 1)?.checked_sub(1);
    Ok(Message { communicator, peer, tag, size: input.number("a number of bytes")? })
}

/// A received message, with what it has matched if it is of any source or any tag.
fn received(input: &mut Input<'_>) -> Result<(Message, Option<Matched>)> {
    let message = message(input)?;
    if !message.is_wild() || input.byte("0 or 1")? != 1 {
        return Ok((message, None));
    }
    Ok((message, Some(matched(input)?)))
}

/// A matched message.
fn matched(input: &mut Input<'_>) -> Result<Matched> {
    Ok(Matched { source: peer(input)?, tag: tag(input, TAG_END)? })
}

fn completion(input: &mut Input<'_>) -> Result<Completion> {
    let begin = input.offset;
    let code = input.number(REQUEST)?;
    let fault = |expected: &str| -> Fault { out_of_range(begin, expected) };
    let request = u32::try_from(code >> 2).map_err(|_| fault("a request below 2^32"))?;
    let outcome = match code & 3 {
        0 => Outcome::Done,
        1 => Outcome::Matched(matched(input)?),
        2 => Outcome::Cancelled,
        _ => return Err(fault("how a request ended: 0 to 2 in its lowest two bits")),
    };
    Ok(Completion { request, outcome })
}
