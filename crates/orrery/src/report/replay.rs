//! What a replay gives as tables.

use super::format::seconds;
use super::table::{Cell, Column, Table};
use crate::schedule::Operation;
use crate::simulate::Outcome;

/// The tasks of a replay, one line each: `task`, `host`, `seconds` (its end), `computing`, `sleeping`, `communicating`,
/// `sent` and `received` in bytes, `messages`. `hosts` names the host of each.
pub fn tasks(outcome: &Outcome, hosts: &[&str]) -> Table {
    let columns = [
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
    let mut table = Table::new("tasks", "Tasks", columns);
    for (task, times) in outcome.tasks.iter().enumerate() {
        table.push([
            Cell::integer(task as u64),
            Cell::maybe_text(hosts.get(task).copied()),
            seconds(times.end.get()),
            seconds(times.computing.get()),
            seconds(times.sleeping.get()),
            seconds(times.communicating.get()),
            Cell::size(times.sent),
            Cell::size(times.received),
            Cell::integer(times.messages),
        ]);
    }
    table.with_note(format!("simulated: {} s", outcome.end.get()))
}

/// The operations of a replay that took time, one line each: `task`, `place` (where it stands in the trace), `operation`,
/// `start` and `seconds`. `places` gives the place of each, in the order of the outcome.
pub fn events(outcome: &Outcome, places: impl Iterator<Item = Option<String>>) -> Table {
    let columns = [
        Column::numbers("task"),
        Column::words("place"),
        Column::words("operation"),
        Column::numbers("start"),
        Column::numbers("seconds").titled("took"),
    ];
    let mut table = Table::new("events", "Events", columns);
    for (event, place) in outcome.events.iter().zip(places) {
        let operation = match event.operation {
            Operation::Do(transfer) => transfer.to_string(),
            Operation::Compute(_) => "compute".to_owned(),
            Operation::Spin(_) => "sleep".to_owned(),
            other => other.to_string(),
        };
        table.push([
            Cell::integer(event.rank.index() as u64),
            Cell::maybe_text(place),
            Cell::text(operation),
            seconds(event.start.get()),
            seconds((event.end - event.start).get()),
        ]);
    }
    table
}
