//! Tables of simulated applications: tasks, operations, jobs, and the time lost to other messages.

use super::columns::Columns;
use super::format::{factor_cell, seconds};
use super::table::{Cell, Table};
use orrery::schedule::{Operation, Rank};
use orrery::sharing::scheme::Scheme;
use orrery::simulate::{Communication, Comparison, Event, JobOutcome, Loss, Outcome, Quantity};
use orrery::units::Seconds;

/// The table of simulated tasks; `hosts` names the host of each task.
///
/// Keys: task, host, seconds (completion time), computing, sleeping, communicating, sent and
/// received (bytes), messages. If the outcome has communications, also: outgoing, income and
/// income_outgo (how many messages of the task met each kind of conflict), mean_penalty,
/// largest_penalty, and lost (time that its sends lost to other messages).
pub fn tasks(outcome: &Outcome, hosts: &[&str]) -> Table {
    task_table(outcome, hosts, None)
}

/// The job of each row, and its rank there, if there are several jobs.
type Owners = Option<Vec<(usize, Rank)>>;

/// The table of tasks; with columns of the job and of the rank in it, if `owners` has them for each
/// task.
fn task_table(outcome: &Outcome, hosts: &[&str], owners: Owners) -> Table {
    let rows: Vec<_> = outcome.tasks.iter().enumerate().collect();
    let mut columns = Columns::of(&rows);
    add_tasks(&mut columns, owners, |(task, _)| *task as u64);
    columns.text("host", |(task, _)| hosts.get(*task).copied());
    columns.number("seconds", |(_, times)| times.end).titled("time");
    columns.number("computing", |(_, times)| times.computing);
    columns.number("sleeping", |(_, times)| times.sleeping).drop_first(2);
    columns.number("communicating", |(_, times)| times.communicating);
    columns.number("sent", |(_, times)| times.sent);
    columns.number("received", |(_, times)| times.received).drop_first(1);
    columns.number("messages", |(_, times)| times.messages).drop_first(1);
    if !outcome.communications.is_empty() {
        let conflicts = outcome.task_conflicts();
        let of = |row: &(usize, _)| &conflicts[row.0];
        for (place, (key, title)) in CONFLICT_KINDS.into_iter().enumerate() {
            columns.number(key, |row| of(row).counts[place]).titled(title).drop_first(3);
        }
        columns.number("mean_penalty", |row| factor_cell(of(row).mean_penalty));
        columns.number("largest_penalty", |row| factor_cell(of(row).largest_penalty)).drop_first(1);
        columns.number("lost", |row| of(row).lost);
    }
    columns.table("tasks", "Tasks").with_note(format!("simulated: {} s", outcome.end.get()))
}

/// The keys and titles of the kinds of conflicts.
const CONFLICT_KINDS: [(&str, &str); 3] =
    [("outgoing", "outgoing"), ("income", "income"), ("income_outgo", "income/outgo")];

/// Adds the column of the task, after that of its job if there are several.
fn add_tasks<'a, R>(columns: &mut Columns<'a, R>, owners: Owners, task: impl Fn(&'a R) -> u64) {
    let Some(owners) = owners else {
        columns.number("task", task);
        return;
    };
    let (mut jobs, mut ranks) = (owners.iter(), owners.iter());
    columns.number("job", |_| jobs.next().map(|(job, _)| *job));
    columns.number("task", |_| ranks.next().map(|(_, rank)| rank.0));
}

/// The table of operations that took time; `places` gives the place of each operation in its trace.
///
/// Keys: task, place, operation, start, seconds. If the outcome has communications, also the
/// penalty, the lost time and the conflicts (a list) of the message whose end the operation waited
/// for.
pub fn events(outcome: &Outcome, places: impl Iterator<Item = Option<String>>) -> Table {
    event_table(outcome, places, None)
}

