use std::ffi::OsStr;
use std::io::BufWriter;
use std::path::PathBuf;

use anyhow::{Context as _, anyhow};
use clap::Args;
use clap::builder::{PossibleValue, PossibleValuesParser};
use orrery::file::{Fault, FileKind};
use orrery::trace::actions::WriteError;
use orrery::trace::file::{self, TraceFormat};
use orrery::trace::recording;
use orrery_report::recorded_chrome_trace;

use super::recorded;
use crate::applies;
use crate::context::{Context, Usage};
use crate::output::counted;
use crate::verbs::output_file;
use crate::verbs::simulate::application::too_many;

/// Arguments of `orrery trace convert`.
#[derive(Debug, Args)]
pub struct Convert {
    /// Trace to read: time-independent, an index of such traces, binary, GOAL, or the folder of a
    /// recorded run
    #[arg(value_name = "IN")]
    from: PathBuf,
    /// Write the trace to this file, in the format of its extension
    #[arg(value_name = "OUT")]
    to: PathBuf,
    /// Format to write [default: by the extension of OUT]
    #[arg(long, value_name = "FORMAT", value_parser = format_names())]
    format: Option<String>,
    /// Speed of a rank in floating-point operations per second, by which work becomes the times of
    /// GOAL, and the times of a recorded run become work
    #[arg(long, value_name = "FLOPS", allow_negative_numbers = true, default_value = "1e9", value_parser = speed)]
    speed: f64,
    /// Replace an existing file
    #[arg(long)]
    force: bool,
}

/// The JSON of the trace viewers of Chrome and Perfetto: its name, what it is for, and its
/// extension. It is written from recorded runs and not read.
const CHROME: (&str, &str, &str) = (
    "chrome",
    "JSON for the trace viewers of Chrome and Perfetto, with the times of a recorded run",
    "json",
);

/// The names of the formats, with their extensions in the help.
fn format_names() -> PossibleValuesParser {
    let with_help = |name: &'static str, about: &str, extensions: &[&str]| {
        PossibleValue::new(name).help(format!("{about} (.{})", extensions.join(", .")))
    };
    let formats = TraceFormat::all(1.0)
        .map(|format| with_help(format.name(), format.about(), format.extensions()));
    let (name, about, extension) = CHROME;
    formats.into_iter().chain([with_help(name, about, &[extension])]).collect::<Vec<_>>().into()
}

/// Parses the speed of a rank, a finite number above 0, in operations per second.
fn speed(text: &str) -> Result<f64, String> {
    let speed = text.parse().ok().filter(|speed: &f64| speed.is_finite() && *speed > 0.0);
    speed.ok_or_else(|| "a number above 0 is expected, such as 2e9".to_owned())
}

impl Convert {
    /// Converts a trace.
    pub fn run(self, context: Context) -> anyhow::Result<()> {
        let name = self.to.display();
        let is_recorded = self.from.is_dir();
        let format = self.format()?;
        // Recorded runs and GOAL have times, the other formats amounts of work.
        let converts_times = match format {
            None => false,
            Some(TraceFormat::Goal(_)) => !is_recorded,
            Some(_) => is_recorded,
        };
        if !converts_times {
            applies::refuse(&["--speed"], "conversions that keep work as work, or times as times")?;
        }
        let format = match format {
            Some(format) => format,
            None if is_recorded => return self.write_chrome(context),
            None => {
                let words = "only recorded runs have times; name the folder of trace run, or \
                    another format";
                return Err(Usage(format!("{}: {words}", self.from.display())).into());
            }
        };
        let output = output_file::check(&self.to, self.force, format.kind())?;
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
        output_file::refuse_inputs(&self.to, &inputs)?;
        file::save(&trace, &self.to, format, trace.budget().operations()).map_err(|error| {
            match error {
                WriteError::TooMany(error) => {
                    too_many(&error, &trace, &self.from.display().to_string())
                }
                WriteError::System(error) => {
                    let fault = error.get_ref().and_then(|fault| fault.downcast_ref::<Fault>());
                    match fault {
                        Some(fault) => anyhow!("{}: {fault}", self.from.display()),
                        None => output.failed(&error),
                    }
                }
                WriteError::Unsupported { rank, statement, .. } => {
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

    /// The format by its name or else by the extension of the file; `None` for that of Chrome.
    fn format(&self) -> Result<Option<TraceFormat>, Usage> {
        let extension = self.to.extension().and_then(OsStr::to_str).unwrap_or_default();
        let is_meant = |name: &str, extensions: &[&str]| match &self.format {
            Some(given) => given == name,
            None => extensions.contains(&extension),
        };
        let formats = TraceFormat::all(self.speed);
        let found = formats.into_iter().find(|format| is_meant(format.name(), format.extensions()));
        let (name, _, extension) = CHROME;
        if found.is_some() || is_meant(name, &[extension]) {
            return Ok(found);
        }
        let known = formats.iter().flat_map(|format| format.extensions());
        let known: Vec<String> = known.map(|extension| format!(".{extension}")).collect();
        Err(Usage(format!(
            "{}: its extension is none of {} and .{extension}; name the format with --format",
            self.to.display(),
            known.join(", ")
        )))
    }

    /// Writes the calls of a recorded run for the trace viewers of Chrome and Perfetto.
    fn write_chrome(self, context: Context) -> anyhow::Result<()> {
        let output = output_file::check(&self.to, self.force, FileKind::ChromeTrace)?;
        output_file::refuse_inputs(&self.to, &recording::file::paths(&self.from)?)?;
        recorded::warn(&recorded::totals(&self.from)?);
        let mut out = BufWriter::new(output.begin()?);
        let counts = recorded_chrome_trace(&recording::file::load(&self.from)?, &mut out)?;
        let replacement = out.into_inner().map_err(|error| output.failed(error.error()))?;
        replacement.commit().map_err(|error| output.failed(&error))?;
        let (calls, messages) =
            (counted(counts.calls, "call"), counted(counts.messages, "message"));
        context.say(format!("{calls} and {messages} written to {}", self.to.display()));
        Ok(())
    }
}
