//! The errors of the models, operation by operation.

use std::collections::BTreeSet;

use maud::{Markup, html};

use super::table;
use super::verdict::verdict;
use crate::model::{ModelKind, Validation, ValidationSummary};
use crate::report::html::headline::percent;
use crate::report::validation::validation as tables;

pub(super) fn render(validation: &Validation) -> Markup {
    let kinds: BTreeSet<ModelKind> = validation.summary.iter().map(|summary| summary.model).collect();
    html! {
        section id="errors" {
            h2 { "Errors of the models" }
            @if kinds.is_empty() { p { "There is nothing to compare." } } @else {
                p { "The error of a prediction is |predicted − observed| / observed. Large: the mean over the "
                    "experiments; small: median and largest. Marked: the best model of the line and those that cannot "
                    "be told apart from it." }
                (matrix(validation, &kinds))
                details { summary { "All errors as a list" } (table::complete(&tables(validation).1)) }
            }
        }
    }
}

fn matrix(validation: &Validation, kinds: &BTreeSet<ModelKind>) -> Markup {
    let mut operations: Vec<&str> = Vec::new();
    for summary in &validation.summary {
        if !operations.contains(&summary.operation.as_str()) {
            operations.push(&summary.operation);
        }
    }
    html! {
        div.scroll tabindex="0" role="region" aria-label="Errors by operation and model" {
            table.errors {
                caption { "Errors by operation and model" }
                thead { tr {
                    th.word scope="col" { "operation" }
                    th.number scope="col" { "experiments" }
                    @for kind in kinds { th.number scope="col" { (kind) } }
                } }
                tbody { @for operation in operations { (line(validation, kinds, operation)) } }
            }
        }
    }
}

fn line(validation: &Validation, kinds: &BTreeSet<ModelKind>, operation: &str) -> Markup {
    let all = operation == "all";
    let verdict = verdict(validation, (!all).then_some(operation));
    let best = |kind: ModelKind| verdict.as_ref().is_some_and(|v| v.best.iter().any(|(other, _)| *other == kind));
    let find = |kind: ModelKind| -> Option<&ValidationSummary> {
        validation.summary.iter().find(|summary| summary.model == kind && summary.operation == operation)
    };
    let rows = kinds.iter().filter_map(|kind| find(*kind)).map(|summary| summary.rows).max().unwrap_or(0);
    html! {
        tr.total[all] {
            th.word scope="row" { @for (place, part) in operation.split('/').enumerate() { @if place > 0 { "/" wbr; } (part) } }
            td.number { (rows) }
            @for kind in kinds {
                @match find(*kind) {
                    Some(summary) => td.number.best[best(*kind)] {
                        span.main { (percent(summary.mean_error)) @if best(*kind) { span.hidden { " (best)" } } }
                        span.small { (percent(summary.median_error)) " · " (percent(summary.max_error)) }
                    },
                    None => td.number { "–" },
                }
            }
        }
    }
}
