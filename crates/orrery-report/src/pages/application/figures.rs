//! Charts of an application: time over problem size, over two variables, and estimates over
//! measured times.

use super::subject::{Groups, Subject};
use crate::figures::figure::{
    Figure, FigureMark, FigurePoint, FigureSeries, LINE, SeriesColor, SeriesKind, XAxis, YAxis,
};
use crate::pages::curves::legend_of;
use crate::pages::forecast_map;
use crate::tables::application::names;
use crate::tables::format::counted;
use crate::tables::format::{mean, metric_names, metric_noun, percent, signed_percent};
use crate::tables::point_labels::PointLabels;
use maud::{Markup, PreEscaped, html};
use orrery::run::variable;
use orrery::scaling::{ComparedPoint, Evaluation, Point, Region};
use orrery::units::Seconds;
use std::collections::BTreeMap;

/// The largest number of lines in a figure.
const MAX_LINES: usize = 4;
/// The number of points of a line.
const LINE_POINTS: usize = 48;
/// How far lines go beyond the largest measured value.
const BEYOND: f64 = 4.0;

/// The end of a line beyond the largest measured value.
pub(super) fn beyond(measured: f64) -> f64 {
    BEYOND * measured
}

/// The charts of a region by name: `curve`, `errors`, `correlation` and `correlation-2` to
/// `correlation-4`.
pub(super) fn charts(subject: &Subject, level: f64) -> Vec<(String, Figure)> {
    let mut charts = Vec::new();
    if let Some(across) = across(subject.evaluation) {
        let all = lines(subject.evaluation, &across);
        let shown = chosen(subject.evaluation, &all);
        if !shown.is_empty() {
            charts.push(("curve".to_owned(), curve_figure(subject, &across, &shown, level)));
            charts.push(("errors".to_owned(), ratios(&across, &shown)));
        }
    }
    for (place, (_, figure)) in correlation_figures(subject).into_iter().enumerate() {
        let number = if place == 0 { String::new() } else { format!("-{}", place + 1) };
        charts.push((format!("correlation{number}"), figure));
    }
    charts
}

/// The section with measured and estimated times over the problem size, or over another variable
/// that varies; empty if none does.
pub(super) fn curves(subject: &Subject, level: f64) -> Markup {
    let Some(across) = across(subject.evaluation) else { return html! {} };
    let all = lines(subject.evaluation, &across);
    let shown = chosen(subject.evaluation, &all);
    if shown.is_empty() {
        return html! {};
    }
    let figure = curve_figure(subject, &across, &shown, level);
    html! {
        section id=(subject.id("curves")) {
            h2 { (subject.title("Curves")) }
            p { "Marks are measured " (metric_noun(subject.metric)) "s, lines the estimates up to four times the largest measured "
                (across) " (dotted)"
                @if subject.region.model.as_terms().is_some_and(|model| model.uncertainty.is_some()) {
                    "; a single run lies in the band with a probability of " (level * 100.0) " %"
                } ". Both axes are logarithmic." }
            (legend_of(shown.iter().enumerate().map(|(place, line)| (SeriesColor::Numbered(place as u8), LINE, &line.name))))
            div.figures {
                figure { h3 { (if subject.metric.is_time() { "Time" } else { subject.metric.name() }) } (PreEscaped(figure.svg(&subject.id("curve")))) }
                figure {
                    h3 { "Errors" }
                    (PreEscaped(ratios(&across, &shown).svg(&subject.id("curve-errors"))))
                    @if all.len() > shown.len() { p.note { "Shown are "
                        @if subject.evaluation.decisions.iter().any(|row| row.candidates > 1) { "configurations that were best at some size, and others measured at most sizes: " }
                        (shown.len()) " of " (counted(all.len(), "configuration")) "." } }
                }
            }
        }
    }
}

/// The section with the estimates over the two variables that vary most; empty if there are no two.
pub(super) fn map(subject: &Subject, level: f64) -> Markup {
    let Ok(map) = subject.region.forecast_map(level) else { return html! {} };
    html! {
        section id=(subject.id("map")) {
            h2 { (subject.title("Map")) }
            p { "Estimates at the measured values of two variables, and at twice and four times the \
                largest ones. Outside of the frame the model extrapolates. Steps of color are equal \
                factors." }
            (forecast_map::render(subject.metric, &map, level))
        }
    }
}

