//! Charts as SVG; their parts get classes that a style sheet colors.

use super::figure::{
    Axes, Figure, FigureMark, FigureSeries, SeriesColor, SeriesKind, XAxis, YAxis,
};
use orrery::units::Bytes;
use std::fmt::Write as _;

/// The width of all charts.
pub(super) const WIDTH: f64 = 480.0;
/// The least left end of the plot area, right of the labels and the title of the y axis.
const MIN_LEFT: f64 = 104.0;
/// The width of the title of the y axis, and of the tick marks.
const Y_TITLE_WIDTH: f64 = 34.0;
/// The right end of the plot area: the rest is for half a label of the x axis.
const RIGHT: f64 = WIDTH - 28.0;
/// The upper end of the plot area.
const TOP: f64 = 12.0;
/// The width of a letter of a label on narrow screens, where letters are larger.
const LETTER_WIDTH: f64 = 10.0;
/// The height of the labels and the title of the x axis.
const X_AXIS_HEIGHT: f64 = 54.0;

impl Figure {
    /// The chart as an SVG element in the colors and the font of the page; `id` must be unique on
    /// the page.
    pub(crate) fn svg(&self, id: &str) -> String {
        let (title, description) = (escape(&self.title), escape(&self.description));
        let (body, height) = (self.body(), height(self));
        format!(
            "<svg class=\"figure\" role=\"img\" aria-labelledby=\"{id}-title {id}-desc\" \
             viewBox=\"0 0 {WIDTH} {height}\" xmlns=\"http://www.w3.org/2000/svg\">\n\
             <title id=\"{id}-title\">{title}</title>\n\
             <desc id=\"{id}-desc\">{description}</desc>\n{body}</svg>\n"
        )
    }

    /// The content of the chart: axes, marks and series.
    pub(super) fn body(&self) -> String {
        Axes::of(self).map_or_else(empty_chart, |axes| draw(self, &axes))
    }
}

/// The height of a chart.
pub(super) fn height(figure: &Figure) -> f64 {
    match (&figure.x_axis, &figure.y_axis) {
        // The plot area is square, so that the diagonal has an angle of 45°.
        (XAxis::Times, _) => 420.0,
        (_, YAxis::Values(_)) => 330.0,
        (_, YAxis::Ratio) => 202.0,
    }
}

/// The text of a chart without points.
fn empty_chart() -> String {
    let (x, y) = (WIDTH / 2.0, 90);
    format!("<text class=\"label\" x=\"{x}\" y=\"{y}\" text-anchor=\"middle\">no data</text>\n")
}

/// The axes, marks and series of a chart.
fn draw(figure: &Figure, axes: &Axes) -> String {
    let bottom = height(figure) - X_AXIS_HEIGHT;
    let y_labels: Vec<String> =
        axes.y_labels.iter().map(|&value| figure.y_axis.label(value)).collect();
    let left = left(&y_labels);
    // The share of an axis to the left of or below a value.
    let share =
        |value: f64, (low, high): (f64, f64)| (value.ln() - low.ln()) / (high.ln() - low.ln());
    let position = |x: f64, y: f64| {
        let (right, up) =
            (share(axes.drawn_x(x), axes.x), share(y.clamp(axes.y.0, axes.y.1), axes.y));
        (rounded(left + right * (RIGHT - left)), rounded(bottom - up * (bottom - TOP)))
    };
    let mut svg = String::new();
    let x_label = |&value: &f64| {
        let label = match (&figure.x_axis, axes.zero) {
            (_, Some(zero)) if value <= zero => "0".to_owned(),
            (XAxis::Bytes, _) => Bytes::new(value as u64).to_string(),
            (XAxis::Numbers(_), _) => value.to_string(),
            (XAxis::Times, _) => figure.y_axis.label(value),
        };
        (position(value, axes.y.0).0, label)
    };
    for (x, label) in without_overlap(axes.x_labels.iter().map(x_label).collect()) {
        let _ = writeln!(
            svg,
            "<path class=\"grid\" d=\"M{x} {bottom}V{TOP}\"/>\
             <path class=\"axis\" d=\"M{x} {bottom}v4\"/>\
             <text class=\"label\" x=\"{x}\" y=\"{}\" dy=\".75em\" text-anchor=\"middle\">{}</text>",
            bottom + 9.0,
            escape(&label)
        );
    }
    for (&value, label) in axes.y_labels.iter().zip(&y_labels) {
        let (_, y) = position(axes.x.0, value);
        let _ = writeln!(
            svg,
            "<path class=\"grid\" d=\"M{left} {y}H{RIGHT}\"/>\
             <path class=\"axis\" d=\"M{left} {y}h-4\"/>\
             <text class=\"label\" x=\"{}\" y=\"{y}\" dy=\".33em\" text-anchor=\"end\">{}</text>",
            left - 9.0,
            escape(label)
        );
    }
    let _ = writeln!(svg, "<path class=\"axis\" d=\"M{left} {TOP}V{bottom}H{RIGHT}\"/>");
    svg.push_str(&axis_titles(figure, left));
    if figure.y_axis == YAxis::Ratio {
        let (_, y) = position(axes.x.0, 1.0);
        let _ = writeln!(svg, "<path class=\"axis\" d=\"M{left} {y}H{RIGHT}\"/>");
    }
    if figure.x_axis == XAxis::Times {
        let diagonal = format!("M{left} {bottom}L{RIGHT} {TOP}");
        let _ = writeln!(svg, "<path class=\"axis diagonal\" d=\"{diagonal}\"/>");
    }
    for mark in figure.marks.iter().filter(|mark| mark.x > axes.x.0 && mark.x < axes.x.1) {
        svg.push_str(&draw_mark(mark, position(mark.x, axes.y.0), left));
    }
    for series in &figure.series {
        svg.push_str(&draw_series(series, &position));
    }
    svg
}

