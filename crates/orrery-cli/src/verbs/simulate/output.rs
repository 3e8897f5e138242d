use std::path::{Path, PathBuf};

use anyhow::Context as _;
use clap::Args;
use orrery::platform::{HostId, Topology};
use orrery::report::{self, Table, file, html};
use orrery::schedule::Rank;
use orrery::simulate::{Event, Outcome, Simulation};

use crate::context::Context;
use crate::output::{self, Format};
use crate::verbs::replace;

/// What is told of a replay, and where.
#[derive(Debug, Args)]
pub struct Output {
    /// Tell every operation that takes time, too
    #[arg(long)]
    events: bool,
    /// Tell what messages lost to each other, too: the worst conflicts, and pairs of tasks
    #[arg(long)]
    conflicts: bool,
    /// Write a trace for the viewers of Chrome and Perfetto
    #[arg(long, value_name = "JSON")]
    chrome: Option<PathBuf>,
    /// Write a page with a timeline and the worst conflicts
    #[arg(long, value_name = "HTML")]
    report: Option<PathBuf>,
    /// How to write it
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

impl Output {
    /// How tables are written.
    pub fn format(&self) -> Format {
        self.format
    }

    /// The simulation, collecting what is to be told. Files of another kind are not replaced.
    pub fn asked<'a>(&self, simulation: Simulation<'a>) -> anyhow::Result<Simulation<'a>> {
        if let Some(path) = &self.chrome {
            replace::only(path, "trace of Chrome", "{\"displayTimeUnit\"")?;
        }
        if let Some(path) = &self.report {
            replace::only(path, "report", "<!DOCTYPE html>")?;
        }
        let writes = self.chrome.is_some() || self.report.is_some();
        let simulation = if self.events || writes { simulation.with_events() } else { simulation };
        Ok(if self.conflicts || writes { simulation.with_conflicts() } else { simulation })
    }

    /// Tells all that was asked for; `place` says where a statement of a task stands.
    pub fn tell(
        &self,
        context: Context,
        network: &str,
        outcome: &Outcome,
        (topology, hosts): (&Topology, &[HostId]),
        place: impl Fn(Rank, u32) -> Option<String>,
    ) -> anyhow::Result<()> {
        let names: Vec<&str> = hosts.iter().map(|host| topology.hosts[host.index()].name.as_str()).collect();
        if let Some(path) = &self.chrome {
            let numbers: Vec<u32> = hosts.iter().map(|host| host.0).collect();
            let all: Vec<&str> = topology.hosts.iter().map(|host| host.name.as_str()).collect();
            write(context, path, &report::chrome(outcome, &numbers, &all, &place))?;
        }
        if let Some(path) = &self.report {
            write(context, path, &html::replay_page(outcome, network, &names, &place))?;
        }
        let of = |event: &Event| place(event.rank, event.statement);
        let events = self.events.then(|| report::events(outcome, outcome.events.iter().map(of)));
        let conflicts = self.conflicts.then(|| [report::conflicts(outcome, &place), report::losses_of_pairs(outcome)]);
        let tasks = report::tasks(outcome, &names);
        let tables: Vec<Table> = [tasks].into_iter().chain(events).chain(conflicts.into_iter().flatten()).collect();
        match self.format {
            Format::Json => output::text(&super::json(outcome.end.get(), &tables)),
            format => output::print_all(&tables, format),
        }
    }
}

fn write(context: Context, path: &Path, text: &str) -> anyhow::Result<()> {
    file::write(path, text).with_context(|| format!("{}: cannot write it", path.display()))?;
    context.say(format!("wrote {}", path.display()));
    Ok(())
}
