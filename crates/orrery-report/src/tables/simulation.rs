//! What a replay gives as tables.

use super::format::{maybe_seconds, seconds};
use super::table::{Cell, Column, Table};
use orrery::schedule::{Operation, Rank};
use orrery::sharing::scheme::Scheme;
use orrery::simulate::{Communication, Comparison, JobOutcome, Outcome, Quantity};
use orrery::units::Seconds;

/// The tasks of a replay, one line each: `task`, `host`, `seconds` (its end), `computing`, `sleeping`, `communicating`,
/// `sent` and `received` in bytes, `messages`. `hosts` names the host of each. Where communications were asked for also how
/// many of a task met each kind of conflict (`outgoing`, `income`, `income_outgo`), their `mean_penalty` and
/// `largest_penalty`, and what those that it sent `lost` against running alone.
pub fn tasks(outcome: &Outcome, hosts: &[&str]) -> Table {
    let conflicts = if outcome.communications.is_empty() { Vec::new() } else { outcome.task_conflicts() };
    let mut columns = vec![
        Column::number("task"),
        Column::text("host"),
        Column::number("seconds").with_title("end"),
        Column::number("computing"),
        Column::number("sleeping").drop_priority(2),
        Column::number("communicating"),
        Column::number("sent"),
        Column::number("received").drop_priority(1),
        Column::number("messages").drop_priority(1),
    ];
    if !conflicts.is_empty() {
        columns.extend(["outgoing", "income"].map(|kind| Column::number(kind).drop_priority(3)));
        columns.push(Column::number("income_outgo").with_title("income/outgo").drop_priority(3));
        columns.push(Column::number("mean_penalty").with_title("penalty"));
        columns.push(Column::number("largest_penalty").with_title("largest").drop_priority(1));
        columns.push(Column::number("lost"));
    }
    let mut table = Table::new("tasks", "Tasks", columns);
    for (task, times) in outcome.tasks.iter().enumerate() {
        let mut cells = vec![
            Cell::integer(task as u64),
            Cell::optional_text(hosts.get(task).copied()),
            seconds(times.end.get()),
            seconds(times.computing.get()),
            seconds(times.sleeping.get()),
            seconds(times.communicating.get()),
            Cell::size(times.sent),
            Cell::size(times.received),
            Cell::integer(times.messages),
        ];
        if let Some(conflicts) = conflicts.get(task) {
            cells.extend(conflicts.counts.map(Cell::integer));
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
        Column::number("task"),
        Column::text("place"),
        Column::text("operation"),
        Column::number("start"),
        Column::number("seconds").with_title("took"),
    ];
    if !outcome.communications.is_empty() {
        columns.extend([Column::number("penalty"), Column::number("lost"), Column::text("conflicts")]);
    }
    let mut table = Table::new("events", "Events", columns);
    for (event, place) in outcome.events.iter().zip(places) {
        let operation = doing(event.operation);
        let mut cells = vec![
            Cell::integer(event.rank.index() as u64),
            Cell::optional_text(place),
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
pub(crate) fn doing(operation: Operation) -> String {
    match operation {
        Operation::Do(transfer) => transfer.to_string(),
        Operation::Compute(_) => "compute".to_owned(),
        Operation::Spin(_) => "sleep".to_owned(),
        other => other.to_string(),
    }
}

/// A penalty as a cell.
pub(crate) fn penalty(penalty: f64) -> Cell {
    Cell::number(penalty, format!("{penalty:.3}"))
}

/// The kinds of conflicts that a communication met: `outgoing, income`.
pub(crate) fn kinds(communication: &Communication) -> String {
    let words: Vec<&str> = communication.conflicts.iter().map(|kind| kind.name()).collect();
    words.join(", ")
}

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
pub fn job_tasks(jobs: &[JobRow<'_>], hosts: &[&str], played: &Outcome) -> Table {
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
pub fn job_events(
    outcome: &Outcome,
    owners: impl Iterator<Item = (usize, Rank)>,
    places: impl Iterator<Item = Option<String>>,
) -> Table {
    with_jobs(&events(outcome, places), owners)
}

/// A table whose first column is the task, with the job before it.
fn with_jobs(table: &Table, owners: impl Iterator<Item = (usize, Rank)>) -> Table {
    let columns = std::iter::once(Column::number("job")).chain(table.columns().iter().cloned());
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
        Column::number("job"),
        Column::text("trace"),
        Column::number("ranks").drop_priority(1),
        Column::number("start"),
        Column::number("seconds").with_title("time"),
        Column::number("communicating").drop_priority(2),
        Column::number("alone"),
        Column::number("slowdown"),
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

/// Measured and simulated times of tasks, one line each: `task`, `quantity` (communicating or seconds), `measured` (S_m) and
/// `predicted` (S_p) in seconds, `error` (E_abs in percent, null where nothing was measured).
pub fn task_comparison(compared: &Comparison, quantity: Quantity) -> Table {
    let columns = [
        Column::number("task"),
        Column::text("quantity").drop_priority(1),
        Column::number("measured"),
        Column::number("predicted"),
        Column::number("error"),
    ];
    let mut table = Table::new("compared", "Measured and simulated", columns);
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

/// So many of the worst are shown to people.
const SHOWN: usize = 20;
/// So many culprits are named to people.
const NAMED: usize = 3;

/// The communications that lost something, the greatest loss first. Keys: task (the sender), to, place (of the send in the
/// trace, as `place` gives it), size, start, seconds (from send and receive having met), penalty (the mean), lost,
/// culprits (`3→0 0.0012`: its sender, its receiver and the seconds lost to it; the greatest first), conflicts,
/// largest (the largest penalty).
pub fn conflicts(outcome: &Outcome, place: impl Fn(Rank, u32) -> Option<String>) -> Table {
    let columns = [
        Column::number("task"),
        Column::number("to"),
        Column::text("place").drop_priority(2),
        Column::number("size").drop_priority(3),
        Column::number("start").drop_priority(4),
        Column::number("seconds").with_title("took"),
        Column::number("penalty"),
        Column::number("lost"),
        Column::text("culprits").drop_priority(1),
        Column::text("conflicts").drop_priority(6),
        Column::number("largest").drop_priority(5),
    ];
    let mut table = Table::new("conflicts", "Worst conflicts", columns.clone());
    let mut short = Table::new("conflicts", "Worst conflicts", columns);
    let worst = outcome.worst_communications();
    for (row, &k) in worst.iter().enumerate() {
        let one = &outcome.communications[k];
        let cells = |culprits: String| {
            [
                Cell::integer(one.from.index() as u64),
                Cell::integer(one.to.index() as u64),
                Cell::optional_text(place(one.from, one.statement)),
                Cell::size(one.size),
                seconds(one.start.get()),
                seconds((one.end - one.start).get()),
                penalty(one.mean_penalty()),
                seconds(one.lost.get()),
                Cell::text(culprits),
                Cell::text(kinds(one)),
                penalty(one.largest_penalty()),
            ]
        };
        let mut losses = one.losses.clone();
        losses.sort_by(|a, b| b.lost.get().total_cmp(&a.lost.get()));
        let name = |to: usize| format!("{}→{}", outcome.communications[to].from, outcome.communications[to].to);
        let told = losses.iter().map(|loss| format!("{} {}", name(loss.culprit), loss.lost.get()));
        table.push(cells(told.collect::<Vec<_>>().join("; ")));
        if row < SHOWN {
            let mut told: Vec<_> =
                losses.iter().take(NAMED).map(|loss| format!("{} {}", name(loss.culprit), loss.lost)).collect();
            if losses.len() > NAMED {
                told.push(format!("{} more", losses.len() - NAMED));
            }
            short.push(cells(told.join("; ")));
        }
    }
    let note = match worst.len() {
        0 => "No communication was disturbed.".to_owned(),
        n if n > SHOWN => {
            format!("{SHOWN} of {n} communications that were disturbed; the others stand in JSON and CSV")
        }
        _ => String::new(),
    };
    table.with_display(short.with_note(note))
}

/// What tasks lost to each other as senders, the greatest loss first. Keys: victim, culprit, communications (how many of
/// the victim lost something), lost.
pub fn pair_losses(outcome: &Outcome) -> Table {
    let columns = ["victim", "culprit", "communications", "lost"].map(Column::number);
    let mut table = Table::new("pairs", "Lost to each other", columns.clone());
    let mut short = Table::new("pairs", "Lost to each other", columns);
    for (row, pair) in outcome.pair_losses().into_iter().enumerate() {
        let cells = [
            Cell::integer(pair.victim.index() as u64),
            Cell::integer(pair.culprit.index() as u64),
            Cell::integer(pair.communications),
            seconds(pair.lost.get()),
        ];
        table.push(cells.clone());
        if row < SHOWN {
            short.push(cells);
        }
    }
    let rows = table.rows().len();
    if rows > SHOWN { table.with_display(short.with_note(format!("{SHOWN} of {rows} pairs"))) } else { table }
}

/// The transfers of a scheme that was played in time. Keys: name, source, destination, size, start, seconds, penalty
/// (seconds over the seconds of a lone one), largest (the largest penalty on the way), conflicts; those of a transfer
/// within a node are null.
pub fn simulated_scheme(scheme: &Scheme, told: &[Option<Communication>], bandwidth: f64) -> Table {
    let columns = [
        Column::text("name"),
        Column::number("source"),
        Column::number("destination"),
        Column::number("size").drop_priority(2),
        Column::number("start").drop_priority(3),
        Column::number("seconds").with_title("time"),
        Column::number("penalty"),
        Column::number("largest").drop_priority(4),
        Column::text("conflicts").drop_priority(1),
    ];
    let mut table = Table::new("replayed", "", columns);
    for (arc, told) in scheme.arcs.iter().zip(told) {
        let took = told.as_ref().map(|one| (one.end - one.start).get());
        let alone = arc.size.get() as f64 / bandwidth;
        table.push([
            Cell::text(arc.name.clone()),
            Cell::integer(u64::from(arc.transfer.source.0)),
            Cell::integer(u64::from(arc.transfer.destination.0)),
            Cell::size(arc.size),
            seconds(arc.delay.get()),
            maybe_seconds(took),
            took.map_or(Cell::Null, |took| penalty(took / alone)),
            told.as_ref().map_or(Cell::Null, |one| penalty(one.largest_penalty())),
            Cell::optional_text(told.as_ref().map(kinds)),
        ]);
    }
    table
}
