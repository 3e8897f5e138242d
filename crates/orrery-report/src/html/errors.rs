//! The errors of the models, operation by operation.

use std::collections::{BTreeMap, BTreeSet};

use maud::{Markup, html};

use super::table;
use crate::html::headline::percent;
use crate::validation::validation as tables;
use crate::verdict::{is_collective, verdict};
use orrery::model::{ModelKind, Validation};
use orrery::numeric::{mean, median};
use orrery::platform::LinkClass;
use orrery::sample::Experiment;

pub(super) fn render(validation: &Validation) -> Markup {
    let kinds: BTreeSet<ModelKind> = validation.summary.iter().map(|summary| summary.model).collect();
    html! {
        section id="errors" {
            h2 { "Errors of the models" }
            @if kinds.is_empty() { p { "There is nothing to compare." } } @else {
                p { "The error of a prediction is |predicted − observed| / observed. Large: the mean over the "
                    "experiments; small: median and largest. Marked: the best model of the line and those that cannot "
                    "be told apart from it. Collective operations are predictions; point-to-point experiments are those from "
                    "which the models were made." }
                (matrix(validation, &kinds))
                details { summary { "All errors as a list" } (table::complete(&tables(validation).1)) }
            }
        }
    }
}

/// Lines of the matrix: those of one half of it, and the experiments that count.
struct Line {
    title: String,
    total: bool,
    counts: Box<dyn Fn(&Experiment) -> bool>,
}

/// A line for each operation, and for each class of its links where there are several; below the predictions and below the fit one for all of them.
fn lines(validation: &Validation) -> Vec<Line> {
    let mut lines = Vec::new();
    for (collective, title) in [(true, "all collectives"), (false, "all point-to-point")] {
        let half = move |experiment: &Experiment| is_collective(experiment) == collective;
        let rows = validation.rows.iter().map(|row| row.experiment).filter(half);
        let words: BTreeSet<String> = rows.map(|experiment| experiment.name()).collect();
        let several = words.len() > 1;
        for word in words {
            let title = word.clone();
            let classes = of_class(validation, &word);
            lines.push(Line { title, total: false, counts: Box::new(move |experiment| experiment.name() == word) });
            lines.extend(classes);
        }
        if several {
            lines.push(Line { title: title.to_owned(), total: true, counts: Box::new(half) });
        }
    }
    lines
}

/// The experiments of an operation within a host, and across hosts, where there are both.
fn of_class(validation: &Validation, word: &str) -> Vec<Line> {
    let mut classes: BTreeMap<LinkClass, BTreeSet<Experiment>> = BTreeMap::new();
    for row in validation.rows.iter().filter(|row| row.experiment.name() == word) {
        if let Some(class) = row.class {
            classes.entry(class).or_default().insert(row.experiment);
        }
    }
    if classes.len() < 2 {
        return Vec::new();
    }
    let line = |(class, experiments): (LinkClass, BTreeSet<Experiment>)| Line {
        title: format!("{word}, {class}"),
        total: false,
        counts: Box::new(move |experiment| experiments.contains(experiment)),
    };
    classes.into_iter().map(line).collect()
}

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

fn row(validation: &Validation, kinds: &BTreeSet<ModelKind>, line: &Line) -> Markup {
    let verdict = verdict(validation, &line.counts);
    let best = |kind: ModelKind| verdict.as_ref().is_some_and(|v| v.best.iter().any(|(other, _)| *other == kind));
    let mut errors: BTreeMap<ModelKind, Vec<f64>> = BTreeMap::new();
    for row in validation.rows.iter().filter(|row| row.error.is_finite() && (line.counts)(&row.experiment)) {
        errors.entry(row.predicted.model).or_default().push(row.error.abs());
    }
    let experiments = errors.values().map(Vec::len).max().unwrap_or(0);
    html! {
        tr.total[line.total] {
            th.word scope="row" { @for (place, part) in line.title.split('/').enumerate() { @if place > 0 { "/" wbr; } (part) } }
            td.number { (experiments) }
            @for kind in kinds {
                @match errors.get(kind) {
                    Some(errors) => td.number.best[best(*kind)] {
                        span.main { (percent(mean(errors))) @if best(*kind) { span.hidden { " (best)" } } }
                        span.small { (percent(median(errors))) " · " (percent(errors.iter().copied().fold(0.0, f64::max))) }
                    },
                    None => td.number { "–" },
                }
            }
        }
    }
}
