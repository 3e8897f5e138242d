//! Replay on a point-to-point model (Hockney, LOM, LMO, …), which has no links shared by several
//! pairs.
//!
//! The engine executes the schedule. No send waits for its receive, and each processor serves one
//! message at a time, so that messages of one processor delay each other, and messages of disjoint
//! pairs do not.

use super::{Outcome, TaskTimes};
use crate::engine::{Engine, EngineError, Event, EventSink, Network};
use orrery_base::units::Seconds;
use orrery_cluster::platform::Placement;
use orrery_program::schedule::{Operation, Rank, Schedule, Transfer, operations};

/// Replays a schedule with each rank on a processor of its own, and passes every operation that
/// takes time to `events`.
///
/// ```
/// use orrery_play::engine::UniformNetwork;
/// use orrery_cluster::platform::Placement;
/// use orrery_program::schedule::RoundTrip;
/// use orrery_play::simulate::replay_point_to_point;
/// use orrery_base::units::{Bytes, Seconds, SecondsPerByte};
/// // Two processors: α = 20 µs, β = 1 ns/B.
/// let (latency, byte_delay) = (Seconds::new(20e-6), SecondsPerByte::new(1e-9));
/// let mut network = UniformNetwork { processors: 2, latency, byte_delay };
/// let trip = RoundTrip { out: Bytes::new(1000), back: Bytes::ZERO };
/// let outcome = replay_point_to_point(&trip, &Placement::identity(2), &mut network, None)?;
/// assert!((outcome.end.get() - 41e-6).abs() < 1e-15);
/// // Rank 0 is busy for α + 1000·β in its send, then waits in its receive.
/// assert!((outcome.tasks[0].communicating.get() - 41e-6).abs() < 1e-15);
/// assert_eq!(outcome.tasks[1].received, Bytes::new(1000));
/// # Ok::<(), orrery_play::engine::EngineError>(())
/// ```
///
/// # Errors
///
/// When two ranks share a processor, a rank has none, or the schedule cannot run to its end.
pub fn replay_point_to_point<S, N>(
    schedule: &S,
    placement: &Placement,
    network: &mut N,
    mut events: Option<EventSink<'_>>,
) -> Result<Outcome, EngineError>
where
    S: Schedule + ?Sized,
    N: Network + ?Sized,
{
    let ranks = schedule.ranks();
    if !placement.is_distinct() {
        return Err(EngineError::placement(ranks, placement.ranks(), network.processors()));
    }
    let mut tasks = traffic(schedule);
    let mut engine = Engine::new();
    let mut watch = |event: Event| {
        tasks[event.rank.index()].add(event.operation, event.end - event.start);
        if let Some(events) = events.as_mut().filter(|_| event.end > event.start) {
            events(event);
        }
    };
    let finished = engine.watch(schedule, placement, network, &mut watch)?;
    let ends: Vec<Seconds> = Rank::first(ranks).map(|rank| finished.finish(rank)).collect();
    tasks.iter_mut().zip(&ends).for_each(|(times, end)| times.end = *end);
    let end = ends.into_iter().fold(Seconds::ZERO, Seconds::max);
    Ok(Outcome { end, tasks, events: Vec::new(), communications: Vec::new(), rate_updates: 0 })
}

/// The bytes and messages that each task sends and receives; their times are 0.
fn traffic<S: Schedule + ?Sized>(schedule: &S) -> Vec<TaskTimes> {
    let mut tasks = vec![TaskTimes::default(); schedule.ranks()];
    for rank in Rank::first(tasks.len()) {
        for operation in operations(schedule, rank) {
            let (Operation::Do(Transfer::Send { to, size, .. })
            | Operation::Post(Transfer::Send { to, size, .. }, _)) = operation
            else {
                continue;
            };
            let own = &mut tasks[rank.index()];
            own.sent = own.sent + size;
            own.messages += 1;
            if let Some(other) = tasks.get_mut(to.index()) {
                other.received = other.received + size;
            }
        }
    }
    tasks
}
