use std::path::{Path, PathBuf};

use clap::Args;
use orrery::file::FileKind;
use orrery::schedule::Rank;
use orrery::simulate::Outcome;
use orrery_report::{Table, pages};

use crate::context::{Context, Usage, command_line};
use crate::output::Format;
use crate::verbs::output_file;

/// The options for the output of a simulation.
#[derive(Debug, Args)]
pub struct Output {
    /// List every operation with start and duration
    #[arg(long)]
    pub events: bool,
    /// List the messages that lost the most time to others, and the losses between pairs of tasks
    #[arg(long)]
    conflicts: bool,
    /// Write a trace for the Chrome and Perfetto viewers
    #[arg(long, value_name = "JSON")]
    chrome: Option<PathBuf>,
    /// Write an HTML page with a timeline and the messages that lost most time to other messages
    #[arg(long, value_name = "HTML")]
    report: Option<PathBuf>,
    /// Replace existing files of --chrome and --report
    #[arg(long)]
    force: bool,
    /// Output format
    #[arg(long, value_enum, default_value_t)]
    pub format: Format,
}

/// The records of a simulation besides the times of tasks.
#[derive(Debug, Clone, Copy)]
pub struct Recording {
    pub events: Events,
    pub conflicts: bool,
}

/// What is kept of the operations that take time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Events {
    /// Nothing.
    None,
    /// The first ones; all are written by a second simulation.
    First,
    /// All, for a file.
    All,
}

/// Hosts and positions of tasks, for output.
pub struct Tasks<'a> {
    /// The host of each task.
    pub hosts: &'a [&'a str],
    /// The position of a statement of a task.
    pub place: &'a dyn Fn(Rank, u32) -> Option<String>,
}

impl Output {
    /// The options that need flows.
    pub const OF_FLOWS: [&str; 2] = ["--conflicts", "--report"];

    /// The records that the output needs; an error if an output file must not be written.
    pub fn recording(&self) -> anyhow::Result<Recording> {
        if let Some(path) = &self.chrome {
            output_file::check(path, self.force, FileKind::ChromeTrace)?;
        }
        if let Some(path) = &self.report {
            output_file::check(path, self.force, FileKind::Page)?;
        }
        if self.chrome.is_some() && self.chrome == self.report {
            return Err(Usage(
                "--chrome and --report name the same file; give each its own".into(),
            )
            .into());
        }
        // Checked before the simulation runs.
        for path in self.chrome.iter().chain(&self.report) {
            if let Some(folder) =
                path.parent().filter(|folder| !folder.as_os_str().is_empty() && !folder.is_dir())
            {
                let (path, folder) = (path.display(), folder.display());
                anyhow::bail!(
                    "{path}: cannot write it: there is no folder {folder}; create it first, or \
                        name another"
                );
            }
        }
        let writes = self.chrome.is_some() || self.report.is_some();
        let events = match (writes, self.events) {
            (true, _) => Events::All,
            (false, true) => Events::First,
            (false, false) => Events::None,
        };
        Ok(Recording { events, conflicts: self.conflicts || writes })
    }

    /// Writes the files.
    pub fn write(
        &self,
        context: Context,
        (network, cluster): (&str, Option<&Path>),
        outcome: &Outcome,
        tasks: &Tasks<'_>,
    ) -> anyhow::Result<()> {
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
            let trace = orrery_report::chrome_trace(outcome, &numbers, &names, tasks.place);
            output_file::check(path, self.force, FileKind::ChromeTrace)?
                .write_and_report(context, &trace)?;
        }
        if let Some(path) = &self.report {
            let command = command_line();
            let cluster = cluster.map(|path| path.display().to_string());
            let info =
                pages::SimulationInfo { network, cluster: cluster.as_deref(), command: &command };
            let page = pages::simulation_page(outcome, &info, tasks.hosts, tasks.place);
            output_file::check(path, self.force, FileKind::Page)?
                .write_and_report(context, &page)?;
        }
        Ok(())
    }

    /// The tables of conflicts, if requested.
    pub fn conflicts(&self, outcome: &Outcome, tasks: &Tasks<'_>) -> Vec<Table> {
        if !self.conflicts {
            return Vec::new();
        }
        vec![
            orrery_report::tables::conflicts(outcome, tasks.place),
            orrery_report::tables::pair_losses(outcome),
        ]
    }
}
