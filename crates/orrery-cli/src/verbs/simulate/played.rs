//! What a simulation of one application or of several came to.

use orrery::schedule::{Jobs, Rank};
use orrery::simulate::{JobOutcome, Outcome};
use orrery::units::Seconds;
use orrery_report::Table;
use orrery_report::tables::JobRow;

use super::output::{Collect, Output, Tasks};
use super::stage::{Seated, Stage};
use crate::context::Context;
use crate::output::{self, Format};

/// Applications that were played at the same time.
pub struct Played<'a> {
    pub outcome: Outcome,
    seated: &'a [Seated<'a>],
    /// Of several applications: each among the others, and its time alone.
    jobs: Vec<(JobOutcome, Seconds)>,
}

impl<'a> Played<'a> {
    /// Plays applications together and, where there are several, each by itself.
    pub fn new(stage: &Stage, seated: &'a [Seated<'a>], collect: Collect) -> anyhow::Result<Self> {
        let all: Vec<&Seated<'_>> = seated.iter().collect();
        let outcome = stage.play(&all, collect)?;
        let mut played = Self { outcome, seated, jobs: Vec::new() };
        if seated.len() > 1 {
            let mut first = 0;
            for one in seated {
                let ranks = first..first + one.application.ranks();
                first = ranks.end;
                let alone =
                    JobOutcome::new(&stage.play(&[one], Collect::default())?, one.start, 0..one.application.ranks());
                played.jobs.push((JobOutcome::new(&played.outcome, one.start, ranks), alone.seconds()));
            }
        }
        let firsts: Vec<(usize, Rank)> = played.outcome.events.iter().map(|event| played.owner(event.rank)).collect();
        for (event, (_, own)) in played.outcome.events.iter_mut().zip(firsts) {
            let first = event.rank.0 - own.0;
            event.operation = event.operation.map_ranks(|peer| Rank(peer.0 - first));
        }
        Ok(played)
    }

    /// The job of a rank and its number there.
    fn owner(&self, rank: Rank) -> (usize, Rank) {
        let mut left = rank.index();
        for (job, one) in self.seated.iter().enumerate() {
            match left.checked_sub(one.application.ranks()) {
                Some(further) => left = further,
                None => return (job, Rank(left as u32)),
            }
        }
        (0, rank)
    }

    /// Where a statement of a rank stands in its trace.
    fn place(&self, rank: Rank, statement: u32) -> Option<String> {
        let (job, own) = self.owner(rank);
        let statement = if self.is_alone() { Some(statement) } else { Jobs::statement(statement) };
        self.seated[job].application.place(own, statement?)
    }

    fn is_alone(&self) -> bool {
        self.jobs.is_empty()
    }

    /// What was played, in words.
    pub fn summary(&self) -> String {
        let all: Vec<String> = self.seated.iter().map(|one| one.application.amount()).collect();
        format!("{}: {} s", all.join(", "), self.outcome.end.get())
    }

    fn tables(&self, output: &Output, tasks: &Tasks<'_>, compared: Option<Table>) -> Vec<Table> {
        let mut tables = Vec::new();
        let jobs: Vec<JobRow<'_>> = self
            .jobs
            .iter()
            .zip(self.seated)
            .map(|((outcome, alone), one)| JobRow { name: &one.application.name, outcome, alone: *alone })
            .collect();
        if self.is_alone() {
            tables.push(orrery_report::tables::tasks(&self.outcome, tasks.hosts));
        } else {
            let of_jobs = orrery_report::tables::job_tasks(&jobs, tasks.hosts, &self.outcome);
            tables.extend([of_jobs, orrery_report::tables::jobs(&jobs, self.outcome.end)]);
        }
        tables.extend(compared);
        if output.events {
            let events = || self.outcome.events.iter();
            let places = events().map(|event| self.place(event.rank, event.statement));
            tables.push(if self.is_alone() {
                orrery_report::tables::events(&self.outcome, places)
            } else {
                orrery_report::tables::job_events(&self.outcome, events().map(|event| self.owner(event.rank)), places)
            });
        }
        tables.extend(output.conflicts(&self.outcome, tasks));
        tables
    }

    /// Writes everything.
    pub fn print(
        &self,
        context: Context,
        network: &str,
        output: &Output,
        compared: Option<(Table, Option<f64>)>,
    ) -> anyhow::Result<()> {
        let hosts: Vec<&str> = self.seated.iter().flat_map(|one| one.hosts.iter().map(String::as_str)).collect();
        let tasks = Tasks { hosts: &hosts, place: &|rank, statement| self.place(rank, statement) };
        output.write(context, network, &self.outcome, &tasks)?;
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
