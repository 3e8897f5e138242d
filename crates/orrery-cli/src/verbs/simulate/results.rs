//! The results of a simulation of one application or of several, and their comparison with
//! measured times.

use std::path::Path;

use anyhow::Context as _;
use clap::ValueEnum;
use orrery::budget::Budget;
use orrery::request::{PlacedApplication, SimulatedPlatform};
use orrery::schedule::{Jobs, Rank};
use orrery::simulate::{Event, EventSink, JobOutcome, MeasuredTimes, Outcome, Quantity, TaskTimes};
use orrery::units::Seconds;
use orrery_report::tables::JobRow;
use orrery_report::{self, Table};

use super::application;
use super::output::{Events, Output, Recording, Tasks};
use crate::context::Context;
use crate::output::{self, Format};
use crate::{hand_written, refusal};

/// The number of operations that are kept for the list of a simulation; further ones are written as
/// they happen.
const MAX_KEPT_EVENTS: usize = 10_000;

/// The memory in bytes of an operation in a page or in a trace for viewers.
const MEMORY_PER_WRITTEN_EVENT: u64 = 256;

/// Applications simulated at the same time, with their results.
pub struct SimulatedJobs<'a> {
    pub outcome: Outcome,
    platform: &'a SimulatedPlatform,
    placed: &'a [PlacedApplication<'a>],
    recording: Recording,
    /// The number of operations that took time; the outcome has the first ones, or all.
    events: usize,
    /// For several applications: the outcome of each, and its time alone.
    jobs: Vec<(JobOutcome, Seconds)>,
}

