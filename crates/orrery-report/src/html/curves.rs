//! One figure for each operation and algorithm: what was observed, and what the models say.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use maud::{Markup, PreEscaped, html};

use super::headline::counted;
use super::table;
use super::threshold_marks::ThresholdMarks;
use crate::comparison::{Comparison, Point};
use crate::figure::{Across, Figure, FigureMark, FigurePoint, FigureSeries, Ink, Kind, Measure};
use crate::format::{percent, signed_percent};
use crate::plot::marker;
use crate::table::{Cell, Column, Table};
use orrery::comm::Thresholds;
use orrery::model::ModelKind;
use orrery::units::Seconds;

/// Fewer sizes than this make a line of a table, not a figure.
const FIGURE_FROM: usize = 3;

pub(super) fn render(comparisons: &[Comparison], thresholds: &[Thresholds]) -> Markup {
    let (many, few): (Vec<&Comparison>, Vec<&Comparison>) =
        comparisons.iter().partition(|comparison| comparison.points.len() >= FIGURE_FROM);
    html! {
        section id="curves" {
            h2 { "Observed and predicted curves" }
            @if comparisons.is_empty() { p { "There is nothing to compare." } } @else {
                @if !few.is_empty() { (table::render(&together(&few))) }
                @if !many.is_empty() { p { "Dots are the medians of the observed times, whiskers their intervals; lines join what the models "
                    "predict at the measured sizes. Where there are several roots or pairs, everything shown is the "
                    "mean over them. Both axes are logarithmic. Below each: how "
                    "far the predictions are from what was observed." }
                div.figures { @for (place, comparison) in many.iter().enumerate() { (one(place, comparison, &ThresholdMarks::of(comparison, thresholds))) } } }
            }
        }
    }
}

fn one(place: usize, comparison: &Comparison, marks: &ThresholdMarks) -> Markup {
    let figure = figure(comparison, marks);
    let left_out = figure.left_out();
    let extrapolated = comparison.points.iter().any(|point| point.extrapolated);
    html! {
        figure {
            h3 { (comparison.subject.title()) }
            (PreEscaped(figure.svg(&format!("figure-{place}"))))
            (PreEscaped(errors(comparison, marks).svg(&format!("errors-{place}"))))
            figcaption {
                ul.legend { @for series in &figure.series { li { (swatch(series)) (series.name) } } }
                p.note {
                    (marks.note(comparison))
                    "Each point stands for up to " (counted(comparison.experiments(), "experiment")) "."
                    @if extrapolated { " Some sizes lie outside the range from which the models were made." }
                    @if left_out > 0 { " Left out, having no place on a logarithmic axis: " (counted(left_out, "point")) "." }
                }
                details { summary { "Numbers" } (table::render(&numbers(comparison))) }
            }
        }
    }
}

fn swatch(series: &FigureSeries) -> Markup {
    let marker = marker(series.ink, "13", "7");
    html! {
        svg.swatch viewBox="0 0 26 14" aria-hidden="true" {
            g class={ "series " (series.ink.class()) } {
                @match series.kind {
                    Kind::Line | Kind::Band => path.line d="M0 7H26" {},
                    Kind::Points => path.whisker d="M13 0V14M10 0h6M10 14h6" {},
                    Kind::Area => path.band d="M0 0h26v14h-26z" {},
                }
                (PreEscaped(marker))
            }
        }
    }
}

/// The ink of a model, the same in all figures.
pub(super) fn ink(kind: ModelKind) -> Ink {
    Ink::Model(ModelKind::ALL.iter().position(|other| *other == kind).unwrap_or_default() as u8)
}

fn kinds_of(comparison: &Comparison) -> BTreeSet<ModelKind> {
    comparison.points.iter().flat_map(|point| point.models.keys().copied()).collect()
}

fn figure(comparison: &Comparison, marks: &ThresholdMarks) -> Figure {
    let kinds = kinds_of(comparison);
    let mut series: Vec<FigureSeries> = marks.spread(comparison).into_iter().collect();
    series.extend(kinds.iter().map(|kind| predicted(comparison, *kind)));
    series.push(FigureSeries {
        name: "observed".to_owned(),
        ink: Ink::Observed,
        kind: Kind::Points,
        points: comparison.points.iter().map(observed).collect(),
    });
    Figure {
        title: format!("{}: observed and predicted times by size", comparison.subject.title()),
        description: description(comparison, &kinds),
        x_title: "size in bytes".to_owned(),
        y_title: "time".to_owned(),
        across: Across::Bytes,
        measure: Measure::Time,
        marks: marks.marks(comparison),
        series,
    }
}

