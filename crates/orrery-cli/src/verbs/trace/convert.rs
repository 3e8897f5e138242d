use std::io::BufWriter;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, anyhow};
use clap::{Args, ValueEnum};
use orrery::file::Replacement;
use orrery::trace::file::{self, SaveError, TraceFormat};
use orrery::trace::recording;
use orrery::trace::tit::WriteError;
use orrery_report::recorded_chrome_trace;

use super::recorded;
use crate::applies;
use crate::context::{Context, Usage};
use crate::output::counted;
use crate::verbs::output_file::{self, OutputKind};
use crate::verbs::simulate::application::too_many;

/// Arguments of `orrery trace convert`.
#[derive(Debug, Args)]
pub struct Convert {
    /// Trace to read: time-independent, an index of such traces, binary, GOAL, or the folder of a
    /// recorded run
    #[arg(value_name = "IN")]
    from: PathBuf,
    /// Write the trace to this file, with the extension .orrt (binary), .tit or .txt
    /// (time-independent), .goal, or .json (for Chrome and Perfetto, from a recorded run)
    #[arg(value_name = "OUT")]
    to: PathBuf,
    /// Format to write [default: by the extension of OUT]
    #[arg(long, value_name = "FORMAT", value_enum)]
    format: Option<FormatName>,
    /// Speed of a rank in floating-point operations per second, by which work becomes the times of
    /// GOAL, and the times of a recorded run become work
    #[arg(long, value_name = "FLOPS", allow_negative_numbers = true, default_value = "1e9", value_parser = speed)]
    speed: f64,
    /// Replace an existing file
    #[arg(long)]
    force: bool,
}

/// The name of a format on the command line.
#[derive(Debug, Clone, Copy, ValueEnum)]
enum FormatName {
    /// Binary: compact, with communicators and loops
    Binary,
    /// Time-independent, for SimGrid, one text for all ranks
    Tit,
    /// GOAL, for LogGOPSim, with collective operations as messages
    Goal,
    /// JSON for the trace viewers of Chrome and Perfetto, with the times of a recorded run
    Chrome,
}

/// Parses the speed of a rank.
fn speed(text: &str) -> Result<f64, String> {
    let speed = text.parse().ok().filter(|speed: &f64| speed.is_finite() && *speed > 0.0);
    speed.ok_or_else(|| "a number above 0 is expected, such as 2e9".to_owned())
}

impl Convert {
    /// Converts a trace.
    pub fn run(self, context: Context) -> anyhow::Result<()> {
        let name = self.to.display();
        let format = self.format.or_else(|| by_name(&self.to)).ok_or_else(|| {
            Usage(format!(
                "{name}: its extension is none of .orrt, .tit, .txt, .goal and .json; name the \
                    format with --format"
            ))
        })?;
        let is_recorded = self.from.is_dir();
        // Recorded runs and GOAL have times, the other formats amounts of work.
        let converts_times = match format {
            FormatName::Chrome => false,
            FormatName::Goal => !is_recorded,
            FormatName::Binary | FormatName::Tit => is_recorded,
        };
        if !converts_times {
            applies::refuse(&["--speed"], "conversions without a change between work and times")?;
        }
        let format = match format {
            FormatName::Chrome if !is_recorded => {
                let words = "only recorded runs have times; name the folder of trace run, or \
                    another format";
                return Err(Usage(format!("{}: {words}", self.from.display())).into());
            }
            FormatName::Chrome => return self.write_chrome(context),
            FormatName::Binary => TraceFormat::Binary,
            FormatName::Tit => TraceFormat::TimeIndependent,
            FormatName::Goal => TraceFormat::Goal(self.speed),
        };
        output_file::check(&self.to, self.force, "OUT", OutputKind::Trace)?;
        let (trace, inputs) = if is_recorded {
            let (ranks, inputs) =
                (recording::file::load(&self.from)?, recording::file::paths(&self.from)?);
            recorded::warn(&recorded::totals(&self.from)?);
            (
                recording::to_trace(&ranks, self.speed)
                    .with_context(|| self.from.display().to_string())?,
                inputs,
            )
        } else {
            (file::load(&self.from)?, file::files(&self.from)?)
        };
        output_file::refuse_inputs(&self.to, "OUT", &inputs)?;
        file::save(&trace, &self.to, format, trace.budget().operations()).map_err(|error| {
            match error {
                SaveError::TooMany(error) => {
                    too_many(&error, &trace, &self.from.display().to_string())
                }
                SaveError::Write(WriteError::System(error)) => {
                    output_file::cannot_write(&self.to, &error)
                }
                SaveError::Write(WriteError::Unsupported { rank, statement, .. }) => {
                    match trace.location(rank, statement) {
                        Some(place) => anyhow!("{place}: {error}"),
                        None => anyhow!("{}: {error}", self.from.display()),
                    }
                }
            }
        })?;
        let bytes =
            std::fs::metadata(&self.to).with_context(|| format!("cannot read {name}"))?.len();
        let (actions, ranks) =
            (counted(trace.actions(), "action"), counted(trace.ranks() as u64, "rank"));
        context.say(format!("{actions} of {ranks}: {bytes} bytes written to {name}"));
        Ok(())
    }

    /// Writes the calls of a recorded run for the trace viewers of Chrome and Perfetto.
    fn write_chrome(self, context: Context) -> anyhow::Result<()> {
        output_file::check(&self.to, self.force, "OUT", OutputKind::ChromeTrace)?;
        output_file::refuse_inputs(&self.to, "OUT", &recording::file::paths(&self.from)?)?;
        recorded::warn(&recorded::totals(&self.from)?);
        let failed = |error: std::io::Error| output_file::cannot_write(&self.to, &error);
        let mut out = BufWriter::new(Replacement::begin(&self.to).map_err(failed)?);
        let counts = recorded_chrome_trace(&recording::file::load(&self.from)?, &mut out)?;
        let replacement = out.into_inner().map_err(|error| failed(error.into_error()))?;
        replacement.commit().map_err(failed)?;
        let (calls, messages) =
            (counted(counts.calls, "call"), counted(counts.messages, "message"));
        context.say(format!("{calls} and {messages} written to {}", self.to.display()));
        Ok(())
    }
}

/// The format that the name of a file ends in.
fn by_name(path: &Path) -> Option<FormatName> {
    match path.extension()?.to_str()? {
        "orrt" => Some(FormatName::Binary),
        "tit" | "txt" => Some(FormatName::Tit),
        "goal" => Some(FormatName::Goal),
        "json" => Some(FormatName::Chrome),
        _ => None,
    }
}
