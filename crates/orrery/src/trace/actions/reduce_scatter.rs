//! A reduction whose result is scattered. With equal blocks it is a reduction to rank 0 and a scatter from there. Other
//! blocks go as SimGrid takes it over from MPICH: beyond 524,288 elements in pairs, below by recursive doubling, of which
//! no block is left out that the receiver does not have yet.

use super::collective::Part;
use crate::schedule::Operation;
use crate::units::Bytes;

/// The most elements that are exchanged by recursive doubling.
const MOST_DOUBLED: u64 = 524_288;

/// What a rank does at a step. The size of the part is that of an element.
pub(super) fn operation(part: Part<'_>, step: usize) -> Option<Operation> {
    let total: Bytes = part.sizes.iter().copied().sum();
    if part.sizes.iter().all(|size| *size == part.sizes[0]) {
        let reduction = part.steps_of_reduction();
        if step < reduction {
            let all = Part { size: total, ..part };
            return all.with_root_receiving(0, |_| total, step);
        }
        let own = Part { size: part.sizes[part.rank], ..part };
        return own.with_root_sending(0, |to| part.sizes[to], step - reduction);
    }
    if total.get() / part.size.get().max(1) > MOST_DOUBLED { in_pairs(part, step) } else { doubling(part, total, step) }
}

/// In round k, to the rank k above its block, and from the rank k below the own one.
fn in_pairs(part: Part<'_>, step: usize) -> Option<Operation> {
    let (round, step) = (step / 4 + 1, step % 4);
    if round >= part.ranks {
        return None;
    }
    let (to, from) = ((part.rank + round) % part.ranks, (part.rank + part.ranks - round) % part.ranks);
    Some(part.exchange((to, part.sizes[to]), (from, part.sizes[part.rank]), step))
}

/// A message of recursive doubling.
enum Turn {
    /// Everything that the side lacks goes to this rank, and comes from it.
    Exchange(usize),
    /// What came is handed on to this rank, which had no partner.
    HandOn(usize),
    /// What the own partner would have sent comes from this rank.
    Take(usize),
}

/// In round i with the rank whose number differs in bit i: of groups of 2^i ranks, each gets all but its own blocks.
fn doubling(part: Part<'_>, total: Bytes, mut step: usize) -> Option<Operation> {
    let mut mask = 1;
    while mask < part.ranks {
        let all_but = |group: usize| {
            let inside = group.min(part.ranks)..(group + mask).min(part.ranks);
            total - part.sizes[inside].iter().copied().sum()
        };
        // Groups of the rank and of its partner in this round.
        let (own, other) = (part.rank & !(mask - 1), (part.rank ^ mask) & !(mask - 1));
        for turn in turns(part, mask, own, other) {
            let steps = if matches!(turn, Turn::Exchange(_)) { 4 } else { 1 };
            if step < steps {
                return Some(match turn {
                    Turn::Exchange(with) => part.exchange((with, all_but(own)), (with, all_but(other)), step),
                    Turn::HandOn(to) => Operation::Do(part.send(to, all_but(other))),
                    Turn::Take(from) => Operation::Do(part.receive(from, all_but(other))),
                });
            }
            step -= steps;
        }
        mask *= 2;
    }
    None
}

/// The messages of a rank in one round. Where the partner's group is cut off by the number of ranks, those of the own
/// group that have a partner hand on what they got, along a binary tree.
fn turns(part: Part<'_>, mask: usize, own: usize, other: usize) -> impl Iterator<Item = Turn> {
    let (rank, ranks) = (part.rank, part.ranks);
    let partner = rank ^ mask;
    let exchange = (partner < ranks).then_some(Turn::Exchange(partner));
    // As many have all that there is in this round; a group that begins above its partner's has it all.
    let complete = ranks.saturating_sub(own + mask);
    let is_cut = other + mask > ranks;
    let halves = std::iter::successors(Some(mask / 2), |half| Some(half / 2)).take_while(|&half| half > 0);
    let handed_on = halves.filter(move |_| is_cut).filter_map(move |half| {
        let (peer, root) = (rank ^ half, rank & !(2 * half - 1));
        let has = |rank: usize| rank < root + complete;
        if peer > rank && has(rank) && !has(peer) {
            Some(Turn::HandOn(peer))
        } else if peer < rank && has(peer) && !has(rank) {
            Some(Turn::Take(peer))
        } else {
            None
        }
    });
    exchange.into_iter().chain(handed_on)
}
