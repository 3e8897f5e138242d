//! The page of communication models: comparison with samples, residuals, links and parameters.

use std::collections::BTreeSet;

use maud::{Markup, html};

use super::document::{communication_glossary, page, sample_provenance};
use super::{breakdown, curves, errors, link_maps, parameters, residuals, shared_links};
use crate::tables::alarms::alarm_lines;
use crate::tables::comparison::{Comparison, Verdict, verdict};
use crate::tables::format::{and, counted, grouped, unbroken_percent as percent};
use crate::tables::validation::ONLY_RESIDUALS;
use orrery::model::{Model, ModelKind, RankingBasis, Validation};
use orrery::sample::{Samples, SharedCores};

/// Above this mean error the page warns that predictions are too inaccurate for decisions.
const MAX_USEFUL_ERROR: f64 = 0.3;

/// The page of communication models, the samples that they are compared with, and the comparison.
///
/// Equal inputs give equal bytes, and all text from the inputs is escaped.
pub fn communication_page(model: &Model, samples: &Samples, validation: &Validation) -> String {
    let comparisons = Comparison::all(validation);
    let sections = [
        ("Curves", curves::render(&comparisons, &model.thresholds)),
        ("Errors", errors::render(validation)),
        ("Critical path", breakdown::render(model, validation)),
        ("Residuals", residuals::render(validation)),
        ("Launches", errors::launches(samples)),
        ("Links", link_maps::render(model)),
        ("Shared links", shared_links::render(model)),
        ("Parameters", parameters::render(model)),
        ("Provenance", sample_provenance(model, samples)),
        ("How to read this page", communication_glossary()),
    ];
    page(&title(model, samples), &headline(model, samples, validation), &sections)
}

/// The title of the page.
fn title(model: &Model, samples: &Samples) -> String {
    let processors = model.processors().max(samples.processors());
    match processors {
        0 => "Communication times, measured and predicted".to_owned(),
        n => {
            let processors = counted(n, "processor").replace(' ', "\u{a0}");
            format!("Communication times of {processors}, measured and predicted")
        }
    }
}

/// The verdict, its basis, the measurement, warnings and key numbers.
fn headline(model: &Model, samples: &Samples, validation: &Validation) -> Markup {
    let basis = validation.basis();
    let verdict_of_basis = verdict(validation, |row| basis.counts(row));
    let verdict = verdict_of_basis.as_ref();
    html! {
        p.lead {
            (verdict.map_or_else(nothing_compared, |verdict| sentence(verdict, basis)))
            @if verdict.and_then(|verdict| verdict.best.first()).is_some_and(|(_, error)| *error > MAX_USEFUL_ERROR) {
                " This is too inaccurate for decisions."
            }
        }
        @if let Some(verdict) = verdict { p { (compared(validation, basis, verdict)) } }
        p { (measured(model, samples)) }
        @if let Some(warning) = loopback(model, samples) { p.warning role="note" { (warning) } }
        @for line in alarm_lines(validation.rows.iter().flat_map(|row| &row.predicted.alarms)) {
            p.warning role="note" { (line) "." }
        }
        @for shared in shared_cores(model, samples) { p.warning role="note" { "Note: " (shared) "." } }
        (tiles(model, samples, verdict, basis))
    }
}

/// The ranks that share cores, by the provenance of the samples, or of the model where the samples
/// have none.
fn shared_cores(model: &Model, samples: &Samples) -> Vec<SharedCores> {
    let shared = samples.provenance.shared_cores();
    if shared.is_empty() { model.provenance.shared_cores() } else { shared }
}

/// The sentence of a page without compared times.
fn nothing_compared() -> Markup {
    html! { "No measured time was compared with a prediction." }
}

/// The sentences on the basis of the verdict.
fn compared(validation: &Validation, basis: RankingBasis, verdict: &Verdict) -> String {
    if basis.seen {
        return ONLY_RESIDUALS.to_owned();
    }
    let what = if basis.collectives { "measured collective operation" } else { "experiment" };
    let experiments = counted(verdict.experiments, what);
    let residual = verdict.best.first().and_then(|(kind, _)| residual(validation, *kind));
    format!(
        "The ranking uses {experiments} that the fit has not seen: the errors are those of \
            predictions.{}",
        residual.unwrap_or_default()
    )
}

