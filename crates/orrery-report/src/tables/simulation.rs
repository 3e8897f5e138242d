//! Tables of simulated applications: tasks, operations, jobs, and the time lost to other messages.

use super::format::{maybe_seconds, seconds};
use super::table::{Cell, Column, Table};
use orrery::schedule::{Operation, Rank};
use orrery::sharing::scheme::Scheme;
use orrery::simulate::{Communication, Comparison, JobOutcome, Loss, Outcome, Quantity};
use orrery::units::Seconds;

/// The table of simulated tasks; `hosts` names the host of each task.
///
/// Keys: task, host, seconds (completion time), computing, sleeping, communicating, sent and
/// received (bytes), messages. If the outcome has communications, also: outgoing, income and
/// income_outgo (how many messages of the task met each kind of conflict), mean_penalty,
/// largest_penalty, and lost (time that its sends lost to other messages).
pub fn tasks(outcome: &Outcome, hosts: &[&str]) -> Table {
    let conflicts =
        if outcome.communications.is_empty() { Vec::new() } else { outcome.task_conflicts() };
    let mut columns = vec![
        Column::number("task"),
        Column::text("host"),
        Column::number("seconds").with_title("time"),
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
        columns.push(Column::number("mean_penalty"));
        columns.push(Column::number("largest_penalty").drop_priority(1));
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

/// The table of operations that took time; `places` gives the place of each operation in its trace.
///
/// Keys: task, place, operation, start, seconds. If the outcome has communications, also the
/// penalty, the lost time and the conflicts (a list) of the message whose end the operation waited
/// for.
pub fn events(outcome: &Outcome, places: impl Iterator<Item = Option<String>>) -> Table {
    let mut columns = vec![
        Column::number("task"),
        Column::text("place"),
        Column::text("operation"),
        Column::number("start"),
        Column::number("seconds").with_title("time"),
    ];
    if !outcome.communications.is_empty() {
        columns.extend([
            Column::number("penalty"),
            Column::number("lost"),
            Column::text("conflicts"),
        ]);
    }
    let mut table = Table::new("events", "Events", columns);
    for (event, place) in outcome.events.iter().zip(places) {
        let operation = operation_text(event.operation);
        let mut cells = vec![
            Cell::integer(event.rank.index() as u64),
            Cell::optional_text(place),
            Cell::text(operation),
            seconds(event.start.get()),
            seconds((event.end - event.start).get()),
        ];
        if let Some(communication) = event.communication.map(|place| &outcome.communications[place])
        {
            cells
                .extend([penalty(communication.mean_penalty()), seconds(communication.lost.get())]);
            cells.push(conflict_kinds(communication));
        }
        table.push(cells);
    }
    table
}

/// The text of an operation: `send 64K to 3`, `compute`, `sleep`.
pub(crate) fn operation_text(operation: Operation) -> String {
    match operation {
        Operation::Do(transfer) => transfer.to_string(),
        Operation::Compute(_) => "compute".to_owned(),
        Operation::Combine(_) => "combine".to_owned(),
        Operation::Spin(_) => "sleep".to_owned(),
        other => other.to_string(),
    }
}

/// A penalty as a cell.
pub(crate) fn penalty(penalty: f64) -> Cell {
    Cell::number(penalty, format!("{penalty:.3}"))
}

/// The kinds of conflicts that a message met, as a list.
pub(crate) fn conflict_kinds(communication: &Communication) -> Cell {
    Cell::texts(communication.conflicts.iter().map(|kind| kind.name()))
}

/// One of several simulated applications.
#[derive(Debug, Clone, Copy)]
pub struct JobRow<'a> {
    /// The name of its trace.
    pub name: &'a str,
    /// Its simulated times.
    pub outcome: &'a JobOutcome,
    /// Its execution time when no other application runs.
    pub alone: Seconds,
}

/// The table of the tasks of several jobs: the column `job`, then the columns of [`tasks`].
///
/// `hosts` names the host of each task, job by job; `combined` is the outcome of all jobs together.
pub fn job_tasks(jobs: &[JobRow<'_>], hosts: &[&str], combined: &Outcome) -> Table {
    let all = jobs.iter().flat_map(|job| job.outcome.tasks.iter().copied()).collect();
    let end = jobs.iter().map(|job| job.outcome.end).fold(Seconds::ZERO, Seconds::max);
    let communications = combined.communications.clone();
    let outcome = Outcome {
        end,
        tasks: all,
        events: Vec::new(),
        communications,
        rate_updates: combined.rate_updates,
    };
    let whole = tasks(&outcome, hosts);
    let numbers = jobs.iter().enumerate();
    let numbers = numbers.flat_map(|(job, row)| {
        (0..row.outcome.tasks.len()).map(move |task| (job, Rank(task as u32)))
    });
    with_jobs(&whole, numbers)
}

/// The table of the operations of several jobs: the column `job`, then the columns of [`events`].
///
/// `owners` gives the job of each operation and its rank there.
pub fn job_events(
    outcome: &Outcome,
    owners: impl Iterator<Item = (usize, Rank)>,
    places: impl Iterator<Item = Option<String>>,
) -> Table {
    with_jobs(&events(outcome, places), owners)
}

/// Adds the column `job` to a table whose first column is the task.
fn with_jobs(table: &Table, owners: impl Iterator<Item = (usize, Rank)>) -> Table {
    let columns = std::iter::once(Column::number("job")).chain(table.columns().iter().cloned());
    let mut with_jobs =
        Table::new(table.name.clone(), table.title.clone(), columns).with_note(table.note.clone());
    for (row, (job, rank)) in table.rows().iter().zip(owners) {
        let own = [Cell::integer(job as u64), Cell::integer(u64::from(rank.0))];
        with_jobs.push(own.into_iter().chain(row.iter().skip(1).cloned()));
    }
    with_jobs
}

/// The table of jobs that are simulated together; `end` is the completion time of the last job.
///
/// Keys: job, trace, ranks, start, seconds (execution time), communicating (sum over its tasks),
/// alone (execution time without the other jobs), slowdown (null if the job takes no time alone).
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
            seconds(outcome.duration().get()),
            seconds(outcome.communicating.get()),
            seconds(row.alone.get()),
            outcome.slowdown(row.alone).map_or(Cell::Null, slowdown),
        ]);
    }
    table.with_note(format!("simulated: {} s", end.get()))
}