/// The same with the observed times as the level line: small errors do not show on axes of many decades.
fn errors(comparison: &Comparison, marks: &ThresholdMarks) -> Figure {
    let kinds = kinds_of(comparison);
    let series = kinds.iter().map(|kind| {
        let mut series = predicted(comparison, *kind);
        for (drawn, point) in series.points.iter_mut().zip(with(comparison, *kind)) {
            drawn.y = 1.0 + point.models.get(kind).map_or(f64::NAN, |(_, error)| *error);
        }
        series
    });
    Figure {
        title: format!("{}: errors of the predictions by size", comparison.subject.title()),
        description: description(comparison, &kinds),
        x_title: "size in bytes".to_owned(),
        y_title: "error".to_owned(),
        across: Across::Bytes,
        measure: Measure::Ratio,
        // The names stand in the figure above.
        marks: marks.marks(comparison).into_iter().map(|mark| FigureMark { name: "", ..mark }).collect(),
        series: series.collect(),
    }
}

/// The points for which a model has a prediction.
fn with(comparison: &Comparison, kind: ModelKind) -> impl Iterator<Item = &Point> {
    comparison.points.iter().filter(move |point| point.models.contains_key(&kind))
}

fn predicted(comparison: &Comparison, kind: ModelKind) -> FigureSeries {
    let point = |point: &Point| {
        let &(seconds, error) = point.models.get(&kind)?;
        let words = format!("{kind} at {}: {} ({})", point.size, Seconds::new(seconds), signed_percent(error));
        Some(FigurePoint { x: point.size.get() as f64, y: seconds, interval: None, words })
    };
    FigureSeries {
        name: kind.to_string(),
        ink: ink(kind),
        kind: Kind::Line,
        points: comparison.points.iter().filter_map(point).collect(),
    }
}

fn observed(point: &Point) -> FigurePoint {
    let words = format!("observed at {}: {}", point.size, Seconds::new(point.observed));
    FigurePoint { x: point.size.get() as f64, y: point.observed, interval: point.interval, words }
}

fn description(comparison: &Comparison, kinds: &BTreeSet<ModelKind>) -> String {
    let (Some(first), Some(last)) = (comparison.points.first(), comparison.points.last()) else {
        return String::new();
    };
    let mut text = format!(
        "Observed times go from {} at {} to {} at {}.",
        Seconds::new(first.observed),
        first.size,
        Seconds::new(last.observed),
        last.size
    );
    for kind in kinds {
        let errors = comparison.points.iter().filter_map(|point| point.models.get(kind)).map(|(_, error)| error.abs());
        if let Some(median) = crate::format::median(errors) {
            let _ = write!(text, " {kind} is off by {} in the median.", percent(median));
        }
    }
    text
}

fn numbers(comparison: &Comparison) -> Table {
    let kinds = kinds_of(comparison);
    let columns = [Column::numbers("size"), Column::numbers("observed")].into_iter().chain(columns(&kinds));
    let mut table = Table::new("numbers", format!("{}, means", comparison.subject.title()), columns);
    for point in &comparison.points {
        table.push([Cell::size(point.size)].into_iter().chain(cells(point, &kinds)));
    }
    table
}

/// What was measured at one or two sizes only, all in one table.
fn together(comparisons: &[&Comparison]) -> Table {
    let kinds: BTreeSet<ModelKind> = comparisons.iter().flat_map(|comparison| kinds_of(comparison)).collect();
    let first = [
        Column::words("operation"),
        Column::numbers("experiments"),
        Column::numbers("size"),
        Column::numbers("observed"),
    ];
    let title = "Measured at one or two sizes only, means";
    let mut table = Table::new("few", title, first.into_iter().chain(columns(&kinds)));
    for comparison in comparisons {
        for point in &comparison.points {
            let first = [
                Cell::text(comparison.subject.title()),
                Cell::integer(point.experiments as u64),
                Cell::size(point.size),
            ];
            table.push(first.into_iter().chain(cells(point, &kinds)));
        }
    }
    table
}

/// A column for the time and one for the error of each model.
fn columns(kinds: &BTreeSet<ModelKind>) -> impl Iterator<Item = Column> {
    let both = |kind: &ModelKind| {
        let error = Column::numbers(format!("{kind}_error")).titled("error");
        [Column::numbers(kind.name()).titled(kind.name()), error]
    };
    kinds.iter().flat_map(both)
}

/// The observed time, and of each model the time and its error.
fn cells(point: &Point, kinds: &BTreeSet<ModelKind>) -> impl Iterator<Item = Cell> {
    let time = |seconds: f64| Cell::number(seconds, Seconds::new(seconds).to_string());
    let both = move |kind: &ModelKind| {
        let (seconds, error) = point.models.get(kind).copied().unwrap_or((f64::NAN, f64::NAN));
        [time(seconds), Cell::number(error, signed_percent(error))]
    };
    [time(point.observed)].into_iter().chain(kinds.iter().flat_map(both).collect::<Vec<_>>())
}
