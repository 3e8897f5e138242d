//! What replays of several applications give, and how far they are from measurements, as tables.

use super::format::{maybe_seconds, seconds};
use super::replay::{events, tasks};
use super::table::{Cell, Column, Table};
use orrery::schedule::Rank;
use orrery::simulate::{Comparison, JobOutcome, Outcome, Quantity};
use orrery::units::Seconds;

/// An application among others, and how long it runs alone.
#[derive(Debug, Clone, Copy)]
pub struct JobRow<'a> {
    /// The name of its trace.
    pub name: &'a str,
    /// What became of it.
    pub outcome: &'a JobOutcome,
    /// How long it runs alone.
    pub alone: Seconds,
}

/// The tasks of several jobs, one line each: `job`, and what [`tasks`] tells. `hosts` names the host of each, job by job, and
/// `played` is the outcome of all together.
pub fn tasks_of_jobs(jobs: &[JobRow<'_>], hosts: &[&str], played: &Outcome) -> Table {
    let all = jobs.iter().flat_map(|job| job.outcome.tasks.iter().copied()).collect();
    let end = jobs.iter().map(|job| job.outcome.end).fold(Seconds::ZERO, Seconds::max);
    let communications = played.communications.clone();
    let outcome = Outcome { end, tasks: all, events: Vec::new(), communications, rate_updates: played.rate_updates };
    let whole = tasks(&outcome, hosts);
    let numbers = jobs.iter().enumerate();
    let numbers = numbers.flat_map(|(job, row)| (0..row.outcome.tasks.len()).map(move |task| (job, Rank(task as u32))));
    with_jobs(&whole, numbers)
}

/// The operations of several jobs that took time, one line each: `job`, and what [`events`] tells. `owners` gives the job
/// of each and its rank there.
pub fn events_of_jobs(
    outcome: &Outcome,
    owners: impl Iterator<Item = (usize, Rank)>,
    places: impl Iterator<Item = Option<String>>,
) -> Table {
    with_jobs(&events(outcome, places), owners)
}

/// A table whose first column is the task, with the job before it.
fn with_jobs(table: &Table, owners: impl Iterator<Item = (usize, Rank)>) -> Table {
    let columns = std::iter::once(Column::numbers("job")).chain(table.columns().iter().cloned());
    let mut told = Table::new(table.name.clone(), table.title.clone(), columns).with_note(table.note.clone());
    for (row, (job, rank)) in table.rows().iter().zip(owners) {
        let own = [Cell::integer(job as u64), Cell::integer(u64::from(rank.0))];
        told.push(own.into_iter().chain(row.iter().skip(1).cloned()));
    }
    told
}

/// Several jobs, one line each: `job`, `trace`, `ranks`, `start`, `seconds` (how long it ran), `communicating` (of all its
/// tasks), `alone` (seconds), `slowdown` (null where it takes no time alone).
pub fn jobs(jobs: &[JobRow<'_>], end: Seconds) -> Table {
    let columns = [
        Column::numbers("job"),
        Column::words("trace"),
        Column::numbers("ranks").dispensable(1),
        Column::numbers("start"),
        Column::numbers("seconds").titled("time"),
        Column::numbers("communicating").dispensable(2),
        Column::numbers("alone"),
        Column::numbers("slowdown"),
    ];
    let mut table = Table::new("jobs", "Jobs", columns);
    for (number, row) in jobs.iter().enumerate() {
        let outcome = row.outcome;
        let slowdown = |slowdown: f64| Cell::number(slowdown, format!("{slowdown:.3}"));
        table.push([
            Cell::integer(number as u64),
            Cell::text(row.name),
            Cell::integer(outcome.tasks.len() as u64),
            seconds(outcome.start.get()),
            seconds(outcome.seconds().get()),
            seconds(outcome.communicating.get()),
            seconds(row.alone.get()),
            outcome.slowdown(row.alone).map_or(Cell::Null, slowdown),
        ]);
    }
    table.with_note(format!("simulated: {} s", end.get()))
}

/// MeasuredTimes and simulated times of tasks, one line each: `task`, `quantity` (communicating or seconds), `measured` (S_m) and
/// `predicted` (S_p) in seconds, `error` (E_abs in percent, null where nothing was measured).
pub fn compared_tasks(compared: &Comparison, quantity: Quantity) -> Table {
    let columns = [
        Column::numbers("task"),
        Column::words("quantity").dispensable(1),
        Column::numbers("measured"),
        Column::numbers("predicted"),
        Column::numbers("error"),
    ];
    let mut table = Table::new("compared", "MeasuredTimes and simulated", columns);
    for row in &compared.rows {
        table.push([
            Cell::integer(row.task as u64),
            Cell::text(quantity.name()),
            maybe_seconds(Some(row.measured)),
            maybe_seconds(Some(row.predicted)),
            row.error.map_or(Cell::Null, |error| Cell::number(error, format!("{error:.2} %"))),
        ]);
    }
    match compared.mean {
        Some(mean) => table.with_note(format!("mean of the errors: {mean:.2} %")),
        None => table,
    }
}
