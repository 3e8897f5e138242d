//! Whether the sends of a program may wait for their receives.
//!
//! In a schedule no send waits, but `MPI_Send` may, and does for large messages. Programs use `MPI_Send`, so it is used where
//! it cannot cause a deadlock. Elsewhere sends are posted and completed at the end.

use std::collections::{BTreeMap, VecDeque};

use orrery::schedule::{Cursor, Operation, Program, Rank, Request, Schedule, Tag, Transfer};

/// Returns true if a program without deadlock still has none when each send waits for its receive.
///
/// Returns false for a program that receives from any rank: the matches are unknown before it runs.
pub(crate) fn runs_synchronously(program: &Program) -> bool {
    let mut ranks: Vec<State> = (0..program.ranks()).map(|_| State::default()).collect();
    let mut channels = BTreeMap::new();
    let mut ready: Vec<usize> = (0..ranks.len()).rev().collect();
    while let Some(rank) = ready.pop() {
        if !run(program, rank, &mut ranks, &mut channels, &mut ready) {
            return false;
        }
    }
    ranks.iter().all(|rank| rank.ended && rank.open.is_empty())
}

/// Sender, receiver and tag.
type Channel = (u32, u32, Tag);

/// One end of a message, its request if it was posted.
type End = (usize, Option<Request>);

/// The unmatched ends of messages on a channel, all of the same side.
#[derive(Default)]
struct Waiting {
    sends: VecDeque<End>,
    receives: VecDeque<End>,
}

/// The operation at which a rank is blocked.
#[derive(Default, PartialEq)]
enum Blocked {
    #[default]
    Nothing,
    /// A blocking transfer whose other end is missing.
    Transfer,
    /// A wait for a posted transfer whose other end is missing.
    Request(Request),
}

/// The state of a rank.
#[derive(Default)]
struct State {
    cursor: Cursor,
    blocked: Blocked,
    /// Posted transfers without a match.
    open: Vec<Request>,
    ended: bool,
}

/// Runs a rank until it blocks; returns false if the program receives from any rank.
fn run(
    program: &Program,
    me: usize,
    ranks: &mut [State],
    channels: &mut BTreeMap<Channel, Waiting>,
    ready: &mut Vec<usize>,
) -> bool {
    loop {
        let Some(operation) = program.next(Rank(me as u32), &mut ranks[me].cursor) else {
            ranks[me].ended = true;
            return true;
        };
        let (transfer, request) = match operation {
            Operation::Do(transfer) => (transfer, None),
            Operation::Post(transfer, request) => (transfer, Some(request)),
            Operation::Wait(request) if ranks[me].open.contains(&request) => {
                ranks[me].blocked = Blocked::Request(request);
                return true;
            }
            _ => continue,
        };
        let (channel, is_send) = match transfer {
            Transfer::Send { to, tag, .. } => ((me as u32, to.0, tag), true),
            Transfer::Receive { from, tag, .. } => ((from.0, me as u32, tag), false),
            Transfer::ReceiveAny { .. } => return false,
        };
        let waiting = channels.entry(channel).or_default();
        let (mine, others) = if is_send {
            (&mut waiting.sends, &mut waiting.receives)
        } else {
            (&mut waiting.receives, &mut waiting.sends)
        };
        match others.pop_front() {
            Some((other, met)) => {
                if let Some(met) = met {
                    ranks[other].open.retain(|open| *open != met);
                }
                if ranks[other].blocked == met.map_or(Blocked::Transfer, Blocked::Request) {
                    ranks[other].blocked = Blocked::Nothing;
                    ready.push(other);
                }
            }
            None => {
                mine.push_back((me, request));
                match request {
                    Some(request) => ranks[me].open.push(request),
                    None => {
                        ranks[me].blocked = Blocked::Transfer;
                        return true;
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use orrery::schedule::{Collective, CollectiveKind, Explicit, RoundTrip};
    use orrery::units::Bytes;

    fn send(to: u32) -> Transfer {
        Transfer::Send { to: Rank(to), size: Bytes::ZERO, tag: Tag(0) }
    }

    fn receive(from: u32) -> Transfer {
        Transfer::Receive { from: Rank(from), size: Bytes::ZERO, tag: Tag(0) }
    }

    fn runs(ranks: Vec<Vec<Operation>>) -> bool {
        runs_synchronously(&Program::Explicit(Explicit::new(ranks)))
    }

    #[test]
    fn experiments_and_trees_run_synchronously() {
        let program = Program::RoundTrip(RoundTrip { out: Bytes::ZERO, back: Bytes::ZERO });
        assert!(runs_synchronously(&program));
        for kind in CollectiveKind::ALL {
            for &algorithm in kind.algorithms() {
                for ranks in 2..9 {
                    for root in Rank::first(ranks) {
                        let tree = Collective { kind, algorithm, root, ranks, block: Bytes::ZERO };
                        assert!(runs_synchronously(&Program::Collective(tree)), "{tree:?}");
                    }
                }
            }
        }
    }

    #[test]
    fn crossing_sends_deadlock_unless_one_side_is_posted() {
        use Operation::{Do, Post, Wait};
        let crossed = |other| vec![Do(send(other)), Do(receive(other))];
        assert!(!runs(vec![crossed(1), crossed(0)]));
        assert!(runs(vec![crossed(1), vec![Do(receive(0)), Do(send(0))]]));
        let one = Request(1);
        let posted = |other| vec![Post(receive(other), one), Do(send(other)), Wait(one)];
        assert!(runs(vec![posted(1), posted(0)]));
        let late = |other| vec![Post(send(other), one), Wait(one), Do(receive(other))];
        assert!(!runs(vec![late(1), late(0)]));
        let unwaited = |other| vec![Post(send(other), one), Do(receive(other))];
        assert!(runs(vec![unwaited(1), unwaited(0)]));
    }

    #[test]
    fn messages_to_oneself_and_receives_from_any_rank_do_not_run_synchronously() {
        use Operation::Do;
        assert!(!runs(vec![vec![Do(send(0)), Do(receive(0))]]));
        let any = Transfer::ReceiveAny { size: Bytes::ZERO, tag: Tag(0) };
        assert!(!runs(vec![vec![Do(any)], vec![Do(send(0))]]));
    }
}