/// The left end of the plot area, right of these labels of the y axis.
fn left(y_labels: &[String]) -> f64 {
    let longest = y_labels.iter().map(|label| label.chars().count()).max().unwrap_or_default();
    MIN_LEFT.max(Y_TITLE_WIDTH + longest as f64 * LETTER_WIDTH)
}

/// The titles of both axes, at the lower and the left edge of the chart.
fn axis_titles(figure: &Figure, plot_left: f64) -> String {
    let height = height(figure);
    let (center, bottom) = (f64::midpoint(plot_left, RIGHT), height - 6.0);
    let (left, middle) = (14, (height - X_AXIS_HEIGHT) / 2.0);
    let (x_title, y_title) = figure.axis_titles();
    let (x_title, y_title) = (escape(x_title), escape(y_title));
    format!(
        "<text class=\"label\" x=\"{center}\" y=\"{bottom}\" \
            text-anchor=\"middle\">{x_title}</text>\n\
         <text class=\"label\" x=\"{left}\" y=\"{middle}\" dy=\".33em\" text-anchor=\"middle\" \
         transform=\"rotate(-90 {left} {middle})\">{y_title}</text>\n"
    )
}

/// A vertical line with its name at the upper end, to its left if there is room.
fn draw_mark(mark: &FigureMark, (x, bottom): (f64, f64), left: f64) -> String {
    let (shift, anchor) = if x - left > 39.0 { (-3, "end") } else { (3, "start") };
    let name = escape(mark.name);
    format!(
        "<path class=\"mark\" d=\"M{x} {TOP}V{bottom}\"/>\n\
         <text class=\"label\" x=\"{x}\" y=\"{TOP}\" dx=\"{shift}\" dy=\"13\" \
            text-anchor=\"{anchor}\">{name}</text>\n"
    )
}

/// The markers, lines, error bars and bands of a series.
fn draw_series(series: &FigureSeries, position: &impl Fn(f64, f64) -> (f64, f64)) -> String {
    let mut text = format!("<g class=\"series {}\">\n", series.color.class());
    let points = || series.points.iter().filter(|point| point.is_drawable());
    if matches!(series.kind, SeriesKind::Band | SeriesKind::Area) {
        text.push_str(&band(series, position));
    }
    if matches!(series.kind, SeriesKind::Line | SeriesKind::Band) {
        let mut data = String::new();
        // Size 0 has no place on the logarithmic scale, so no line leads to it.
        for point in points().filter(|point| point.x > 0.0) {
            let (x, y) = position(point.x, point.y);
            let _ = write!(data, "{}{x} {y}", if data.is_empty() { "M" } else { "L" });
        }
        let _ = writeln!(text, "<path class=\"line\" d=\"{data}\"/>");
    }
    for point in points().filter(|_| matches!(series.kind, SeriesKind::Points | SeriesKind::Line)) {
        let (x, y) = position(point.x, point.y);
        let _ = write!(text, "<g><title>{}</title>", escape(&point.tooltip));
        if let Some((low, high)) =
            point.interval.filter(|(low, high)| low.is_finite() && high.is_finite())
        {
            let (low, high) = (position(point.x, low).1, position(point.x, high).1);
            let stem = format!("M{x} {low}m-4 0h8m-4 0V{high}m-4 0h8");
            let _ = write!(text, "<path class=\"whisker\" d=\"{stem}\"/>");
        }
        let _ = writeln!(text, "{}</g>", marker(series.color, x, y));
    }
    text.push_str("</g>\n");
    text
}

