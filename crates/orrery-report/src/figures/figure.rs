//! Charts with logarithmic axes: their series, the ranges of their axes and the labels on them.

use crate::tables::format::{metric_text, signed_percent};
use orrery::run::Metric;
use orrery::units::Seconds;

/// The color of a series; it also decides marker and dashes, so that series differ without color.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum SeriesColor {
    /// Measured times: the color of the text.
    Measured,
    /// One of eight colors, for a model or a group of runs.
    Numbered(u8),
    /// A quiet color, for bands of likely times.
    Band,
}

impl SeriesColor {
    /// The class in the style sheet.
    pub(crate) fn class(self) -> String {
        match self {
            Self::Measured => "measured".to_owned(),
            Self::Numbered(place) => format!("model-{place}"),
            Self::Band => "spread".to_owned(),
        }
    }
}

/// The quantity on the y axis.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum YAxis {
    /// Values of a metric, such as times in seconds.
    Values(Metric),
    /// Predicted over measured values, labelled as errors: 1.2 is +20 %.
    Ratio,
}

impl YAxis {
    /// Its title.
    fn title(&self) -> &str {
        match self {
            Self::Values(metric) if metric.is_time() => "time",
            Self::Values(metric) => metric.name(),
            Self::Ratio => "error",
        }
    }

    /// The axis of times.
    pub(crate) fn times() -> Self {
        Self::Values(Metric::default())
    }

    /// The label of a value.
    pub(crate) fn label(&self, value: f64) -> String {
        match self {
            Self::Values(metric) if metric.is_time() => match large_label(value) {
                Some(label) => format!("{label} s"),
                None => time_label(value),
            },
            Self::Values(_) if value >= MIN_LARGE => large_label(value).unwrap_or_default(),
            Self::Values(metric) => metric_text(metric, Seconds::new(value)),
            Self::Ratio => ratio_label(value),
        }
    }
}

/// The quantity on the x axis.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum XAxis {
    /// Sizes in bytes.
    Bytes,
    /// The numbers of a variable with this name.
    Numbers(String),
    /// Measured values on the range of the y axis, which has estimated ones: the chart is
    /// square and has a diagonal.
    Times,
}

/// How a series is drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SeriesKind {
    /// Markers with error bars.
    Points,
    /// Markers joined by lines.
    Line,
    /// A line without markers in a shaded band between the ends of the intervals.
    Band,
    /// The shaded band alone.
    Area,
}

impl SeriesKind {
    /// The class and the path of a sample in a legend, 26 wide and 14 high.
    pub(crate) const fn sample(self) -> (&'static str, &'static str) {
        match self {
            Self::Line | Self::Band => LINE,
            Self::Points => ("whisker", "M13 0V14M10 0h6M10 14h6"),
            Self::Area => ("band", "M0 0h26v14h-26z"),
        }
    }
}

/// The class and the path of a line in a legend.
pub(crate) const LINE: (&str, &str) = ("line", "M0 7H26");

/// One point of a series.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct FigurePoint {
    pub(crate) x: f64,
    pub(crate) y: f64,
    /// The ends of the error bar, in the unit of the y axis.
    pub(crate) interval: Option<(f64, f64)>,
    /// The text that appears when the pointer is over the marker.
    pub(crate) tooltip: String,
}

/// A series of points.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct FigureSeries {
    /// Its name in the legend.
    pub(crate) name: String,
    /// Its color, marker and dashes.
    pub(crate) color: SeriesColor,
    /// How it is drawn.
    pub(crate) kind: SeriesKind,
    /// Its points in ascending order of x.
    pub(crate) points: Vec<FigurePoint>,
}

/// A vertical line at a named x, such as a threshold.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct FigureMark {
    pub(crate) x: f64,
    /// One or two letters at its upper end, or nothing.
    pub(crate) name: &'static str,
}

/// A chart of times over sizes or over other times, with logarithmic axes.
///
/// Size 0 has a place of its own at the left end of the axis. Times that are not positive cannot be
/// drawn; [`Figure::omitted_points`] counts them.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Figure {
    /// What the chart shows; also its name for screen readers.
    pub(crate) title: String,
    /// The main result in one sentence, for screen readers.
    pub(crate) description: String,
    /// The quantity on the x axis.
    pub(crate) x_axis: XAxis,
    /// The quantity on the y axis; charts of ratios are lower.
    pub(crate) y_axis: YAxis,
    /// Vertical lines behind the series.
    pub(crate) marks: Vec<FigureMark>,
    /// The series, the last one on top.
    pub(crate) series: Vec<FigureSeries>,
}

impl FigurePoint {
    /// A point without an error bar.
    pub(crate) fn new(x: f64, y: f64, tooltip: String) -> Self {
        Self { x, y, interval: None, tooltip }
    }

