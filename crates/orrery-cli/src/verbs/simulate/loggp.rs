//! The network `loggp`: its parameters.

use std::path::Path;

use anyhow::anyhow;
use clap::Args;
use orrery::comm::LogGp;
use orrery::model::ModelKind;
use orrery::simulate::loggp::LogGops;
use orrery::units::Bytes;

use super::measured_range::MeasuredRange;
use crate::context::Usage;
use crate::verbs::samples;

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
