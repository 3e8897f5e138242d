//! Whether the sends of a program may wait for their receives.
//!
//! In a schedule no send waits, but `MPI_Send` may, and does for large messages. Programs use
//! `MPI_Send`, so it is used where it cannot cause a deadlock. Elsewhere sends are posted and
//! completed at the end.

use orrery::schedule::{
    Cursor, MatchQueue, Operation, Program, Rank, Request, Requests, Schedule, Transfer,
};

/// Returns true if a program without deadlock still has none when each send waits for its receive.
///
/// Returns false for a program that receives from any rank: the matches are unknown before it runs.
pub(crate) fn runs_synchronously(program: &Program) -> bool {
    let mut ranks: Vec<State> = (0..program.ranks()).map(|_| State::default()).collect();
    let mut ready: Vec<Rank> = (0..ranks.len() as u32).rev().map(Rank).collect();
    while let Some(rank) = ready.pop() {
        if run(program, rank, &mut ranks, &mut ready).is_none() {
            return false;
        }
    }
    ranks.iter().all(|rank| rank.ended && !rank.requests.has_open())
}

/// One end of a message, its request if it was posted.
type End = (Rank, Option<Request>);

/// The state of a rank.
#[derive(Default)]
struct State {
    cursor: Cursor,
    requests: Requests<()>,
    /// Sends to the rank without a receive.
    sends: MatchQueue<End>,
    /// Receives of the rank without a send.
    receives: MatchQueue<End>,
    ended: bool,
}

/// Runs a rank until it blocks; `None` if its program receives from any rank, or names a rank or a
/// request that does not exist.
fn run(program: &Program, rank: Rank, ranks: &mut [State], ready: &mut Vec<Rank>) -> Option<()> {
    loop {
        let state = &mut ranks[rank.index()];
        let Some(operation) = program.next(rank, &mut state.cursor) else {
            state.ended = true;
            return Some(());
        };
        let (transfer, request) = match operation {
            Operation::Do(transfer) => (transfer, None),
            Operation::Post(transfer, request) => (transfer, Some(request)),
            Operation::Wait(request) => match state.requests.wait(request).ok()? {
                Some(()) => continue,
                None => return Some(()),
            },
            _ => continue,
        };
        let end = (rank, request);
        let other = match transfer {
            Transfer::Send { to, tag, .. } => {
                let receiver = ranks.get_mut(to.index())?;
                let receive =
                    receiver.receives.first_for(rank, tag).map(|id| receiver.receives.remove(id));
                if receive.is_none() {
                    receiver.sends.push(Some(rank), tag, end);
                }
                receive
            }
            Transfer::Receive { from, tag, .. } => {
                let send = state.sends.first_from(Some(from), tag).map(|id| state.sends.remove(id));
                if send.is_none() {
                    state.receives.push(Some(from), tag, end);
                }
                send
            }
            Transfer::ReceiveAny { .. } => return None,
        };
        if let Some(request) = request {
            ranks[rank.index()].requests.post(request).ok()?;
        }
        let Some(other) = other else {
            if request.is_none() {
                return Some(());
            }
            continue;
        };
        if let (_, Some(request)) = end {
            ranks[rank.index()].requests.complete(request, ());
        }
        // A blocking transfer without a match blocks its rank.
        if other.1.is_none_or(|request| ranks[other.0.index()].requests.complete(request, ())) {
            ready.push(other.0);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use orrery::schedule::{Collective, CollectiveKind, Explicit, RoundTrip, Tag};
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
