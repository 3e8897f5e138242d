//! Errors of the models by operation, and the spread of readings between launches.

use super::document::{full_html_table, html_table};
use crate::tables::columns::Columns;
use crate::tables::comparison::verdict;
use crate::tables::format::percent_cell;
use crate::tables::format::unbroken_percent as percent;
use crate::tables::validation::validation as tables;
use maud::{Markup, html};
use orrery::model::{ModelKind, Validation, ValidationRow, inside};
use orrery::numeric::{mean, median, median_variance_factor, pooled_relative_deviation};
use orrery::platform::LinkClass;
use orrery::sample::{Experiment, Samples, Series};
use std::collections::{BTreeMap, BTreeSet};

/// The section with the errors of all models by operation.
pub(super) fn render(validation: &Validation) -> Markup {
    let kinds: BTreeSet<ModelKind> =
        validation.summary.iter().map(|summary| summary.model).collect();
    html! {
        section id="errors" {
            h2 { "Errors of the models" }
            @if kinds.is_empty() { p { "There are no times to compare." } } @else {
                p { "The error is |predicted − measured| / measured. Large: the mean over the \
                    experiments; small: median and largest. Marked: the best model of each line \
                    and those without significant difference from it. "
                    @if validation.rows.iter().any(|row| row.is_inside().is_some()) {
                        "Inside: the part of the intervals of predictions that contain the \
                            measured time. "
                    }
                    @if validation.rows.iter().any(|row| row.seen) {
                        "Lines with the word seen are of experiments that the fit has seen: their \
                            errors are residuals. "
                    }
                    @if validation.rows.iter().any(|row| !row.seen) {
                        "The fit has not seen the experiments of the other lines: their errors \
                            are those of predictions."
                    } }
                (matrix(validation, &kinds))
                details { summary { "All errors as a \
                    table" } (full_html_table(&tables(validation).1)) }
            }
        }
    }
}

/// A line of the table of errors: its title and the rows that it covers.
struct Line {
    title: String,
    total: bool,
    counts: Box<dyn Fn(&ValidationRow) -> bool>,
}

/// The lines of the table, first of experiments that the fit has not seen: each operation, its
/// classes of links if there are several, and totals of collective and of point-to-point operations.
fn lines(validation: &Validation) -> Vec<Line> {
    let mut lines = Vec::new();
    for seen in [false, true] {
        let mark = if seen { ", seen" } else { "" };
        for (collective, title) in [(true, "all collectives"), (false, "all point-to-point")] {
            let half = move |row: &ValidationRow| {
                row.seen == seen && row.experiment.is_collective() == collective
            };
            let rows: Vec<&ValidationRow> =
                validation.rows.iter().filter(|row| half(row)).collect();
            let words: BTreeSet<String> = rows.iter().map(|row| row.experiment.name()).collect();
            let several = words.len() > 1;
            for word in words {
                let classes = of_class(&rows, &word, mark);
                lines.push(Line {
                    title: format!("{word}{mark}"),
                    total: false,
                    counts: Box::new(move |row| half(row) && row.experiment.name() == word),
                });
                lines.extend(classes);
            }
            if several {
                let title = format!("{title}{mark}");
                lines.push(Line { title, total: true, counts: Box::new(half) });
            }
        }
    }
    lines
}

/// The lines of an operation within a host and across hosts; empty if there are not both.
fn of_class(rows: &[&ValidationRow], word: &str, mark: &str) -> Vec<Line> {
    let mut classes: BTreeMap<LinkClass, BTreeSet<Experiment>> = BTreeMap::new();
    for row in rows.iter().filter(|row| row.experiment.name() == word) {
        if let Some(class) = row.class {
            classes.entry(class).or_default().insert(row.experiment);
        }
    }
    if classes.len() < 2 {
        return Vec::new();
    }
    let line = |(class, experiments): (LinkClass, BTreeSet<Experiment>)| Line {
        title: format!("{word}, {class}{mark}"),
        total: false,
        counts: Box::new(move |row| experiments.contains(&row.experiment)),
    };
    classes.into_iter().map(line).collect()
}

/// The table of errors: operations by models.
fn matrix(validation: &Validation, kinds: &BTreeSet<ModelKind>) -> Markup {
    html! {
        div.scroll tabindex="0" role="region" aria-label="Errors by operation and model" {
            table.errors {
                caption { "Errors by operation and model" }
                thead { tr {
                    th.word scope="col" { "operation" }
                    th.number scope="col" { "experiments" }
                    @for kind in kinds { th.number scope="col" { (kind) } }
                } }
                tbody { @for line in lines(validation) { (row(validation, kinds, &line)) } }
            }
        }
    }
}

