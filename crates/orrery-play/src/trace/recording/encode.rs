//! The bytes of records; docs/file-formats.md describes them.

use super::record::{Body, Call, Completion, Matched, Message, Outcome, Peer, Record};

/// The code after the last record: files are extended with zeros before they are written.
pub(super) const NOTHING: u8 = 0;
/// A communicator.
pub(super) const COMMUNICATOR: u8 = 1;
/// A record that stops.
pub(super) const STOPPED: u8 = 2;
/// Calls of other threads.
pub(super) const OVERLAPPING: u8 = 3;
/// The end.
pub(super) const END: u8 = 4;
/// Before the code of a function: its content is not that of its shape.
pub(super) const FAILED: u8 = 5;
/// Before the code of a function: calls without a result.
pub(super) const POLLS: u8 = 6;

/// The bytes of a record that marks the end or a stop; a file keeps this many free for it.
pub const MAX_MARK_BYTES: usize = 8;

/// Appends a record to a buffer.
///
/// The first byte is never 0, so that a file whose rest is zeros ends with the last record whose
/// first byte is written. A writer that stores this byte last leaves no torn record when the
/// process is killed.
pub fn encode(record: &Record<'_>, out: &mut Vec<u8>) {
    match record {
        Record::Call(call) => encode_call(call, out),
        Record::Communicator { number, joins_groups, members } => {
            out.push(COMMUNICATOR);
            put(out, u64::from(*number));
            out.push(u8::from(*joins_groups));
            put(out, members.len() as u64);
            let mut expected = 0_u32;
            for &member in members.iter() {
                put_signed(out, i64::from(member) - i64::from(expected));
                expected = member.wrapping_add(1);
            }
        }
        Record::Stopped(code) => {
            out.push(STOPPED);
            put(out, u64::from(*code));
        }
        Record::Overlapping(calls) => {
            out.push(OVERLAPPING);
            put(out, *calls);
        }
        Record::End => out.push(END),
    }
}

/// Appends a call.
fn encode_call(call: &Call<'_>, out: &mut Vec<u8>) {
    match call.body {
        Body::Plain if !super::decode::is_plain(call.function) => out.push(FAILED),
        Body::Polls(_) => out.push(POLLS),
        _ => {}
    }
    out.push(call.function.code());
    put(out, call.gap);
    put(out, call.duration);
    match &call.body {
        Body::Plain => {}
        Body::Polls(calls) => put(out, *calls),
        Body::Send(message) => put_message(out, message),
        Body::Receive(message, matched) => put_received(out, message, *matched),
        Body::Exchange(sent, received, matched) => {
            put_message(out, sent);
            put_received(out, received, *matched);
        }
        Body::Post(request, message) => {
            put(out, u64::from(*request));
            put_message(out, message);
        }
        Body::Start(requests) => {
            put(out, requests.len() as u64);
            requests.iter().for_each(|&request| put(out, u64::from(request)));
        }
        Body::Complete(completions) => {
            put(out, completions.len() as u64);
            completions.iter().for_each(|completion| put_completion(out, completion));
        }
        Body::Probe(message, matched) => {
            put_message(out, message);
            put_matched(out, *matched);
        }
        Body::Request(request) => put(out, u64::from(*request)),
        Body::Collective { communicator, root, size, sizes } => {
            put(out, u64::from(*communicator));
            put(out, u64::from(*root));
            put(out, *size);
            put(out, sizes.len() as u64);
            sizes.iter().for_each(|&size| put(out, size));
        }
    }
}

/// Appends a whole number in LEB128: seven bits in each byte, the lowest first; the highest bit is
/// set if more follow.
#[inline]
pub(super) fn put(out: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        out.push(number as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}

/// Appends a number in zigzag code: 0, −1, 1, −2, … are 0, 1, 2, 3, ….
fn put_signed(out: &mut Vec<u8>, number: i64) {
    put(out, (number << 1 ^ number >> 63) as u64);
}

/// The number of a peer: 0 for none, 1 for any, 2 for a foreign one, otherwise the rank and 3.
fn peer_code(peer: Peer) -> u64 {
    match peer {
        Peer::None => 0,
        Peer::Any => 1,
        Peer::Foreign => 2,
        Peer::Rank(rank) => u64::from(rank) + 3,
    }
}

/// Appends a message: communicator, peer, tag and 1 or 0 for any, size.
fn put_message(out: &mut Vec<u8>, message: &Message) {
    put(out, u64::from(message.communicator));
    put(out, peer_code(message.peer));
    put(out, message.tag.map_or(0, |tag| u64::from(tag) + 1));
    put(out, message.size);
}

/// Appends a received message; if it is of any source or any tag, with 1 and what it has matched,
/// or 0.
fn put_received(out: &mut Vec<u8>, message: &Message, matched: Option<Matched>) {
    put_message(out, message);
    if !message.is_wild() {
        return;
    }
    out.push(u8::from(matched.is_some()));
    if let Some(matched) = matched {
        put_matched(out, matched);
    }
}

/// Appends a matched message.
fn put_matched(out: &mut Vec<u8>, matched: Matched) {
    put(out, peer_code(matched.source));
    put(out, u64::from(matched.tag));
}

/// Appends a completion: the request times 4, and 0, 1 with a matched message, or 2 if it is
/// cancelled.
fn put_completion(out: &mut Vec<u8>, completion: &Completion) {
    let outcome = match completion.outcome {
        Outcome::Done => 0,
        Outcome::Matched(_) => 1,
        Outcome::Cancelled => 2,
    };
    put(out, u64::from(completion.request) << 2 | outcome);
    if let Outcome::Matched(matched) = completion.outcome {
        put_matched(out, matched);
    }
}

impl Message {
    /// Returns true for a receive of any source or any tag.
    pub fn is_wild(&self) -> bool {
        self.peer == Peer::Any || self.tag.is_none()
    }
}
