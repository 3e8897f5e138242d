use std::fs;
use std::path::PathBuf;

use anyhow::{Context as _, anyhow};
use clap::{Args, ValueEnum};
use orrery::numeric::breakpoints::{OrderedSeries, Shape, breakpoints, min_segment_points, supremum_test};
use orrery::sample::points;
use orrery_report::tables::BreakpointReport;

use crate::context::{Context, warn};
use crate::options;
use crate::output::{self, Format};

/// Arguments of `orrery breakpoints`.
#[derive(Debug, Args)]
pub struct FindBreakpoints {
    /// A CSV file whose first line names its columns
    #[arg(value_name = "SERIES")]
    series: PathBuf,
    /// The column along which to cut; without it points are numbered
    #[arg(long, value_name = "COLUMN")]
    x: Option<String>,
    /// The column to fit
    #[arg(long, value_name = "COLUMN")]
    y: String,
    /// What is fitted between breaks
    #[arg(long, value_enum, default_value_t)]
    segments: Segments,
    /// The least points of a segment: a part of all below 1, else their number
    #[arg(long, value_name = "PART|POINTS", default_value = "0.15", value_parser = least)]
    min_segment: f64,
    /// The most breaks to look for [default: what finds room, less one]
    #[arg(long, value_name = "N")]
    max_breaks: Option<usize>,
    /// Show so many breaks instead of what BIC chooses
    #[arg(long, value_name = "N")]
    breaks: Option<usize>,
    /// The level of the intervals
    #[arg(long, value_name = "LEVEL", default_value_t = 0.95, value_parser = options::level)]
    level: f64,
    /// How to write it
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
enum Segments {
    /// y = intercept + slope·x
    #[default]
    Linear,
    /// y = intercept
    Constant,
}

fn least(text: &str) -> Result<f64, String> {
    let least = text
        .parse()
        .ok()
        .filter(|&least: &f64| (least > 0.0 && least <= 0.5) || (least >= 1.0 && least.fract() == 0.0 && least < 1e9));
    least.ok_or_else(|| "a part above 0 and up to 0.5, or a whole number of points, is expected".to_owned())
}

impl FindBreakpoints {
    pub fn run(self, context: Context) -> anyhow::Result<()> {
        let path = self.series.display();
        let text = fs::read_to_string(&self.series)
            .with_context(|| format!("{path}: cannot read the series; check its name, and that it is text"))?;
        let points = points::parse(&text, self.x.as_deref(), &self.y).map_err(|error| anyhow!("{path}:{error}"))?;
        if points.were_sorted {
            warn(format_args!("{path}: points are taken in the order of {}", self.x.as_deref().unwrap_or("x")));
        }
        let shape = match self.segments {
            Segments::Linear => Shape::Linear,
            Segments::Constant => Shape::Constant,
        };
        let series = OrderedSeries::new(&points.x, &points.y, shape).with_context(|| path.to_string())?;
        let least = if self.min_segment < 1.0 {
            min_segment_points(series.len(), self.min_segment).max(shape.coefficients() + 1)
        } else {
            self.min_segment as usize
        };
        let most = self.max_breaks.max(self.breaks).filter(|_| self.max_breaks.is_some() || self.breaks.is_some());
        let found = breakpoints(&series, least, most).with_context(|| path.to_string())?;
        let test = supremum_test(&series, least).with_context(|| path.to_string())?;
        let chosen = match self.breaks {
            Some(breaks) => &found.by_count[breaks],
            None => found.chosen(),
        };
        let breaks = BreakpointReport { series: &series, found: &found, chosen, test: &test, level: self.level };
        let words = breaks.shape();
        context.say(format!("{} points cut into {words} of at least {least} points", series.len()));
        match self.format {
            Format::Json => output::text(&breaks.json()),
            Format::Table => {
                output::text(&format!("{}\n", breaks.plot(output::width())))?;
                output::print_all(&[breaks.segments(), breaks.breakpoints(), breaks.counts()], Format::Table)
            }
            Format::Csv => output::print(&breaks.breakpoints(), Format::Csv),
        }
    }
}