/// The variable of the x axis: the problem size, else the variable with the most values; `None` if
/// no variable varies.
pub(super) fn across(evaluation: &Evaluation) -> Option<String> {
    let points = || evaluation.points.iter().map(|pair| &pair.point);
    let values = |name: &str| {
        let mut values: Vec<f64> =
            points().filter_map(|p| p.variables.get(name).copied()).filter(|v| *v > 0.0).collect();
        values.sort_by(f64::total_cmp);
        values.dedup();
        values.len()
    };
    let all = names(points().flat_map(|point| point.variables.keys()));
    let varying: Vec<&str> = all.into_iter().filter(|name| values(name) > 1).collect();
    let most = varying
        .iter()
        .copied()
        .reduce(|most, next| if values(next) > values(most) { next } else { most });
    varying
        .iter()
        .copied()
        .find(|name| *name == variable::PROBLEM_SIZE)
        .or(most)
        .map(ToOwned::to_owned)
}

/// Points that differ only in the variable of the x axis.
struct Line<'a> {
    name: String,
    pairs: Vec<(f64, &'a ComparedPoint)>,
}

impl Line<'_> {
    /// The points of a chart by x and the compared point there.
    fn points(&self, point: impl Fn(f64, &ComparedPoint) -> FigurePoint) -> Vec<FigurePoint> {
        self.pairs.iter().map(|(x, pair)| point(*x, pair)).collect()
    }
}

/// A series for each line.
fn series<'a>(
    shown: &'a [&Line],
    kind: SeriesKind,
    points: impl Fn(&Line) -> Vec<FigurePoint> + 'a,
) -> impl Iterator<Item = FigureSeries> + 'a {
    shown.iter().enumerate().map(move |(place, line)| {
        FigureSeries::new(&line.name, SeriesColor::Numbered(place as u8), kind, points(line))
    })
}

/// The lines of all points that differ in the variable `across` only, as far as there are several.
fn lines<'a>(evaluation: &'a Evaluation, across: &str) -> Vec<Line<'a>> {
    let naming = PointLabels::of(evaluation);
    let mut lines: BTreeMap<String, Line> = BTreeMap::new();
    for pair in &evaluation.points {
        let mut rest = pair.point.clone();
        let Some(x) = rest.variables.remove(across) else { continue };
        let name = naming.label(&rest);
        let name = if name.is_empty() { "measured".to_owned() } else { name };
        lines
            .entry(format!("{rest:?}"))
            .or_insert_with(|| Line { name, pairs: Vec::new() })
            .pairs
            .push((x, pair));
    }
    lines.into_values().filter(|line| line.pairs.len() > 1).collect()
}

/// The lines in the figure: configurations that are best at some size, then those with the most
/// points, spread over their times.
fn chosen<'a, 'b>(evaluation: &Evaluation, all: &'b [Line<'a>]) -> Vec<&'b Line<'a>> {
    let best = |line: &&Line| {
        let own = |point: &Point| line.pairs.iter().any(|(_, pair)| pair.point == *point);
        evaluation.decisions.iter().any(|row| row.candidates > 1 && own(&row.actual))
    };
    let (best, mut others): (Vec<&Line>, Vec<&Line>) = all.iter().partition(best);
    let slowest =
        |line: &Line| line.pairs.iter().map(|(_, pair)| pair.measured.get()).fold(0.0, f64::max);
    let most = others.iter().map(|line| line.pairs.len()).max().unwrap_or_default();
    others.retain(|line| line.pairs.len() == most);
    others.sort_by(|a, b| slowest(b).total_cmp(&slowest(a)).then_with(|| a.name.cmp(&b.name)));
    let free = MAX_LINES.saturating_sub(best.len()).min(others.len());
    let spread = (0..free)
        .map(|place| others[if free > 1 { place * (others.len() - 1) / (free - 1) } else { 0 }]);
    best.iter().copied().take(MAX_LINES).chain(spread).collect()
}