    /// Returns true if the point can be drawn on logarithmic axes.
    pub(crate) fn is_drawable(&self) -> bool {
        self.x.is_finite() && self.x >= 0.0 && self.y.is_finite() && self.y > 0.0
    }
}

impl FigureSeries {
    /// A series of points.
    pub(crate) fn new(
        name: impl Into<String>,
        color: SeriesColor,
        kind: SeriesKind,
        points: impl IntoIterator<Item = FigurePoint>,
    ) -> Self {
        Self { name: name.into(), color, kind, points: points.into_iter().collect() }
    }
}

impl Figure {
    /// The titles of the x axis and of the y axis.
    pub(crate) fn axis_titles(&self) -> (&str, &str) {
        match (&self.x_axis, &self.y_axis) {
            (XAxis::Times, _) => ("measured", "estimated"),
            (XAxis::Bytes, y) => ("size in bytes", y.title()),
            (XAxis::Numbers(name), y) => (name, y.title()),
        }
    }

    /// The number of points that cannot be drawn on logarithmic axes.
    pub(crate) fn omitted_points(&self) -> usize {
        self.series
            .iter()
            .flat_map(|series| &series.points)
            .filter(|point| !point.is_drawable())
            .count()
    }
}

/// The largest number of labels on an axis of sizes: more would overlap at the width of a chart.
const MAX_SIZE_LABELS: usize = 6;

/// The ranges of both axes and the positions of their labels.
pub(crate) struct Axes {
    /// The range of the x axis.
    pub(crate) x: (f64, f64),
    /// The range of the y axis.
    pub(crate) y: (f64, f64),
    /// The positions of the labels on the x axis.
    pub(crate) x_labels: Vec<f64>,
    /// The positions of the labels on the y axis.
    pub(crate) y_labels: Vec<f64>,
    /// The position of size 0, if there is a point of size 0.
    pub(crate) zero: Option<f64>,
}

impl Axes {
    /// The axes of a chart; `None` if no point can be drawn.
    pub(crate) fn of(figure: &Figure) -> Option<Self> {
        let points = || {
            figure
                .series
                .iter()
                .flat_map(|series| &series.points)
                .filter(|point| point.is_drawable())
        };
        let mut sizes: Vec<f64> = points().map(|point| point.x).collect();
        sizes.sort_by(f64::total_cmp);
        sizes.dedup();
        // Bands have points between the sizes of the measurements; these get no labels.
        let labelled = figure
            .series
            .iter()
            .filter(|series| !matches!(series.kind, SeriesKind::Band | SeriesKind::Area));
        let labelled = labelled.flat_map(|series| &series.points);
        let mut labelled: Vec<f64> =
            labelled.map(|point| point.x).filter(|size| *size > 0.0).collect();
        labelled.sort_by(f64::total_cmp);
        labelled.dedup();
        let positive: Vec<f64> = sizes.iter().copied().filter(|size| *size > 0.0).collect();
        let (smallest, largest) =
            (positive.first().copied().unwrap_or(4.0), positive.last().copied().unwrap_or(4.0));
        // Size 0 is drawn about a tenth of the axis to the left of the smallest size.
        let zero = (sizes.first() == Some(&0.0))
            .then(|| smallest / (largest / smallest).powf(0.12).max(4.0));
        let bars = points().filter_map(|point| point.interval).flat_map(|(low, high)| [low, high]);
        let times: Vec<f64> = points()
            .map(|point| point.y)
            .chain(bars)
            .filter(|time| time.is_finite() && *time > 0.0)
            .collect();
        let times =
            if figure.y_axis == YAxis::Ratio { [times, vec![0.97, 1.03]].concat() } else { times };
        let low = times.iter().copied().reduce(f64::min)?;
        let high = times.iter().copied().reduce(f64::max)?;
        let left = zero.unwrap_or(smallest);
        let x_margin = (largest / left).powf(0.03).max(1.1);
        let y_margin = if figure.y_axis == YAxis::Ratio { (high / low).powf(0.08) } else { 1.25 };
        let y = ((low / y_margin).max(f64::MIN_POSITIVE), (high * y_margin).min(f64::MAX));
        let x = (left / x_margin, largest * x_margin);
        if figure.x_axis == XAxis::Times {
            let both = (x.0.min(y.0), x.1.max(y.1));
            return Some(Self {
                x: both,
                y: both,
                x_labels: time_labels(both),
                y_labels: time_labels(both),
                zero: None,
            });
        }
        let y_labels = if figure.y_axis == YAxis::Ratio { ratio_labels(y) } else { time_labels(y) };
        Some(Self { x, y, x_labels: size_labels(&labelled, zero), y_labels, zero })
    }

    /// The x at which a size is drawn: for size 0 its own place.
    pub(crate) fn drawn_x(&self, x: f64) -> f64 {
        if x > 0.0 { x } else { self.zero.unwrap_or(self.x.0) }
    }
}