impl<'a> SimulatedJobs<'a> {
    /// Simulates applications together and, if there are several, each one alone.
    pub fn new(
        platform: &'a SimulatedPlatform,
        placed: &'a [PlacedApplication<'a>],
        recording: Recording,
    ) -> anyhow::Result<Self> {
        let all: Vec<&PlacedApplication<'_>> = placed.iter().collect();
        let kept = match recording.events {
            Events::None => 0,
            Events::First => MAX_KEPT_EVENTS,
            Events::All => {
                let operations: u64 = placed.iter().map(|one| one.application.operations()).sum();
                let needed = operations.saturating_mul(MEMORY_PER_WRITTEN_EVENT);
                Budget::of_input(operations)
                    .check_memory("the list of all operations in a file", needed)?;
                usize::MAX
            }
        };
        let (mut first, mut events) = (Vec::new(), 0);
        let mut keep = |event| {
            events += 1;
            if events <= kept {
                first.push(event);
            }
        };
        let sink: Option<EventSink<'_>> = if kept > 0 { Some(&mut keep) } else { None };
        let mut outcome =
            platform.run(&all, recording.conflicts, sink).map_err(refusal::without_file)?;
        outcome.events = first;
        let mut results = Self { outcome, platform, placed, recording, events, jobs: Vec::new() };
        if placed.len() > 1 {
            let mut first = 0;
            for one in placed {
                let ranks = first..first + one.application.ranks();
                first = ranks.end;
                let alone = JobOutcome::new(
                    &platform.run(&[one], false, None).map_err(refusal::without_file)?,
                    one.start,
                    0..one.application.ranks(),
                );
                results
                    .jobs
                    .push((JobOutcome::new(&results.outcome, one.start, ranks), alone.duration()));
            }
        }
        let events = std::mem::take(&mut results.outcome.events);
        results.outcome.events =
            events.into_iter().map(|event| results.within_job(event)).collect();
        Ok(results)
    }

    /// An operation with the numbers that ranks have in its job.
    fn within_job(&self, event: Event) -> Event {
        let first = event.rank.0 - self.owner(event.rank).1.0;
        Event { operation: event.operation.map_ranks(|peer| Rank(peer.0 - first)), ..event }
    }

    /// The job of a rank, and the number of the rank in the job.
    fn owner(&self, rank: Rank) -> (usize, Rank) {
        let mut left = rank.index();
        for (job, one) in self.placed.iter().enumerate() {
            match left.checked_sub(one.application.ranks()) {
                Some(further) => left = further,
                None => return (job, Rank(left as u32)),
            }
        }
        (0, rank)
    }

    /// The position of a statement of a rank in its trace; `None` if it is unknown.
    fn place(&self, rank: Rank, statement: u32) -> Option<String> {
        let (job, own) = self.owner(rank);
        let statement = if self.is_single() { Some(statement) } else { Jobs::statement(statement) };
        self.placed[job].application.place(own, statement?)
    }

    /// Returns true if there is one application only.
    fn is_single(&self) -> bool {
        self.jobs.is_empty()
    }

    /// The sizes of the applications and the simulated time, in words.
    pub fn summary(&self) -> String {
        let all: Vec<String> =
            self.placed.iter().map(|one| application::summary(one.application)).collect();
        format!("{}: {} s", all.join(", "), self.outcome.end.get())
    }

    /// The tables of the times of tasks and jobs.
    fn time_tables(&self, tasks: &Tasks<'_>, compared: Option<Table>) -> Vec<Table> {
        let jobs: Vec<JobRow<'_>> = self
            .jobs
            .iter()
            .zip(self.placed)
            .map(|((outcome, alone), one)| JobRow {
                name: &one.application.name,
                outcome,
                alone: *alone,
            })
            .collect();
        let mut tables = if self.is_single() {
            vec![orrery_report::tables::tasks(&self.outcome, tasks.hosts)]
        } else {
            let of_jobs = orrery_report::tables::job_tasks(&jobs, tasks.hosts, &self.outcome);
            vec![of_jobs, orrery_report::tables::jobs(&jobs, self.outcome.end)]
        };
        tables.extend(compared);
        tables.extend(orrery_report::tables::assumptions(&self.platform.assumed(self.placed)));
        tables
    }

    /// The table of operations of an outcome.
    fn event_table(&self, outcome: &Outcome) -> Table {
        let events = || outcome.events.iter();
        let places = events().map(|event| self.place(event.rank, event.statement));
        if self.is_single() {
            orrery_report::tables::events(outcome, places)
        } else {
            orrery_report::tables::job_events(
                outcome,
                events().map(|event| self.owner(event.rank)),
                places,
            )
        }
    }

    /// Writes the requested files and prints the tables.
    pub fn print(
        &mut self,
        context: Context,
        network: &str,
        cluster: Option<&Path>,
        output: &Output,
        compared: Option<(Table, Option<f64>)>,
    ) -> anyhow::Result<()> {
        let hosts: Vec<&str> =
            self.placed.iter().flat_map(|one| one.hosts.iter().map(String::as_str)).collect();
        let tasks = Tasks { hosts: &hosts, place: &|rank, statement| self.place(rank, statement) };
        output.write(context, (network, cluster), &self.outcome, &tasks)?;
        let (compared, mean) = compared.unzip();
        let mut tables = self.time_tables(&tasks, compared);
        let further = output.conflicts(&self.outcome, &tasks);
        let mean = mean.flatten().map(|mean| ("mean_error", mean));
        let numbers = [Some(("simulated_seconds", self.outcome.end.get())), mean];
        let is_complete = self.outcome.events.len() == self.events;
        if output.events && !is_complete && output.format != Format::Table {
            return self.print_all_events(output.format, &numbers, &tables, &further);
        }
        if output.events {
            let table = self.event_table(&self.outcome);
            let (kept, all) = (self.outcome.events.len(), self.events);
            let note = format!("{kept} of {all} operations; --format csv or json lists all");
            tables.push(if is_complete { table } else { table.with_note(note) });
        }
        tables.extend(further);
        match output.format {
            Format::Json => output::text(&json(&numbers, &tables)),
            format => output::print_all(&tables, format),
        }
    }

    /// Prints tables and, between them, all operations as they happen in a second simulation.
    fn print_all_events(
        &mut self,
        format: Format,
        numbers: &[Option<(&str, f64)>],
        before: &[Table],
        after: &[Table],
    ) -> anyhow::Result<()> {
        let mut chunk = Outcome { events: Vec::new(), ..std::mem::take(&mut self.outcome) };
        let head = self.event_table(&chunk);
        let mut out = output::Stdout::lock();
        let begin = match format {
            Format::Json => {
                format!("{},\"{}\":[\n", json(numbers, before).trim_end_matches("}\n"), head.name)
            }
            _ => format!(
                "{}\n{}",
                before.iter().map(Table::csv).collect::<Vec<_>>().join("\n"),
                head.csv()
            ),
        };
        out.write(&begin);
        let mut written = 0;
        let mut write_chunk = |chunk: &mut Outcome| {
            let table = self.event_table(chunk);
            written += chunk.events.len();
            chunk.events.clear();
            match format {
                Format::Json if written < self.events => {
                    out.write(&format!("{},\n", table.json_rows()));
                }
                Format::Json => out.write(&table.json_rows()),
                _ => out.write(&table.csv_rows()),
            }
        };
        let mut sink = |event| {
            chunk.events.push(self.within_job(event));
            if chunk.events.len() == MAX_KEPT_EVENTS {
                write_chunk(&mut chunk);
            }
        };
        let all: Vec<&PlacedApplication<'_>> = self.placed.iter().collect();
        self.platform
            .run(&all, self.recording.conflicts, Some(&mut sink))
            .map_err(refusal::without_file)?;
        write_chunk(&mut chunk);
        let rest: String = match format {
            Format::Json => {
                format!(
                    "\n]{}",
                    json(&[], after).replacen('{', if after.is_empty() { "" } else { "," }, 1)
                )
            }
            _ => after.iter().flat_map(|table| ["\n".to_owned(), table.csv()]).collect(),
        };
        out.write(&rest);
        out.finish()
    }
}

