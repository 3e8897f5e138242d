//! Options that several verbs share.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{Args, ValueEnum};
use orrery::budget;
use orrery::machine::{Machine, SelectedProcessors};
use orrery::request::{RepetitionRequest, Repetitions};
use orrery::units::{Bytes, Described, Seconds};

use crate::context::{Context, Usage};
use crate::job::launched;
use crate::machine::{ClusterSource, DEFAULT_WORKERS, MachineSpec};
use crate::refusal;
use crate::with_path::with_path;

/// Options of the memory and the work that an input may cost.
#[derive(Debug, Clone, Copy, Args)]
pub struct BudgetOptions {
    /// Memory that numbers in inputs and options may make the command use, such as 2G [default: by
    /// the length of the input, at least 512M]
    #[arg(long, global = true, value_name = "SIZE", display_order = 901)]
    max_memory: Option<Bytes>,
    /// Operations that numbers in inputs and options may make the command execute, such as 1e9
    /// [default: by the length of the input, at least 1e7]
    #[arg(
        long,
        global = true,
        value_name = "COUNT",
        allow_negative_numbers = true,
        value_parser = count,
        visible_alias = "max-actions",
        display_order = 902
    )]
    max_operations: Option<u64>,
}

impl BudgetOptions {
    /// Sets the limits of this process.
    pub fn apply(self) {
        self.max_memory.into_iter().for_each(budget::limit_memory);
        self.max_operations.into_iter().for_each(budget::limit_operations);
    }
}

/// Parses an integer from 1, which may be written as 1e9.
fn count(text: &str) -> Result<u64, String> {
    let written = |number: f64| {
        (number.fract() == 0.0 && (1.0..1e18).contains(&number)).then_some(number as u64)
    };
    let count = text
        .parse()
        .ok()
        .filter(|count| *count > 0)
        .or_else(|| text.parse().ok().and_then(written));
    count.ok_or_else(|| "write an integer, such as 5000 or 1e9".to_owned())
}

/// Options of the machine to measure on.
#[derive(Debug, Clone, Args)]
pub struct MachineOptions {
    /// Machine to measure on: local:N (N worker processes on this host), local:FILE.toml (processes
    /// that emulate the cluster of a file), mpi (the ranks of an MPI job), or
    /// sim:MODEL.json[,model=KEY][,sharing=LAW][,noise=FRACTION][,seed=N] [default: mpi under
    /// mpirun or srun, else local:4, or for demo a built-in cluster]
    #[arg(long, value_name = "MACHINE", value_parser = with_path::<MachineSpec>())]
    pub machine: Option<MachineSpec>,
    /// Number of ranks on each host: an emulated cluster starts as many, of other machines the
    /// first of each host take part [default: one on each host of an emulated cluster, else all]
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = clap::value_parser!(u16).range(1..))]
    pub ppn: Option<u16>,
    /// Abort if a worker process does not respond for this time, such as 30s or 2m
    #[arg(long, value_name = "TIME", default_value = "30s", value_parser = duration)]
    pub time_limit: Duration,
    /// Thread level that is requested of the MPI library, with --machine mpi [default: single, as
    /// that of MPI_Init]
    #[arg(long, value_name = "LEVEL", value_enum)]
    pub thread_level: Option<ThreadLevelWord>,
}

/// The keyword of a thread level of MPI.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ThreadLevelWord {
    Single,
    Funneled,
    Serialized,
    Multiple,
}

#[cfg(feature = "mpi")]
impl From<ThreadLevelWord> for orrery_mpi::ThreadLevel {
    fn from(word: ThreadLevelWord) -> Self {
        match word {
            ThreadLevelWord::Single => Self::Single,
            ThreadLevelWord::Funneled => Self::Funneled,
            ThreadLevelWord::Serialized => Self::Serialized,
            ThreadLevelWord::Multiple => Self::Multiple,
        }
    }
}

impl MachineOptions {
    /// The machine to measure on; by default MPI if a launcher has started this process, else local
    /// processes.
    pub fn spec(&self, launched: bool) -> MachineSpec {
        let default = || {
            if launched {
                MachineSpec::Mpi
            } else {
                MachineSpec::Local { workers: DEFAULT_WORKERS }
            }
        };
        self.machine.clone().unwrap_or_else(default)
    }

    /// Chooses the emulated cluster that is built in unless a machine is named or a launcher has
    /// started this process; returns the machine.
    pub fn or_example(&mut self) -> MachineSpec {
        if launched().is_none() {
            self.machine.get_or_insert(MachineSpec::Emulated(ClusterSource::Example));
        }
        self.spec(launched().is_some())
    }

