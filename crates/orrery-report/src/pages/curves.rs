//! Curves of measured and predicted times by size, one figure for each operation and algorithm.

use super::document::html_table;
use crate::figures::chart::marker;
use crate::figures::figure::{
    Figure, FigureMark, FigurePoint, FigureSeries, SeriesColor, SeriesKind, XAxis, YAxis,
};
use crate::tables::columns::Columns;
use crate::tables::comparison::{Comparison, Point};
use crate::tables::format::{and, counted, error_cell, mean, percent, seconds, signed_percent};
use crate::tables::table::Table;
use maud::{Markup, PreEscaped, Render, html};
use orrery::comm::Thresholds;
use orrery::model::ModelKind;
use orrery::numeric::Estimate;
use orrery::units::{Bytes, Seconds};
use std::collections::BTreeSet;
use std::fmt::Write as _;

/// The least number of sizes for a figure; fewer are lines of a table.
const MIN_SIZES_FOR_FIGURE: usize = 3;

/// The section with a figure for each operation and algorithm.
pub(super) fn render(comparisons: &[Comparison], thresholds: &[Thresholds]) -> Markup {
    let (many, few): (Vec<&Comparison>, Vec<&Comparison>) =
        comparisons.iter().partition(|comparison| comparison.points.len() >= MIN_SIZES_FOR_FIGURE);
    html! {
        section id="curves" {
            h2 { "Measured and predicted times" }
            @if comparisons.is_empty() { p { "There are no times to compare." } } @else {
                @if !few.is_empty() { (html_table(&together(&few))) }
                @if !many.is_empty() { p { "Dots are medians of measured times with their \
                    intervals; lines join the predictions at the measured sizes. All values are "
                    "means over roots or pairs. Both axes are logarithmic. Below each chart: the \
                        errors of the predictions." }
                div.figures { @for (place, comparison) in many.iter().enumerate() { (one(place, comparison, &ThresholdMarks::of(comparison, thresholds))) } } }
            }
        }
    }
}

/// The figures of one comparison with legend and numbers.
fn one(place: usize, comparison: &Comparison, turns: &ThresholdMarks) -> Markup {
    let figure = figure(comparison, turns);
    let omitted = figure.omitted_points();
    let extrapolated = comparison.points.iter().any(|point| point.extrapolated);
    html! {
        figure {
            h3 { (comparison.subject.title()) }
            (PreEscaped(figure.svg(&format!("figure-{place}"))))
            (PreEscaped(errors(comparison, turns).svg(&format!("errors-{place}"))))
            figcaption {
                (legend(&figure))
                p.note {
                    (turns.note(comparison))
                    "Each point is the mean of \
                        up to " (counted(comparison.experiments(), "experiment")) ". "
                    (seen(comparison))
                    @if extrapolated { " Some sizes are outside the range that the models were \
                        fitted to." }
                    @if omitted > 0 { " Not drawn on logarithmic \
                        axes: " (counted(omitted, "point")) "." }
                }
                details { summary { "Numbers" } (html_table(&numbers(comparison))) }
            }
        }
    }
}

/// The sentence on which of the points are residuals of the fit.
fn seen(comparison: &Comparison) -> String {
    let all = &comparison.points;
    let sizes: Vec<String> = all
        .iter()
        .filter(|point| point.seen != Some(false))
        .map(|point| point.size.to_string())
        .collect();
    if sizes.is_empty() {
        "The fit has not seen them: the errors are those of predictions.".to_owned()
    } else if sizes.len() == all.len() {
        "The fit has seen them: the errors are residuals.".to_owned()
    } else {
        format!("The fit has seen the sizes {}: their errors are residuals.", and(&sizes))
    }
}

/// The legend of the series of a chart.
pub(super) fn legend(figure: &Figure) -> Markup {
    legend_of(figure.series.iter().map(|series| (series.color, series.kind.sample(), &series.name)))
}

