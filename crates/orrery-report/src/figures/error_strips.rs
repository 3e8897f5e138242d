//! Errors as box plots: one for each model within each group of experiments, on one axis.

use std::fmt::Write as _;

use super::chart::{escape, marker, rounded};
use super::figure::{SeriesColor, ratio_label};
use crate::tables::format::{quantile, signed_percent};

/// The width of the figure.
const WIDTH: f64 = 480.0;
/// The space at both sides of the axis for half a label.
const SIDE_MARGIN: f64 = 38.0;
/// The height of a box plot.
const LANE_HEIGHT: f64 = 13.0;
/// The height of the title of a group.
const TITLE_HEIGHT: f64 = 22.0;
/// The space below the title and the boxes of a group.
const GROUP_GAP: f64 = 6.0;
/// The height of the axis labels.
const AXIS_HEIGHT: f64 = 44.0;
/// The distance between axis labels.
const LABEL_DISTANCE: f64 = 68.0;
/// The axis is linear up to about this error and logarithmic beyond.
const LINEAR_ERROR: f64 = 0.02;
/// Larger errors are drawn at the edge.
const MAX_DRAWN_ERROR: f64 = 20.0;
/// Up to this many errors, each has a dot; of more, only those outside of the whiskers.
const MAX_DOTS: usize = 60;

/// The errors of one model in one group.
pub(crate) struct Lane {
    pub(crate) color: SeriesColor,
    pub(crate) name: String,
    pub(crate) errors: Vec<f64>,
}

/// A group of experiments.
pub(crate) struct Group {
    pub(crate) title: String,
    /// The text after the title.
    pub(crate) subtitle: Option<String>,
    pub(crate) lanes: Vec<Lane>,
}

/// The box plots of all groups as an SVG element.
pub(crate) fn svg(title: &str, groups: &[Group]) -> String {
    let axis = Axis::of(groups);
    let group_height =
        |group: &Group| TITLE_HEIGHT + group.lanes.len() as f64 * LANE_HEIGHT + GROUP_GAP;
    let bottom = groups.iter().map(group_height).sum::<f64>() + 4.0;
    let height = bottom + AXIS_HEIGHT;
    let mut body = axis.svg(bottom);
    let mut top = 4.0;
    for group in groups {
        let title_y = top + TITLE_HEIGHT - 6.0;
        let title = match &group.subtitle {
            Some(subtitle) => escape(&format!("{}, {subtitle}", group.title)),
            None => escape(&group.title),
        };
        let _ = writeln!(body, "<text class=\"label\" x=\"4\" y=\"{title_y}\">{title}</text>");
        for (index, lane) in group.lanes.iter().enumerate() {
            body.push_str(&box_plot(
                &axis,
                group,
                lane,
                top + TITLE_HEIGHT + (index as f64 + 0.5) * LANE_HEIGHT,
            ));
        }
        top += group_height(group);
        let _ = writeln!(body, "<path class=\"grid\" d=\"M4 {top}H{}\"/>", WIDTH - 4.0);
    }
    let title = escape(title);
    format!(
        "<svg class=\"figure\" role=\"img\" aria-label=\"{title}\" viewBox=\"0 0 {WIDTH} \
            {height}\" \
         xmlns=\"http://www.w3.org/2000/svg\">\n{body}</svg>\n"
    )
}

/// The error axis.
struct Axis {
    low: f64,
    high: f64,
}

impl Axis {
    /// The axis for the errors of all groups.
    fn of(groups: &[Group]) -> Self {
        let errors =
            || groups.iter().flat_map(|group| &group.lanes).flat_map(|lane| &lane.errors).copied();
        let low = errors().fold(-0.02, f64::min).max(-1.0);
        let high = errors().fold(0.02, f64::max).min(MAX_DRAWN_ERROR);
        Self { low: low * 1.15, high: high * 1.15 }
    }