/// The table of measured and simulated times of tasks.
///
/// Keys: task, quantity (`communicating` or `seconds`), measured and predicted in seconds, error
/// (in percent, null where the measured time is 0).
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
        Some(mean) => table.with_note(format!("mean error: {mean:.2} %")),
        None => table,
    }
}

/// The number of rows that people see in tables of conflicts.
const MAX_DISPLAYED_ROWS: usize = 20;
/// The number of culprits that people see for each message.
const MAX_DISPLAYED_CULPRITS: usize = 3;

/// The table of messages that lost time to other messages, the largest loss first.
///
/// `place` gives the place of a statement in the trace. Keys: task (the sender), to, place (of the
/// send), size, start, seconds (since send and receive matched), penalty (the mean over time),
/// lost, culprits (a list of the messages that it lost time to, the largest loss first, each with
/// sender, receiver and lost), conflicts (a list), largest_penalty.
pub fn conflicts(outcome: &Outcome, place: impl Fn(Rank, u32) -> Option<String>) -> Table {
    let columns = [
        Column::number("task"),
        Column::number("to"),
        Column::text("place").drop_priority(2),
        Column::number("size").drop_priority(3),
        Column::number("start").drop_priority(4),
        Column::number("seconds").with_title("time"),
        Column::number("penalty"),
        Column::number("lost"),
        Column::text("culprits").drop_priority(1),
        Column::text("conflicts").drop_priority(6),
        Column::number("largest_penalty").drop_priority(5),
    ];
    let title = "Messages that lost most time to others";
    let mut table = Table::new("conflicts", title, columns.clone());
    let mut display = Table::new("conflicts", title, columns);
    let worst = outcome.worst_communications();
    for (row, &k) in worst.iter().enumerate() {
        let communication = &outcome.communications[k];
        let cells = |culprits: Cell| {
            [
                Cell::integer(communication.from.index() as u64),
                Cell::integer(communication.to.index() as u64),
                Cell::optional_text(place(communication.from, communication.statement)),
                Cell::size(communication.size),
                seconds(communication.start.get()),
                seconds((communication.end - communication.start).get()),
                penalty(communication.mean_penalty()),
                seconds(communication.lost.get()),
                culprits,
                conflict_kinds(communication),
                penalty(communication.largest_penalty()),
            ]
        };
        let mut losses = communication.losses.clone();
        losses.sort_by(|a, b| b.lost.get().total_cmp(&a.lost.get()));
        let culprits: Vec<Cell> = losses.iter().map(|loss| culprit(outcome, loss)).collect();
        if row < MAX_DISPLAYED_ROWS {
            let mut shown: Vec<Cell> =
                culprits.iter().take(MAX_DISPLAYED_CULPRITS).cloned().collect();
            if culprits.len() > MAX_DISPLAYED_CULPRITS {
                shown.push(Cell::text(format!("{} more", culprits.len() - MAX_DISPLAYED_CULPRITS)));
            }
            display.push(cells(Cell::List(shown)));
        }
        table.push(cells(Cell::List(culprits)));
    }
    let note = match worst.len() {
        0 => "No message lost time to others.".to_owned(),
        n if n > MAX_DISPLAYED_ROWS => {
            format!(
                "{MAX_DISPLAYED_ROWS} of {n} messages that lost time; --format json or csv \
                    lists all"
            )
        }
        _ => String::new(),
    };
    table.with_display(display.with_note(note))
}

