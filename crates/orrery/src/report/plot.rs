//! Charts by the crate `plotters`: it maps values to places and draws axes; lines and markers get classes here.

use std::fmt::Write as _;

use plotters::prelude::*;

use super::figure::{Figure, FigureSeries, Ink, Kind, Measure};
use super::format::signed_percent;
use super::svg::{Canvas, TENTHS, escape, units};
use crate::units::{Bytes, Seconds};

const WIDTH: u32 = 480;
/// Classes of the parts of the axes, by the number that stands for them as a colour.
const CLASSES: [&str; 3] = ["axis", "grid", "label"];
const AXIS: RGBColor = RGBColor(0, 0, 0);
const GRID: RGBColor = RGBColor(1, 0, 0);
const LABEL: RGBColor = RGBColor(2, 0, 0);
/// Labels of the axis of sizes, so that they keep their distance at that width.
const MOST_SIZES: usize = 8;
const LETTER: i32 = 13;

/// The chart as an SVG element.
pub(super) fn svg(figure: &Figure, id: &str) -> String {
    let (title, description) = (escape(&figure.title), escape(&figure.description));
    let body = Axes::of(figure).map_or_else(nothing, |axes| draw(figure, &axes));
    let height = height(figure.measure);
    format!(
        "<svg class=\"figure\" role=\"img\" aria-labelledby=\"{id}-title {id}-desc\" viewBox=\"0 0 {WIDTH} {height}\" \
         xmlns=\"http://www.w3.org/2000/svg\">\n<title id=\"{id}-title\">{title}</title>\n\
         <desc id=\"{id}-desc\">{description}</desc>\n{body}</svg>\n"
    )
}

fn height(measure: Measure) -> u32 {
    match measure {
        Measure::Time => 320,
        Measure::Ratio => 190,
    }
}

fn nothing() -> String {
    let (x, y) = (WIDTH / 2, 90);
    format!("<text class=\"label\" x=\"{x}\" y=\"{y}\" text-anchor=\"middle\">nothing to draw</text>\n")
}

/// The ranges of both axes and their labels.
struct Axes {
    x: (f64, f64),
    y: (f64, f64),
    sizes: Vec<f64>,
    times: Vec<f64>,
    /// Where size 0 stands, when there is one.
    zero: Option<f64>,
}

impl Axes {
    fn of(figure: &Figure) -> Option<Self> {
        let points = || figure.series.iter().flat_map(|series| &series.points).filter(|point| point.is_drawable());
        let mut sizes: Vec<f64> = points().map(|point| point.x).collect();
        sizes.sort_by(f64::total_cmp);
        sizes.dedup();
        let positive: Vec<f64> = sizes.iter().copied().filter(|size| *size > 0.0).collect();
        let (smallest, largest) = (positive.first().copied().unwrap_or(4.0), positive.last().copied().unwrap_or(4.0));
        // Size 0 has its place as far to the left as a tenth of the axis.
        let zero = (sizes.first() == Some(&0.0)).then(|| smallest / (largest / smallest).powf(0.12).max(4.0));
        let whiskers = points().filter_map(|point| point.interval).flat_map(|(low, high)| [low, high]);
        let times: Vec<f64> =
            points().map(|point| point.y).chain(whiskers).filter(|time| time.is_finite() && *time > 0.0).collect();
        let times = if figure.measure == Measure::Ratio { [times, vec![0.97, 1.03]].concat() } else { times };
        let low = times.iter().copied().reduce(f64::min)?;
        let high = times.iter().copied().reduce(f64::max)?;
        let left = zero.unwrap_or(smallest);
        let room = (largest / left).powf(0.03).max(1.1);
        let air = if figure.measure == Measure::Time { 1.25 } else { (high / low).powf(0.08) };
        let y = ((low / air).max(f64::MIN_POSITIVE), (high * air).min(f64::MAX));
        let x = (left / room, largest * room);
        let times = if figure.measure == Measure::Time { time_labels(y) } else { ratio_labels(y) };
        Some(Self { x, y, sizes: size_labels(&positive, zero), times, zero })
    }