/// The sentence on the mean residual of a model; `None` without experiments of the fit.
fn residual(validation: &Validation, kind: ModelKind) -> Option<String> {
    let fitted = verdict(validation, |row| row.seen)?;
    let mut errors = fitted.best.iter().chain(&fitted.others);
    let (_, error) = errors.find(|(other, _)| *other == kind)?;
    let experiments = counted(fitted.experiments, "experiment");
    Some(format!(
        " On the {experiments} of the fit {kind} has a mean residual of {}.",
        percent(*error)
    ))
}

/// The sentence that names the best models and their errors.
fn sentence(verdict: &Verdict, basis: RankingBasis) -> Markup {
    let what = if basis.collectives { " collective operations" } else { "" };
    let (one, several) = if basis.seen { (" fits", " fit") } else { (" predicts", " predict") };
    let one = format!("{one}{what} best: over ");
    let several = format!("{several}{what} best without significant difference: over ");
    let experiments = counted(verdict.experiments, "experiment");
    let Some((first, error)) = verdict.best.first() else { return nothing_compared() };
    if verdict.best.len() == 1 {
        return html! {
            strong { (first) } (one) (experiments) " its mean error is "
            strong { (percent(*error)) } ", the largest " (percent(verdict.largest)) ". "
            @if let Some((second, error)) = verdict.others.first() { "Next is " (second) " with " (percent(*error)) "." }
        };
    }
    let errors: Vec<String> = verdict.best.iter().map(|(_, error)| percent(*error)).collect();
    html! {
        strong { (list(&verdict.best)) } (several) (experiments)
        " their mean errors are " strong { (and(&errors)) }
        @if let Some(noise) = verdict.noise {
            ", while the measured medians have an uncertainty of ±" (percent(noise))
        } ". "
        @if let Some((next, error)) = verdict.others.first() { "Next is " (next) " with " (percent(*error)) "." }
    }
}

/// The names of models as a list in a sentence.
fn list(models: &[(ModelKind, f64)]) -> String {
    and(&models.iter().map(|(kind, _)| kind.to_string()).collect::<Vec<_>>())
}

/// The sentence on the measurement: operations, sizes, processors, hosts, machine and date.
fn measured(model: &Model, samples: &Samples) -> String {
    let names: BTreeSet<&str> =
        model.hosts.iter().map(String::as_str).filter(|host| !host.is_empty()).collect();
    let hosts = match names.len() {
        0 => String::new(),
        n if n <= 6 => {
            format!(" on {}", and(&names.iter().map(ToString::to_string).collect::<Vec<_>>()))
        }
        n => format!(
            " on {n} hosts ({} to {})",
            names.first().unwrap_or(&""),
            names.last().unwrap_or(&"")
        ),
    };
    let machine = provenance(model, samples, "machine")
        .map_or_else(String::new, |m| format!(", machine {m}"));
    let date = provenance(model, samples, "date").map_or_else(String::new, |d| format!(", on {d}"));
    let operations: BTreeSet<String> =
        samples.series().iter().map(|series| series.experiment.name()).collect();
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

/// The value of a key in the provenance of the samples, else of the model; `None` if neither has
/// it.
fn provenance<'a>(model: &'a Model, samples: &'a Samples, key: &str) -> Option<&'a str> {
    samples.provenance.get(key).or_else(|| model.provenance.get(key))
}

/// The warning for samples of the local machine; `None` for other machines.
fn loopback(model: &Model, samples: &Samples) -> Option<&'static str> {
    let local = |machine: &str| machine == "local" || machine.starts_with("local:");
    let machines = [samples.provenance.get("machine"), model.provenance.get("machine")];
    let note = "Loopback on a shared machine is a demonstration, not a cluster.";
    machines.into_iter().flatten().any(local).then_some(note)
}

/// The key numbers of the page.
fn tiles(
    model: &Model,
    samples: &Samples,
    verdict: Option<&Verdict>,
    basis: RankingBasis,
) -> Markup {
    let best = verdict.and_then(|verdict| verdict.best.first());
    let what = if basis.collectives { "collectives compared" } else { "experiments compared" };
    let error = if basis.seen { "mean residual" } else { "mean error" };
    let mut tiles = vec![
        ("processors".to_owned(), grouped(model.processors().max(samples.processors()))),
        (what.to_owned(), grouped(verdict.map_or(0, |verdict| verdict.experiments))),
        ("readings".to_owned(), grouped(samples.count())),
    ];
    tiles.extend(best.map(|(kind, value)| (format!("{error} of {kind}"), percent(*value))));
    html! {
        dl.tiles { @for (name, value) in tiles { div { dt { (name) } dd { (value) } } } }
    }
}
