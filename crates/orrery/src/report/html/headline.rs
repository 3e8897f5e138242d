//! What was measured, on what, and which model predicts best, in a few sentences.

use std::collections::BTreeSet;

use maud::{Markup, html};

use super::verdict::{Verdict, verdict};
use crate::model::{Model, ModelKind, Validation};
use crate::report::format::percent as spaced_percent;
use crate::sample::Samples;

/// The title of the page.
pub(super) fn title(model: &Model, samples: &Samples) -> String {
    let processors = model.processors().max(samples.processors());
    match processors {
        0 => "Communication times, observed and predicted".to_owned(),
        n => format!("Communication times of {}, observed and predicted", counted(n, "processor")),
    }
}

pub(super) fn render(model: &Model, samples: &Samples, validation: &Validation) -> Markup {
    let verdict = verdict(validation, None);
    html! {
        p.lead { (verdict.as_ref().map_or_else(nothing_compared, sentence)) }
        p { (measured(model, samples)) }
        @if let Some(warning) = loopback(model, samples) { p.warning role="note" { (warning) } }
        (tiles(model, samples, validation, verdict.as_ref()))
    }
}

/// A share that is not broken between the number and its unit.
pub(super) fn percent(fraction: f64) -> String {
    spaced_percent(fraction).replace(' ', "\u{a0}")
}

fn nothing_compared() -> Markup {
    html! { "No observed time was compared with a prediction." }
}

fn sentence(verdict: &Verdict) -> Markup {
    let experiments = counted(verdict.experiments, "experiment");
    let Some((first, error)) = verdict.best.first() else { return nothing_compared() };
    if verdict.best.len() == 1 {
        return html! {
            strong { (first) } " predicts best: over " (experiments) " its mean error is "
            strong { (percent(*error)) } ", the largest " (percent(verdict.largest)) ". "
            @if let Some((second, error)) = verdict.others.first() { "Next is " (second) " with " (percent(*error)) "." }
        };
    }
    let errors: Vec<String> = verdict.best.iter().map(|(_, error)| percent(*error)).collect();
    html! {
        strong { (list(&verdict.best)) } " predict best and cannot be told apart: over " (experiments)
        " their mean errors are " strong { (and(&errors)) }
        @if let Some(noise) = verdict.noise {
            ", while the observed medians themselves are uncertain by ±" (percent(noise))
        } ". "
        @if let Some((next, error)) = verdict.others.first() { "Next is " (next) " with " (percent(*error)) "." }
    }
}

fn list(models: &[(ModelKind, f64)]) -> String {
    and(&models.iter().map(|(kind, _)| kind.to_string()).collect::<Vec<_>>())
}

/// `a`, `a and b`, `a, b and c`.
pub(super) fn and(words: &[String]) -> String {
    match words {
        [] => String::new(),
        [one] => one.clone(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}

/// `1 processor`, `12,345 readings`.
pub(super) fn counted(count: usize, noun: &str) -> String {
    format!("{} {noun}{}", grouped(count), if count == 1 { "" } else { "s" })
}

fn grouped(count: usize) -> String {
    let digits = count.to_string();
    let mut text = String::new();
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

fn measured(model: &Model, samples: &Samples) -> String {
    let names: BTreeSet<&str> = model.hosts.iter().map(String::as_str).filter(|host| !host.is_empty()).collect();
    let hosts = match names.len() {
        0 => String::new(),
        n if n <= 6 => format!(" on {}", and(&names.iter().map(ToString::to_string).collect::<Vec<_>>())),
        n => format!(" on {n} hosts ({} to {})", names.first().unwrap_or(&""), names.last().unwrap_or(&"")),
    };
    let machine = provenance(model, samples, "machine").map_or_else(String::new, |m| format!(", machine {m}"));
    let date = provenance(model, samples, "date").map_or_else(String::new, |d| format!(", on {d}"));
    let operations: BTreeSet<String> = samples.series().iter().map(|series| series.experiment.word()).collect();
    let operations: Vec<String> = operations.into_iter().collect();
    let sizes = || samples.series().iter().map(|series| series.experiment.size());
    let range = match (sizes().min(), sizes().max()) {
        (Some(low), Some(high)) if low != high => format!(" with sizes from {low} to {high}"),
        (Some(low), _) => format!(" with size {low}"),
        _ => String::new(),
    };
    let processors = counted(model.processors().max(samples.processors()), "processor");
    let what = if operations.is_empty() { "no samples".to_owned() } else { and(&operations) };
    format!("Measured: {what}{range}, among {processors}{hosts}{machine}{date}.")
}

/// The value of a key in the provenance of the samples, else of the model.
fn provenance<'a>(model: &'a Model, samples: &'a Samples, key: &str) -> Option<&'a str> {
    samples.provenance.get(key).or_else(|| model.provenance.get(key))
}

fn loopback(model: &Model, samples: &Samples) -> Option<&'static str> {
    let local = |machine: &str| machine == "local" || machine.starts_with("local:");
    let machines = [samples.provenance.get("machine"), model.provenance.get("machine")];
    let note = "Loopback on a shared machine is a demonstration, not a cluster.";
    machines.into_iter().flatten().any(local).then_some(note)
}

fn tiles(model: &Model, samples: &Samples, validation: &Validation, verdict: Option<&Verdict>) -> Markup {
    let best = verdict.and_then(|verdict| verdict.best.first());
    let compared: BTreeSet<_> = validation.rows.iter().map(|row| row.experiment).collect();
    let mut tiles = vec![
        ("processors".to_owned(), grouped(model.processors().max(samples.processors()))),
        ("experiments compared".to_owned(), grouped(compared.len())),
        ("readings".to_owned(), grouped(samples.count())),
    ];
    tiles.extend(best.map(|(kind, error)| (format!("mean error of {kind}"), percent(*error))));
    html! {
        dl.tiles { @for (name, value) in tiles { div { dt { (name) } dd { (value) } } } }
    }
}
