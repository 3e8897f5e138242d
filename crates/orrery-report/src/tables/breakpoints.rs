//! Breakpoints of a series: tables, JSON and a terminal plot.

use std::fmt::Write as _;

use serde_json::{Value, json};

use super::columns::Columns;
use super::format::significant_cell;
use super::table::{Cell, Table};
use crate::figures::terminal_plot::{Axis, BraillePlot};
use orrery::numeric::breakpoints::{
    Breakpoints, OrderedSeries, Partition, Segment, Shape, SupremumTest,
};

/// The breakpoints of a series, with the test for a break.
#[derive(Debug, Clone, Copy)]
pub struct BreakpointReport<'a> {
    /// The series of points.
    pub series: &'a OrderedSeries<'a>,
    /// The best partition for each number of breaks.
    pub found: &'a Breakpoints,
    /// The partition that tables and plot show.
    pub chosen: &'a Partition,
    /// The supremum-F test for at least one break.
    pub test: &'a SupremumTest,
    /// The confidence level of intervals.
    pub level: f64,
}

impl BreakpointReport<'_> {
    /// The table of segments. Keys: from, to (x of the first and last point), points, intercept,
    /// slope.
    pub fn segments(&self) -> Table {
        let (x, _) = self.series.points();
        let segments = self.chosen.segments(self.series);
        let mut columns = Columns::of(&segments);
        columns.number("from", |segment| number(x[segment.start]));
        columns.number("to", |segment| number(x[segment.end - 1]));
        columns.number("points", Segment::points);
        columns.number("intercept", |segment| number(segment.intercept));
        columns.number("slope", |segment| number(segment.slope));
        columns.table("segments", "")
    }

    /// The table of breaks. Keys: index (of the last point before the break, from 1), x of that
    /// point, low and high (the interval of the index; null if the data do not bound it).
    pub fn breakpoints(&self) -> Table {
        let (x, _) = self.series.points();
        let intervals = self.chosen.intervals(self.series, self.level);
        let rows: Vec<_> = self.chosen.breaks.iter().copied().zip(intervals).collect();
        let mut columns = Columns::of(&rows);
        columns.number("index", |(place, _)| *place);
        columns.number("x", |(place, _)| number(x[place - 1]));
        columns.ends(["low", "high"], 0, |(_, interval)| interval.map(|of| (of.low, of.high)));
        let SupremumTest { statistic, place, p_value } = self.test;
        let conclusion =
            if *p_value < 0.05 { "at least one break" } else { "no significant break" };
        columns.table("breakpoints", "").with_note(format!(
            "sup F {statistic:.3} at point {place}, p {p_value:.2e}: {conclusion}"
        ))
    }

    /// The table of residual sums of squares and BIC by number of breaks. Keys: breaks, rss, bic,
    /// chosen.
    pub fn counts(&self) -> Table {
        let rows: Vec<_> = self.found.by_count.iter().enumerate().collect();
        let mut columns = Columns::of(&rows);
        columns.number("breaks", |(count, _)| *count);
        columns.number("rss", |(_, partition)| number(partition.rss)).titled("RSS");
        columns.number("bic", |(_, partition)| number(partition.bic)).titled("BIC");
        columns.text("chosen", |(_, partition)| (*partition == self.chosen).then_some("chosen"));
        columns.table("counts", "")
    }

    /// All results as one JSON object: breakpoints, segments, rss and bic by number of breaks,
    /// `by_count` (the breaks for each number of them), test, level.
    pub fn json(&self) -> String {
        let (x, _) = self.series.points();
        let intervals = self.chosen.intervals(self.series, self.level);
        let breakpoint = |(place, interval): (&usize, Option<_>)| {
            let interval: Option<orrery::numeric::breakpoints::BreakInterval> = interval;
            json!({"index": place, "x": x[place - 1], "low": interval.map(|i| i.low), "high": interval.map(|i| i.high)})
        };
        let segment = |segment: Segment| {
            let (from, to) = (x[segment.start], x[segment.end - 1]);
            json!({"from": from, "to": to, "intercept": segment.intercept, "slope": segment.slope})
        };
        let by_count = self.found.by_count.iter().enumerate().skip(1);
        let by_count: serde_json::Map<String, Value> = by_count
            .map(|(count, partition)| (count.to_string(), json!(partition.breaks)))
            .collect();
        let finite = |value: f64| value.is_finite().then_some(value);
        let value = json!({
            "breakpoints": self.chosen.breaks.iter().zip(intervals).map(breakpoint).collect::<Vec<_>>(),
            "segments": self.chosen.segments(self.series).into_iter().map(segment).collect::<Vec<_>>(),
            "rss": self.found.by_count.iter().map(|partition| partition.rss).collect::<Vec<_>>(),
            "bic": self.found.by_count.iter().map(|partition| partition.bic).collect::<Vec<_>>(),
            "by_count": by_count,
            "test": {
                "statistic": finite(self.test.statistic),
                "index": self.test.place,
                "p_value": self.test.p_value,
            },
            "level": self.level,
        });
        format!("{value}\n")
    }

    /// A plot for a terminal of `width` characters: points, fitted segments, and a mark below each
    /// break.
    ///
    /// Axes are logarithmic where values double rather than grow evenly.
    pub fn plot(&self, width: usize) -> String {
        let (x, y) = self.series.points();
        let (x_axis, y_axis) = (Axis::of(x), Axis::of(y));
        let ((left, right), (low, high)) = (x_axis.ends(), y_axis.ends());
        let labels = [format!("{high:.3e}"), format!("{low:.3e}")];
        let margin = labels.iter().map(String::len).max().unwrap_or(0) + 1;
        let columns = width.saturating_sub(margin + 1).clamp(16, 96);
        let mut plot = BraillePlot::new((columns, 14), x_axis, y_axis);
        x.iter().zip(y).for_each(|(&x, &y)| plot.set_dot(x, y));
        let segments = self.chosen.segments(self.series);
        for dot in 0..plot.width_in_dots() {
            let at = plot.x_of_dot(dot);
            let contains =
                |segment: &&Segment| (x[segment.start]..=x[segment.end - 1]).contains(&at);
            if let Some(segment) = segments.iter().find(contains) {
                plot.set_dot(at, segment.at(at));
            }
        }
        let mut text = String::new();
        let last = plot.lines().count() - 1;
        for (row, line) in plot.lines().enumerate() {
            let label = match row {
                0 => labels[0].as_str(),
                row if row == last => labels[1].as_str(),
                _ => "",
            };
            let _ = writeln!(text, "{label:>margin$}│{line}");
        }
        let mut marks = vec![' '; columns];
        for place in &self.chosen.breaks {
            let position = f64::midpoint(x_axis.position(x[place - 1]), x_axis.position(x[*place]));
            marks[((position * (columns - 1) as f64).round() as usize).min(columns - 1)] = '▲';
        }
        let _ =
            writeln!(text, "{:>margin$}└{}", "", marks.into_iter().collect::<String>().trim_end());
        let (left, right) = (left.to_string(), right.to_string());
        let _ = writeln!(
            text,
            "{:>margin$} {left}{right:>rest$}",
            "",
            rest = columns.saturating_sub(left.len())
        );
        let logarithmic = match (x_axis.is_logarithmic(), y_axis.is_logarithmic()) {
            (true, true) => "both axes logarithmic",
            (true, false) => "x axis logarithmic",
            (false, true) => "y axis logarithmic",
            (false, false) => return text,
        };
        let _ = writeln!(text, "{:>margin$} {logarithmic}", "");
        text
    }

    /// The name of the shape of all segments: `lines` or `levels`.
    pub const fn shape(&self) -> &'static str {
        match self.series.shape() {
            Shape::Linear => "lines",
            Shape::Constant => "levels",
        }
    }
}

/// A number with six significant digits.
fn number(value: f64) -> Cell {
    significant_cell(value, 6)
}