/// The table of operations; `places` and, if there are several jobs, `owners` have an element for
/// each.
fn event_table(
    outcome: &Outcome,
    places: impl Iterator<Item = Option<String>>,
    owners: Owners,
) -> Table {
    let rows: Vec<_> = outcome.events.iter().zip(places).collect();
    let mut columns = Columns::of(&rows);
    add_tasks(&mut columns, owners, |(event, _)| event.rank.index() as u64);
    columns.text("place", |(_, place)| place.as_ref());
    columns.text("operation", |(event, _)| operation_text(event.operation));
    columns.number("start", |(event, _)| event.start);
    columns.number("seconds", |(event, _)| event.end - event.start).titled("time");
    if !outcome.communications.is_empty() {
        let message =
            |row: &(&Event, _)| row.0.communication.map(|place| &outcome.communications[place]);
        let penalty = |message: &Communication| factor_cell(message.mean_penalty());
        columns.number("penalty", |row| message(row).map(penalty));
        columns.number("lost", |row| message(row).map(|message| message.lost));
        columns.text("conflicts", |row| message(row).map(conflict_kinds));
    }
    columns.table("events", "Events")
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
    let ranks = |(job, row): (usize, &JobRow<'_>)| {
        (0..row.outcome.tasks.len()).map(move |task| (job, Rank(task as u32)))
    };
    let owners = jobs.iter().enumerate().flat_map(ranks).collect();
    task_table(&outcome, hosts, Some(owners))
}

/// The table of the operations of several jobs: the column `job`, then the columns of [`events`].
///
/// `owners` gives the job of each operation and its rank there.
pub fn job_events(
    outcome: &Outcome,
    owners: impl Iterator<Item = (usize, Rank)>,
    places: impl Iterator<Item = Option<String>>,
) -> Table {
    event_table(outcome, places, Some(owners.collect()))
}