/// A row of the table of errors.
fn row(validation: &Validation, kinds: &BTreeSet<ModelKind>, line: &Line) -> Markup {
    let verdict = verdict(validation, &line.counts);
    let best = |kind: ModelKind| {
        verdict.as_ref().is_some_and(|v| v.best.iter().any(|(other, _)| *other == kind))
    };
    let mut counted: BTreeMap<ModelKind, Vec<&ValidationRow>> = BTreeMap::new();
    for row in validation.rows.iter().filter(|row| row.error.is_finite() && (line.counts)(row)) {
        counted.entry(row.predicted.model).or_default().push(row);
    }
    let experiments = counted.values().map(Vec::len).max().unwrap_or(0);
    html! {
        tr.total[line.total] {
            th.word scope="row" { @for (place, part) in line.title.split('/').enumerate() { @if place > 0 { "/" wbr; } (part) } }
            td.number { (experiments) }
            @for kind in kinds {
                @match counted.get(kind) {
                    Some(rows) => (cell(rows, best(*kind))),
                    None => td.number { "–" },
                }
            }
        }
    }
}

/// The errors of a model in some experiments, and the part of its intervals that hold.
fn cell(rows: &[&ValidationRow], is_best: bool) -> Markup {
    let errors: Vec<f64> = rows.iter().map(|row| row.error.abs()).collect();
    let largest = errors.iter().copied().fold(0.0, f64::max);
    html! {
        td.number.best[is_best] {
            span.main { (percent(mean(&errors))) @if is_best { span.hidden { " (best)" } } }
            span.small { (percent(median(&errors))) " · " (percent(largest)) }
            @if let Some(part) = inside(rows.iter().copied()) {
                span.small { (percent(part)) " inside" }
            }
        }
    }
}

/// The section on the spread between launches; empty if no experiment was measured in several
/// launches.
pub(super) fn launches(samples: &Samples) -> Markup {
    let mut kinds: BTreeMap<String, Vec<Vec<Vec<f64>>>> = BTreeMap::new();
    for series in samples.series() {
        let launches = readings_by_launch(series);
        if launches.len() > 1 {
            kinds.entry(series.experiment.name()).or_default().push(launches);
        }
    }
    if kinds.is_empty() {
        return html! {};
    }
    let rows: Vec<_> = kinds.iter().map(|(kind, series)| (kind, series, spread(series))).collect();
    let worse: BTreeSet<&str> = rows
        .iter()
        .filter(|(.., (within, between))| between > within)
        .map(|(kind, ..)| kind.as_str())
        .collect();
    let mut columns = Columns::of(&rows);
    columns.text("operation", |(kind, ..)| *kind);
    columns.number("experiments", |(_, series, _)| series.len());
    columns.number("launches", |(_, series, _)| series.iter().map(Vec::len).max());
    columns.number("within a launch", |(.., (within, _))| percent_cell(*within));
    columns.number("between launches", |(.., (_, between))| percent_cell(*between));
    let table = columns.table("launches", "Spread of the readings, relative to their medians");
    html! {
        section id="launches" {
            h2 { "Spread between launches" }
            p { "The measurement ran in several launches. Changes from launch to launch, such as \
                placement, memory and other load on the "
                "network, are spread between launches. More repetitions within a launch do not \
                    reduce it. "
                @if worse.is_empty() { "Here it is not larger than the spread within a launch." }
                @else { "Where it exceeds the spread within a launch \
                    (here " (worse.into_iter().collect::<Vec<_>>().join(", "))
                    "), add launches rather than repetitions." } }
            (html_table(&table))
        }
    }
}

/// The readings of each launch.
fn readings_by_launch(series: &Series) -> Vec<Vec<f64>> {
    let mut launches: BTreeMap<u32, Vec<f64>> = BTreeMap::new();
    for sample in &series.readings {
        launches.entry(sample.launch).or_default().push(sample.seconds.get());
    }
    launches.into_values().collect()
}

/// Robust relative standard deviations: of readings around the median of their launch, and of the
/// medians of launches, less the part that the former explains.
fn spread(series: &[Vec<Vec<f64>>]) -> (f64, f64) {
    let within = pooled_relative_deviation(series.iter().flatten().map(Vec::as_slice));
    let medians: Vec<Vec<f64>> =
        series.iter().map(|launches| launches.iter().map(|l| median(l)).collect()).collect();
    let both = pooled_relative_deviation(medians.iter().map(Vec::as_slice));
    let readings = series.iter().flatten().map(Vec::len).min().unwrap_or(1).max(1);
    let explained = within * within * median_variance_factor(readings);
    (within, (both * both - explained).max(0.0).sqrt())
}
