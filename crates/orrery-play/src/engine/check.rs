use super::{Engine, EngineError, Synchronous, UniformNetwork};
use orrery_cluster::platform::Placement;
use orrery_program::schedule::{Operation, Rank, Schedule, Transfer, operations};

/// Checks that a schedule can run to its end: every send has a matching receive, and there is no
/// deadlock.
///
/// The schedule is played on a network on which all operations take no time.
///
/// ```
/// use orrery_play::engine::{EngineError, check};
/// use orrery_program::schedule::{Explicit, Operation, Rank};
/// use orrery_base::units::Bytes;
/// let both_receive_first = Explicit::new(vec![
///     vec![Operation::receive(Rank(1), Bytes::ZERO), Operation::send(Rank(1), Bytes::ZERO)],
///     vec![Operation::receive(Rank(0), Bytes::ZERO), Operation::send(Rank(0), Bytes::ZERO)],
/// ]);
/// let error = check(&both_receive_first).unwrap_err();
/// assert_eq!(
///     error.to_string(),
///     "deadlock: rank 0 waits at operation 0 (recv 0b from 1 tag 0); rank 1 waits at operation 0 (recv 0b from 0 tag 0)"
/// );
/// ```
///
/// # Errors
///
/// The first error in the schedule, see [`EngineError`].
pub fn check<S: Schedule + ?Sized>(schedule: &S) -> Result<(), EngineError> {
    let ranks = schedule.ranks();
    let mut instant = UniformNetwork { processors: ranks, ..Default::default() };
    Engine::new().run(schedule, &Placement::identity(ranks), &mut instant)?;
    Ok(())
}

/// Returns true if a schedule without deadlock still has none when each send waits for its receive.
///
/// In a schedule no send waits, but `MPI_Send` may, and does for large messages. Returns false for
/// a schedule with a receive from any source, whose match is unknown before it runs, and for one
/// with a message from a rank to itself, which takes no time in the engine.
///
/// ```
/// use orrery_play::engine::runs_synchronously;
/// use orrery_program::schedule::{Explicit, Operation, Rank};
/// use orrery_base::units::Bytes;
/// let send = |to| Operation::send(Rank(to), Bytes::ZERO);
/// let receive = |from| Operation::receive(Rank(from), Bytes::ZERO);
/// let both_send_first = vec![vec![send(1), receive(1)], vec![send(0), receive(0)]];
/// assert!(!runs_synchronously(&Explicit::new(both_send_first)));
/// let one_receives_first = vec![vec![send(1), receive(1)], vec![receive(0), send(0)]];
/// assert!(runs_synchronously(&Explicit::new(one_receives_first)));
/// ```
pub fn runs_synchronously<S: Schedule + ?Sized>(schedule: &S) -> bool {
    let ranks = schedule.ranks();
    let is_undecided = |rank: Rank| {
        operations(schedule, rank).any(|operation| match operation {
            Operation::Do(transfer) | Operation::Post(transfer, _) => match transfer {
                Transfer::Send { to, .. } => to == rank,
                Transfer::Receive { .. } => false,
                Transfer::ReceiveAny { .. } => true,
            },
            _ => false,
        })
    };
    if Rank::first(ranks).any(is_undecided) {
        return false;
    }
    let mut instant = UniformNetwork { processors: ranks, ..Default::default() };
    // The observer lets receives be longer than their messages, as MPI does.
    Engine::new()
        .watch(schedule, &Placement::identity(ranks), &mut Synchronous(&mut instant), &mut |_| {})
        .is_ok()
}
