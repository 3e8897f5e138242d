use anyhow::anyhow;
use orrery::schedule::Rank;
use orrery::simulate::SimulationError;
use orrery::trace::actions::Trace;

/// An error with the places of the trace, where it says them.
pub fn told(error: &SimulationError, trace: &Trace) -> anyhow::Error {
    let place = |rank: Rank, statement: u32| {
        trace.place(rank, statement).map_or(format!("action {statement}"), |place| place.to_string())
    };
    match *error {
        SimulationError::Deadlock(_) => {
            anyhow!("deadlock: {}", error.told(|blocked| place(blocked.rank, blocked.statement)))
        }
        SimulationError::Unreceived { from, statement, .. } => anyhow!("{}: {error}", place(from, statement)),
        SimulationError::Request { rank, statement, .. } => anyhow!("{}: {error}", place(rank, statement)),
        _ => anyhow!("{error}"),
    }
}
