//! Networks that are fitted point-to-point models, the parameters of `loggp`, and the sizes that
//! models were measured with.

use std::path::Path;

use anyhow::anyhow;
use clap::Args;
use orrery::comm::LogGp;
use orrery::model::ModelKind;
use orrery::platform::Topology;
use orrery::request::{SimulatedApplication, SimulatedPlatform};
use orrery::schedule::{Operation, Rank, Transfer, operations};
use orrery::simulate::loggp::LogGops;
use orrery::trace::goal::OperationKind;
use orrery::units::{Bytes, Seconds};

use super::cluster::{self, EagerLimits};
use crate::context::{Context, Usage, warn};
use crate::refusal;
use crate::verbs::samples;

/// The speed of processors, for networks without a cluster.
#[derive(Debug, Args)]
#[command(next_help_heading = "Speed, for networks without a cluster")]
pub struct SpeedOption {
    /// Speed of every processor in operations per second, if there is no cluster
    #[arg(long, value_name = "FLOPS", allow_negative_numbers = true, value_parser = speed, conflicts_with = "cluster")]
    pub speed: Option<f64>,
}

/// Parses a speed in operations per second.
pub fn speed(text: &str) -> Result<f64, String> {
    let speed = text.parse().ok().filter(|speed: &f64| speed.is_finite() && *speed > 0.0);
    speed.ok_or_else(|| "write operations per second above 0, such as 2e9".to_owned())
}

impl SpeedOption {
    /// The platform of a kind of model.
    pub fn platform(
        &self,
        kind: ModelKind,
        file: Option<&Path>,
        cluster: Option<&Path>,
        limits: EagerLimits,
        context: Context,
    ) -> anyhow::Result<SimulatedPlatform> {
        let path = file.unwrap_or_else(|| unreachable!("required with these networks"));
        let model = samples::model(path)?;
        let speeds = match (self.speed, cluster) {
            (Some(speed), _) => Some(vec![speed; model.processors()]),
            (None, Some(cluster)) => {
                let topology = cluster::hosts(cluster::load(cluster)?, kind.name(), context)?;
                Some(speeds(&model.hosts, &topology, cluster)?)
            }
            (None, None) => None,
        };
        SimulatedPlatform::of_model(model, kind, speeds, limits.given())
            .map_err(|error| refusal::failure(error, path))
    }
}

/// The speeds of processors, from the hosts of a cluster file.
fn speeds(hosts: &[String], topology: &Topology, path: &Path) -> anyhow::Result<Vec<f64>> {
    let speed = |name: &String| {
        let host = topology.host(name).ok_or_else(|| {
            anyhow!(
                "{}: the host {name:?} of the model is missing; add it, or give --speed FLOPS \
                    instead",
                path.display()
            )
        })?;
        Ok(topology.hosts[host.index()].speed)
    };
    hosts.iter().map(speed).collect()
}

/// The parameters of `--network loggp`.
#[derive(Debug, Args)]
#[command(next_help_heading = "Parameters of the network loggp, in nanoseconds and bytes")]
pub struct LogGopsOptions {
    /// Latency of a message in ns, with --network loggp
    #[arg(short = 'L', value_name = "NS", allow_negative_numbers = true, value_parser = time)]
    latency: Option<f64>,
    /// Overhead in ns, with --network loggp: CPU time of each send and of each receive
    #[arg(short = 'o', value_name = "NS", allow_negative_numbers = true, value_parser = time)]
    overhead: Option<f64>,
    /// Gap in ns, with --network loggp: least time between two messages of a rank
    #[arg(short = 'g', value_name = "NS", allow_negative_numbers = true, value_parser = time)]
    gap: Option<f64>,
    /// Gap in ns for each byte of a message after the first, with --network loggp
    #[arg(short = 'G', value_name = "NS", allow_negative_numbers = true, value_parser = time)]
    byte_gap: Option<f64>,
    /// Overhead in ns for each byte after the first, with --network loggp [default: 0]
    #[arg(short = 'O', value_name = "NS", allow_negative_numbers = true, value_parser = time)]
    byte_overhead: Option<f64>,
    /// Largest message in bytes whose send ends without its receive, with --network loggp [default:
    /// 65535]
    #[arg(short = 'S', value_name = "BYTES", allow_negative_numbers = true)]
    largest_eager: Option<Bytes>,
}

/// Parses a time in nanoseconds.
fn time(text: &str) -> Result<f64, String> {
    let time = text.parse().ok().filter(|time| LogGops::TIMES.contains(time));
    time.ok_or_else(|| "write a time in nanoseconds, from 0 to 1e15".to_owned())
}