/// The measured sizes, thinned out evenly to at most [`MAX_SIZE_LABELS`].
fn size_labels(positive: &[f64], zero: Option<f64>) -> Vec<f64> {
    let span = |low: f64, high: f64| (high / low).ln();
    let (Some(&first), Some(&last)) = (positive.first(), positive.last()) else {
        return zero.into_iter().collect();
    };
    let distance = span(zero.unwrap_or(first), last) / MAX_SIZE_LABELS as f64 * 0.9;
    let mut labels: Vec<f64> = zero.into_iter().collect();
    // Powers of two if there are at least two, otherwise the measured sizes.
    let round: Vec<f64> =
        positive.iter().copied().filter(|size| size.log2().fract() == 0.0).collect();
    for &size in if round.len() >= 2 { &round } else { positive } {
        if labels.last().is_none_or(|&before| span(before, size) >= distance.max(1e-9)) {
            labels.push(size);
        }
    }
    labels
}

/// Powers of ten in the range, with finer steps where there are fewer than three.
fn time_labels((low, high): (f64, f64)) -> Vec<f64> {
    let decades = low.log10().floor() as i32..=high.log10().ceil() as i32;
    let labels_with = |steps: &[f64]| -> Vec<f64> {
        let all = decades
            .clone()
            .flat_map(|decade| steps.iter().map(move |step| step * 10f64.powi(decade)));
        all.filter(|time| *time >= low && *time <= high).collect()
    };
    let steps: [&[f64]; 3] =
        [&[1.0], &[1.0, 2.0, 5.0], &[1.0, 1.2, 1.5, 2.0, 2.5, 3.0, 4.0, 5.0, 6.0, 8.0]];
    let found = steps.into_iter().map(labels_with).find(|labels| labels.len() >= 3);
    let labels =
        found.unwrap_or_else(|| vec![low * (high / low).powf(0.2), low * (high / low).powf(0.8)]);
    let every = labels.len().div_ceil(8);
    labels.into_iter().step_by(every).collect()
}

/// The ratio 1 and round ratios on both sides of it, at least a fifth of the axis apart.
fn ratio_labels((low, high): (f64, f64)) -> Vec<f64> {
    /// Possible labels above 1.
    const ABOVE: [f64; 14] =
        [1.02, 1.05, 1.1, 1.2, 1.3, 1.5, 2.0, 3.0, 5.0, 10.0, 20.0, 50.0, 100.0, 1000.0];
    /// Possible labels below 1.
    const BELOW: [f64; 12] = [0.98, 0.95, 0.9, 0.8, 0.7, 0.6, 0.5, 0.3, 0.2, 0.1, 0.05, 0.01];
    let distance = (high / low).ln() / 5.0;
    let mut labels = vec![1.0];
    for side in [&ABOVE[..], &BELOW[..]] {
        let mut before = 1.0_f64;
        for &ratio in side.iter().filter(|ratio| **ratio >= low && **ratio <= high) {
            if (ratio / before).ln().abs() >= distance {
                labels.push(ratio);
                before = ratio;
            }
        }
    }
    labels
}

/// The label of a ratio, as an error: `+20 %`.
pub(crate) fn ratio_label(ratio: f64) -> String {
    signed_percent(ratio - 1.0).replace(".0 %", " %").replace(' ', "\u{202f}")
}

/// The least value whose label has a power of ten.
const MIN_LARGE: f64 = 1e6;

/// The label of a large value, with a power of ten: `10⁹`, `2·10⁹`; `None` for others.
fn large_label(value: f64) -> Option<String> {
    const SUPERSCRIPTS: [char; 10] = ['⁰', '¹', '²', '³', '⁴', '⁵', '⁶', '⁷', '⁸', '⁹'];
    let text = format!("{value:.1e}");
    let (digits, exponent) = text.split_once('e').filter(|_| value >= MIN_LARGE)?;
    let exponent: String = exponent
        .chars()
        .filter_map(|digit| SUPERSCRIPTS.get(digit.to_digit(10)? as usize))
        .collect();
    Some(match digits.trim_end_matches(".0") {
        "1" => format!("10{exponent}"),
        digits => format!("{digits}·10{exponent}"),
    })
}

/// The label of a time without trailing zeros: `100 µs`, `1 ms`.
pub(crate) fn time_label(time: f64) -> String {
    let text = Seconds::new(time).to_string();
    match text.split_once(' ') {
        Some((number, unit)) if number.contains('.') => {
            format!("{} {unit}", number.trim_end_matches('0').trim_end_matches('.'))
        }
        _ => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn large_values_have_powers_of_ten() {
        let times = YAxis::times();
        for (value, label) in
            [(1e5, "100000 s"), (1e6, "10⁶ s"), (2e9, "2·10⁹ s"), (1.2e10, "1.2·10¹⁰ s")]
        {
            assert_eq!(times.label(value), label);
        }
    }
}
