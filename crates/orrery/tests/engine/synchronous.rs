//! Whether schedules still run when each send waits for its receive, as `MPI_Send` may.

use orrery::engine::runs_synchronously;
use orrery::schedule::RoundTrip;

use crate::prelude::*;

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

#[test]
fn receives_may_be_longer_than_their_messages() {
    use Operation::Do;
    let long = Transfer::Receive { from: Rank(0), size: Bytes::new(8), tag: Tag(0) };
    assert!(runs(vec![vec![Do(send(1))], vec![Do(long)]]));
    assert!(!runs(vec![vec![Do(send(1))], vec![]]));
    assert!(!runs(vec![vec![], vec![Do(long)]]));
    assert!(!runs(vec![vec![Do(send(2))], vec![Do(long)]]));
}
