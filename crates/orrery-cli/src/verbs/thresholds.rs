//! Thresholds on the command line: how they are estimated, and what `measure comm` takes from them.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use clap::{Args, ValueEnum};
use orrery::comm::Thresholds;
use orrery::comm::thresholds::{SlopeForm, ThresholdOptions, estimate};
use orrery::numeric::breakpoints::Shape;
use orrery::units::Bytes;

use super::samples;
use crate::context::{Context, warn};

/// How thresholds of linear scatter and gather are estimated.
#[derive(Debug, Clone, Copy, Args)]
#[command(next_help_heading = "Thresholds")]
pub struct ThresholdArguments {
    /// Estimate no thresholds of linear scatter and gather
    #[arg(long)]
    no_thresholds: bool,
    /// What is taken off the slopes of gathers to get their corrections
    #[arg(long, value_enum, value_name = "FORM", default_value_t)]
    slopes: SlopeWord,
    /// Between which segments gathers become serial
    #[arg(long, value_enum, value_name = "SHAPE", default_value_t)]
    gather_large: ShapeWord,
    /// Where gathers begin to escalate
    #[arg(long, value_enum, value_name = "RULE", default_value_t)]
    gather_small: SmallWord,
}

#[derive(Debug, Clone, Copy, Default, ValueEnum)]
enum SlopeWord {
    /// What the model predicts at the same sizes
    #[default]
    Played,
    /// What the closed formula says
    Closed,
    /// The same without the bytes of the root, as the paper prints it
    Printed,
}

#[derive(Debug, Clone, Copy, Default, ValueEnum)]
enum ShapeWord {
    /// Lines, T ~ M
    #[default]
    Linear,
    /// Constants, T ~ 1, as the CPM module has it
    Constant,
}

#[derive(Debug, Clone, Copy, Default, ValueEnum)]
enum SmallWord {
    /// Before the first size whose readings escalate tenfold, growth with the size apart
    #[default]
    Escalations,
    /// Before the first size whose median is ten times that of the smallest, as the paper prints it
    Printed,
}

impl ThresholdArguments {
    /// How they are to be estimated, if at all.
    pub fn options(self, level: f64) -> Option<ThresholdOptions> {
        let slopes = match self.slopes {
            SlopeWord::Played => SlopeForm::Played,
            SlopeWord::Closed => SlopeForm::Closed,
            SlopeWord::Printed => SlopeForm::Printed,
        };
        let large = match self.gather_large {
            ShapeWord::Linear => Shape::Linear,
            ShapeWord::Constant => Shape::Constant,
        };
        let printed_small = matches!(self.gather_small, SmallWord::Printed);
        (!self.no_thresholds).then_some(ThresholdOptions { slopes, large, printed_small, level })
    }
}

/// The size of one-to-two experiments unless told.
const USUAL: Bytes = Bytes::new(32 * 1024);

/// The size of one-to-two experiments: below every scatter threshold that these files know, unless told.
pub fn comm_size(context: Context, told: Option<Bytes>, files: &[PathBuf]) -> anyhow::Result<Bytes> {
    let known = files.iter().map(|file| of_file(context, file)).collect::<anyhow::Result<Vec<_>>>()?.concat();
    let known = known.iter().filter_map(|thresholds| thresholds.scatter_threshold);
    // The least that it may be.
    let least = known.map(|threshold| threshold.interval.map_or(threshold.value, |interval| interval.low));
    let Some(least) = least.min_by(f64::total_cmp) else {
        let size = told.unwrap_or(USUAL);
        if !files.is_empty() {
            context.say(format!("--size is {size}: no scatter threshold is known"));
        }
        return Ok(size);
    };
    let threshold = Bytes::new(least as u64);
    match told {
        Some(size) if size > threshold => {
            warn(format_args!(
                "--size {size} is above the scatter threshold, {threshold}: delays per byte come out too large"
            ));
            Ok(size)
        }
        Some(size) => Ok(size),
        None if USUAL <= threshold => Ok(USUAL),
        None => {
            let kib = threshold.get() / 1024 * 1024;
            let size = Bytes::new(if kib > 0 { kib } else { threshold.get().max(1) });
            context.say(format!("--size is {size}: the scatter threshold is {threshold}"));
            Ok(size)
        }
    }
}

/// The thresholds of a model, or of samples.
fn of_file(context: Context, path: &Path) -> anyhow::Result<Vec<Thresholds>> {
    let text = fs::read(path).with_context(|| format!("{}: cannot read the model or samples", path.display()))?;
    if text.trim_ascii_start().first() == Some(&b'{') {
        return Ok(samples::model(path)?.thresholds);
    }
    let samples = samples::read(context, &[path.to_owned()])?;
    estimate(&samples, None, None, &ThresholdOptions::default()).with_context(|| path.display().to_string())
}
