use anyhow::{Context as _, anyhow};
use clap::Args;
use orrery::schedule::Rank;
use orrery::simulate::Outcome;
use orrery::simulate::loggp::{self, DeadlockError, LogGops, UnfinishedOperation};
use orrery::trace::goal::GoalGraph;
use orrery::units::{Bytes, Seconds};

use super::application::Application;

/// The parameters of `--network loggp`.
#[derive(Debug, Args)]
#[command(next_help_heading = "Of the network loggp, in nanoseconds and bytes")]
pub struct Parameters {
    /// The latency
    #[arg(short = 'L', value_name = "NS", allow_negative_numbers = true, default_value_t = 2500.0, value_parser = time)]
    latency: f64,
    /// The overhead of a message
    #[arg(short = 'o', value_name = "NS", allow_negative_numbers = true, default_value_t = 1500.0, value_parser = time)]
    overhead: f64,
    /// The gap between messages
    #[arg(short = 'g', value_name = "NS", allow_negative_numbers = true, default_value_t = 1000.0, value_parser = time)]
    gap: f64,
    /// The gap for each further byte
    #[arg(short = 'G', value_name = "NS", allow_negative_numbers = true, default_value_t = 6.0, value_parser = time)]
    byte_gap: f64,
    /// The overhead for each further byte
    #[arg(short = 'O', value_name = "NS", allow_negative_numbers = true, default_value_t = 0.0, value_parser = time)]
    byte_overhead: f64,
    /// The largest message whose send does not wait for its receive
    #[arg(short = 'S', value_name = "BYTES", allow_negative_numbers = true, default_value_t = Bytes::new(65535))]
    largest_eager: Bytes,
}

fn time(text: &str) -> Result<f64, String> {
    let time = text.parse().ok().filter(|time: &f64| time.is_finite() && *time >= 0.0);
    time.ok_or_else(|| "write a time in nanoseconds, 0 or more".to_owned())
}

impl Parameters {
    /// The first one that is not what it is unless told.
    pub fn given(&self) -> Option<&'static str> {
        let numbers = |of: LogGops| {
            let LogGops { latency, overhead, gap, byte_gap, byte_overhead, eager } = of;
            [
                ("-L", latency),
                ("-o", overhead),
                ("-g", gap),
                ("-G", byte_gap),
                ("-O", byte_overhead),
                ("-S", eager as f64),
            ]
        };
        let both = numbers(self.model()).into_iter().zip(numbers(LogGops::default()));
        both.into_iter().find(|(own, usual)| own.1.to_bits() != usual.1.to_bits()).map(|(own, _)| own.0)
    }

    pub fn model(&self) -> LogGops {
        let Self { latency, overhead, gap, byte_gap, byte_overhead, largest_eager } = *self;
        LogGops { latency, overhead, gap, byte_gap, byte_overhead, eager: largest_eager.get() }
    }
}

/// What an application comes to in the LogGOPS model: a trace in GOAL, or one of actions as a graph of operations.
pub fn outcome(
    application: &Application,
    speeds: &[f64],
    parameters: &LogGops,
    keeps_events: bool,
) -> anyhow::Result<Outcome> {
    let name = &application.name;
    if let Some(goal) = application.goal() {
        return loggp::outcome(goal, parameters, keeps_events).with_context(|| name.clone());
    }
    let schedule = application.schedule(speeds, Seconds::ZERO);
    let goal = GoalGraph::from_schedule(&*schedule).with_context(|| name.clone())?;
    drop(schedule);
    loggp::outcome(&goal, parameters, keeps_events).map_err(|error| stuck(application, &error))
}

/// A replay that is stuck, with the places of the trace.
fn stuck(application: &Application, error: &DeadlockError) -> anyhow::Error {
    let told = |waiting: &UnfinishedOperation| {
        let operation = waiting.operation;
        let place = application.place(Rank(operation.rank), operation.line).unwrap_or_default();
        format!("rank {} waits at {place}", operation.rank)
    };
    let all: Vec<String> = error.first.iter().map(told).collect();
    let more = error.count - error.first.len();
    let more = if more > 0 { format!("; and {more} more operations") } else { String::new() };
    anyhow!("deadlock: {}{more}", all.join("; "))
}