/// The chart of measured and estimated times.
fn curve_figure(subject: &Subject, across: &str, shown: &[&Line], level: f64) -> Figure {
    let estimates = series(shown, SeriesKind::Band, |line| estimated(subject, across, line, level));
    let largest = shown.iter().flat_map(|line| &line.pairs).map(|(x, _)| *x).fold(0.0, f64::max);
    let measured = series(shown, SeriesKind::Points, |line| {
        line.points(|x, pair| {
            let (measured, estimate) = (pair.measured, pair.estimate);
            let error = signed_percent(pair.error());
            let [measured_text, estimate_text] = [measured, estimate].map(|of| subject.text(of));
            let times = format!("measured {measured_text}, estimated {estimate_text} ({error})");
            let tooltip = format!("{}, {across} = {x}: {times}", line.name);
            FigurePoint::new(x, measured.get(), tooltip)
        })
    });
    let range = |pick: fn(f64, f64) -> f64, start| {
        let times = shown.iter().flat_map(|line| &line.pairs).map(|(_, pair)| pair.measured.get());
        subject.text(Seconds::new(times.fold(start, pick)))
    };
    let (_, title) = metric_names(subject.metric);
    Figure {
        title: format!("{title} over {across}: measured and estimated"),
        description: format!(
            "{}, measured values from {} to {}.",
            counted(shown.len(), "line"),
            range(f64::min, f64::INFINITY),
            range(f64::max, 0.0)
        ),
        x_axis: XAxis::Numbers(across.to_owned()),
        y_axis: YAxis::Values(subject.metric.clone()),
        marks: vec![FigureMark { x: largest, name: "" }],
        series: estimates.chain(measured).collect(),
    }
}

/// The chart of estimated times relative to the measured ones, along the variable `across`: on axes
/// of many decades, small errors of times do not show.
fn ratios(across: &str, shown: &[&Line]) -> Figure {
    let series = series(shown, SeriesKind::Line, |line| {
        line.points(|x, pair| {
            let error = signed_percent(pair.error());
            let tooltip = format!("{}, {across} = {x}: {error}", line.name);
            FigurePoint::new(x, 1.0 + pair.error(), tooltip)
        })
    });
    Figure {
        title: format!("Errors of the estimates over {across}"),
        description: format!("{} of errors of the estimates.", counted(shown.len(), "line")),
        x_axis: XAxis::Numbers(across.to_owned()),
        y_axis: YAxis::Ratio,
        marks: Vec::new(),
        series: series.collect(),
    }
}

/// The times that the model estimates along a line.
fn estimated(subject: &Subject, across: &str, line: &Line, level: f64) -> Vec<FigurePoint> {
    let Some((_, first)) = line.pairs.first() else { return Vec::new() };
    let places = line.pairs.iter().map(|(x, _)| *x).collect();
    forecasts_along(subject.region, &first.point, across, places, level)
}

/// The forecasts at a point with other values of a variable, evenly on a logarithmic axis from the
/// smallest of these places to beyond the largest one, and at the places; empty if none is above 0.
///
/// The line ends where the runs do not determine the time, or the model has none.
pub(super) fn forecasts_along(
    region: &Region,
    point: &Point,
    across: &str,
    mut places: Vec<f64>,
    level: f64,
) -> Vec<FigurePoint> {
    places.retain(|x| *x > 0.0);
    places.sort_by(f64::total_cmp);
    let (Some(&low), Some(&largest)) = (places.first(), places.last()) else { return Vec::new() };
    let high = beyond(largest);
    places.extend(
        (1..=LINE_POINTS).map(|step| low * (high / low).powf(step as f64 / LINE_POINTS as f64)),
    );
    places.sort_by(f64::total_cmp);
    places.dedup();
    let at = |x: f64| {
        let mut point = point.clone();
        point.variables.insert(across.to_owned(), x);
        let forecast = region.forecast(&point, level).ok().filter(|one| !one.is_worthless())?;
        let interval = forecast.interval.map(|(low, high)| (low.get(), high.get()));
        Some(FigurePoint { x, y: forecast.seconds.get(), interval, tooltip: String::new() })
    };
    places.into_iter().filter_map(at).collect()
}

/// The least number of points of a size with a chart of its own.
const MIN_POINTS: usize = 4;
/// The largest number of sizes with a chart of their own.
const MAX_SIZES: usize = 3;
/// The largest number of points with intervals, which would hide each other.
const MAX_WHISKERS: usize = 16;

