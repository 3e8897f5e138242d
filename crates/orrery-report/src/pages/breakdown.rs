//! The terms of predicted times of collective operations along the critical path.

use std::collections::{BTreeMap, BTreeSet};

use maud::{Markup, html};

use super::link_maps::{names, preferred};
use crate::figures::heatmap::pair_words;
use crate::tables::comparison::Subject;
use crate::tables::format::unbroken_percent as percent;
use orrery::comm::{Contribution, ParameterUnit, Predicted};
use orrery::model::{Model, ModelKind, Predictor, Query, Validation, ValidationRow};
use orrery::platform::Processor;
use orrery::sample::SharedCores;
use orrery::units::{Bytes, Seconds};

/// The groups of terms in the order in which they are stacked: class in the style sheet and text in
/// the legend.
const PARTS: [(Part, &str, &str); 6] = [
    (Part::Fixed { root: true }, "p0", "fixed delays of the root"),
    (Part::Fixed { root: false }, "p1", "fixed delays of others"),
    (Part::PerByte { root: true }, "p2", "delays per byte of the root"),
    (Part::PerByte { root: false }, "p3", "delays per byte of others"),
    (Part::Latency, "p4", "latency of links"),
    (Part::Transfer, "p5", "transfer over links"),
];

/// A group of terms of a predicted time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Part {
    Fixed { root: bool },
    PerByte { root: bool },
    Latency,
    Transfer,
}

impl Part {
    /// The group of a term of an operation with this root, by a kind of model.
    fn of(kind: ModelKind, contribution: &Contribution, root: Processor) -> Self {
        let parameter = contribution.parameter;
        let mut specs = kind.parameters().map(|(_, spec)| spec);
        let unit = specs.find(|spec| spec.name == parameter.name).map(|spec| spec.unit);
        match (parameter.place, unit) {
            ((Some(processor), None), Some(ParameterUnit::Seconds)) => {
                Self::Fixed { root: processor == root }
            }
            ((Some(processor), None), Some(ParameterUnit::SecondsPerByte)) => {
                Self::PerByte { root: processor == root }
            }
            (_, Some(ParameterUnit::Seconds)) => Self::Latency,
            _ => Self::Transfer,
        }
    }
}

/// A measured time and its prediction with all terms.
struct Bar {
    model: ModelKind,
    size: Bytes,
    root: Processor,
    observed: f64,
    predicted: Predicted,
}

/// The section with the terms of the predicted times; empty if no model has terms of processors and
/// links.
pub(super) fn render(model: &Model, validation: &Validation) -> Markup {
    let shown = preferred(model, true).or_else(|| preferred(model, false));
    let operations = shown.map(|kind| operations(model, kind, validation)).unwrap_or_default();
    let Some(kind) = shown.filter(|_| !operations.is_empty()) else { return html! {} };
    let used: BTreeSet<Part> =
        operations.values().flatten().flat_map(|bar| shares(bar).into_keys()).collect();
    let names = names(&model.hosts);
    let mut shared = model.provenance.shared_cores();
    shared.retain(|group| !group.spans_hosts);
    html! {
        section id="made-of" {
            h2 { "Terms of the time along the critical path by " (kind) }
            p { "The predicted time of each collective operation, divided into the terms on its \
                critical path: at the smallest, a "
                "middle and the largest measured size, for the root with the longest measured \
                    time. The text below a bar names the "
                "processor or link with the largest share."
                @if !shared.is_empty() { " Times between ranks that share a core are those of its \
                    scheduler, not of a link." } }
            p.note { "Select another model with orrery report --models." }
            ul.legend { @for (part, class, words) in PARTS { @if used.contains(&part) {
                li { span.chip.(class) {} (words) }
            } } }
            div.scroll tabindex="0" role="region" aria-label="Terms of the time along the critical \
                path" {
                table.parts {
                    thead { tr {
                        th.number scope="col" { "size" } th.word scope="col" { "root" }
                        th.number scope="col" { "measured" } th.number scope="col" { "predicted" }
                        th.word scope="col" { "terms" }
                    } }
                    @for (subject, bars) in &operations { tbody {
                        tr { th.group.word scope="rowgroup" colspan="5" { (subject.title()) } }
                        @for bar in bars { (line(bar, &names, &shared)) }
                    } }
                }
            }
        }
    }
}

