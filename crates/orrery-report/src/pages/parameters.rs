//! The formulas of the models and the tables of their parameters.

use std::fmt::Write as _;

use maud::{Markup, PreEscaped, html};

use super::document::html_table;
use crate::tables::link_classes::NAME as CLASSES;
use crate::tables::parameters::{parameters, range_text, thresholds};
use crate::tables::table::Table;
use orrery::comm::Shape;
use orrery::model::{Model, ModelKind};

/// The largest number of rows of a table that is not folded.
const MAX_UNFOLDED_ROWS: usize = 20;

/// The section with the formulas and parameters of all models.
pub(super) fn render(model: &Model) -> Markup {
    // The classes of links are in the section of links.
    let marks = (!model.thresholds.is_empty()).then(|| thresholds(&model.thresholds));
    let tables: Vec<Table> =
        parameters(model).into_iter().filter(|table| table.name != CLASSES).chain(marks).collect();
    html! {
        section id="parameters" {
            h2 { "Parameters" }
            @if tables.is_empty() { p { "The file has no model." } } @else {
                p { "Each parameter is an estimate with its confidence interval and the number of \
                    readings that it depends on." }
                @for kind in model.kinds() { (formula(model, kind)) }
                @for table in &tables { (one(table)) }
            }
        }
    }
}

/// The formula of a kind of model with the ranges of its parameters.
fn formula(model: &Model, kind: ModelKind) -> Markup {
    let definition = kind.definition();
    let groups = definition
        .groups
        .iter()
        .filter(|group| matches!(group.shape, Shape::Processors | Shape::Pairs));
    let ranges: Vec<String> = groups
        .flat_map(|group| group.parameters)
        .filter_map(|spec| range_text(*spec, model.parameters(kind)?.estimates(spec.name)))
        .collect();
    html! {
        p.formula {
            strong { (kind) } " " span.math { "T(i→j, m) = " (PreEscaped(with_subscripts(definition.formula))) }
            " – " (definition.about)
            @if !ranges.is_empty() { ": " (glued(&ranges.join("; "))) } "."
        }
    }
}

/// A formula as HTML: the letters after `_` are subscripts.
fn with_subscripts(formula: &str) -> String {
    let mut parts = formula.split('_');
    let mut html = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let end = part.find(|c: char| !c.is_alphanumeric()).unwrap_or(part.len());
        let (subscript, rest) = part.split_at(end);
        let _ = write!(html, "<sub>{subscript}</sub>{rest}");
    }
    html
}

/// The text with no-break spaces between numbers and units.
fn glued(ranges: &str) -> String {
    let mut text = ranges.to_owned();
    for unit in ["s", "ms", "µs", "ns", "ps", "B/s", "kB/s", "MB/s", "GB/s", "TB/s"] {
        for end in ["", ";"] {
            text = text.replace(&format!(" {unit}{end} "), &format!("\u{a0}{unit}{end} "));
        }
        if let Some(number) = text.strip_suffix(&format!(" {unit}")) {
            text = format!("{number}\u{a0}{unit}");
        }
    }
    text
}

/// A table, folded if it is long.
fn one(table: &Table) -> Markup {
    if table.rows().len() <= MAX_UNFOLDED_ROWS {
        return html_table(table);
    }
    let shown = table.display_table();
    html! {
        @if shown.rows().len() < table.rows().len() { (html_table(table)) }
        @else {
            details { summary { (table.title) " (" (table.rows().len()) " lines)" } (html_table(table)) }
        }
    }
}
