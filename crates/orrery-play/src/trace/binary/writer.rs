use super::coder::{Coder, put};
use super::format;
use super::input::VERSION;
use crate::trace::actions::{Action, RankActions, Segment, Trace};
use orrery_program::schedule::{Rank, Transfer};

/// Returns a trace as the bytes of a file. Equal traces have equal bytes.
pub fn write(trace: &Trace) -> Vec<u8> {
    let mut file = format::MAGIC.to_vec();
    file.push(VERSION);
    put(&mut file, trace.ranks() as u64);
    put(&mut file, trace.files.len() as u64);
    for name in &trace.files {
        put(&mut file, name.len() as u64);
        file.extend(name.as_bytes());
    }
    put(&mut file, u64::from(trace.communicators.count()) - 1);
    for communicator in 1..trace.communicators.count() {
        let members = trace.communicators.members(communicator);
        put(&mut file, members.len() as u64);
        members.iter().fold(0, |last, member| put_difference(&mut file, last, member.0));
    }
    let sections: Vec<Vec<u8>> =
        Rank::first(trace.ranks()).map(|rank| section(trace, rank)).collect();
    sections.iter().for_each(|section| put(&mut file, section.len() as u64));
    put_checksum(&mut file);
    sections.iter().for_each(|section| file.extend(section));
    file
}

/// The section of a rank, with its checksum.
fn section(trace: &Trace, rank: Rank) -> Vec<u8> {
    let own = &trace.ranks[rank.index()];
    let mut section = Vec::new();
    let file = trace.file_of_rank[rank.index()];
    put(&mut section, if file == u32::MAX { 0 } else { u64::from(file) + 1 });
    put_segments(&mut section, (trace, own), &own.segments(), &mut 0);
    put_checksum(&mut section);
    section
}

/// Writes a number as its difference to a base; returns the number.
fn put_difference(out: &mut Vec<u8>, base: u32, mut number: u32) -> u32 {
    // A writer has no faults.
    let _written = out.difference(base, &mut number, "");
    number
}

/// Writes the checksum of all bytes so far.
fn put_checksum(out: &mut Vec<u8>) {
    out.extend(crc32fast::hash(out).to_le_bytes());
}

/// Writes segments of a rank of a trace; `line` is the line of the last action, which the next one
/// refers to.
fn put_segments(
    out: &mut Vec<u8>,
    (trace, own): (&Trace, &RankActions),
    segments: &[Segment],
    line: &mut u32,
) {
    for segment in segments {
        if let Some(repeated) = &segment.repeated {
            out.push(format::LOOP);
            put(out, u64::from(repeated.iterations));
            put_segments(out, (trace, own), &repeated.body, line);
            out.push(format::END);
            continue;
        }
        for index in segment.first as usize..(segment.first + segment.stored) as usize {
            let action = own.actions[index];
            out.push(code(action));
            if let Some(&next) = own.lines.get(index) {
                *line = put_difference(out, *line, next);
            }
            put_action(out, trace, own, action);
        }
    }
}

/// Writes an action after its code and its line.
fn put_action(out: &mut Vec<u8>, trace: &Trace, own: &RankActions, action: Action) {
    match action {
        Action::Compute { flops } if is_whole(flops) => put(out, flops as u64),
        Action::Compute { flops: amount } | Action::Sleep { seconds: amount } => {
            out.extend(amount.to_le_bytes());
        }
        Action::Do(transfer) => put_transfer(out, transfer),
        Action::Post(transfer, request) => {
            put(out, request.0.into());
            put_transfer(out, transfer);
        }
        Action::Probe => {}
        Action::Wait(request) | Action::Test(request) => put(out, request.0.into()),
        Action::WaitAll { first, count } => {
            put(out, u64::from(count));
            own.awaited(first, count).iter().for_each(|request| put(out, request.0.into()));
        }
        Action::Collective { kind, communicator, root, sizes, size } => {
            put(out, u64::from(communicator));
            if kind.is_rooted() {
                put(out, u64::from(root));
            }
            put(out, size.get());
            let count = kind.size_count(trace.communicators.size(communicator));
            let sizes = &own.sizes[sizes as usize..][..count];
            sizes.iter().for_each(|size| put(out, size.get()));
        }
    }
}

/// Writes the peer of a message (left out for any source), its tag and its size.
fn put_transfer(out: &mut Vec<u8>, transfer: Transfer) {
    let (tag, size) = match transfer {
        Transfer::Send { to: peer, tag, size } | Transfer::Receive { from: peer, tag, size } => {
            put(out, peer.0.into());
            (tag, size)
        }
        Transfer::ReceiveAny { tag, size } => (tag, size),
    };
    put(out, tag.0.into());
    put(out, size.get());
}

/// Returns true if an amount is a whole number of at most eight bytes in LEB128.
fn is_whole(amount: f64) -> bool {
    amount.fract() == 0.0 && amount < 9_007_199_254_740_992.0
}

/// The code of an action in binary traces.
fn code(action: Action) -> u8 {
    match action {
        Action::Compute { flops } if is_whole(flops) => format::COMPUTE,
        Action::Compute { .. } => format::COMPUTE_F64,
        Action::Sleep { .. } => format::SLEEP,
        Action::Do(transfer) => format::SEND + kind(transfer),
        Action::Post(transfer, _) => format::POST_SEND + kind(transfer),
        Action::Probe => format::PROBE,
        Action::Wait(_) => format::WAIT,
        Action::Test(_) => format::TEST,
        Action::WaitAll { .. } => format::WAIT_ALL,
        Action::Collective { kind, .. } => format::COLLECTIVE + kind as u8,
    }
}

/// The place of a transfer among the codes of blocking and of nonblocking ones.
fn kind(transfer: Transfer) -> u8 {
    match transfer {
        Transfer::Send { .. } => 0,
        Transfer::Receive { .. } => 1,
        Transfer::ReceiveAny { .. } => 2,
    }
}