/// A legend: for each entry its color, the class and the path behind its marker, and its name.
pub(super) fn legend_of(
    entries: impl IntoIterator<Item = (SeriesColor, (&'static str, &'static str), impl Render)>,
) -> Markup {
    html! {
        ul.legend { @for (color, (class, path), name) in entries { li {
            svg.swatch viewBox="0 0 26 14" aria-hidden="true" { g class={ "series " (color.class()) } {
                path class=(class) d=(path) {} (PreEscaped(marker(color, 13.0, 7.0)))
            } }
            (name)
        } } }
    }
}

/// The color of a model, the same in all figures.
pub(super) fn color(kind: ModelKind) -> SeriesColor {
    SeriesColor::Numbered(
        ModelKind::ALL.iter().position(|other| *other == kind).unwrap_or_default() as u8,
    )
}

/// The kinds of models in a comparison.
fn kinds_of(comparison: &Comparison) -> BTreeSet<ModelKind> {
    comparison.points.iter().flat_map(|point| point.models.keys().copied()).collect()
}

/// The chart of measured and predicted times.
fn figure(comparison: &Comparison, turns: &ThresholdMarks) -> Figure {
    let kinds = kinds_of(comparison);
    let mut series: Vec<FigureSeries> = turns.spread(comparison).into_iter().collect();
    series.extend(kinds.iter().map(|kind| predicted(comparison, *kind)));
    let points = comparison.points.iter().map(measured);
    let (color, kind) = (SeriesColor::Measured, SeriesKind::Points);
    series.push(FigureSeries::new("measured", color, kind, points));
    Figure {
        title: format!("{}: measured and predicted times by size", comparison.subject.title()),
        description: description(comparison, &kinds),
        x_axis: XAxis::Bytes,
        y_axis: YAxis::times(),
        marks: turns.marks(comparison),
        series,
    }
}

/// The chart of predicted over measured times, which shows small errors that axes of many decades
/// hide.
fn errors(comparison: &Comparison, turns: &ThresholdMarks) -> Figure {
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
        x_axis: XAxis::Bytes,
        y_axis: YAxis::Ratio,
        // The chart of times above shows the names.
        marks: turns
            .marks(comparison)
            .into_iter()
            .map(|mark| FigureMark { name: "", ..mark })
            .collect(),
        series: series.collect(),
    }
}

/// The points with a prediction of a model.
fn with(comparison: &Comparison, kind: ModelKind) -> impl Iterator<Item = &Point> {
    comparison.points.iter().filter(move |point| point.models.contains_key(&kind))
}

/// The series of the predictions of a model.
fn predicted(comparison: &Comparison, kind: ModelKind) -> FigureSeries {
    let point = |point: &Point| {
        let &(seconds, error) = point.models.get(&kind)?;
        let tooltip = format!(
            "{kind} at {}: {} ({})",
            point.size,
            Seconds::new(seconds),
            signed_percent(error)
        );
        Some(FigurePoint::new(point.size.get() as f64, seconds, tooltip))
    };
    let points = comparison.points.iter().filter_map(point);
    FigureSeries::new(kind.name(), color(kind), SeriesKind::Line, points)
}

/// The point of a measured time.
fn measured(point: &Point) -> FigurePoint {
    let tooltip = format!("measured at {}: {}", point.size, Seconds::new(point.measured));
    FigurePoint { x: point.size.get() as f64, y: point.measured, interval: point.interval, tooltip }
}

/// The description of a chart for screen readers.
fn description(comparison: &Comparison, kinds: &BTreeSet<ModelKind>) -> String {
    let (Some(first), Some(last)) = (comparison.points.first(), comparison.points.last()) else {
        return String::new();
    };
    let mut text = format!(
        "Measured times go from {} at {} to {} at {}.",
        Seconds::new(first.measured),
        first.size,
        Seconds::new(last.measured),
        last.size
    );
    for kind in kinds {
        let errors = comparison
            .points
            .iter()
            .filter_map(|point| point.models.get(kind))
            .map(|(_, error)| error.abs());
        if let Some(median) = crate::tables::format::median(errors) {
            let _ = write!(text, " {kind} has a median error of {}.", percent(median));
        }
    }
    text
}

