use super::format;
use super::input::VERSION;
use crate::trace::actions::{Action, RankActions, Segment, Trace};
use orrery_base::units::Bytes;
use orrery_program::schedule::{Rank, Tag};

/// Returns a trace as the bytes of a file. Equal traces have equal bytes.
pub fn write(trace: &Trace) -> Vec<u8> {
    let mut file = Output::default();
    file.bytes.extend(format::MAGIC);
    file.bytes.push(VERSION);
    file.number(trace.ranks() as u64);
    file.number(trace.files.len() as u64);
    for name in &trace.files {
        file.number(name.len() as u64);
        file.bytes.extend(name.as_bytes());
    }
    file.number(u64::from(trace.communicators.count()) - 1);
    for communicator in 1..trace.communicators.count() {
        let members = trace.communicators.members(communicator);
        file.number(members.len() as u64);
        members.iter().fold(0, |last, member| file.difference(last, member.0));
    }
    let sections: Vec<Vec<u8>> =
        Rank::first(trace.ranks()).map(|rank| section(trace, rank)).collect();
    sections.iter().for_each(|section| file.number(section.len() as u64));
    file.checksum();
    sections.iter().for_each(|section| file.bytes.extend(section));
    file.bytes
}

/// The section of a rank, with its checksum.
fn section(trace: &Trace, rank: Rank) -> Vec<u8> {
    let own = &trace.ranks[rank.index()];
    let mut section = Output::default();
    let file = trace.file_of_rank[rank.index()];
    section.number(if file == u32::MAX { 0 } else { u64::from(file) + 1 });
    let mut line = 0;
    section.segments(trace, own, &own.segments(), &mut line);
    section.checksum();
    section.bytes
}

/// Bytes that are written from front to back.
#[derive(Default)]
struct Output {
    bytes: Vec<u8>,
}

impl Output {
    /// Writes a whole number in LEB128.
    fn number(&mut self, mut number: u64) {
        while number >= 0x80 {
            self.bytes.push(number as u8 | 0x80);
            number >>= 7;
        }
        self.bytes.push(number as u8);
    }

    /// Writes a number as its difference to a base, in zigzag code; returns the number.
    fn difference(&mut self, base: u32, number: u32) -> u32 {
        let difference = i64::from(number) - i64::from(base);
        self.number(((difference << 1) ^ (difference >> 63)) as u64);
        number
    }

    /// Writes the checksum of all bytes so far.
    fn checksum(&mut self) {
        self.bytes.extend(crc32fast::hash(&self.bytes).to_le_bytes());
    }

    /// Writes segments; `line` is the line of the last action, which the next one refers to.
    fn segments(&mut self, trace: &Trace, own: &RankActions, segments: &[Segment], line: &mut u32) {
        for segment in segments {
            if let Some(repeated) = &segment.repeated {
                self.bytes.push(format::LOOP);
                self.number(u64::from(repeated.iterations));
                self.segments(trace, own, &repeated.body, line);
                self.bytes.push(format::END);
                continue;
            }
            for index in segment.first as usize..(segment.first + segment.stored) as usize {
                let action = own.actions[index];
                self.bytes.push(code(action));
                if let Some(&next) = own.lines.get(index) {
                    *line = self.difference(*line, next);
                }
                self.action(trace, own, action);
            }
        }
    }

    /// Writes an action after its code and its line.
    fn action(&mut self, trace: &Trace, own: &RankActions, action: Action) {
        match action {
            Action::Compute { flops } if is_whole(flops) => self.number(flops as u64),
            Action::Compute { flops: amount } | Action::Sleep { seconds: amount } => {
                self.bytes.extend(amount.to_le_bytes());
            }
            Action::Send { to: peer, tag, size } | Action::Receive { from: peer, tag, size } => {
                self.message(peer, tag, size);
            }
            Action::PostSend { to: peer, tag, request, size }
            | Action::PostReceive { from: peer, tag, request, size } => {
                self.number(u64::from(request.0));
                self.message(peer, tag, size);
            }
            Action::Probe => {}
            Action::Wait { request } | Action::Test { request } => {
                self.number(u64::from(request.0));
            }
            Action::WaitAll { first, count } => {
                self.number(u64::from(count));
                own.awaited(first, count)
                    .iter()
                    .for_each(|request| self.number(u64::from(request.0)));
            }
            Action::Collective { kind, communicator, root, sizes, size } => {
                self.number(u64::from(communicator));
                if kind.is_rooted() {
                    self.number(u64::from(root));
                }
                self.number(size.get());
                let count = kind.size_count(trace.communicators.size(communicator));
                own.sizes[sizes as usize..][..count]
                    .iter()
                    .for_each(|size| self.number(size.get()));
            }
        }
    }

    /// Writes the peer of a message (left out for any source), its tag and its size.
    fn message(&mut self, peer: Rank, tag: Tag, size: Bytes) {
        if peer != Action::ANY_SOURCE {
            self.number(u64::from(peer.0));
        }
        self.number(u64::from(tag.0));
        self.number(size.get());
    }
}

/// Returns true if an amount is a whole number of at most eight bytes in LEB128.
fn is_whole(amount: f64) -> bool {
    amount.fract() == 0.0 && amount < 9_007_199_254_740_992.0
}

/// The code of an action.
fn code(action: Action) -> u8 {
    match action {
        Action::Compute { flops } if is_whole(flops) => format::COMPUTE,
        Action::Compute { .. } => format::COMPUTE_F64,
        Action::Sleep { .. } => format::SLEEP,
        Action::Send { .. } => format::SEND,
        Action::Receive { from: Action::ANY_SOURCE, .. } => format::RECEIVE_ANY,
        Action::Receive { .. } => format::RECEIVE,
        Action::PostSend { .. } => format::POST_SEND,
        Action::PostReceive { from: Action::ANY_SOURCE, .. } => format::POST_RECEIVE_ANY,
        Action::PostReceive { .. } => format::POST_RECEIVE,
        Action::Probe => format::PROBE,
        Action::Wait { .. } => format::WAIT,
        Action::Test { .. } => format::TEST,
        Action::WaitAll { .. } => format::WAIT_ALL,
        Action::Collective { kind, .. } => format::COLLECTIVE + kind as u8,
    }
}
