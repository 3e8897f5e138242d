//! What is replayed: a trace of actions or of operations in GOAL, with its placement and its start.

use std::fs::File;
use std::io::{BufReader, Read as _};
use std::path::{Path, PathBuf};
use std::str::FromStr;

use anyhow::{Context as _, anyhow};
use clap::Args;
use orrery::file::{FileKind, kind_of};
use orrery::schedule::{Rank, Schedule};
use orrery::trace::actions::{TooManyActions, Trace};
use orrery::trace::file;
use orrery::trace::goal::{GoalGraph, SequentialSchedule};
use orrery::units::Seconds;

use super::placement::Placing;
use crate::output::counted;

/// A trace, by its format.
pub enum Told {
    /// Amounts of computation and of communication.
    Actions(Trace),
    /// Operations with their times.
    Goal(Box<GoalGraph>),
}

/// A job as it is named on the command line: `TRACE[,PLACEMENT][,start=SECONDS]`.
#[derive(Debug, Clone)]
pub struct JobSpec {
    pub trace: PathBuf,
    pub placing: Option<Placing>,
    pub start: Seconds,
}

impl FromStr for JobSpec {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let mut parts = text.split(',');
        let trace = parts.next().filter(|trace| !trace.is_empty()).ok_or("name a trace, as in b.tit,rrp,start=0.5")?;
        let mut job = Self { trace: trace.into(), placing: None, start: Seconds::ZERO };
        for part in parts {
            if let Some(start) = part.strip_prefix("start=") {
                let seconds = start.parse().ok().filter(|start: &f64| start.is_finite() && *start >= 0.0);
                job.start = Seconds::new(seconds.ok_or("start takes seconds, 0 or more, as in start=0.5")?);
            } else if job.placing.is_none() {
                job.placing = Some(part.parse()?);
            } else {
                return Err(format!("{part:?} is one placement too many"));
            }
        }
        Ok(job)
    }
}

/// A trace that can be replayed.
pub struct Application {
    pub name: String,
    told: Told,
    /// A trace in GOAL as a sequence, unless it is none.
    sequence: Option<SequentialSchedule>,
}

/// How much is played, unless told: a few bytes of a binary trace can say 10⁹ repetitions.
#[derive(Debug, Clone, Copy, Args)]
pub struct Bound {
    /// Refuse traces of more actions than this, repetitions counted
    #[arg(long, value_name = "COUNT", default_value = "1e8", allow_negative_numbers = true, value_parser = count)]
    max_actions: u64,
}

/// A whole number, also as 1e9.
pub fn count(text: &str) -> Result<u64, String> {
    let written = |number: f64| (number.fract() == 0.0 && (0.0..1e18).contains(&number)).then_some(number as u64);
    let count = text.parse().ok().or_else(|| text.parse().ok().and_then(written));
    count.ok_or_else(|| "a whole number is expected, such as 5000 or 1e9".to_owned())
}

impl Bound {
    /// What is said of a trace with more; `name` is its file.
    pub fn told(error: &TooManyActions, trace: &Trace, name: &str) -> anyhow::Error {
        let place = trace.location(error.rank, error.statement).map(|place| format!(" ({place})")).unwrap_or_default();
        anyhow!("{name}: {error}{place}; take them with --max-actions {}", error.actions)
    }
}

/// Whether a file is in GOAL.
fn is_goal(path: &Path) -> std::io::Result<bool> {
    let mut head = Vec::new();
    File::open(path)?.take(1 << 16).read_to_end(&mut head)?;
    Ok(kind_of(&head) == Some(FileKind::Goal))
}

impl Application {
    /// Reads a trace in either format.
    pub fn load(path: &Path, bound: Bound) -> anyhow::Result<Self> {
        let name = path.display().to_string();
        let told = if is_goal(path).unwrap_or_default() {
            let file = File::open(path).with_context(|| format!("cannot read {name}"))?;
            Told::Goal(Box::new(GoalGraph::read(BufReader::with_capacity(1 << 20, file), path)?))
        } else {
            let trace = file::load(path)?;
            trace.check_length(bound.max_actions).map_err(|error| Bound::told(&error, &trace, &name))?;
            Told::Actions(trace)
        };
        Ok(Self { name, told, sequence: None })
    }

    /// The same for networks on which programs do one thing after the other.
    pub fn in_sequence(mut self) -> anyhow::Result<Self> {
        if let Told::Goal(goal) = &self.told {
            self.sequence = Some(SequentialSchedule::new(goal).with_context(|| self.name.clone())?);
        }
        Ok(self)
    }

    /// The graph of a trace in GOAL.
    pub fn goal(&self) -> Option<&GoalGraph> {
        if let Told::Goal(goal) = &self.told { Some(goal) } else { None }
    }

    pub fn ranks(&self) -> usize {
        match &self.told {
            Told::Actions(trace) => trace.ranks(),
            Told::Goal(goal) => goal.ranks() as usize,
        }
    }

    /// How much there is of it, in words.
    pub fn amount(&self) -> String {
        let what = match &self.told {
            Told::Actions(trace) => counted(trace.actions(), "action"),
            Told::Goal(goal) => counted(goal.operations().len() as u64, "operation"),
        };
        format!("{what} of {}", counted(self.ranks() as u64, "rank"))
    }

    /// Its schedule where rank r computes `speeds[r]` operations in a second and a test takes so long.
    pub fn schedule<'a>(&'a self, speeds: &'a [f64], test: Seconds) -> Box<dyn Schedule + 'a> {
        match (&self.told, &self.sequence) {
            (Told::Actions(trace), _) => Box::new(trace.schedule(speeds, test)),
            (_, Some(sequence)) => Box::new(sequence),
            (Told::Goal(_), None) => Box::new(orrery::schedule::Explicit::default()),
        }
    }

    /// Whether it tells amounts of computation, whose times depend on the speed of the processors.
    pub fn computes(&self) -> bool {
        matches!(&self.told, Told::Actions(trace) if trace.has_computation())
    }

    /// Where a statement of a rank stands, as `file:line:column`.
    pub fn place(&self, rank: Rank, statement: u32) -> Option<String> {
        match (&self.told, &self.sequence) {
            (Told::Actions(trace), _) => trace.location(rank, statement).map(|place| place.to_string()),
            (_, Some(sequence)) => sequence.line(rank, statement).map(|line| format!("{}:{line}:1", self.name)),
            // A graph has lines in the place of statements.
            _ => Some(format!("{}:{statement}:1", self.name)),
        }
    }
}
