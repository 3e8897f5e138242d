use std::path::{Path, PathBuf};

use anyhow::Context as _;
use clap::Args;
use orrery::schedule::Rank;
use orrery::simulate::Outcome;
use orrery_report::{Table, file, pages};

use crate::context::{Context, Usage, command_line};
use crate::output::Format;
use crate::verbs::replace;

/// What is told of a replay, and where.
#[derive(Debug, Args)]
pub struct Output {
    /// Tell every operation that takes time, too
    #[arg(long)]
    pub events: bool,
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
    pub format: Format,
}

/// What a simulation collects besides times.
#[derive(Debug, Clone, Copy, Default)]
pub struct Collect {
    pub events: bool,
    pub conflicts: bool,
}

/// The tasks of a replay as people know them.
pub struct Tasks<'a> {
    /// The host of each.
    pub hosts: &'a [&'a str],
    /// Where a statement of one stands.
    pub place: &'a dyn Fn(Rank, u32) -> Option<String>,
}

impl Output {
    /// What has to be collected. Files of another kind are not replaced.
    pub fn collect(&self) -> anyhow::Result<Collect> {
        if let Some(path) = &self.chrome {
            replace::only(path, "--chrome", "trace of Chrome", "{\"displayTimeUnit\"")?;
        }
        if let Some(path) = &self.report {
            replace::only(path, "--report", "report", "<!DOCTYPE html>")?;
        }
        if self.chrome.is_some() && self.chrome == self.report {
            return Err(Usage("--chrome and --report name the same file; give each its own".into()).into());
        }
        // Not told only when everything has been played.
        for path in self.chrome.iter().chain(&self.report) {
            if let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty() && !folder.is_dir()) {
                let (path, folder) = (path.display(), folder.display());
                anyhow::bail!("{path}: cannot write it: there is no folder {folder}; make it first, or name another");
            }
        }
        let writes = self.chrome.is_some() || self.report.is_some();
        Ok(Collect { events: self.events || writes, conflicts: self.conflicts || writes })
    }

    /// The first option that asks for what only messages that flow have.
    pub fn of_flows(&self) -> Option<&'static str> {
        if self.conflicts { Some("--conflicts") } else { self.report.as_ref().map(|_| "--report") }
    }

    /// The option that asks for what only tasks have that do one thing after the other.
    pub fn of_sequences(&self) -> Option<&'static str> {
        self.chrome.as_ref().map(|_| "--chrome")
    }

    /// Writes the files that were asked for.
    pub fn write(&self, context: Context, network: &str, outcome: &Outcome, tasks: &Tasks<'_>) -> anyhow::Result<()> {
        if let Some(path) = &self.chrome {
            let mut names: Vec<&str> = Vec::new();
            let mut numbers = Vec::new();
            for &host in tasks.hosts {
                let known = names.iter().position(|name| *name == host);
                numbers.push(known.unwrap_or(names.len()) as u32);
                if known.is_none() {
                    names.push(host);
                }
            }
            write(context, path, &orrery_report::chrome_trace(outcome, &numbers, &names, tasks.place))?;
        }
        if let Some(path) = &self.report {
            let command = command_line();
            let info = pages::SimulationInfo { network, cluster: None, command: &command };
            write(context, path, &pages::simulation_page(outcome, &info, tasks.hosts, tasks.place))?;
        }
        Ok(())
    }

    /// What messages lost to each other, where that was asked for.
    pub fn conflicts(&self, outcome: &Outcome, tasks: &Tasks<'_>) -> Vec<Table> {
        if !self.conflicts {
            return Vec::new();
        }
        vec![orrery_report::tables::conflicts(outcome, tasks.place), orrery_report::tables::pair_losses(outcome)]
    }
}

fn write(context: Context, path: &Path, text: &str) -> anyhow::Result<()> {
    file::write(path, text).with_context(|| format!("{}: cannot write it", path.display()))?;
    context.say(format!("wrote {}", path.display()));
    Ok(())
}
