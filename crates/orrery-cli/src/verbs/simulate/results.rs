//! The results of a simulation of one application or of several.

use std::path::Path;

use orrery::schedule::{Jobs, Rank};
use orrery::simulate::{JobOutcome, Outcome};
use orrery::units::Seconds;
use orrery_report::Table;
use orrery_report::tables::JobRow;

use super::output::{Output, Recording, Tasks};
use super::platform::{PlacedApplication, SimulatedPlatform};
use crate::context::Context;
use crate::output::{self, Format};

/// Applications simulated at the same time, with their results.
pub struct SimulatedJobs<'a> {
    pub outcome: Outcome,
    placed: &'a [PlacedApplication<'a>],
    /// For several applications: the outcome of each, and its time alone.
    jobs: Vec<(JobOutcome, Seconds)>,
}

impl<'a> SimulatedJobs<'a> {
    /// Simulates applications together and, if there are several, each one alone.
    pub fn new(
        platform: &SimulatedPlatform,
        placed: &'a [PlacedApplication<'a>],
        recording: Recording,
    ) -> anyhow::Result<Self> {
        let all: Vec<&PlacedApplication<'_>> = placed.iter().collect();
        let outcome = platform.run(&all, recording)?;
        let mut results = Self { outcome, placed, jobs: Vec::new() };
        if placed.len() > 1 {
            let mut first = 0;
            for one in placed {
                let ranks = first..first + one.application.ranks();
                first = ranks.end;
                let alone = JobOutcome::new(
                    &platform.run(&[one], Recording::default())?,
                    one.start,
                    0..one.application.ranks(),
                );
                results.jobs.push((JobOutcome::new(&results.outcome, one.start, ranks), alone.duration()));
            }
        }
        let firsts: Vec<(usize, Rank)> = results.outcome.events.iter().map(|event| results.owner(event.rank)).collect();
        for (event, (_, own)) in results.outcome.events.iter_mut().zip(firsts) {
            let first = event.rank.0 - own.0;
            event.operation = event.operation.map_ranks(|peer| Rank(peer.0 - first));
        }
        Ok(results)
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

    /// The position of a statement of a rank in its trace.
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
        let all: Vec<String> = self.placed.iter().map(|one| one.application.summary()).collect();
        format!("{}: {} s", all.join(", "), self.outcome.end.get())
    }

    /// The tables of the requested results.
    fn tables(&self, output: &Output, tasks: &Tasks<'_>, compared: Option<Table>) -> Vec<Table> {
        let mut tables = Vec::new();
        let jobs: Vec<JobRow<'_>> = self
            .jobs
            .iter()
            .zip(self.placed)
            .map(|((outcome, alone), one)| JobRow { name: &one.application.name, outcome, alone: *alone })
            .collect();
        if self.is_single() {
            tables.push(orrery_report::tables::tasks(&self.outcome, tasks.hosts));
        } else {
            let of_jobs = orrery_report::tables::job_tasks(&jobs, tasks.hosts, &self.outcome);
            tables.extend([of_jobs, orrery_report::tables::jobs(&jobs, self.outcome.end)]);
        }
        tables.extend(compared);
        if output.events {
            let events = || self.outcome.events.iter();
            let places = events().map(|event| self.place(event.rank, event.statement));
            tables.push(if self.is_single() {
                orrery_report::tables::events(&self.outcome, places)
            } else {
                orrery_report::tables::job_events(&self.outcome, events().map(|event| self.owner(event.rank)), places)
            });
        }
        tables.extend(output.conflicts(&self.outcome, tasks));
        tables
    }

    /// Writes the requested files and prints the tables.
    pub fn print(
        &self,
        context: Context,
        network: &str,
        cluster: Option<&Path>,
        output: &Output,
        compared: Option<(Table, Option<f64>)>,
    ) -> anyhow::Result<()> {
        let hosts: Vec<&str> = self.placed.iter().flat_map(|one| one.hosts.iter().map(String::as_str)).collect();
        let tasks = Tasks { hosts: &hosts, place: &|rank, statement| self.place(rank, statement) };
        output.write(context, (network, cluster), &self.outcome, &tasks)?;
        let (compared, mean) = compared.unzip();
        let tables = self.tables(output, &tasks, compared);
        let mean = mean.flatten().map(|mean| ("mean_error", mean));
        match output.format {
            Format::Json => output::text(&json(&[Some(("simulated_seconds", self.outcome.end.get())), mean], &tables)),
            format => output::print_all(&tables, format),
        }
    }
}

/// Numbers and tables by name.
pub fn json(numbers: &[Option<(&str, f64)>], tables: &[Table]) -> String {
    let numbers = numbers.iter().flatten().map(|(name, number)| format!("\"{name}\":{number}"));
    let tables = tables.iter().map(|table| format!("\"{}\":{}", table.name, table.json().trim_end()));
    format!("{{{}}}\n", numbers.chain(tables).collect::<Vec<_>>().join(","))
}
