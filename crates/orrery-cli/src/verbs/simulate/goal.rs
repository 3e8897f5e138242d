use std::fs::File;
use std::io::BufReader;
use std::path::Path;

use anyhow::Context as _;
use clap::Args;
use orrery::report::{Cell, Column, Table};
use orrery::simulate::loggp::{LogGops, replay};
use orrery::trace::goal::Goal;

use crate::context::Context;
use crate::output::{self, Format};

/// The parameters of `--network loggp`.
#[derive(Debug, Args)]
#[command(next_help_heading = "Of the network loggp, in nanoseconds and bytes")]
pub struct Parameters {
    /// The latency
    #[arg(short = 'L', value_name = "NS", default_value_t = 2500.0, value_parser = time)]
    latency: f64,
    /// The overhead of a message
    #[arg(short = 'o', value_name = "NS", default_value_t = 1500.0, value_parser = time)]
    overhead: f64,
    /// The gap between messages
    #[arg(short = 'g', value_name = "NS", default_value_t = 1000.0, value_parser = time)]
    gap: f64,
    /// The gap for each further byte
    #[arg(short = 'G', value_name = "NS", default_value_t = 6.0, value_parser = time)]
    byte_gap: f64,
    /// The overhead for each further byte
    #[arg(short = 'O', value_name = "NS", default_value_t = 0.0, value_parser = time)]
    byte_overhead: f64,
    /// The largest message whose send does not wait for its receive
    #[arg(short = 'S', value_name = "BYTES", default_value_t = 65535)]
    largest_eager: u64,
}

fn time(text: &str) -> Result<f64, String> {
    let time = text.parse().ok().filter(|time: &f64| time.is_finite() && *time >= 0.0);
    time.ok_or_else(|| "write a time in nanoseconds, 0 or more".to_owned())
}

/// Replays a trace in GOAL.
pub fn run(context: Context, path: &Path, parameters: &Parameters, format: Format) -> anyhow::Result<()> {
    let name = path.display();
    let file = File::open(path).with_context(|| format!("cannot read {name}"))?;
    let goal = Goal::read(BufReader::with_capacity(1 << 20, file), path)?;
    let Parameters { latency, overhead, gap, byte_gap, byte_overhead, largest_eager } = *parameters;
    let replayed = replay(&goal, &LogGops { latency, overhead, gap, byte_gap, byte_overhead, eager: largest_eager });
    let replayed = replayed.with_context(|| name.to_string())?;
    let end = replayed.total() / 1e9;
    context.say(format!("{} operations of {} ranks: {end} s", goal.operations().len(), goal.ranks()));
    let mut tasks = Table::new("tasks", "", [Column::numbers("rank"), Column::numbers("seconds").titled("time")]);
    for (rank, finish) in replayed.finish.iter().enumerate() {
        let seconds = finish / 1e9;
        tasks.push([
            Cell::integer(rank as u64),
            Cell::number(seconds, orrery::units::Seconds::new(seconds).to_string()),
        ]);
    }
    match format {
        Format::Json => output::text(&super::json(end, &[tasks])),
        format => output::print(&tasks, format),
    }
}
