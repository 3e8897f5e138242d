//! Parts of pages for the cells of notebooks: each with its styles, which apply to it alone.

use std::collections::BTreeMap;

use maud::{Markup, PreEscaped, html};
use orrery::model::{Model, Validation};
use orrery::numeric::Estimate;
use orrery::run::Metric;
use orrery::sample::{Samples, summarise};
use orrery::scaling::ForecastMap;
use orrery::units::{Bytes, Seconds};

use super::curves::legend;
use super::document::{STYLE, html_table};
use super::{curves, errors, link_maps, parameters};
use crate::figures::figure::{
    Figure, FigurePoint, FigureSeries, SeriesColor, SeriesKind, XAxis, YAxis,
};
use crate::tables::comparison::Comparison;
use crate::tables::summary;
use crate::tables::table::Table;

/// The largest number of rows of a table in a notebook.
const MAX_ROWS: usize = 20;

/// The number of colors of series.
const COLORS: u8 = 8;

/// The largest number of points of a predicted curve that are drawn.
const MAX_POINTS: usize = 200;

/// Predicted times by size, as a line in the band of their intervals.
#[derive(Debug, Clone, PartialEq)]
pub struct PredictedCurve {
    /// The name in the legend.
    pub name: String,
    /// The predicted times.
    pub points: Vec<CurvePoint>,
}

/// A predicted time.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CurvePoint {
    /// The message size.
    pub size: Bytes,
    /// The time in seconds.
    pub seconds: f64,
    /// The interval of the time in seconds; `None` if it has none.
    pub interval: Option<(f64, f64)>,
}

/// A table; of a long one the first rows.
pub fn table(table: &Table) -> String {
    cell(&short(table.display_table()))
}

/// The maps of links and the parameters of a model.
pub fn model(model: &Model) -> String {
    cell(&html! { (link_maps::render(model)) (parameters::render(model)) })
}

/// The heat map of forecasts over two variables; `level` is the probability of the intervals.
pub fn forecast_map(metric: &Metric, map: &ForecastMap, level: f64) -> String {
    cell(&super::forecast_map::render(metric, map, level))
}

/// The errors and the curves of measured and predicted times.
pub fn validation(validation: &Validation) -> String {
    let comparisons = Comparison::all(validation);
    cell(&html! { (errors::render(validation)) (curves::render(&comparisons, &[])) })
}

/// A chart of the medians of readings by size, and their summary. `level` is that of the intervals.
pub fn samples(samples: &Samples, level: f64) -> String {
    let all = summarise(samples, level);
    let mut operations: BTreeMap<String, BTreeMap<Bytes, Vec<Estimate>>> = BTreeMap::new();
    for series in samples.series() {
        let estimate = orrery::numeric::median_estimate(&series.seconds(), level);
        let sizes = operations.entry(series.experiment.name()).or_default();
        sizes.entry(series.experiment.size()).or_default().push(estimate);
    }
    let series = operations.iter().enumerate().map(|(place, (name, sizes))| {
        let points = sizes.iter().map(|(size, estimates)| mean_point(*size, estimates));
        FigureSeries::new(name, numbered(place), SeriesKind::Points, points)
    });
    let figure = figure("Measured times by size", series.collect());
    cell(&html! { (chart(&figure, "Means over processors of the medians of \
    readings.")) (short(&summary(&all))) })
}

/// A chart of predicted times by size, and the table of the predictions; of a long one the first
/// rows.
pub fn predictions(curves: &[PredictedCurve], table: &Table) -> String {
    let figure =
        figure("Predicted times by size", curves.iter().enumerate().map(predicted).collect());
    cell(&html! { (chart(&figure, "Bands are the intervals of the \
    predictions.")) (short(table.display_table())) })
}

/// A part of a page with its styles. Rules for the root and the body of a page are those of the
/// part.
fn cell(content: &Markup) -> String {
    let styles = STYLE.replace(":root", ":scope").replace("\nbody {", "\n:scope {");
    let markup = html! {
        style { (PreEscaped(format!("@scope (.orrery-cell) {{\n{styles}}}"))) }
        div.orrery-cell { (content) }
    };
    markup.into_string()
}