/// The table of the numbers in a chart.
fn numbers(comparison: &Comparison) -> Table {
    let mut columns = Columns::of(&comparison.points);
    columns.number("size", |point| point.size);
    add_times(&mut columns, &kinds_of(comparison), |point| point);
    columns.table("numbers", format!("{}, means", comparison.subject.title()))
}

/// The table of operations that were measured at one or two sizes only.
fn together(comparisons: &[&Comparison]) -> Table {
    let kinds = comparisons.iter().flat_map(|comparison| kinds_of(comparison)).collect();
    let rows: Vec<_> = comparisons
        .iter()
        .flat_map(|one| one.points.iter().map(move |point| (&one.subject, point)))
        .collect();
    let mut columns = Columns::of(&rows);
    columns.text("operation", |(subject, _)| subject.title());
    columns.number("experiments", |(_, point)| point.experiments);
    columns.number("size", |(_, point)| point.size);
    add_times(&mut columns, &kinds, |(_, point)| point);
    columns.table("few", "Measured at one or two sizes only, means")
}

/// Adds the columns of the measured time, and of the time and error of each model.
fn add_times<'a, R>(
    columns: &mut Columns<'a, R>,
    kinds: &BTreeSet<ModelKind>,
    point: impl Fn(&'a R) -> &'a Point,
) {
    columns.text("seen", |row| point(row).seen_cell());
    columns.number("measured", |row| seconds(point(row).measured));
    for kind in kinds {
        let of = |row| point(row).models.get(kind);
        columns.number(kind.name(), |row| of(row).map(|of| seconds(of.0))).titled(kind.name());
        let error = |row| of(row).map(|of| error_cell(of.1));
        columns.number(format!("{kind}_error"), error).titled("error");
    }
}

/// The thresholds of the operation in a figure, for all roots.
struct ThresholdMarks<'a>(Vec<&'a Thresholds>);

impl<'a> ThresholdMarks<'a> {
    /// The thresholds of the operation of a comparison.
    pub(super) fn of(comparison: &Comparison, thresholds: &'a [Thresholds]) -> Self {
        let subject = &comparison.subject;
        let is_it = |of: &&Thresholds| {
            let linear = subject.algorithm.as_deref() == Some("linear");
            linear && of.operation.name() == subject.operation && of.procs == subject.procs
        };
        Self(thresholds.iter().filter(is_it).collect())
    }

    /// Lines at S, M1 and M2 that lie among the measured sizes.
    pub(super) fn marks(&self, comparison: &Comparison) -> Vec<FigureMark> {
        let (first, last) = extent(comparison);
        let of = |(name, pick)| self.values(pick).into_iter().map(move |x| FigureMark { x, name });
        let marks = NAMES.into_iter().flat_map(of);
        marks.filter(|mark| mark.x >= first && mark.x <= last).collect()
    }

    /// The band with 95 % of the times that the best model predicts for escalating gathers; `None`
    /// if no measured size escalates.
    pub(super) fn spread(&self, comparison: &Comparison) -> Option<FigureSeries> {
        let best = best(comparison)?;
        let band = |point: &Point| Some((point.size.get() as f64, *point.bands.get(&best)?));
        let mut ends: Vec<(f64, (f64, f64))> = comparison.points.iter().filter_map(band).collect();
        let (&(_, first), &(_, last)) = (ends.first()?, ends.last()?);
        let (smallest, largest) = extent(comparison);
        let small = self.values(|of| of.gather_small).into_iter().reduce(f64::min);
        let large = self.values(|of| of.gather_large).into_iter().reduce(f64::max);
        ends.insert(0, (small.unwrap_or(smallest).max(smallest), first));
        ends.push((large.unwrap_or(largest).min(largest), last));
        let point = |(x, (low, high)): (f64, (f64, f64))| FigurePoint {
            x,
            y: low,
            interval: Some((low, high)),
            tooltip: format!("from {} to {}", Seconds::new(low), Seconds::new(high)),
        };
        let (name, points) = (format!("95 % of the times by {best}"), ends.into_iter().map(point));
        Some(FigureSeries::new(name, SeriesColor::Band, SeriesKind::Area, points))
    }

