//! Errors as strips: one lane for each model within each group of experiments, on one axis.

use std::fmt::Write as _;

use crate::figures::chart::escape;
use crate::figures::chart::marker;
use crate::figures::figure::SeriesColor;
use crate::tables::format::{quantile, signed_percent};

const WIDTH: f64 = 480.0;
const LEFT: f64 = 174.0;
const RIGHT: f64 = 24.0;
const LANE: f64 = 13.0;
const BETWEEN: f64 = 10.0;
const LETTERS_BELOW: f64 = 38.0;
/// The axis is linear up to about this error, logarithmic beyond.
const LINEAR: f64 = 0.02;
/// Errors beyond are drawn at the edge.
const FARTHEST: f64 = 20.0;
/// Up to so many errors each has a dot.
const MOST_DOTS: usize = 60;

/// The errors of one model in one group.
pub(crate) struct Lane {
    pub(crate) color: SeriesColor,
    pub(crate) name: String,
    pub(crate) errors: Vec<f64>,
}

/// A group of experiments.
pub(crate) struct Group {
    pub(crate) title: String,
    /// What stands below the title.
    pub(crate) below: Option<String>,
    pub(crate) lanes: Vec<Lane>,
}

/// The strips as an SVG element.
pub(crate) fn svg(title: &str, groups: &[Group]) -> String {
    let axis = Axis::of(groups);
    let heights = groups.iter().map(|group| group.lanes.len() as f64 * LANE + BETWEEN);
    let bottom = heights.sum::<f64>() + 4.0;
    let height = bottom + LETTERS_BELOW;
    let mut body = axis.svg(bottom);
    let mut top = 4.0;
    for group in groups {
        let tall = group.lanes.len() as f64 * LANE + BETWEEN;
        let middle = top + tall / 2.0;
        let (words, right) = (escape(&group.title), LEFT - 8.0);
        let below = group.below.as_deref().map(escape);
        let lines = [(-0.25, Some(&words)), (0.95, below.as_ref())];
        let lines = if below.is_some() { &lines[..] } else { &[(0.35, Some(&words))][..] };
        for (down, words) in lines.iter().filter_map(|(down, words)| words.map(|words| (down, words))) {
            let _ = writeln!(
                body,
                "<text class=\"label\" x=\"{right}\" y=\"{middle}\" dy=\"{down}em\" text-anchor=\"end\">{words}</text>"
            );
        }
        for (place, lane) in group.lanes.iter().enumerate() {
            body.push_str(&one(&axis, group, lane, top + BETWEEN / 2.0 + (place as f64 + 0.5) * LANE));
        }
        top += tall;
        let _ = writeln!(body, "<path class=\"grid\" d=\"M4 {top}H{}\"/>", WIDTH - RIGHT);
    }
    let title = escape(title);
    format!(
        "<svg class=\"figure\" role=\"img\" aria-label=\"{title}\" viewBox=\"0 0 {WIDTH} {height}\" \
         xmlns=\"http://www.w3.org/2000/svg\">\n{body}</svg>\n"
    )
}

struct Axis {
    low: f64,
    high: f64,
}

impl Axis {
    fn of(groups: &[Group]) -> Self {
        let errors = || groups.iter().flat_map(|group| &group.lanes).flat_map(|lane| &lane.errors).copied();
        let low = errors().fold(-0.02, f64::min).max(-1.0);
        let high = errors().fold(0.02, f64::max).min(FARTHEST);
        Self { low: low * 1.15, high: high * 1.15 }
    }

    fn place(&self, error: f64) -> f64 {
        let bent = |error: f64| (error / LINEAR).asinh();
        let share = (bent(error.clamp(self.low, self.high)) - bent(self.low)) / (bent(self.high) - bent(self.low));
        ((LEFT + share * (WIDTH - RIGHT - LEFT)) * 10.0).round() / 10.0
    }

    /// Round errors, as far apart as letters need, 0 always among them.
    fn ticks(&self) -> Vec<f64> {
        const ROUND: [f64; 12] = [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 3.0, 5.0, 10.0, 20.0];
        let mut ticks = vec![0.0];
        for sign in [1.0, -1.0] {
            let mut before = self.place(0.0);
            for tick in ROUND.map(|error| sign * error).into_iter().filter(|tick| (self.low..=self.high).contains(tick))
            {
                if (self.place(tick) - before).abs() >= 50.0 {
                    ticks.push(tick);
                    before = self.place(tick);
                }
            }
        }
        ticks
    }

    fn svg(&self, bottom: f64) -> String {
        let mut svg = String::new();
        for tick in self.ticks() {
            let (x, below) = (self.place(tick), bottom + 16.0);
            let class = if tick == 0.0 { "axis" } else { "grid" };
            let words = signed_percent(tick).replace(".0 %", " %").replace(' ', "\u{202f}");
            let _ = writeln!(svg, "<path class=\"{class}\" d=\"M{x} 4V{bottom}\"/>");
            let _ =
                writeln!(svg, "<text class=\"label\" x=\"{x}\" y=\"{below}\" text-anchor=\"middle\">{words}</text>");
        }
        let (x, below) = (f64::midpoint(LEFT, WIDTH - RIGHT), bottom + 33.0);
        let _ = writeln!(
            svg,
            "<text class=\"label\" x=\"{x}\" y=\"{below}\" text-anchor=\"middle\">error of the model</text>"
        );
        svg
    }
}

/// A lane: the middle half of the errors as a box, a line from the 5th to the 95th of a hundred, dots beyond.
fn one(axis: &Axis, group: &Group, lane: &Lane, y: f64) -> String {
    let at = |q: f64| quantile(lane.errors.iter().copied(), q);
    let (Some(low), Some(quarter), Some(middle), Some(three), Some(high)) =
        (at(0.05), at(0.25), at(0.5), at(0.75), at(0.95))
    else {
        return String::new();
    };
    let words = format!(
        "{}, {}: median {}, middle half {} to {}, {} experiments",
        lane.name,
        group.title,
        signed_percent(middle),
        signed_percent(quarter),
        signed_percent(three),
        lane.errors.len()
    );
    let mut svg = format!("<g class=\"series {}\"><title>{}</title>", lane.color.class(), escape(&words));
    let few = lane.errors.len() <= MOST_DOTS;
    let mut dots: Vec<f64> = lane
        .errors
        .iter()
        .filter(|error| few || **error < low || **error > high)
        .map(|error| axis.place(*error))
        .collect();
    dots.sort_by(f64::total_cmp);
    dots.dedup();
    let dots = dots.iter().fold(String::new(), |mut path, x| {
        let _ = write!(path, "M{x} {y}h0");
        path
    });
    let _ = write!(svg, "<path class=\"dots\" d=\"{dots}\"/>");
    if lane.errors.len() > 1 {
        let _ = write!(svg, "<path class=\"whisker\" d=\"M{} {y}H{}\"/>", axis.place(low), axis.place(high));
        let (left, wide) = (axis.place(quarter), axis.place(three) - axis.place(quarter));
        let _ = write!(svg, "<path class=\"box\" d=\"M{left} {}h{wide:.1}v7h-{wide:.1}z\"/>", y - 3.5);
    }
    let _ = writeln!(svg, "{}</g>", marker(lane.color, &format!("{}", axis.place(middle)), &format!("{y}")));
    svg
}
