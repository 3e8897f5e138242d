//! The applications to simulate: traces with their mapping and start.

use std::fs::File;
use std::io::{BufReader, Read as _};
use std::path::{Path, PathBuf};
use std::str::FromStr;

use anyhow::{Context as _, anyhow};
use orrery::budget::Budget;
use orrery::file::{FileKind, kind_of};
use orrery::schedule::{Rank, Schedule};
use orrery::trace::actions::{CollectiveAlgorithms, TooManyOperations, Trace};
use orrery::trace::file;
use orrery::trace::goal::{GoalGraph, SequentialSchedule};
use orrery::trace::recording;
use orrery::units::Seconds;

use super::mapping::MappingOption;
use crate::output::counted;
use crate::{applies, hints};

/// The content of a trace, by its format.
pub enum Content {
    /// Actions: amounts of computation and of communication.
    Actions(Trace),
    /// A recorded run, whose amounts of computation are measured times in seconds.
    Measured(Trace),
    /// A GOAL graph: operations with their times.
    Goal(Box<GoalGraph>),
}

/// A job on the command line: `TRACE[,PLACEMENT][,start=SECONDS]`.
#[derive(Debug, Clone)]
pub struct JobSpec {
    pub trace: PathBuf,
    pub mapping: Option<MappingOption>,
    pub start: Seconds,
}

impl FromStr for JobSpec {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let mut parts = text.split(',');
        let trace = parts
            .next()
            .filter(|trace| !trace.is_empty())
            .ok_or("name a trace, as in b.tit,rrp,start=0.5")?;
        let mut job = Self { trace: trace.into(), mapping: None, start: Seconds::ZERO };
        for part in parts {
            if let Some(start) = part.strip_prefix("start=") {
                let seconds =
                    start.parse().ok().filter(|start: &f64| start.is_finite() && *start >= 0.0);
                job.start = Seconds::new(
                    seconds.ok_or("start must be seconds, 0 or more, as in start=0.5")?,
                );
            } else if job.mapping.is_none() {
                job.mapping = Some(part.parse()?);
            } else {
                return Err(format!("{part:?} is a second placement; give one"));
            }
        }
        Ok(job)
    }
}

/// An application: its trace, loaded.
pub struct Application {
    /// The name of its file.
    pub name: String,
    content: Content,
    /// A GOAL graph as a sequential schedule, if it was converted.
    sequence: Option<SequentialSchedule>,
}

/// The error for a trace with more operations than its budget; `name` is its file.
pub fn too_many(error: &TooManyOperations, trace: &Trace, name: &str) -> anyhow::Error {
    let place = trace
        .location(error.rank, error.statement)
        .map(|place| format!(" ({place})"))
        .unwrap_or_default();
    anyhow!("{name}: {error}{place}; {}", hints::allow_operations(error.operations))
}

/// Returns true if a file is in GOAL.
fn is_goal(path: &Path) -> std::io::Result<bool> {
    let mut head = Vec::new();
    File::open(path)?.take(1 << 16).read_to_end(&mut head)?;
    Ok(kind_of(&head) == Some(FileKind::Goal))
}

impl Application {
    /// Loads a trace of any format, with these algorithms of collective operations if they are not
    /// the default ones.
    ///
    /// The computations of a recorded run take the measured times. With the speed of the hosts that
    /// it ran on they are amounts, and depend on the speeds of the simulated hosts.
    pub fn load(
        path: &Path,
        algorithms: Option<&CollectiveAlgorithms>,
        recorded_speed: Option<f64>,
    ) -> anyhow::Result<Self> {
        let is_recorded = path.is_dir();
        let name = path.display().to_string();
        if !is_recorded {
            let subject = format!("{name}, which is no recorded run: the folder of trace run");
            applies::refuse(&["--recorded-speed"], subject)?;
        }
        let content = if is_goal(path).unwrap_or_default() {
            let subject = format!("{name}, a trace in GOAL, which has messages only");
            applies::refuse(&["--collectives"], subject)?;
            let file = File::open(path).with_context(|| format!("cannot read {name}"))?;
            Content::Goal(Box::new(GoalGraph::read(BufReader::with_capacity(1 << 20, file), path)?))
        } else {
            let mut trace = if is_recorded {
                recording::to_trace(&recording::file::load(path)?, recorded_speed.unwrap_or(1.0))
                    .context(name.clone())?
            } else {
                file::load(path)?
            };
            if let Some(algorithms) = algorithms {
                trace.set_algorithms(algorithms.clone());
            }
            trace
                .check_length(trace.budget().operations())
                .map_err(|error| too_many(&error, &trace, &name))?;
            if is_recorded && recorded_speed.is_none() {
                Content::Measured(trace)
            } else {
                Content::Actions(trace)
            }
        };
        Ok(Self { name, content, sequence: None })
    }