    /// The explanation of the lines and the band.
    pub(super) fn note(&self, comparison: &Comparison) -> Markup {
        let marks = self.marks(comparison);
        let there = |name: &str| marks.iter().any(|mark| mark.name == name);
        let range = |(name, pick)| there(name).then(|| format!("{name} ({})", self.range(pick)));
        let [s, small, large] = NAMES.map(range);
        let medium = match (small, &large) {
            (Some(small), Some(large)) => format!("Between {small} and {large}"),
            (Some(small), None) => format!("Beyond {small}"),
            (None, Some(large)) => format!("Up to {large}"),
            (None, None) => "At these sizes".to_owned(),
        };
        html! {
            @if let Some(s) = s { "Beyond " (s) " the root sends to one rank after another. " }
            @if let Some(best) = best(comparison) {
                (medium) " some gathers take much \
                    longer" (self.probability()) ": the lines are the medians of the predicted \
                        times, and the "
                "shaded band holds 95 % of the times that " (best) " predicts. "
            }
            @if large.is_some() { "Beyond M2 the ranks send to the root one after another. " }
        }
    }

    /// The probability of escalations as text: `, with a probability of 40 %`.
    fn probability(&self) -> String {
        let probability = |of: &&Thresholds| {
            of.escalations.iter().map(|level| level.probability.value).sum::<f64>()
        };
        match &self.0[..] {
            [only] => format!(", with a probability of {}", percent(probability(only))),
            _ => String::new(),
        }
    }

    /// The different values of a threshold, ascending.
    fn values(&self, pick: fn(&Thresholds) -> Option<Estimate>) -> Vec<f64> {
        let mut values: Vec<f64> = self.0.iter().filter_map(|of| Some(pick(of)?.value)).collect();
        values.sort_by(f64::total_cmp);
        values.dedup();
        values
    }

    /// A threshold as text: `61K`, or `61K to 64K` if roots differ.
    fn range(&self, pick: fn(&Thresholds) -> Option<Estimate>) -> String {
        let size = |value: &f64| Bytes::new(value.round() as u64).to_string();
        match &self.values(pick)[..] {
            [] => String::new(),
            [one] => size(one),
            [first, .., last] => format!("{} to {}", size(first), size(last)),
        }
    }
}

/// Selects one of the thresholds.
type Pick = fn(&Thresholds) -> Option<Estimate>;

/// The thresholds that are marked, with their names.
const NAMES: [(&str, Pick); 3] =
    [("S", |of| of.scatter_threshold), ("M1", |of| of.gather_small), ("M2", |of| of.gather_large)];

/// The model with the smallest mean error at the sizes that escalate; `None` if no model predicts
/// escalations.
fn best(comparison: &Comparison) -> Option<ModelKind> {
    let errors = |kind: &ModelKind| {
        let points = comparison.points.iter().filter(|point| point.bands.contains_key(kind));
        mean(points.filter_map(|point| point.models.get(kind)).map(|(_, error)| error.abs()))
    };
    let kinds: BTreeSet<ModelKind> =
        comparison.points.iter().flat_map(|point| point.bands.keys().copied()).collect();
    let known = kinds.into_iter().filter_map(|kind| Some((kind, errors(&kind)?)));
    known.min_by(|one, other| one.1.total_cmp(&other.1)).map(|(kind, _)| kind)
}

/// The smallest measured size above 0 and the largest; infinite if there are none.
fn extent(comparison: &Comparison) -> (f64, f64) {
    let mut sizes =
        comparison.points.iter().map(|point| point.size.get() as f64).filter(|size| *size > 0.0);
    let first = sizes.next().unwrap_or(f64::INFINITY);
    (first, sizes.next_back().unwrap_or(first))
}