/// The section with estimated over measured times.
pub(super) fn correlation(subject: &Subject) -> Markup {
    let pairs: Vec<&ComparedPoint> = subject.evaluation.points.iter().collect();
    let groups = Groups::of(subject.evaluation);
    let charts = correlation_figures(subject);
    html! {
        section id=(subject.id("correlation")) {
            h2 { (subject.title("Correlation")) }
            p { "Each mark is a point. Above the diagonal the estimate is too long, below it too \
                short. A row of marks off the diagonal is "
                "an effect that the model does not describe." }
            (legend(&groups.split(&pairs)))
            div.figures {
                @for (place, (title, figure)) in charts.iter().enumerate() {
                    figure { h3 { (title) } (PreEscaped(figure.svg(&subject.id(&format!("correlation-{place}"))))) }
                }
            }
        }
    }
}

/// The charts with estimated over measured times: of all points, and of some sizes, with titles.
fn correlation_figures(subject: &Subject) -> Vec<(String, Figure)> {
    let pairs: Vec<&ComparedPoint> = subject.evaluation.points.iter().collect();
    let (groups, naming) = (Groups::of(subject.evaluation), PointLabels::of(subject.evaluation));
    let chart = |title: String, own: &[&ComparedPoint]| {
        let figure = correlation_figure(subject, &title, own, &groups, &naming);
        (title, figure)
    };
    let mut charts = vec![chart("All points".to_owned(), &pairs)];
    let sizes = of_sizes(&pairs);
    if sizes.len() > 1 {
        for own in thinned(&sizes) {
            charts.push(chart(own.first().map(|pair| words(pair)).unwrap_or_default(), own));
        }
    }
    charts
}

/// The problem size of a point as text, such as `n = 100`; empty if the point has none.
fn words(pair: &ComparedPoint) -> String {
    pair.point
        .variables
        .get(variable::PROBLEM_SIZE)
        .map_or_else(String::new, |n| format!("n = {n}"))
}

/// The points of each size that has [`MIN_POINTS`] or more; points of one size must follow each
/// other.
fn of_sizes<'a>(pairs: &[&'a ComparedPoint]) -> Vec<Vec<&'a ComparedPoint>> {
    let alike = |a: &&ComparedPoint, b: &&ComparedPoint| words(a) == words(b);
    pairs.chunk_by(alike).filter(|own| own.len() >= MIN_POINTS).map(<[_]>::to_vec).collect()
}

/// At most [`MAX_SIZES`] elements: the first, the last and some between, evenly.
fn thinned<T>(all: &[T]) -> Vec<&T> {
    let shown = all.len().min(MAX_SIZES);
    (0..shown)
        .map(|place| &all[if shown > 1 { place * (all.len() - 1) / (shown - 1) } else { 0 }])
        .collect()
}

/// The legend of groups; empty for a single group.
fn legend(groups: &[(String, SeriesColor, Vec<&ComparedPoint>)]) -> Markup {
    html! {
        @if groups.len() > 1 {
            (legend_of(groups.iter().map(|(name, color, _)| (*color, ("", ""), name))))
        }
    }
}

/// The chart of estimated over measured times.
fn correlation_figure(
    subject: &Subject,
    title: &str,
    pairs: &[&ComparedPoint],
    groups: &Groups,
    naming: &PointLabels,
) -> Figure {
    let whiskers = pairs.len() <= MAX_WHISKERS;
    let point = |pair: &&ComparedPoint| {
        let (estimate, measured) = (pair.estimate, pair.measured);
        let names = [words(pair), naming.label(&pair.point)];
        let names: Vec<&str> =
            names.iter().map(String::as_str).filter(|name| !name.is_empty()).collect();
        FigurePoint {
            x: measured.get(),
            y: estimate.get(),
            interval: pair.interval.filter(|_| whiskers).map(|(low, high)| (low.get(), high.get())),
            tooltip: format!(
                "{}: estimated {}, measured {} ({})",
                names.join(", "),
                subject.text(estimate),
                subject.text(measured),
                signed_percent(pair.error())
            ),
        }
    };
    let series = groups.split(pairs).into_iter().map(|(name, color, own)| {
        FigureSeries::new(name, color, SeriesKind::Points, own.iter().map(point))
    });
    let error = mean(pairs.iter().map(|pair| pair.error().abs())).unwrap_or_default();
    Figure {
        title: format!("{title}: estimates over measured values"),
        description: format!("{}, mean error {}.", counted(pairs.len(), "point"), percent(error)),
        x_axis: XAxis::Times,
        y_axis: YAxis::Values(subject.metric.clone()),
        marks: Vec::new(),
        series: series.collect(),
    }
}
