use std::path::PathBuf;

use anyhow::Context as _;
use clap::{Args, ValueEnum};
use orrery::budget::{Budget, OverBudget, STEPS_PER_OPERATION};
use orrery::file::FileError;
use orrery::numeric::breakpoints::{
    OrderedSeries, Shape, breakpoints, min_segment_points, search_cost, supremum_test,
};
use orrery::sample::points;
use orrery_report::tables::BreakpointReport;

use crate::context::{Context, warn};
use crate::output::{self, Format};
use crate::{hand_written, options};

/// Arguments of `orrery breakpoints`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  orrery breakpoints gather.csv --x size --y seconds
  orrery breakpoints latency.csv --y seconds --segments constant --breaks 2 --format csv")]
pub struct FindBreakpoints {
    /// CSV file with column names in its first line
    #[arg(value_name = "SERIES")]
    series: PathBuf,
    /// Name of the column of x [default: the points are numbered from 1]
    #[arg(long, value_name = "COLUMN")]
    x: Option<String>,
    /// Name of the column of y
    #[arg(long, value_name = "COLUMN")]
    y: String,
    /// Regression within a segment
    #[arg(long, value_enum, default_value_t)]
    segments: Segments,
    /// Minimum length of a segment: a fraction of all points (below 1) or a number of points
    #[arg(long, value_name = "FRACTION|POINTS", default_value = "0.15", value_parser = min_segment)]
    min_segment: f64,
    /// Maximum number of breakpoints [default: as many as segments of the minimum length permit]
    #[arg(long, value_name = "N")]
    max_breaks: Option<usize>,
    /// Show this number of breakpoints instead of the number with the least BIC
    #[arg(long, value_name = "N")]
    breaks: Option<usize>,
    /// Confidence level of the intervals of breakpoints
    #[arg(long, value_name = "LEVEL", default_value_t = 0.95, value_parser = options::level)]
    level: f64,
    /// Output format
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

/// The regression within a segment.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
enum Segments {
    /// y = intercept + slope·x
    #[default]
    Linear,
    /// y = intercept
    Constant,
}

/// Parses a minimum length of segments: a fraction of the points up to 0.5, or a number of points.
fn min_segment(text: &str) -> Result<f64, String> {
    let length = text.parse().ok().filter(|&length: &f64| {
        (length > 0.0 && length <= 0.5) || (length >= 1.0 && length.fract() == 0.0 && length < 1e9)
    });
    length.ok_or_else(|| {
        "write a fraction above 0 and up to 0.5, or an integer number of points".to_owned()
    })
}

/// Checks that a search is within the budget of its text; `least` is the smallest number of points
/// of a segment, `most` the largest number of breakpoints.
fn check_cost(
    text: &str,
    series: &OrderedSeries,
    least: usize,
    most: Option<usize>,
) -> Result<(), OverBudget> {
    let what = || format!("the search for breakpoints among {} points", series.len());
    let (budget, cost) =
        (Budget::of_input(text.len() as u64), search_cost(series.len(), least, most));
    budget.check_memory(what(), cost.memory)?;
    budget.check_operations(what(), cost.steps / STEPS_PER_OPERATION)
}

impl FindBreakpoints {
    /// Finds the breakpoints of a series and prints them.
    pub fn run(self, context: Context) -> anyhow::Result<()> {
        let path = self.series.display();
        let text = hand_written::read(&self.series).with_context(|| {
            format!("{path}: cannot read the series; check its name, and that it is text")
        })?;
        let points = points::parse(&text, self.x.as_deref(), &self.y)
            .map_err(|fault| FileError::located(&self.series, &text, fault))?;
        if points.were_reordered {
            warn(format_args!(
                "{path}: x decreases in the file: points are sorted by {}",
                self.x.as_deref().unwrap_or("x")
            ));
        }
        let shape = match self.segments {
            Segments::Linear => Shape::Linear,
            Segments::Constant => Shape::Constant,
        };
        let series =
            OrderedSeries::new(&points.x, &points.y, shape).with_context(|| path.to_string())?;
        let least = if self.min_segment < 1.0 {
            min_segment_points(series.len(), self.min_segment).max(shape.coefficients() + 1)
        } else {
            self.min_segment as usize
        };
        let most = self
            .max_breaks
            .max(self.breaks)
            .filter(|_| self.max_breaks.is_some() || self.breaks.is_some());
        check_cost(&text, &series, least, most).with_context(|| path.to_string())?;
        let found = breakpoints(&series, least, most).with_context(|| path.to_string())?;
        let test = supremum_test(&series, least).with_context(|| path.to_string())?;
        let chosen = match self.breaks {
            Some(breaks) => &found.by_count[breaks],
            None => found.best_by_bic(),
        };
        let breaks = BreakpointReport {
            series: &series,
            found: &found,
            chosen,
            test: &test,
            level: self.level,
        };
        let words = breaks.shape();
        context.say(format!(
            "{} points divided into {words} of at least {least} points",
            series.len()
        ));
        match self.format {
            Format::Json => output::text(&breaks.json()),
            Format::Table => {
                output::text(&format!("{}\n", breaks.plot(output::plot_width())))?;
                output::print_all(
                    &[breaks.segments(), breaks.breakpoints(), breaks.counts()],
                    Format::Table,
                )
            }
            Format::Csv => output::print(&breaks.breakpoints(), Format::Csv),
        }
    }
}
