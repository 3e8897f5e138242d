//! Runs of placed applications on the networks of platforms.

use super::application::SimulatedApplication;
use super::cluster::SharedLinks;
use super::error::{self, RATE_CHANGES_PER_OPERATION};
use super::platform::PlacedApplication;
use crate::engine::EngineError;
use crate::model::{Model, ModelKind};
use crate::platform::{HostId, Placement, Processor};
use crate::request::RequestError;
use crate::schedule::{Blocked, Job, Jobs, Rank, Schedule};
use crate::simulate::loggp::{self, LogGops};
use crate::simulate::{EventSink, Outcome, Simulation, SimulationError, replay_point_to_point};
use crate::trace::goal::GoalGraph;
use crate::units::Seconds;

/// Simulates applications as one schedule, with this time of a test of a request.
///
/// `run` gets the schedule, the host or processor of each rank, and a function that adds positions
/// to errors.
fn together(
    placed: &[&PlacedApplication<'_>],
    test: Seconds,
    run: impl FnOnce(
        &dyn Schedule,
        &[u32],
        &dyn Fn(SimulationError) -> RequestError,
    ) -> Result<Outcome, RequestError>,
) -> Result<Outcome, RequestError> {
    let schedules: Vec<Box<dyn Schedule + '_>> =
        placed.iter().map(|one| one.application.schedule(&one.speeds, test)).collect();
    if let ([schedule], [one]) = (&schedules[..], placed)
        && one.start <= Seconds::ZERO
    {
        let located = |error| error::of_run(error, |blocked| (blocked, Some(one.application)));
        return run(&**schedule, &one.places, &located);
    }
    let all = schedules.iter().zip(placed);
    let all = all.map(|(schedule, one)| Job { schedule: &**schedule, start: one.start });
    let jobs = Jobs::new(all.collect());
    let places: Vec<u32> = placed.iter().flat_map(|one| one.places.iter().copied()).collect();
    let own = |blocked: Blocked| {
        let Some((job, rank)) = jobs.owner(blocked.rank) else { return (blocked, None) };
        let first = blocked.rank.0 - rank.0;
        let operation = blocked.operation.map_ranks(|peer| Rank(peer.0 - first));
        let statement = Jobs::statement(blocked.statement).unwrap_or(u32::MAX);
        (Blocked { rank, statement, operation, ..blocked }, Some(placed[job].application))
    };
    run(&jobs, &places, &|error| error::of_run(error, own))
}

/// Simulates applications on links that flows share.
pub(super) fn on_links(
    links: &SharedLinks,
    placed: &[&PlacedApplication<'_>],
    conflicts: bool,
    events: Option<EventSink<'_>>,
) -> Result<Outcome, RequestError> {
    together(placed, links.model.test_time(), |schedule, places, located| {
        let hosts: Vec<HostId> = places.iter().map(|&place| HostId(place)).collect();
        let operations: u64 = placed.iter().map(|one| one.application.max_operations()).sum();
        let simulation = Simulation::new(&links.topology, &hosts, links.model.clone())
            .with_overheads(&links.overheads)
            .with_max_rate_changes(operations.saturating_mul(RATE_CHANGES_PER_OPERATION));
        let simulation = if conflicts { simulation.with_conflicts() } else { simulation };
        match events {
            Some(events) => simulation.run_with(schedule, events),
            None => simulation.run(schedule),
        }
        .map_err(located)
    })
}

/// Simulates applications on a fitted model without flows.
pub(super) fn on_model(
    model: &Model,
    kind: ModelKind,
    placed: &[&PlacedApplication<'_>],
    events: Option<EventSink<'_>>,
) -> Result<Outcome, RequestError> {
    together(placed, Seconds::ZERO, |schedule, places, located| {
        let mut network = model.network(kind)?;
        let placement = Placement::new(places.iter().map(|&place| Processor(place)));
        let outcome = replay_point_to_point(schedule, &placement, &mut network, events);
        outcome.map_err(|error| match error {
            EngineError::Deadlock(deadlock) => located(SimulationError::Deadlock(deadlock)),
            error @ EngineError::Other(_) => RequestError::failed(error.to_string()),
        })
    })
}

/// Simulates applications in LogGOPS, where they do not affect each other.
pub(super) fn in_loggops(
    parameters: &LogGops,
    placed: &[&PlacedApplication<'_>],
    events: Option<EventSink<'_>>,
) -> Result<Outcome, RequestError> {
    let outcome = |one: &PlacedApplication<'_>| {
        replay_one(parameters, one.application, &one.speeds, events.is_some())
    };
    let mut combined = match placed {
        [one] if one.start <= Seconds::ZERO => outcome(one)?,
        _ => {
            let all = placed.iter().map(|one| Ok((outcome(one)?, one.start)));
            Outcome::concurrently(all.collect::<Result<Vec<_>, RequestError>>()?)
        }
    };
    if let Some(events) = events {
        combined.events.drain(..).for_each(events);
    }
    Ok(combined)
}

/// Replays a graph, or a trace of actions converted to a graph.
fn replay_one(
    parameters: &LogGops,
    application: &SimulatedApplication,
    speeds: &[f64],
    has_events: bool,
) -> Result<Outcome, RequestError> {
    let name = &application.name;
    if let Some(graph) = application.graph() {
        return loggp::outcome(graph, parameters, has_events)
            .map_err(|error| RequestError::failed(format!("{name}: {error}")));
    }
    let graph = GoalGraph::from_schedule(&*application.schedule(speeds, Seconds::ZERO))
        .map_err(|error| RequestError::failed(format!("{name}: {error}")))?;
    loggp::outcome(&graph, parameters, has_events)
        .map_err(|error| error::of_replay(application, error))
}