/// The area between the ends of the intervals.
fn band(series: &FigureSeries, position: &impl Fn(f64, f64) -> (f64, f64)) -> String {
    let ends = || {
        series
            .points
            .iter()
            .filter(|point| point.is_drawable())
            .filter_map(|p| Some((p.x, p.interval?)))
    };
    let (lows, highs) = (
        ends().map(|(x, (low, _))| position(x, low)),
        ends().map(|(x, (_, high))| position(x, high)),
    );
    let around = lows.chain(highs.collect::<Vec<_>>().into_iter().rev());
    let corners: Vec<String> = around.map(|(x, y)| format!("{x} {y}")).collect();
    if corners.is_empty() {
        String::new()
    } else {
        format!("<path class=\"band\" d=\"M{}z\"/>\n", corners.join("L"))
    }
}

/// The marker of a series at a point; each color has a shape of its own.
pub(crate) fn marker(color: SeriesColor, x: f64, y: f64) -> String {
    let shape = match color {
        SeriesColor::Measured => "m-3.6 0a3.6 3.6 0 1 0 7.2 0a3.6 3.6 0 1 0-7.2 0z",
        SeriesColor::Numbered(0) => "m-3.4-3.4h6.8v6.8h-6.8z",
        SeriesColor::Numbered(1) => "m0-4.8l4.8 4.8l-4.8 4.8l-4.8-4.8z",
        SeriesColor::Numbered(2) => "m0-4.6l4.4 7.8h-8.8z",
        SeriesColor::Numbered(3) => "m0 4.6l4.4-7.8h-8.8z",
        SeriesColor::Numbered(4) => "m0-4.6l4.4 3.2l-1.7 5.2h-5.4l-1.7-5.2z",
        SeriesColor::Numbered(5) => "m-4.8-2.2h9.6v4.4h-9.6z",
        SeriesColor::Numbered(6) => {
            "m-4.4-4.4l4.4 2.6l4.4-2.6l-2.6 4.4l2.6 4.4l-4.4-2.6l-4.4 2.6l2.6-4.4z"
        }
        SeriesColor::Numbered(_) => "m-2.2-4.8h4.4v9.6h-4.4z",
        SeriesColor::Band => return String::new(),
    };
    format!("<path class=\"marker\" d=\"M{x} {y}{shape}\"/>")
}

/// A coordinate with one decimal.
pub(crate) fn rounded(value: f64) -> f64 {
    (value * 10.0).round() / 10.0
}

/// The text with the special characters of SVG and HTML escaped; characters that XML does not allow
/// are replaced.
pub(crate) fn escape(text: &str) -> String {
    let is_forbidden = |c: char| {
        (c < ' ' && !matches!(c, '\t' | '\n' | '\r')) || matches!(c, '\u{fffe}' | '\u{ffff}')
    };
    let text = text.replace(is_forbidden, "\u{fffd}");
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

/// The labels with their middles in ascending order, without those that would overlap the last one
/// or the one before.
fn without_overlap(mut labels: Vec<(f64, String)>) -> Vec<(f64, String)> {
    let half = |label: &str| label.chars().count() as f64 * LETTER_WIDTH / 2.0;
    let Some(last) = labels.pop() else { return labels };
    let last_start = last.0 - half(&last.1);
    let mut end = f64::NEG_INFINITY;
    labels.retain(|(x, label)| {
        let right = x + half(label) + LETTER_WIDTH;
        let is_free = x - half(label) >= end && right <= last_start;
        if is_free {
            end = right;
        }
        is_free
    });
    labels.push(last);
    labels
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_that_would_overlap_are_left_out() {
        let labels = |all: &[(f64, &str)]| {
            let all = all.iter().map(|(x, label)| (*x, (*label).to_owned())).collect();
            let shown = without_overlap(all).into_iter();
            shown.map(|(_, label)| label).collect::<Vec<_>>()
        };
        let times = [(0.0, "50 ms"), (40.0, "100 ms"), (80.0, "200 ms"), (160.0, "500 ms")];
        assert_eq!(labels(&times), ["50 ms", "200 ms", "500 ms"]);
        let close_to_the_last = [(0.0, "1000"), (100.0, "9000"), (140.0, "16000")];
        assert_eq!(labels(&close_to_the_last), ["1000", "16000"]);
        assert_eq!(labels(&[]), [""; 0]);
    }

    #[test]
    fn long_labels_move_the_plot_area() {
        assert_eq!(left(&["100 ms".to_owned()]).to_bits(), MIN_LEFT.to_bits());
        assert!(left(&["0.000012345".to_owned()]) > MIN_LEFT);
    }

    #[test]
    fn escaped_texts_are_valid_xml() {
        assert_eq!(escape("a<b>\u{1}\"&\t"), "a&lt;b&gt;\u{fffd}&quot;&amp;\t");
    }
}
