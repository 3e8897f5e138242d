//! What a replay gives as tables.

use super::format::seconds;
use super::table::{Cell, Column, Table};
use orrery::schedule::Operation;
use orrery::simulate::{Communication, Outcome};

/// The tasks of a replay, one line each: `task`, `host`, `seconds` (its end), `computing`, `sleeping`, `communicating`,
/// `sent` and `received` in bytes, `messages`. `hosts` names the host of each. Where communications were asked for also how
/// many of a task met each kind of conflict (`outgoing`, `income`, `income_outgo`), their `mean_penalty` and
/// `largest_penalty`, and what those that it sent `lost` against running alone.
pub fn tasks(outcome: &Outcome, hosts: &[&str]) -> Table {
    let conflicts = if outcome.communications.is_empty() { Vec::new() } else { outcome.task_conflicts() };
    let mut columns = vec![
        Column::numbers("task"),
        Column::words("host"),
        Column::numbers("seconds").titled("end"),
        Column::numbers("computing"),
        Column::numbers("sleeping").dispensable(2),
        Column::numbers("communicating"),
        Column::numbers("sent"),
        Column::numbers("received").dispensable(1),
        Column::numbers("messages").dispensable(1),
    ];
    if !conflicts.is_empty() {
        columns.extend(["outgoing", "income"].map(|kind| Column::numbers(kind).dispensable(3)));
        columns.push(Column::numbers("income_outgo").titled("income/outgo").dispensable(3));
        columns.push(Column::numbers("mean_penalty").titled("penalty"));
        columns.push(Column::numbers("largest_penalty").titled("largest").dispensable(1));
        columns.push(Column::numbers("lost"));
    }
    let mut table = Table::new("tasks", "Tasks", columns);
    for (task, times) in outcome.tasks.iter().enumerate() {
        let mut cells = vec![
            Cell::integer(task as u64),
            Cell::maybe_text(hosts.get(task).copied()),
            seconds(times.end.get()),
            seconds(times.computing.get()),
            seconds(times.sleeping.get()),
            seconds(times.communicating.get()),
            Cell::size(times.sent),
            Cell::size(times.received),
            Cell::integer(times.messages),
        ];
        if let Some(conflicts) = conflicts.get(task) {
            cells.extend(conflicts.met.map(Cell::integer));
            cells.extend([penalty(conflicts.mean_penalty), penalty(conflicts.largest_penalty)]);
            cells.push(seconds(conflicts.lost.get()));
        }
        table.push(cells);
    }
    table.with_note(format!("simulated: {} s", outcome.end.get()))
}

/// The operations of a replay that took time, one line each: `task`, `place` (where it stands in the trace), `operation`,
/// `start` and `seconds`. `places` gives the place of each, in the order of the outcome. Where communications were asked
/// for also the `penalty` and the `conflicts` of the one whose end it waited for, and what that `lost`.
pub fn events(outcome: &Outcome, places: impl Iterator<Item = Option<String>>) -> Table {
    let mut columns = vec![
        Column::numbers("task"),
        Column::words("place"),
        Column::words("operation"),
        Column::numbers("start"),
        Column::numbers("seconds").titled("took"),
    ];
    if !outcome.communications.is_empty() {
        columns.extend([Column::numbers("penalty"), Column::numbers("lost"), Column::words("conflicts")]);
    }
    let mut table = Table::new("events", "Events", columns);
    for (event, place) in outcome.events.iter().zip(places) {
        let operation = doing(event.operation);
        let mut cells = vec![
            Cell::integer(event.rank.index() as u64),
            Cell::maybe_text(place),
            Cell::text(operation),
            seconds(event.start.get()),
            seconds((event.end - event.start).get()),
        ];
        if let Some(communication) = event.communication.map(|place| &outcome.communications[place]) {
            cells.extend([penalty(communication.mean_penalty()), seconds(communication.lost.get())]);
            cells.push(Cell::text(kinds(communication)));
        }
        table.push(cells);
    }
    table
}

/// What an operation does, in words.
pub(super) fn doing(operation: Operation) -> String {
    match operation {
        Operation::Do(transfer) => transfer.to_string(),
        Operation::Compute(_) => "compute".to_owned(),
        Operation::Spin(_) => "sleep".to_owned(),
        other => other.to_string(),
    }
}

/// A penalty as a cell.
pub(super) fn penalty(penalty: f64) -> Cell {
    Cell::number(penalty, format!("{penalty:.3}"))
}

/// The kinds of conflicts that a communication met: `outgoing, income`.
pub(super) fn kinds(communication: &Communication) -> String {
    let words: Vec<&str> = communication.conflicts.iter().map(|kind| kind.name()).collect();
    words.join(", ")
}