    /// The same application as a sequential schedule, for networks that need one.
    pub fn in_sequence(mut self) -> anyhow::Result<Self> {
        if let Content::Goal(goal) = &self.content {
            self.sequence = Some(SequentialSchedule::new(goal).with_context(|| self.name.clone())?);
        }
        Ok(self)
    }

    /// The graph of a GOAL trace.
    pub fn goal(&self) -> Option<&GoalGraph> {
        if let Content::Goal(goal) = &self.content { Some(goal) } else { None }
    }

    /// The number of operations, with repetitions.
    pub fn operations(&self) -> u64 {
        match &self.content {
            Content::Actions(trace) | Content::Measured(trace) => trace.operations(),
            Content::Goal(goal) => goal.operations().len() as u64,
        }
    }

    /// The number of operations that its file may request.
    pub fn max_operations(&self) -> u64 {
        match &self.content {
            Content::Actions(trace) | Content::Measured(trace) => trace.budget().operations(),
            Content::Goal(goal) => Budget::of_input(goal.operations().len() as u64).operations(),
        }
    }

    /// The number of ranks.
    pub fn ranks(&self) -> usize {
        match &self.content {
            Content::Actions(trace) | Content::Measured(trace) => trace.ranks(),
            Content::Goal(goal) => goal.ranks() as usize,
        }
    }

    /// The numbers of actions and ranks, in words.
    pub fn summary(&self) -> String {
        let what = match &self.content {
            Content::Actions(trace) | Content::Measured(trace) => {
                counted(trace.actions(), "action")
            }
            Content::Goal(goal) => counted(goal.operations().len() as u64, "operation"),
        };
        format!("{what} of {}", counted(self.ranks() as u64, "rank"))
    }

    /// The schedule with `speeds[r]` operations per second on rank r, and this time of a test of a
    /// request.
    pub fn schedule<'a>(&'a self, speeds: &'a [f64], test: Seconds) -> Box<dyn Schedule + 'a> {
        match (&self.content, &self.sequence) {
            (Content::Actions(trace) | Content::Measured(trace), _) => {
                Box::new(trace.schedule(speeds, test))
            }
            (_, Some(sequence)) => Box::new(sequence),
            (Content::Goal(_), None) => Box::new(orrery::schedule::Explicit::default()),
        }
    }

    /// The speeds of its ranks on hosts with these speeds: 1 where amounts of computation are
    /// measured times.
    pub fn speeds(&self, of_hosts: Vec<f64>) -> Vec<f64> {
        if matches!(self.content, Content::Measured(_)) {
            vec![1.0; of_hosts.len()]
        } else {
            of_hosts
        }
    }

    /// Returns true if it has computations whose times depend on the speed of the processors.
    pub fn computes(&self) -> bool {
        matches!(&self.content, Content::Actions(trace) if trace.has_computation())
    }

    /// The position of a statement of a rank, as `file:line:column`.
    pub fn place(&self, rank: Rank, statement: u32) -> Option<String> {
        match (&self.content, &self.sequence) {
            (Content::Actions(trace) | Content::Measured(trace), _) => {
                trace.location(rank, statement).map(|place| place.to_string())
            }
            (_, Some(sequence)) => {
                sequence.line(rank, statement).map(|line| format!("{}:{line}:1", self.name))
            }
            // The statement of a graph is its line.
            _ => Some(format!("{}:{statement}:1", self.name)),
        }
    }
}