    /// Starts the machine; `launch` counts the starts, `interrupt` stops a running batch.
    pub fn start(
        &self,
        context: Context,
        launch: u32,
        interrupt: Arc<AtomicBool>,
    ) -> anyhow::Result<Box<dyn Machine>> {
        let spec = self.spec(launched().is_some());
        let machine = spec.start(context, launch, self.time_limit, self.ppn, interrupt)?;
        let Some(ppn) = self.ppn else { return Ok(machine) };
        let selected = SelectedProcessors::per_host(machine, ppn.into());
        Ok(Box::new(selected.map_err(|error| {
            Usage(format!("--ppn {ppn}: {error}, or start more processes on each host"))
        })?))
    }

    /// Returns true if this command can launch the machine again.
    pub fn can_relaunch(&self) -> bool {
        self.spec(launched().is_some()) != MachineSpec::Mpi
    }
}

/// Options of the stopping rule for repetitions.
#[derive(Debug, Clone, Copy, Args)]
#[command(next_help_heading = "Precision")]
pub struct PrecisionOptions {
    /// Minimum number of repetitions of each experiment
    #[arg(long, value_name = "N", default_value_t = 5, allow_negative_numbers = true, value_parser = clap::value_parser!(u32).range(1..))]
    pub min_reps: u32,
    /// Maximum number of repetitions of each experiment [default: 100, or --min-reps if that is
    /// larger]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub max_reps: Option<u32>,
    /// Stop repeating when the half-width of the confidence interval is at most this fraction of
    /// the mean or median
    #[arg(long, value_name = "FRACTION", default_value_t = 0.025, allow_negative_numbers = true, value_parser = positive)]
    pub eps: f64,
    /// Confidence level of the interval that --eps limits
    #[arg(long, value_name = "LEVEL", default_value_t = 0.95, allow_negative_numbers = true, value_parser = level)]
    pub level: f64,
    /// Number of repetitions of each experiment before those that are recorded
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub warm_up: u32,
}

impl PrecisionOptions {
    /// Sets the maximum number of repetitions if none is given.
    pub fn limit(&mut self, max_reps: Option<u32>) {
        self.max_reps = self.max_reps.or(max_reps.map(|limit| limit.max(self.min_reps)));
    }

    /// The checked repetitions.
    pub fn checked(self) -> anyhow::Result<Repetitions> {
        let Self { min_reps, max_reps, eps, level, warm_up } = self;
        let request = RepetitionRequest { min_reps, max_reps, eps, level, warm_up };
        request.checked().map_err(refusal::without_file)
    }
}

/// The parser of an option with a described set of values, which help lists.
pub fn described<T: Described>() -> impl TypedValueParser<Value = T> {
    let value = |(name, about): &(&'static str, &'static str)| PossibleValue::new(name).help(about);
    PossibleValuesParser::new(T::DESCRIPTIONS.iter().map(value)).try_map(|name| name.parse())
}

/// Parses a probability between 0 and 1, both excluded.
pub fn level(text: &str) -> Result<f64, String> {
    let level: f64 = text
        .parse()
        .map_err(|_| "a number between 0 and 1 is expected, such as 0.95".to_owned())?;
    if level > 0.0 && level < 1.0 {
        Ok(level)
    } else {
        Err("it must lie between 0 and 1, such as 0.95".into())
    }
}

/// Parses a message size above 0; campaigns measure empty messages in any case.
pub fn size_above_zero(text: &str) -> Result<Bytes, String> {
    match text.parse() {
        Ok(Bytes::ZERO) => {
            Err("it must be above 0: empty messages are measured in any case".into())
        }
        Ok(size) => Ok(size),
        Err(error) => Err(format!("{error}")),
    }
}

/// Parses a finite number above 0.
pub fn positive(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(number) if number > 0.0 && number.is_finite() => Ok(number),
        _ => Err("a number above 0 is expected, such as 0.025".into()),
    }
}

/// Parses a duration such as 90s, 10m or 2h.
pub fn duration(text: &str) -> Result<Duration, String> {
    if text.parse().is_ok_and(|number: f64| number > 0.0) {
        return Err(format!("the unit is missing; write {text}s, {text}m or {text}h"));
    }
    let seconds = Seconds::parse_duration(text);
    let duration = seconds.and_then(|seconds| Duration::try_from_secs_f64(seconds.get()).ok());
    duration.ok_or_else(|| "a duration above 0 is expected, such as 90s, 10m or 2h".to_owned())
}