/// The bars of each operation and algorithm: the smallest, a middle and the largest size.
fn operations(
    model: &Model,
    kind: ModelKind,
    validation: &Validation,
) -> BTreeMap<Subject, Vec<Bar>> {
    let mut sizes: BTreeMap<Subject, BTreeMap<Bytes, &ValidationRow>> = BTreeMap::new();
    let rows = validation
        .rows
        .iter()
        .filter(|row| row.predicted.model == kind && row.observed.value.is_finite());
    for row in rows.filter(|row| row.predicted.query.algorithm().is_some()) {
        let slowest =
            sizes.entry(Subject::of(row)).or_default().entry(row.experiment.size()).or_insert(row);
        if row.observed.value > slowest.observed.value {
            *slowest = row;
        }
    }
    let Ok(mut predictor) = Predictor::new(model, kind) else { return BTreeMap::new() };
    let mut bar = |row: &ValidationRow| {
        let query: Query = row.predicted.query;
        let (_, predicted) = predictor.explain(&query).ok()?;
        let some = predicted.seconds.get() > 0.0;
        some.then(|| Bar {
            model: kind,
            size: query.size(),
            root: query.root(),
            observed: row.observed.value,
            predicted,
        })
    };
    let mut operations = BTreeMap::new();
    for (subject, sizes) in sizes {
        let rows: Vec<&ValidationRow> = sizes.into_values().collect();
        let places = BTreeSet::from([0, rows.len() / 2, rows.len() - 1]);
        let bars: Vec<Bar> = places.into_iter().filter_map(|place| bar(rows[place])).collect();
        if !bars.is_empty() {
            operations.insert(subject, bars);
        }
    }
    operations
}

/// The share of each group of terms in a predicted time.
fn shares(bar: &Bar) -> BTreeMap<Part, f64> {
    let mut shares = BTreeMap::new();
    for contribution in &bar.predicted.contributions {
        let share = contribution.seconds().get() / bar.predicted.seconds.get();
        if share > 0.0 {
            *shares.entry(Part::of(bar.model, contribution, bar.root)).or_insert(0.0) += share;
        }
    }
    shares
}

/// The processor or link with the largest share, summed over its parameters, as text; names ranks
/// that share a core. `None` if the largest share is of no processor or link.
fn dominating(predicted: &Predicted, names: &[String], shared: &[SharedCores]) -> Option<String> {
    let mut shares: BTreeMap<(Option<Processor>, Option<Processor>), f64> = BTreeMap::new();
    for contribution in &predicted.contributions {
        *shares.entry(contribution.parameter.place).or_insert(0.0) += contribution.seconds().get();
    }
    let ((first, second), seconds) = shares.into_iter().rev().max_by(|a, b| a.1.total_cmp(&b.1))?;
    let what = match (first?, second) {
        (i, Some(j)) => {
            let words = pair_words(names, i.index(), j.index());
            let shares_core = shared.iter().any(|group| group.joins(i, j));
            format!(
                "link {words}{}",
                if shares_core { " (its ranks share a core: no link to replace)" } else { "" }
            )
        }
        (i, None) => format!("processor {}", processor(names, i)),
    };
    Some(format!("{} {what}", percent(seconds / predicted.seconds.get())))
}

/// The name and the number of a processor.
fn processor(names: &[String], p: Processor) -> String {
    match names.get(p.index()) {
        Some(name) if *name != p.to_string() => format!("{name} ({p})"),
        _ => p.to_string(),
    }
}

/// The table row of a bar.
fn line(bar: &Bar, names: &[String], shared: &[SharedCores]) -> Markup {
    let shares = shares(bar);
    let part = |words: &str, share: f64| {
        let seconds = Seconds::new(share * bar.predicted.seconds.get());
        format!("{words}: {} ({})", percent(share), seconds)
    };
    html! {
        tr {
            td.number { (bar.size) } td.word { (processor(names, bar.root)) }
            td.number { (Seconds::new(bar.observed)) } td.number { (bar.predicted.seconds) }
            td.word {
                div.bar { @for (kind, class, words) in PARTS { @if let Some(share) = shares.get(&kind) {
                    span class=(class) style=(format!("flex-grow:{:.0}", share * 1e4)) title=(part(words, *share)) {
                        span.hidden { (part(words, *share)) "; " }
                    }
                } } }
                @if let Some(words) = dominating(&bar.predicted, names, shared) { span.small { (words) } }
            }
        }
    }
}