/// The first rows of a table.
fn short(table: &Table) -> Markup {
    if table.rows().len() <= MAX_ROWS {
        return html_table(table);
    }
    let mut first = Table::new(&table.name, &table.title, table.columns().to_vec());
    table.rows().iter().take(MAX_ROWS).for_each(|row| first.push(row.clone()));
    html_table(&first.with_note(format!("The first {MAX_ROWS} of {} rows.", table.rows().len())))
}

/// A chart of times by size.
fn figure(title: &str, series: Vec<FigureSeries>) -> Figure {
    Figure {
        title: title.to_owned(),
        description: String::new(),
        x_axis: XAxis::Bytes,
        y_axis: YAxis::times(),
        marks: Vec::new(),
        series,
    }
}

/// A chart with its legend; nothing if it has no point that can be drawn.
fn chart(figure: &Figure, note: &str) -> Markup {
    html! {
        @if figure.series.iter().flat_map(|series| &series.points).any(FigurePoint::is_drawable) {
            figure {
                h3 { (figure.title) }
                (PreEscaped(figure.svg("figure")))
                figcaption {
                    (legend(figure))
                    p.note { (note) }
                }
            }
        }
    }
}

/// The color of a series by its place.
fn numbered(place: usize) -> SeriesColor {
    SeriesColor::Numbered((place % usize::from(COLORS)) as u8)
}

/// The point of the mean of several estimates, with the means of the ends of their intervals.
fn mean_point(size: Bytes, estimates: &[Estimate]) -> FigurePoint {
    let mean = |values: Vec<f64>| (!values.is_empty()).then(|| orrery::numeric::mean(&values));
    let y = mean(estimates.iter().map(|one| one.value).collect()).unwrap_or(f64::NAN);
    let intervals = || estimates.iter().filter_map(|one| one.interval);
    let low = mean(intervals().map(|interval| interval.low).collect());
    let high = mean(intervals().map(|interval| interval.high).collect());
    let tooltip = format!("{size}: {}", Seconds::new(y));
    FigurePoint { x: size.get() as f64, y, interval: low.zip(high), tooltip }
}

/// The series of a predicted curve, by its place among the curves.
fn predicted((place, curve): (usize, &PredictedCurve)) -> FigureSeries {
    let mut points = curve.points.clone();
    points.sort_by_key(|point| point.size);
    let step = points.len().div_ceil(MAX_POINTS).max(1);
    let point = |&CurvePoint { size, seconds, interval }: &CurvePoint| FigurePoint {
        x: size.get() as f64,
        y: seconds,
        interval,
        tooltip: format!("{} at {size}: {}", curve.name, Seconds::new(seconds)),
    };
    let points = points.iter().step_by(step).map(point);
    FigureSeries::new(&curve.name, numbered(place), SeriesKind::Band, points)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tables::table::{Cell, Column};

    #[test]
    fn a_cell_styles_itself_only() {
        let mut table = Table::new("t", "T", [Column::number("n")]);
        (0..150).for_each(|n| table.push([Cell::integer(n)]));
        let html = super::table(&table);
        assert!(html.starts_with("<style>@scope (.orrery-cell) {"));
        assert!(!html.contains(":root") && !html.contains("\nbody"));
        assert_eq!(html.matches("<tr>").count(), 1 + MAX_ROWS);
        assert!(html.contains("The first 20 of 150 rows."));
    }

    #[test]
    fn a_curve_is_drawn_with_its_band() {
        let point = |k: u64| {
            let seconds = 1e-6 * k as f64;
            CurvePoint {
                size: Bytes::new(k),
                seconds,
                interval: Some((0.9 * seconds, 1.1 * seconds)),
            }
        };
        let points = (0..1000).map(point);
        let curve = PredictedCurve { name: "scatter/linear".into(), points: points.collect() };
        let html = predictions(&[curve], &Table::new("t", "T", [Column::number("n")]));
        assert!(html.contains("<svg") && html.contains("scatter/linear"));
    }
}