/// Numbers and tables by name.
pub fn json(numbers: &[Option<(&str, f64)>], tables: &[Table]) -> String {
    let numbers = numbers.iter().flatten().map(|(name, number)| format!("\"{name}\":{number}"));
    let tables =
        tables.iter().map(|table| format!("\"{}\":{}", table.name, table.json().trim_end()));
    format!("{{{}}}\n", numbers.chain(tables).collect::<Vec<_>>().join(","))
}

/// The column to compare.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub enum Column {
    /// Time in communication
    Communicating,
    /// Time to the end of the task
    Seconds,
}

/// The table of the comparison, and the mean error in percent.
pub type Compared = (Table, Option<f64>);

/// Compares simulated with measured times of tasks; the tasks of several jobs are numbered
/// consecutively.
pub fn compare(
    path: &Path,
    column: Option<Column>,
    simulated: &SimulatedJobs<'_>,
) -> anyhow::Result<Compared> {
    let quantity = column.map(|column| match column {
        Column::Communicating => Quantity::Communicating,
        Column::Seconds => Quantity::Seconds,
    });
    let name = path.display().to_string();
    let text = hand_written::read(path).with_context(|| format!("cannot read {name}"))?;
    let measured = MeasuredTimes::parse(&text, &name, quantity)?;
    let time = |task: &TaskTimes| match measured.quantity {
        Quantity::Communicating => task.communicating.get(),
        Quantity::Seconds => task.end.get(),
    };
    let predicted: Vec<f64> = simulated.outcome.tasks.iter().map(time).collect();
    let compared = measured.compare(&predicted)?;
    Ok((orrery_report::tables::task_comparison(&compared, measured.quantity), compared.mean))
}

/// Prints the mean error.
pub fn report_error(context: Context, compared: Option<&Compared>) {
    if let Some((_, Some(mean))) = compared {
        context.say(format!("mean of the errors of tasks: {mean:.2} %"));
    }
}
