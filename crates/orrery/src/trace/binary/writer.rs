use super::checksum::checksum;
use super::code;
use crate::schedule::{Rank, Tag};
use crate::trace::actions::{Action, Block, RankActions, Trace};
use crate::units::Bytes;

/// A trace as the bytes of a file. The same trace gives the same bytes.
pub fn write(trace: &Trace) -> Vec<u8> {
    let mut file = Output::default();
    file.bytes.extend(code::MAGIC);
    file.bytes.push(code::VERSION);
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
        members.iter().fold(0, |last, member| file.next_to(last, member.0));
    }
    let parts: Vec<Vec<u8>> = Rank::first(trace.ranks()).map(|rank| part(trace, rank)).collect();
    parts.iter().for_each(|part| file.number(part.len() as u64));
    file.seal();
    parts.iter().for_each(|part| file.bytes.extend(part));
    file.bytes
}

/// What a rank did.
fn part(trace: &Trace, rank: Rank) -> Vec<u8> {
    let told = &trace.ranks[rank.index()];
    let mut part = Output::default();
    let origin = trace.origins[rank.index()];
    part.number(if origin == u32::MAX { 0 } else { u64::from(origin) + 1 });
    let mut line = 0;
    part.blocks(trace, told, &told.blocks(), &mut line);
    part.seal();
    part.bytes
}

#[derive(Default)]
struct Output {
    bytes: Vec<u8>,
}

impl Output {
    fn number(&mut self, mut number: u64) {
        while number >= 0x80 {
            self.bytes.push(number as u8 | 0x80);
            number >>= 7;
        }
        self.bytes.push(number as u8);
    }

    /// A number as its distance from another; gives it back.
    fn next_to(&mut self, other: u32, number: u32) -> u32 {
        let distance = i64::from(number) - i64::from(other);
        self.number(((distance << 1) ^ (distance >> 63)) as u64);
        number
    }

    /// Adds the checksum of all that was written.
    fn seal(&mut self) {
        self.bytes.extend(checksum(&self.bytes).to_le_bytes());
    }

    fn blocks(&mut self, trace: &Trace, told: &RankActions, parts: &[Block], line: &mut u32) {
        for part in parts {
            if let Some(round) = &part.round {
                self.bytes.push(code::REPEAT);
                self.number(u64::from(round.times));
                self.blocks(trace, told, &round.parts, line);
                self.bytes.push(code::END);
            } else {
                self.run(trace, told, part.first as usize..(part.first + part.stored) as usize, line);
            }
        }
    }

    fn run(&mut self, trace: &Trace, told: &RankActions, places: std::ops::Range<usize>, line: &mut u32) {
        for place in places {
            let action = told.actions[place];
            self.bytes.push(code_of(action));
            if let Some(&own) = told.lines.get(place) {
                *line = self.next_to(*line, own);
            }
            self.action(trace, told, action);
        }
    }

    fn action(&mut self, trace: &Trace, told: &RankActions, action: Action) {
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
            Action::Wait { request } | Action::Test { request } => self.number(u64::from(request.0)),
            Action::WaitAll { first, count } => {
                self.number(u64::from(count));
                told.awaited(first, count).iter().for_each(|request| self.number(u64::from(request.0)));
            }
            Action::Collective { kind, communicator, root, sizes, size } => {
                self.number(u64::from(communicator));
                if kind.is_rooted() {
                    self.number(u64::from(root));
                }
                self.number(size.get());
                let count = kind.sizes(trace.communicators.size(communicator));
                told.sizes[sizes as usize..][..count].iter().for_each(|size| self.number(size.get()));
            }
        }
    }

    fn message(&mut self, peer: Rank, tag: Tag, size: Bytes) {
        if peer != Action::ANY_SOURCE {
            self.number(u64::from(peer.0));
        }
        self.number(u64::from(tag.0));
        self.number(size.get());
    }
}

/// Whether a whole number says the same in at most eight bytes.
fn is_whole(amount: f64) -> bool {
    amount.fract() == 0.0 && amount < 9_007_199_254_740_992.0
}

fn code_of(action: Action) -> u8 {
    match action {
        Action::Compute { flops } if is_whole(flops) => code::COMPUTE,
        Action::Compute { .. } => code::COMPUTE_F64,
        Action::Sleep { .. } => code::SLEEP,
        Action::Send { .. } => code::SEND,
        Action::Receive { from: Action::ANY_SOURCE, .. } => code::RECEIVE_ANY,
        Action::Receive { .. } => code::RECEIVE,
        Action::PostSend { .. } => code::POST_SEND,
        Action::PostReceive { from: Action::ANY_SOURCE, .. } => code::POST_RECEIVE_ANY,
        Action::PostReceive { .. } => code::POST_RECEIVE,
        Action::Probe => code::PROBE,
        Action::Wait { .. } => code::WAIT,
        Action::Test { .. } => code::TEST,
        Action::WaitAll { .. } => code::WAIT_ALL,
        Action::Collective { kind, .. } => code::COLLECTIVE + kind as u8,
    }
}