/// The table of jobs that are simulated together; `end` is the completion time of the last job.
///
/// Keys: job, trace, ranks, start, seconds (execution time), communicating (sum over its tasks),
/// alone (execution time without the other jobs), slowdown (null if the job takes no time alone).
pub fn jobs(jobs: &[JobRow<'_>], end: Seconds) -> Table {
    let mut columns = Columns::of(jobs);
    let mut numbers = 0_u64..;
    columns.number("job", |_| numbers.next());
    columns.text("trace", |row| row.name);
    columns.number("ranks", |row| row.outcome.tasks.len()).drop_first(1);
    columns.number("start", |row| row.outcome.start);
    columns.number("seconds", |row| row.outcome.duration()).titled("time");
    columns.number("communicating", |row| row.outcome.communicating).drop_first(2);
    columns.number("alone", |row| row.alone);
    columns.number("slowdown", |row| row.outcome.slowdown(row.alone).map(factor_cell));
    columns.table("jobs", "Jobs").with_note(format!("simulated: {} s", end.get()))
}

/// The table of measured and simulated times of tasks.
///
/// Keys: task, quantity (`communicating` or `seconds`), measured and predicted in seconds, error
/// (in percent, null where the measured time is 0).
pub fn task_comparison(compared: &Comparison, quantity: Quantity) -> Table {
    let percent = |error: f64| Cell::number(error, format!("{error:.2} %"));
    let mut columns = Columns::of(&compared.rows);
    columns.number("task", |row| row.task);
    columns.text("quantity", |_| quantity.name()).drop_first(1);
    columns.number("measured", |row| seconds(row.measured));
    columns.number("predicted", |row| seconds(row.predicted));
    columns.number("error", |row| row.error.map(percent));
    let note = compared.mean.map(|mean| format!("mean error: {mean:.2} %"));
    columns.table("compared", "Measured and simulated").with_note(note.unwrap_or_default())
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
    let worst: Vec<&Communication> =
        outcome.worst_communications().into_iter().map(|k| &outcome.communications[k]).collect();
    let culprits = |one: &Communication| -> Vec<Cell> {
        let mut losses = one.losses.clone();
        losses.sort_by(|a, b| b.lost.get().total_cmp(&a.lost.get()));
        losses.iter().map(|loss| culprit(outcome, loss)).collect()
    };
    let mut columns = Columns::of(&worst);
    columns.number("task", |one| one.from.index());
    columns.number("to", |one| one.to.index());
    columns.text("place", |one| place(one.from, one.statement)).drop_first(2);
    columns.number("size", |one| one.size).drop_first(3);
    columns.number("start", |one| one.start).drop_first(4);
    columns.number("seconds", |one| one.end - one.start).titled("time");
    columns.number("penalty", |one| factor_cell(one.mean_penalty()));
    columns.number("lost", |one| one.lost);
    columns.text("culprits", |one| Cell::List(culprits(one))).for_programs();
    let worst_culprits = |one: &&Communication| {
        let mut shown = culprits(one);
        let more = shown.len().saturating_sub(MAX_DISPLAYED_CULPRITS);
        shown.truncate(MAX_DISPLAYED_CULPRITS);
        shown.extend((more > 0).then(|| Cell::from(format!("{more} more"))));
        Cell::List(shown)
    };
    columns.text("culprits", worst_culprits).drop_first(1).for_people();
    columns.text("conflicts", |one| conflict_kinds(one)).drop_first(6);
    columns.number("largest_penalty", |one| factor_cell(one.largest_penalty())).drop_first(5);
    columns.show(MAX_DISPLAYED_ROWS, |_| true);
    let note = match worst.len() {
        0 => "No message lost time to others.".to_owned(),
        n if n > MAX_DISPLAYED_ROWS => {
            format!(
                "{MAX_DISPLAYED_ROWS} of {n} messages that lost time; --format json or csv lists \
                    all"
            )
        }
        _ => String::new(),
    };
    columns.table("conflicts", "Messages that lost most time to others").with_note(note)
}

/// A message that another message lost time to: its sender, its receiver and the lost time.
fn culprit(outcome: &Outcome, loss: &Loss) -> Cell {
    let Communication { from, to, .. } = outcome.communications[loss.culprit];
    let fields = vec![
        ("sender", from.index().into()),
        ("receiver", to.index().into()),
        ("lost", loss.lost.into()),
    ];
    Cell::Record { fields, display: format!("{from}→{to} {}", loss.lost) }
}

/// The table of losses between pairs of sending tasks, the largest loss first.
///
/// Keys: victim, culprit, communications (the number of messages of the victim that lost time),
/// lost.
pub fn pair_losses(outcome: &Outcome) -> Table {
    let pairs = outcome.pair_losses();
    let mut columns = Columns::of(&pairs);
    columns.number("victim", |pair| pair.victim.index());
    columns.number("culprit", |pair| pair.culprit.index());
    columns.number("communications", |pair| pair.communications);
    columns.number("lost", |pair| pair.lost);
    columns.show(MAX_DISPLAYED_ROWS, |_| true);
    let rows = pairs.len();
    let note = format!("{MAX_DISPLAYED_ROWS} of {rows} pairs");
    columns
        .table("pairs", "Lost time by pairs of senders")
        .with_note(if rows > MAX_DISPLAYED_ROWS { note } else { String::new() })
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
    let rows: Vec<_> = scheme.arcs.iter().zip(communications.iter().map(Option::as_ref)).collect();
    let duration = |one: &Communication| one.end - one.start;
    let mut columns = Columns::of(&rows);
    columns.text("name", |(arc, _)| &arc.name);
    columns.number("source", |(arc, _)| arc.transfer.source.0);
    columns.number("destination", |(arc, _)| arc.transfer.destination.0);
    columns.number("size", |(arc, _)| arc.size).drop_first(2);
    columns.number("start", |(arc, _)| arc.delay).drop_first(3);
    columns.number("seconds", |(_, one)| one.map(duration)).titled("time");
    columns.number("penalty", |(arc, one)| {
        let uncontended = arc.size.get() as f64 / bandwidth;
        one.map(|one| factor_cell(duration(one).get() / uncontended))
    });
    let largest = |one: &Communication| factor_cell(one.largest_penalty());
    columns.number("largest_penalty", |(_, one)| one.map(largest)).drop_first(4);
    columns.text("conflicts", |(_, one)| one.map(conflict_kinds)).drop_first(1);
    columns.table("replayed", "")
}