impl LogGopsOptions {
    /// The names of these options.
    pub const NAMES: [&str; 6] = ["-L", "-o", "-g", "-G", "-O", "-S"];

    /// The parameters: those of a model file where options do not override them, or all from
    /// options; and the sizes that the model was measured with.
    pub fn parameters(
        &self,
        file: Option<&Path>,
    ) -> anyhow::Result<(LogGops, Option<MeasuredRange>)> {
        let (mut parameters, measured) = match file {
            Some(path) => fitted(path)?,
            None => {
                self.check_complete()?;
                (LogGops::default(), None)
            }
        };
        let set =
            |parameter: &mut f64, given: Option<f64>| *parameter = given.unwrap_or(*parameter);
        set(&mut parameters.latency, self.latency);
        set(&mut parameters.send_overhead, self.overhead);
        set(&mut parameters.receive_overhead, self.overhead);
        set(&mut parameters.gap, self.gap);
        set(&mut parameters.byte_gap, self.byte_gap);
        set(&mut parameters.byte_overhead, self.byte_overhead);
        parameters.eager = self.largest_eager.map_or(parameters.eager, Bytes::get);
        Ok((parameters, measured))
    }

    /// Returns an error if one of the parameters without default is not given.
    fn check_complete(&self) -> Result<(), Usage> {
        let required =
            [("-L", self.latency), ("-o", self.overhead), ("-g", self.gap), ("-G", self.byte_gap)];
        let missing: Vec<&str> = required
            .iter()
            .filter(|(_, value)| value.is_none())
            .map(|(option, _)| *option)
            .collect();
        if missing.is_empty() {
            return Ok(());
        }
        Err(Usage(format!(
            "--network loggp lacks {}; give --parameters MODEL with a fitted loggp, or all of -L, \
                -o, -g and -G in ns, \
             such as LogGOPSim's -L 2500 -o 1500 -g 1000 -G 6",
            missing.join(", ")
        )))
    }
}

/// The parameters of the model loggp in a model file, and the sizes that it was measured with.
fn fitted(path: &Path) -> anyhow::Result<(LogGops, Option<MeasuredRange>)> {
    let model = samples::model(path)?;
    let parameters: Option<LogGp> = model.get(ModelKind::LogGp);
    let parameters = parameters.as_ref().and_then(LogGp::of_replays);
    if parameters.is_some_and(|parameters| !parameters.is_valid()) {
        return Err(anyhow!(
            "{}: a parameter of loggp is longer than 1e15 ns; fit it again, or correct it",
            path.display()
        ));
    }
    let missing = || {
        anyhow!("{}: there is no model loggp; fit it, or give -L, -o, -g and -G", path.display())
    };
    Ok((parameters.ok_or_else(missing)?, model.measured))
}

/// The sizes of the smallest and the largest measured message of a model.
pub type MeasuredRange = (Bytes, Bytes);

/// Warns of messages of applications whose times the model at `path` extrapolates.
pub fn check_range(
    (smallest, largest): MeasuredRange,
    path: &Path,
    applications: &[SimulatedApplication],
) {
    let (mut all, mut outside, mut farthest) = (0_u64, 0_u64, Bytes::ZERO);
    for application in applications {
        each_message(application, |size| {
            all += 1;
            if !(smallest..=largest).contains(&size) {
                outside += 1;
                farthest = farthest.max(size);
            }
        });
    }
    if outside > 0 {
        let path = path.display();
        let of = if all == 1 { "message is" } else { "messages are" };
        warn(format_args!(
            "{outside} of {all} {of} outside the sizes that {path} was measured with, {smallest} \
                to {largest}, the largest \
             of them {farthest}: these times are extrapolated"
        ));
    }
}

/// Passes the size of each message of an application, with repetitions.
fn each_message(application: &SimulatedApplication, mut message: impl FnMut(Bytes)) {
    if let Some(goal) = application.graph() {
        let sends = goal.operations().iter().filter(|one| one.kind == OperationKind::Send);
        return sends.for_each(|send| message(Bytes::new(send.size)));
    }
    // The sizes do not depend on the speeds.
    let speeds = vec![1.0; application.ranks()];
    let schedule = application.schedule(&speeds, Seconds::ZERO);
    for operation in Rank::first(application.ranks()).flat_map(|rank| operations(&*schedule, rank))
    {
        if let Operation::Do(Transfer::Send { size, .. })
        | Operation::Post(Transfer::Send { size, .. }, _) = operation
        {
            message(size);
        }
    }
}
