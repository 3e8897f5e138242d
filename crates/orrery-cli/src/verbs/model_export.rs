//! `orrery model export`: models as files of other simulators.

use std::path::PathBuf;

use anyhow::anyhow;
use clap::{Args, ValueEnum};
use orrery::comm::{LogGp, Ports};
use orrery::file::FileKind;
use orrery::model::{Model, ModelKind};
use orrery::simulate::loggp::LogGops;
use orrery::units::Bytes;

use super::output_file;
use super::samples;
use crate::context::{Context, warn};

/// Arguments of `orrery model export`.
#[derive(Debug, Args)]
pub struct ExportArguments {
    /// Model file
    #[arg(value_name = "MODEL")]
    model: PathBuf,
    /// Program that reads the export
    #[arg(long = "for", value_name = "PROGRAM", value_enum)]
    program: Program,
    /// Write the export to this file instead of standard output
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Replace an existing file
    #[arg(long, requires = "output")]
    force: bool,
    /// Speed of every processor in operations per second, for simgrid
    #[arg(long, value_name = "FLOPS", default_value_t = 1e9, allow_negative_numbers = true, value_parser = crate::options::positive)]
    speed: f64,
    /// Size below which messages are sent before their receive is posted [default: as measured by
    /// the model ports, else 64K]
    #[arg(long, value_name = "SIZE")]
    eager: Option<Bytes>,
}

/// A program that reads an export.
#[derive(Debug, Clone, Copy, ValueEnum)]
enum Program {
    /// Platform in XML, from the model ports: hosts, their ports, latencies and overheads
    Simgrid,
    /// Options of LogGOPSim, from the model loggp
    Loggopsim,
}

impl ExportArguments {
    /// Writes the export.
    pub fn run(&self, context: Context) -> anyhow::Result<()> {
        let model = samples::model(&self.model)?;
        let text = match self.program {
            Program::Simgrid => self.simgrid(&model)?,
            Program::Loggopsim => self.loggopsim(&model)?,
        };
        let Some(path) = &self.output else {
            return crate::output::text(&text);
        };
        let kind = match self.program {
            Program::Simgrid => FileKind::Platform,
            Program::Loggopsim => FileKind::LogGopsim,
        };
        output_file::check(path, self.force, kind)?.write_and_report(context, &text)
    }

    /// The platform of SimGrid.
    fn simgrid(&self, model: &Model) -> anyhow::Result<String> {
        let ports: Ports =
            model.get(ModelKind::Ports).ok_or_else(|| self.lacks(ModelKind::Ports, "comm"))?;
        Ok(ports.to_simgrid(
            &model.hosts,
            &vec![self.speed; ports.processors()],
            self.eager(Some(&ports)),
        ))
    }

    /// The options of LogGOPSim, in whole nanoseconds.
    fn loggopsim(&self, model: &Model) -> anyhow::Result<String> {
        let parameters: Option<LogGp> = model.get(ModelKind::LogGp);
        let parameters = parameters.as_ref().and_then(LogGp::of_replays);
        let LogGops { latency, send_overhead, receive_overhead, gap, byte_gap, .. } =
            parameters.ok_or_else(|| self.lacks(ModelKind::LogGp, "overheads"))?;
        let overhead = f64::midpoint(send_overhead, receive_overhead);
        for (name, value) in [("L", latency), ("o", overhead), ("g", gap), ("G", byte_gap)] {
            if (value.round() - value).abs() > MAX_ROUNDING * value {
                warn(format_args!(
                    "{name} is {value:.3} ns; LogGOPSim takes whole nanoseconds, {:.0}",
                    value.round()
                ));
            }
        }
        let eager = self.eager(model.get(ModelKind::Ports).as_ref()).get().saturating_sub(1);
        Ok(format!(
            "-L {latency:.0} -o {overhead:.0} -g {gap:.0} -G {byte_gap:.0} -O 0 -S {eager}\n"
        ))
    }

    /// The size of the smallest message that waits for its receive.
    fn eager(&self, ports: Option<&Ports>) -> Bytes {
        let measured = || Some(ports?.largest_eager()? + Bytes::new(1));
        self.eager.or_else(measured).unwrap_or(USUAL_EAGER)
    }

    /// The error for a model that lacks a kind.
    fn lacks(&self, kind: ModelKind, campaign: &str) -> anyhow::Error {
        let path = self.model.display();
        anyhow!(
            "{path}: there is no model {kind}; fit it from the samples of `orrery measure \
                {campaign}` with `orrery fit --models {kind}`"
        )
    }
}

/// The eager limit of a model without a measured one, that of LogGOPSim and SimGrid.
const USUAL_EAGER: Bytes = Bytes::new(65_536);

/// The relative change of a parameter by rounding above which a warning is printed.
const MAX_ROUNDING: f64 = 0.01;
