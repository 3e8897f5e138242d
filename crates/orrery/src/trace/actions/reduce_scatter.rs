//! A reduction with a scattered result (`MPI_Reduce_scatter`), by SimGrid's algorithms.
//!
//! Equal blocks are reduced to rank 0 and scattered from there. Other blocks use the algorithms of MPICH: pairwise
//! exchange above 524,288 elements, otherwise recursive doubling, which sends every block that the receiver does not
//! have yet.

use super::participant::Participant;
use crate::schedule::Operation;
use crate::units::Bytes;

/// The maximum number of elements that recursive doubling exchanges.
const MAX_DOUBLING_ELEMENTS: u64 = 524_288;

/// The operation of a rank at a step; the size of the participant is that of an element.
pub(super) fn operation(participant: Participant<'_>, step: usize) -> Option<Operation> {
    let total: Bytes = participant.sizes.iter().copied().sum();
    if participant.sizes.iter().all(|size| *size == participant.sizes[0]) {
        let reduction_steps = participant.reduction_steps();
        if step < reduction_steps {
            let all = Participant { size: total, ..participant };
            return all.with_root_receiving(0, |_| total, step);
        }
        let own = Participant { size: participant.sizes[participant.rank], ..participant };
        return own.with_root_sending(0, |to| participant.sizes[to], step - reduction_steps);
    }
    if total.get() / participant.size.get().max(1) > MAX_DOUBLING_ELEMENTS {
        pairwise(participant, step)
    } else {
        doubling(participant, total, step)
    }
}

/// Round k sends its block to the rank k above and receives the own block from the rank k below.
fn pairwise(participant: Participant<'_>, step: usize) -> Option<Operation> {
    let (round, step) = (step / 4 + 1, step % 4);
    if round >= participant.ranks {
        return None;
    }
    let (to, from) = (
        (participant.rank + round) % participant.ranks,
        (participant.rank + participant.ranks - round) % participant.ranks,
    );
    Some(participant.exchange((to, participant.sizes[to]), (from, participant.sizes[participant.rank]), step))
}

/// A message of recursive doubling, with its peer.
enum Message {
    /// An exchange with the partner of the round.
    Exchange(usize),
    /// A copy of the received blocks to a rank of the own group without a partner.
    Forward(usize),
    /// A copy of the blocks that the own partner would have sent.
    ReceiveForwarded(usize),
}

/// Round i exchanges with the rank whose number differs in bit i: each group of 2ⁱ ranks receives all blocks but its
/// own.
fn doubling(participant: Participant<'_>, total: Bytes, mut step: usize) -> Option<Operation> {
    let mut mask = 1;
    while mask < participant.ranks {
        let all_but = |group: usize| {
            let inside = group.min(participant.ranks)..(group + mask).min(participant.ranks);
            total - participant.sizes[inside].iter().copied().sum()
        };
        // Groups of the rank and of its partner in this round.
        let (own, other) = (participant.rank & !(mask - 1), (participant.rank ^ mask) & !(mask - 1));
        for message in messages(participant, mask, own, other) {
            let steps = if matches!(message, Message::Exchange(_)) { 4 } else { 1 };
            if step < steps {
                return Some(match message {
                    Message::Exchange(with) => participant.exchange((with, all_but(own)), (with, all_but(other)), step),
                    Message::Forward(to) => Operation::Do(participant.send(to, all_but(other))),
                    Message::ReceiveForwarded(from) => Operation::Do(participant.receive(from, all_but(other))),
                });
            }
            step -= steps;
        }
        mask *= 2;
    }
    None
}

/// The messages of a rank in one round.
///
/// If the number of ranks cuts off the partner's group, ranks of the own group with a partner forward the received
/// blocks to the others along a binary tree.
fn messages(participant: Participant<'_>, mask: usize, own: usize, other: usize) -> impl Iterator<Item = Message> {
    let (rank, ranks) = (participant.rank, participant.ranks);
    let partner = rank ^ mask;
    let exchange = (partner < ranks).then_some(Message::Exchange(partner));
    // The number of ranks of the own group with a partner; all if the own group is the upper one.
    let with_partner = ranks.saturating_sub(own + mask);
    let is_cut = other + mask > ranks;
    let halves = std::iter::successors(Some(mask / 2), |half| Some(half / 2)).take_while(|&half| half > 0);
    let forwarded = halves.filter(move |_| is_cut).filter_map(move |half| {
        let (peer, root) = (rank ^ half, rank & !(2 * half - 1));
        let has = |rank: usize| rank < root + with_partner;
        if peer > rank && has(rank) && !has(peer) {
            Some(Message::Forward(peer))
        } else if peer < rank && has(peer) && !has(rank) {
            Some(Message::ReceiveForwarded(peer))
        } else {
            None
        }
    });
    exchange.into_iter().chain(forwarded)
}
