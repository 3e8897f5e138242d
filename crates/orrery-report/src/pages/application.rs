//! The page of the execution-time models of an application.

use crate::tables::evaluation::within;
use crate::tables::format::{counted, unbroken_percent as percent};
use crate::tables::format::{mean, quantile};
use maud::{Markup, html};
mod errors;
mod figures;
mod subject;

use self::subject::Subject;
use super::document::{application_glossary, contents, document, footer, run_provenance};
use crate::tables::format::and;
use orrery::model::Model;
use orrery::run::Runs;
use orrery::scaling::{Evaluation, Region, SizeDecision};

/// The page of an application: its model, the runs that it is compared with, and an evaluation of each region at a confidence
/// level.
///
/// Equal inputs give equal bytes, and all text from the inputs is escaped.
pub fn application_page<'a>(
    model: &Model,
    runs: &Runs,
    evaluated: &'a [(&'a Region, Evaluation)],
    level: f64,
) -> String {
    let several = evaluated.len() > 1;
    let subject = |(place, (region, evaluation)): (usize, &'a (&'a Region, Evaluation))| {
        let name = if region.name.is_empty() { "the whole program" } else { region.name.as_str() };
        let prefix = if several { format!("region-{place}-") } else { String::new() };
        let suffix = if several { format!(" of {name}") } else { String::new() };
        Subject { region, evaluation, prefix, suffix }
    };
    let subjects: Vec<Subject> = evaluated.iter().enumerate().map(subject).collect();
    let mut sections: Vec<(String, Markup)> = Vec::new();
    for subject in &subjects {
        sections.push((subject.title("Model"), errors::model(subject)));
        sections.push((subject.title("Curves"), figures::curves(subject, level)));
        sections.push((subject.title("Correlation"), figures::correlation(subject)));
        sections.push((subject.title("Errors"), errors::errors(subject)));
    }
    sections.push(("Provenance".to_owned(), run_provenance(model, runs)));
    sections.push(("How to read this page".to_owned(), application_glossary()));
    let title = title(&subjects);
    let links: Vec<(&str, &Markup)> = sections.iter().map(|(name, section)| (name.as_str(), section)).collect();
    let body = html! {
        header {
            p.brand { "Orrery" }
            h1 { (title) }
            @for subject in &subjects { (headline(subject, level)) }
            (contents(links.iter().copied()))
        }
        main { @for (_, section) in &sections { (section) } }
        (footer())
    };
    document(&title, &body).into_string()
}

/// The title of the page.
fn title(subjects: &[Subject]) -> String {
    let names: Vec<String> = subjects.iter().map(|subject| subject.region.name.clone()).collect();
    match names.as_slice() {
        [name] if name.is_empty() => "Execution times, estimated and measured".to_owned(),
        names if names.len() <= 3 && names.iter().all(|name| !name.is_empty()) => {
            format!("Execution times of {}, estimated and measured", and(names))
        }
        names => format!("Execution times of {} regions, estimated and measured", names.len()),
    }
}

/// The errors, decisions and intervals of a region in sentences and key numbers.
fn headline(subject: &Subject, level: f64) -> Markup {
    let evaluation = subject.evaluation;
    let errors = || evaluation.points.iter().map(|pair| pair.error().abs());
    let (average, largest) = (mean(errors()).unwrap_or_default(), quantile(errors(), 1.0).unwrap_or_default());
    let points = counted(evaluation.points.len(), "point");
    let whole = subject.suffix.is_empty();
    html! {
        @if !whole { h2 { (subject.title("Estimates").trim_start()) } }
        p.lead {
            "The estimates of " (points) " have a mean error of " strong { (percent(average)) } " and a largest error of " (percent(largest))
            ". "
            (decision(evaluation))
        }
        p { (coverage(evaluation, level)) (extrapolation(evaluation)) }
        @if let Some((_, why)) = evaluation.without_estimate.first() {
            p.warning role="note" { "There is no estimate of " (counted(evaluation.without_estimate.len(), "further point")) ": " (why) "." }
        }
        (tiles(evaluation, average))
    }
}

/// The sizes with several configurations.
fn choices(evaluation: &Evaluation) -> Vec<&SizeDecision> {
    evaluation.decisions.iter().filter(|row| row.candidates > 1).collect()
}

/// The largest loss of the chosen configurations.
fn worst(rows: &[&SizeDecision]) -> f64 {
    rows.iter().map(|row| row.loss()).fold(0.0, f64::max)
}

/// The sentence on the configurations that the model ranks first.
fn decision(evaluation: &Evaluation) -> Markup {
    let rows = choices(evaluation);
    let right = rows.iter().filter(|row| row.estimated.point == row.actual).count();
    html! {
        @if !rows.is_empty() {
            "The model ranks the best configuration first at " (right) " of " (counted(rows.len(), "size"))
            @if right < rows.len() { "; otherwise its choice takes at most " strong { (percent(worst(&rows))) } " longer than the best" }
            "."
        }
    }
}

/// The sentence on the runs within their intervals.
fn coverage(evaluation: &Evaluation, level: f64) -> String {
    match within(evaluation) {
        Some((within, runs)) => {
            format!("{within} of {} lie in their {}\u{a0}% intervals.", counted(runs, "run"), level * 100.0)
        }
        None => "The model has no intervals.".to_owned(),
    }
}

/// The sentence on points outside the fitted range.
fn extrapolation(evaluation: &Evaluation) -> String {
    let errors = |beyond: bool| {
        let own = evaluation.points.iter().filter(move |pair| pair.extrapolated == beyond);
        own.map(|pair| pair.error().abs()).collect::<Vec<f64>>()
    };
    let (inside, outside) = (errors(false), errors(true));
    match (mean(inside), mean(outside.iter().copied())) {
        (Some(inside), Some(far)) => format!(
            " {} outside the fitted range: there the mean error is {}, elsewhere {}.",
            if outside.len() == 1 {
                "1 point lies".to_owned()
            } else {
                format!("{} lie", counted(outside.len(), "point"))
            },
            percent(far),
            percent(inside)
        ),
        (None, Some(_)) => " All points lie outside the fitted range.".to_owned(),
        _ => String::new(),
    }
}

/// The key numbers of a region.
fn tiles(evaluation: &Evaluation, average: f64) -> Markup {
    let rows = choices(evaluation);
    let mut tiles =
        vec![("points".to_owned(), evaluation.points.len().to_string()), ("mean error".to_owned(), percent(average))];
    if !rows.is_empty() {
        tiles.push(("largest loss of a choice".to_owned(), percent(worst(&rows))));
    }
    if let Some((within, runs)) = within(evaluation) {
        tiles.push(("runs in their intervals".to_owned(), percent(within as f64 / runs as f64)));
    }
    html! { dl.tiles { @for (name, value) in tiles { div { dt { (name) } dd { (value) } } } } }
}
