//! The applications to simulate: traces with their mapping and start, as on the command line.

use std::fs::File;
use std::io::BufReader;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::sync::Arc;

use anyhow::{Context as _, anyhow};
use orrery::file::{FileKind, kind_of, read_head};
use orrery::names::advice;
use orrery::platform::{MappingPolicy, RankMapping};
use orrery::request::{RankPlacement, SimulatedApplication};
use orrery::trace::actions::{CollectiveAlgorithms, TooManyOperations, Trace};
use orrery::trace::goal::GoalGraph;
use orrery::trace::{file, recording};
use orrery::units::Seconds;

use crate::output::counted;
use crate::{applies, hand_written, hints};

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
            } else if let Some((name, _)) = part.split_once('=') {
                let advice = advice(name, "known", ["start"]);
                return Err(format!("unknown option {name:?} of a job; {advice}, as in start=0.5"));
            } else if job.mapping.is_none() {
                job.mapping = Some(part.parse()?);
            } else {
                return Err(format!("{part:?} is a second placement; give one"));
            }
        }
        Ok(job)
    }
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
    Ok(kind_of(&read_head(path)?) == Some(FileKind::Goal))
}

/// Loads a trace of any format, with these algorithms of collective operations if they are not the
/// default ones.
///
/// The computations of a recorded run take the measured times. With the speed of the hosts that it
/// ran on they are amounts, and depend on the speeds of the simulated hosts.
pub fn load(
    path: &Path,
    algorithms: Option<&CollectiveAlgorithms>,
    recorded_speed: Option<f64>,
) -> anyhow::Result<SimulatedApplication> {
    let is_recorded = path.is_dir();
    let name = path.display().to_string();
    if !is_recorded {
        let subject = format!("{name}, which is no recorded run: the folder of trace run");
        applies::refuse(&["--recorded-speed"], subject)?;
    }
    if is_goal(path).unwrap_or_default() {
        let subject = format!("{name}, a trace in GOAL, which has messages only");
        applies::refuse(&["--collectives"], subject)?;
        let file = File::open(path).with_context(|| format!("cannot read {name}"))?;
        let graph = GoalGraph::read(BufReader::with_capacity(1 << 20, file), path)?;
        return Ok(SimulatedApplication::of_goal(name, graph));
    }
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
    let is_measured = is_recorded && recorded_speed.is_none();
    Ok(SimulatedApplication::of_trace(name, Arc::new(trace), is_measured))
}

/// The numbers of actions and ranks of an application, in words.
pub fn summary(application: &SimulatedApplication) -> String {
    let what = match application.trace() {
        Some(trace) => counted(trace.actions(), "action"),
        None => counted(application.operations(), "operation"),
    };
    format!("{what} of {}", counted(application.ranks() as u64, "rank"))
}

/// A mapping policy (`rrn`, `rrp`, `random[:SEED]`), or a file of a launcher.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MappingOption {
    Policy(MappingPolicy),
    File(PathBuf),
}

impl FromStr for MappingOption {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text.parse() {
            Ok(policy) => Ok(Self::Policy(policy)),
            Err(error) if text.starts_with("random:") || text.is_empty() => Err(error.to_string()),
            Err(_) => Ok(Self::File(text.into())),
        }
    }
}

impl std::fmt::Display for MappingOption {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Policy(policy) => policy.fmt(f),
            Self::File(path) => path.display().fmt(f),
        }
    }
}

impl MappingOption {
    /// The placement; that of a file is read.
    pub fn load(&self) -> anyhow::Result<RankPlacement> {
        match self {
            Self::Policy(policy) => Ok(RankPlacement::Policy(*policy)),
            Self::File(path) => {
                let name = path.display().to_string();
                let text = hand_written::read(path).with_context(|| {
                    format!(
                        "cannot read {name}; a placement is rrn, rrp, random[:SEED] or a file with \
                            a host for each rank"
                    )
                })?;
                Ok(RankPlacement::Listed(RankMapping::parse(&text, &name)?))
            }
        }
    }
}
