//! Errors of simulations with the positions of operations in traces.

use super::application::SimulatedApplication;
use crate::request::RequestError;
use crate::schedule::{Blocked, Deadlock, Operation, Rank, Request};
use crate::sharing::SharingError;
use crate::simulate::SimulationError;
use crate::simulate::loggp::{ReplayError, UnfinishedOperation};

/// The number of changes of rates, each of 15 nanoseconds, that count as an operation.
pub(super) const RATE_CHANGES_PER_OPERATION: u64 = 50;

/// The error of a run; `own` converts a blocked rank to the numbers of its application.
pub(super) fn of_run<'a>(
    error: SimulationError,
    own: impl Fn(Blocked) -> (Blocked, Option<&'a SimulatedApplication>),
) -> RequestError {
    let place = |rank: Rank, statement: u32| {
        let (one, application) =
            own(Blocked { rank, step: 0, statement, operation: Operation::Wait(Request(0)) });
        let place = application.and_then(|application| application.place(one.rank, one.statement));
        (one.rank, place.unwrap_or("its end".to_owned()))
    };
    let at =
        |place: String, error: SimulationError| RequestError::failed(format!("{place}: {error}"));
    match error {
        SimulationError::Deadlock(Deadlock { blocked }) => {
            let (blocked, places): (Vec<Blocked>, Vec<String>) = blocked
                .into_iter()
                .map(|one| (own(one.clone()).0, place(one.rank, one.statement).1))
                .unzip();
            // They are described in order.
            let places = std::cell::RefCell::new(places.into_iter());
            let next = |_: &Blocked| places.borrow_mut().next().unwrap_or_default();
            RequestError::failed(format!("deadlock: {}", Deadlock { blocked }.describe(next)))
        }
        SimulationError::Unreceived { from, statement, to } => {
            let (rank, own) = place(from, statement);
            let to = Rank(to.0 - (from.0 - rank.0));
            at(own, SimulationError::Unreceived { from: rank, statement, to })
        }
        SimulationError::Operation { rank, statement, problem } => {
            let (rank, own) = place(rank, statement);
            at(own, SimulationError::Operation { rank, statement, problem })
        }
        SimulationError::Size { from, to, statement, sent, expected } => {
            let (rank, own) = place(to, statement);
            let from = Rank(from.0 - (to.0 - rank.0));
            at(own, SimulationError::Size { from, to: rank, statement, sent, expected })
        }
        error => of_whole_run(&error),
    }
}

/// The error of a run as a whole.
pub(in super::super) fn of_whole_run(error: &SimulationError) -> RequestError {
    let text = error.to_string();
    match error {
        SimulationError::RateChanges { limit, .. } => {
            let operations = limit / RATE_CHANGES_PER_OPERATION;
            let text = format!("{text} of {operations} operations");
            RequestError::failed_with(text, "max_operations", Some(format!("{operations}0")))
        }
        SimulationError::Sharing {
            error: SharingError::TooLarge { .. } | SharingError::TooMany { .. },
            ..
        } => RequestError::failed_with(text, "estimate", None),
        _ => RequestError::failed(text),
    }
}

/// The error of a replay in LogGOPS.
pub(super) fn of_replay(application: &SimulatedApplication, error: ReplayError) -> RequestError {
    let place = |rank: u32, line: u32| application.place(Rank(rank), line).unwrap_or_default();
    let (first, count) = match error {
        ReplayError::Deadlock { first, count } => (first, count),
        ReplayError::Size { send, receive } => {
            let (from, to) = (Rank(send.rank), Rank(receive.rank));
            let (statement, sent, expected) = (receive.line, send.size, receive.size);
            let error = SimulationError::Size { from, to, statement, sent, expected };
            return RequestError::failed(format!("{}: {error}", place(receive.rank, statement)));
        }
    };
    let describe = |unfinished: &UnfinishedOperation| {
        let operation = unfinished.operation;
        format!("rank {} waits at {}", operation.rank, place(operation.rank, operation.line))
    };
    let all: Vec<String> = first.iter().map(describe).collect();
    let more = count - first.len();
    let more = if more > 0 { format!("; and {more} more operations") } else { String::new() };
    RequestError::failed(format!("deadlock: {}{more}", all.join("; ")))
}
