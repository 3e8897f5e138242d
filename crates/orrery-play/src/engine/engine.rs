use super::play::{Run, State};
use super::queue::EngineEvent;
use super::{EventSink, Moment, Network, Outcome};
use orrery_cluster::platform::Placement;
use orrery_program::schedule::{Blocked, Deadlock, Operation, Rank, Schedule, Transfer};

/// Plays schedules in virtual time. It reuses its memory between runs: create one engine for many
/// runs.
///
/// ```
/// use orrery_play::engine::{Engine, UniformNetwork};
/// use orrery_cluster::platform::Placement;
/// use orrery_program::schedule::{Reading, Reducer, Rank, RoundTrip, Timer};
/// use orrery_base::units::{Bytes, Seconds, SecondsPerByte};
/// // Two processors: α = 20 µs, β = 1 ns/B.
/// let (latency, byte_delay) = (Seconds::new(20e-6), SecondsPerByte::new(1e-9));
/// let mut network = UniformNetwork { processors: 2, latency, byte_delay };
/// let round_trip = RoundTrip { out: Bytes::new(1000), back: Bytes::ZERO };
/// let mut engine = Engine::new();
/// let outcome = engine.run(&round_trip, &Placement::identity(2), &mut network)?;
/// let reading = Reading { timer: Timer::WHOLE, reducer: Reducer::At(Rank(0)) };
/// // 2·α + 1000·β
/// assert!((outcome.read(reading).get() - 41e-6).abs() < 1e-15);
/// # Ok::<(), orrery_play::engine::EngineError>(())
/// ```
#[derive(Debug, Default)]
pub struct Engine {
    state: State,
    /// The number of operations in all runs.
    operations: u64,
}

impl Engine {
    /// Creates an engine without any run.
    pub fn new() -> Self {
        Self::default()
    }

    /// Returns the number of operations in all runs of this engine.
    pub fn operations(&self) -> u64 {
        self.operations
    }

    /// Plays a schedule whose ranks are mapped to processors by `placement`.
    ///
    /// # Errors
    ///
    /// When the schedule cannot run to its end (see [`EngineError`]).
    pub fn run<S, N>(
        &mut self,
        schedule: &S,
        placement: &Placement,
        network: &mut N,
    ) -> Result<Outcome<'_>, EngineError>
    where
        S: Schedule + ?Sized,
        N: Network + ?Sized,
    {
        self.play(schedule, placement, network, false, None)
    }

    /// Plays a schedule as [`Engine::run`] does and keeps the critical path.
    ///
    /// # Errors
    ///
    /// As [`Engine::run`].
    pub fn trace<S, N>(
        &mut self,
        schedule: &S,
        placement: &Placement,
        network: &mut N,
    ) -> Result<Outcome<'_>, EngineError>
    where
        S: Schedule + ?Sized,
        N: Network + ?Sized,
    {
        self.play(schedule, placement, network, true, None)
    }

    /// Plays a schedule as [`Engine::run`] does and calls `watch` with each operation when it has
    /// ended.
    ///
    /// For schedules that were not written for the engine, such as traces: a receive may be longer
    /// than the message, or have the unknown size 0; the size of the message counts.
    ///
    /// # Errors
    ///
    /// As [`Engine::run`].
    pub fn watch<S, N>(
        &mut self,
        schedule: &S,
        placement: &Placement,
        network: &mut N,
        watch: EventSink<'_>,
    ) -> Result<Outcome<'_>, EngineError>
    where
        S: Schedule + ?Sized,
        N: Network + ?Sized,
    {
        self.play(schedule, placement, network, false, Some(watch))
    }

    /// Plays a schedule, with or without the critical path and an observer.
    fn play<S, N>(
        &mut self,
        schedule: &S,
        placement: &Placement,
        network: &mut N,
        keep_path: bool,
        watch: Option<EventSink<'_>>,
    ) -> Result<Outcome<'_>, EngineError>
    where
        S: Schedule + ?Sized,
        N: Network + ?Sized,
    {
        let ranks = schedule.ranks();
        let processors = network.processors();
        if placement.ranks() != ranks
            || placement.processors().iter().any(|p| p.index() >= processors)
        {
            return Err(EngineError::placement(ranks, placement.ranks(), processors));
        }
        self.state.restart(ranks, keep_path);
        network.reset();
        let mut run = Run { state: &mut self.state, schedule, placement, network, watch };
        for rank in Rank::first(ranks) {
            run.advance_program(rank, Moment::START)?;
        }
        while let Some((now, event)) = run.state.queue.pop() {
            run.state.now = now;
            match event {
                EngineEvent::Served { rank } => run.finish_service(Rank(rank))?,
                EngineEvent::Ready { work } => {
                    let (rank, ready) = run.state.later[work as usize];
                    run.enqueue(rank, ready)?;
                }
                EngineEvent::Delivered { message } => run.finish_held_send(message)?,
                EngineEvent::Arrivals { rank, tag } => run.take_arrivals(rank, tag)?,
            }
        }
        self.complete(ranks)?;
        let State { ranks: states, spans, path, .. } = &self.state;
        Ok(Outcome::new(&states[..ranks], spans, path))
    }

    /// Returns an error unless every rank has finished and every message was received.
    fn complete(&mut self, ranks: usize) -> Result<(), EngineError> {
        let mut blocked = Vec::new();
        for (rank, state) in Rank::first(ranks).zip(&self.state.ranks) {
            self.operations += state.steps as u64;
            let (step, statement) = (state.steps.saturating_sub(1), state.cursor.statement);
            if let (None, Some(operation)) = (state.finish, state.blocked) {
                blocked.push(Blocked { rank, step, statement, operation });
            } else if let Some(pending) = state.pending.first() {
                let transfer = match pending.from {
                    Some(from) => Transfer::Receive { from, size: pending.size, tag: pending.tag },
                    None => Transfer::ReceiveAny { size: pending.size, tag: pending.tag },
                };
                blocked.push(Blocked { rank, step, statement, operation: Operation::Do(transfer) });
            }
        }
        if !blocked.is_empty() {
            return Err(Deadlock { blocked }.into());
        }
        for (to, state) in Rank::first(ranks).zip(&self.state.ranks) {
            let unmatched = state.unmatched.first().map(|message| message.from);
            if let Some(from) =
                unmatched.or_else(|| state.rendezvous.first().map(|rendezvous| rendezvous.from))
            {
                return Err(EngineError::Other(format!(
                    "rank {from} sends a message to rank {to} that no receive of rank {to} \
                        matches; add a receive"
                )));
            }
        }
        Ok(())
    }
}

/// The reason why a schedule cannot run to its end.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum EngineError {
    /// Ranks wait for each other, or for a message that is never sent.
    #[error(transparent)]
    Deadlock(#[from] Deadlock),
    /// Any other reason, as a sentence.
    #[error("{0}")]
    Other(String),
}

impl EngineError {
    /// A placement of another number of ranks, or on processors that the network does not have.
    pub(crate) fn placement(ranks: usize, placed: usize, processors: usize) -> Self {
        Self::Other(format!(
            "the schedule has {ranks} ranks, the placement {placed}, the network {processors} \
                processors; place each rank on a processor of the network"
        ))
    }
}