    /// The x coordinate of an error.
    fn x(&self, error: f64) -> f64 {
        let scaled = |error: f64| (error / LINEAR_ERROR).asinh();
        let share = (scaled(error.clamp(self.low, self.high)) - scaled(self.low))
            / (scaled(self.high) - scaled(self.low));
        rounded(SIDE_MARGIN + share * (WIDTH - 2.0 * SIDE_MARGIN))
    }

    /// Round errors with space for their labels; 0 is always one of them.
    fn ticks(&self) -> Vec<f64> {
        const ROUND: [f64; 12] = [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 3.0, 5.0, 10.0, 20.0];
        let mut ticks = vec![0.0];
        for sign in [1.0, -1.0] {
            let mut before = self.x(0.0);
            for tick in ROUND
                .map(|error| sign * error)
                .into_iter()
                .filter(|tick| (self.low..=self.high).contains(tick))
            {
                if (self.x(tick) - before).abs() >= LABEL_DISTANCE {
                    ticks.push(tick);
                    before = self.x(tick);
                }
            }
        }
        ticks
    }

    /// The grid lines and labels.
    fn svg(&self, bottom: f64) -> String {
        let mut svg = String::new();
        for tick in self.ticks() {
            let (x, below) = (self.x(tick), bottom + 16.0);
            let class = if tick == 0.0 { "axis" } else { "grid" };
            let label = ratio_label(1.0 + tick);
            let _ = writeln!(svg, "<path class=\"{class}\" d=\"M{x} 4V{bottom}\"/>");
            let _ = writeln!(
                svg,
                "<text class=\"label\" x=\"{x}\" y=\"{below}\" \
                    text-anchor=\"middle\">{label}</text>"
            );
        }
        let (x, below) = (WIDTH / 2.0, bottom + 38.0);
        let _ = writeln!(
            svg,
            "<text class=\"label\" x=\"{x}\" y=\"{below}\" text-anchor=\"middle\">error of the \
                model</text>"
        );
        svg
    }
}

/// A box plot: box from the lower to the upper quartile, whiskers from the 5th to the 95th
/// percentile, dots beyond.
fn box_plot(axis: &Axis, group: &Group, lane: &Lane, y: f64) -> String {
    let at = |q: f64| quantile(lane.errors.iter().copied(), q);
    let (Some(low), Some(quarter), Some(middle), Some(three), Some(high)) =
        (at(0.05), at(0.25), at(0.5), at(0.75), at(0.95))
    else {
        return String::new();
    };
    let tooltip = format!(
        "{}, {}: median {}, quartiles {} and {}, {} experiments",
        lane.name,
        group.title,
        signed_percent(middle),
        signed_percent(quarter),
        signed_percent(three),
        lane.errors.len()
    );
    let mut svg =
        format!("<g class=\"series {}\"><title>{}</title>", lane.color.class(), escape(&tooltip));
    let few = lane.errors.len() <= MAX_DOTS;
    let mut dots: Vec<f64> = lane
        .errors
        .iter()
        .filter(|error| few || **error < low || **error > high)
        .map(|error| axis.x(*error))
        .collect();
    dots.sort_by(f64::total_cmp);
    dots.dedup();
    let dots = dots.iter().fold(String::new(), |mut path, x| {
        let _ = write!(path, "M{x} {y}h0");
        path
    });
    let _ = write!(svg, "<path class=\"dots\" d=\"{dots}\"/>");
    if lane.errors.len() > 1 {
        let _ =
            write!(svg, "<path class=\"whisker\" d=\"M{} {y}H{}\"/>", axis.x(low), axis.x(high));
        let (left, wide) = (axis.x(quarter), axis.x(three) - axis.x(quarter));
        let _ =
            write!(svg, "<path class=\"box\" d=\"M{left} {}h{wide:.1}v7h-{wide:.1}z\"/>", y - 3.5);
    }
    let _ = writeln!(svg, "{}</g>", marker(lane.color, axis.x(middle), y));
    svg
}
