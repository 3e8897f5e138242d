use std::path::{Path, PathBuf};

use anyhow::{Context as _, anyhow};
use clap::{Args, ValueEnum};
use orrery::trace::file::{self, Format, SaveError};
use orrery::trace::tit::WriteError;

use crate::context::{Context, Usage};
use crate::output::counted;
use crate::verbs::simulate::application::{Bound, count};

/// Arguments of `orrery trace convert`.
#[derive(Debug, Args)]
pub struct Convert {
    /// The trace: time-independent, an index of such, binary, or GOAL; its content shows which
    #[arg(value_name = "IN")]
    from: PathBuf,
    /// The file to write: binary when its name ends in .orrt, time-independent in .tit or .txt, GOAL in .goal
    #[arg(value_name = "OUT")]
    to: PathBuf,
    /// The format to write, whatever the name
    #[arg(long, value_name = "FORMAT", value_enum)]
    format: Option<Word>,
    /// How many floating-point operations a rank computes in a second, for the times of GOAL
    #[arg(long, value_name = "FLOPS", allow_negative_numbers = true, default_value = "1e9", value_parser = speed)]
    speed: f64,
    /// Write at most so many actions, repetitions counted, where the format has none
    #[arg(long, value_name = "COUNT", default_value = "1e8", allow_negative_numbers = true, value_parser = count)]
    max_actions: u64,
    /// Replace an existing file
    #[arg(long)]
    force: bool,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum Word {
    /// Orrery's own, compact, with communicators and repetitions
    Binary,
    /// Time-independent, of SimGrid: one text for all ranks
    Tit,
    /// GOAL, of LogGOPSim: collective operations become messages
    Goal,
}

fn speed(text: &str) -> Result<f64, String> {
    let speed = text.parse().ok().filter(|speed: &f64| speed.is_finite() && *speed > 0.0);
    speed.ok_or_else(|| "write a number above 0, such as 2e9".to_owned())
}

impl Convert {
    pub fn run(self, context: Context) -> anyhow::Result<()> {
        let name = self.to.display();
        let word = self.format.or_else(|| by_name(&self.to));
        let word = word.ok_or_else(|| {
            Usage(format!("{name}: the name should end in .orrt, .tit, .txt or .goal; or say --format"))
        })?;
        if self.to.exists() && !self.force {
            return Err(Usage(format!("{name}: this file exists; replace it with --force")).into());
        }
        let is_same = |to: PathBuf| std::fs::canonicalize(&self.from).is_ok_and(|from| from == to);
        if std::fs::canonicalize(&self.to).is_ok_and(is_same) {
            return Err(Usage(format!("{name}: this is the trace itself; name another file")).into());
        }
        let trace = file::load(&self.from)?;
        let format = match word {
            Word::Binary => Format::Binary,
            Word::Tit => Format::Tit,
            Word::Goal => Format::Goal(self.speed),
        };
        file::save(&trace, &self.to, format, self.max_actions).map_err(|error| match error {
            SaveError::TooMany(error) => Bound::told(&error, &trace, &self.from.display().to_string()),
            SaveError::Write(WriteError::System(_)) => anyhow!(error).context(format!("cannot write {name}")),
            SaveError::Write(WriteError::Unsayable { rank, statement, .. }) => match trace.location(rank, statement) {
                Some(place) => anyhow!("{place}: {error}"),
                None => anyhow!("{}: {error}", self.from.display()),
            },
        })?;
        let bytes = std::fs::metadata(&self.to).with_context(|| format!("cannot read {name}"))?.len();
        let (actions, ranks) = (counted(trace.actions(), "action"), counted(trace.ranks() as u64, "rank"));
        context.say(format!("{actions} of {ranks}: {bytes} bytes written to {name}"));
        Ok(())
    }
}

fn by_name(path: &Path) -> Option<Word> {
    match path.extension()?.to_str()? {
        "orrt" => Some(Word::Binary),
        "tit" | "txt" => Some(Word::Tit),
        "goal" => Some(Word::Goal),
        _ => None,
    }
}