    fn place(&self, x: f64) -> f64 {
        if x > 0.0 { x } else { self.zero.unwrap_or(self.x.0) }
    }
}

/// The measured sizes, thinned out evenly until few enough.
fn size_labels(positive: &[f64], zero: Option<f64>) -> Vec<f64> {
    let span = |low: f64, high: f64| (high / low).ln();
    let (Some(&first), Some(&last)) = (positive.first(), positive.last()) else { return zero.into_iter().collect() };
    let least = span(zero.unwrap_or(first), last) / MOST_SIZES as f64 * 0.9;
    let mut labels: Vec<f64> = zero.into_iter().collect();
    // Powers of two read best; without them the measured sizes themselves.
    let round: Vec<f64> = positive.iter().copied().filter(|size| size.log2().fract() == 0.0).collect();
    for &size in if round.len() >= 2 { &round } else { positive } {
        if labels.last().is_none_or(|&before| span(before, size) >= least.max(1e-9)) {
            labels.push(size);
        }
    }
    labels
}

/// Powers of ten in the range; with 2 and 5 where there are few of them, and finer where there are none.
fn time_labels((low, high): (f64, f64)) -> Vec<f64> {
    let decades = low.log10().floor() as i32..=high.log10().ceil() as i32;
    let ladder = |steps: &[f64]| -> Vec<f64> {
        let all = decades.clone().flat_map(|decade| steps.iter().map(move |step| step * 10f64.powi(decade)));
        all.filter(|time| *time >= low && *time <= high).collect()
    };
    let ladders: [&[f64]; 3] = [&[1.0], &[1.0, 2.0, 5.0], &[1.0, 1.2, 1.5, 2.0, 2.5, 3.0, 4.0, 5.0, 6.0, 8.0]];
    let found = ladders.into_iter().map(ladder).find(|labels| labels.len() >= 3);
    let labels = found.unwrap_or_else(|| vec![low * (high / low).powf(0.2), low * (high / low).powf(0.8)]);
    let step = labels.len().div_ceil(8);
    labels.into_iter().step_by(step).collect()
}

/// 1 and round ratios on both sides of it, as far from one another as letters need.
fn ratio_labels((low, high): (f64, f64)) -> Vec<f64> {
    const ROUND: [f64; 14] = [1.02, 1.05, 1.1, 1.2, 1.3, 1.5, 2.0, 3.0, 5.0, 10.0, 20.0, 50.0, 100.0, 1000.0];
    const BELOW: [f64; 12] = [0.98, 0.95, 0.9, 0.8, 0.7, 0.6, 0.5, 0.3, 0.2, 0.1, 0.05, 0.01];
    let least = (high / low).ln() / 5.0;
    let mut labels = vec![1.0];
    for side in [&ROUND[..], &BELOW[..]] {
        let mut before = 1.0_f64;
        for &ratio in side.iter().filter(|ratio| **ratio >= low && **ratio <= high) {
            if (ratio / before).ln().abs() >= least {
                labels.push(ratio);
                before = ratio;
            }
        }
    }
    labels
}

/// `+20 %`: a ratio as an error.
fn ratio_words(ratio: f64) -> String {
    signed_percent(ratio - 1.0).replace(".0 %", " %").replace(' ', "\u{202f}")
}

/// `100 µs`, `1 ms`: a label without idle digits.
fn time_words(time: f64) -> String {
    let words = Seconds::new(time).to_string();
    match words.split_once(' ') {
        Some((number, unit)) if number.contains('.') => {
            format!("{} {unit}", number.trim_end_matches('0').trim_end_matches('.'))
        }
        _ => words,
    }
}

