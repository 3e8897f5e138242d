use super::{Engine, EngineError, Message, Moment, Network, Path, Sent};
use crate::platform::Placement;
use crate::schedule::Schedule;

/// Checks that a schedule can run to its end: every send has a matching receive, and there is no
/// deadlock.
///
/// The schedule is played on a network on which all operations take no time.
///
/// ```
/// use orrery::engine::{EngineError, check};
/// use orrery::schedule::{Explicit, Operation, Rank};
/// use orrery::units::Bytes;
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
    Engine::new().run(schedule, &Placement::identity(ranks), &mut Instant { processors: ranks })?;
    Ok(())
}

/// A network on which all operations take no time.
struct Instant {
    processors: usize,
}

impl Network for Instant {
    fn processors(&self) -> usize {
        self.processors
    }

    fn reset(&mut self) {}

    fn send(&mut self, _: Message, start: Moment, _: &mut Path) -> Sent {
        Sent { release: start, arrival: start }
    }

    fn receive(&mut self, _: Message, start: Moment, _: &mut Path) -> Moment {
        start
    }
}