/// A message that another message lost time to: its sender, its receiver and the lost time.
fn culprit(outcome: &Outcome, loss: &Loss) -> Cell {
    let Communication { from, to, .. } = outcome.communications[loss.culprit];
    let fields = vec![
        ("sender", Cell::integer(from.index() as u64)),
        ("receiver", Cell::integer(to.index() as u64)),
        ("lost", seconds(loss.lost.get())),
    ];
    Cell::Record { fields, display: format!("{from}→{to} {}", loss.lost) }
}

/// The table of losses between pairs of sending tasks, the largest loss first.
///
/// Keys: victim, culprit, communications (the number of messages of the victim that lost time),
/// lost.
pub fn pair_losses(outcome: &Outcome) -> Table {
    let columns = ["victim", "culprit", "communications", "lost"].map(Column::number);
    let mut table = Table::new("pairs", "Lost time by pairs of senders", columns.clone());
    let mut display = Table::new("pairs", "Lost time by pairs of senders", columns);
    for (row, pair) in outcome.pair_losses().into_iter().enumerate() {
        let cells = [
            Cell::integer(pair.victim.index() as u64),
            Cell::integer(pair.culprit.index() as u64),
            Cell::integer(pair.communications),
            seconds(pair.lost.get()),
        ];
        table.push(cells.clone());
        if row < MAX_DISPLAYED_ROWS {
            display.push(cells);
        }
    }
    let rows = table.rows().len();
    if rows > MAX_DISPLAYED_ROWS {
        table.with_display(display.with_note(format!("{MAX_DISPLAYED_ROWS} of {rows} pairs")))
    } else {
        table
    }
}

/// The table of the messages of a scheme that is simulated over time; `bandwidth` is that of an
/// uncontended message.
///
/// Keys: name, source, destination, size, start, seconds, penalty (seconds over those of an
/// uncontended message), largest_penalty, conflicts (a list). The last four are null for messages
/// within a node.
pub fn simulated_scheme(
    scheme: &Scheme,
    communications: &[Option<Communication>],
    bandwidth: f64,
) -> Table {
    let columns = [
        Column::text("name"),
        Column::number("source"),
        Column::number("destination"),
        Column::number("size").drop_priority(2),
        Column::number("start").drop_priority(3),
        Column::number("seconds").with_title("time"),
        Column::number("penalty"),
        Column::number("largest_penalty").drop_priority(4),
        Column::text("conflicts").drop_priority(1),
    ];
    let mut table = Table::new("replayed", "", columns);
    for (arc, communication) in scheme.arcs.iter().zip(communications) {
        let duration = communication.as_ref().map(|one| (one.end - one.start).get());
        let uncontended = arc.size.get() as f64 / bandwidth;
        table.push([
            Cell::text(arc.name.clone()),
            Cell::integer(u64::from(arc.transfer.source.0)),
            Cell::integer(u64::from(arc.transfer.destination.0)),
            Cell::size(arc.size),
            seconds(arc.delay.get()),
            maybe_seconds(duration),
            duration.map_or(Cell::Null, |duration| penalty(duration / uncontended)),
            communication.as_ref().map_or(Cell::Null, |one| penalty(one.largest_penalty())),
            communication.as_ref().map_or(Cell::Null, conflict_kinds),
        ]);
    }
    table
}