fn draw(figure: &Figure, axes: &Axes) -> String {
    let canvas = Canvas::new(WIDTH, height(figure.measure), &CLASSES);
    let root = canvas.clone().into_drawing_area();
    let x = (axes.x.0..axes.x.1).log_scale().with_key_points(axes.sizes.clone());
    let y = (axes.y.0..axes.y.1).log_scale().with_key_points(axes.times.clone());
    let size_words = |size: &f64| match axes.zero {
        Some(zero) if *size <= zero => "0".to_owned(),
        _ => Bytes::new(*size as u64).to_string(),
    };
    let letters = ("sans-serif", LETTER * TENTHS).into_font().color(&LABEL);
    let built = ChartBuilder::on(&root)
        .margin_top(8 * TENTHS)
        .margin_right(14 * TENTHS)
        .x_label_area_size(42 * TENTHS)
        .y_label_area_size(72 * TENTHS)
        .build_cartesian_2d(x, y);
    // The canvas never fails, and there is room for axes on it.
    let Ok(mut chart) = built else { return nothing() };
    let _ = chart
        .configure_mesh()
        .x_label_formatter(&size_words)
        .y_label_formatter(&|value| match figure.measure {
            Measure::Time => time_words(*value),
            Measure::Ratio => ratio_words(*value),
        })
        .x_desc(&figure.x_title)
        .y_desc(&figure.y_title)
        .label_style(letters.clone())
        .axis_desc_style(letters)
        .axis_style(AXIS)
        .bold_line_style(GRID)
        .light_line_style(TRANSPARENT)
        .set_all_tick_mark_size(4 * TENTHS)
        .draw();
    let area = chart.plotting_area();
    let place = |x: f64, y: f64| area.map_coordinate(&(axes.place(x), y.clamp(axes.y.0, axes.y.1)));
    if figure.measure == Measure::Ratio {
        let ((left, y), (right, _)) = (place(axes.x.0, 1.0), place(axes.x.1, 1.0));
        canvas.put(&format!("<path class=\"axis\" d=\"M{} {}H{}\"/>\n", units(left), units(y), units(right)));
    }
    for series in &figure.series {
        canvas.put(&draw_series(series, &place));
    }
    let _ = root.present();
    canvas.drawn()
}

fn draw_series(series: &FigureSeries, place: &impl Fn(f64, f64) -> (i32, i32)) -> String {
    let mut text = format!("<g class=\"series {}\">\n", series.ink.class());
    let points = || series.points.iter().filter(|point| point.is_drawable());
    if series.kind == Kind::Line {
        let mut data = String::new();
        // The place of size 0 is not on the scale, so that no line leads to it.
        for point in points().filter(|point| point.x > 0.0) {
            let (x, y) = place(point.x, point.y);
            let _ = write!(data, "{}{} {}", if data.is_empty() { "M" } else { "L" }, units(x), units(y));
        }
        let _ = writeln!(text, "<path class=\"line\" d=\"{data}\"/>");
    }
    for point in points() {
        let (x, y) = place(point.x, point.y);
        let _ = write!(text, "<g><title>{}</title>", escape(&point.words));
        if let Some((low, high)) = point.interval.filter(|(low, high)| low.is_finite() && high.is_finite()) {
            let (low, high) = (place(point.x, low).1, place(point.x, high).1);
            let cap = |y: i32| format!("M{} {}h8", units(x - 4 * TENTHS), units(y));
            let stem = format!("M{} {}V{}", units(x), units(low), units(high));
            let _ = write!(text, "<path class=\"whisker\" d=\"{stem}{}{}\"/>", cap(low), cap(high));
        }
        let _ = writeln!(text, "{}</g>", marker(series.ink, &units(x), &units(y)));
    }
    text.push_str("</g>\n");
    text
}

/// The marker of a series at a place: each has a shape of its own.
pub(super) fn marker(ink: Ink, x: &str, y: &str) -> String {
    let shape = match ink {
        Ink::Observed => "m-3.6 0a3.6 3.6 0 1 0 7.2 0a3.6 3.6 0 1 0-7.2 0z",
        Ink::Model(0) => "m-3.4-3.4h6.8v6.8h-6.8z",
        Ink::Model(1) => "m0-4.8l4.8 4.8l-4.8 4.8l-4.8-4.8z",
        Ink::Model(2) => "m0-4.6l4.4 7.8h-8.8z",
        Ink::Model(_) => "m0 4.6l4.4-7.8h-8.8z",
    };
    format!("<path class=\"marker\" d=\"M{x} {y}{shape}\"/>")
}
