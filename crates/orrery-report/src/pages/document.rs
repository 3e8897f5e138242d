//! The parts that all pages share: the HTML document, tables, provenance and glossaries.

use crate::tables::table::{Align, Cell, Table};
use maud::{DOCTYPE, Markup, PreEscaped, html};
use orrery::model::Model;
use orrery::sample::{Provenance, Samples};

/// The style sheet of all pages: colors, what is of pages only, and charts.
pub(super) const STYLE: &str = concat!(
    include_str!("../figures/colors.css"),
    include_str!("style.css"),
    include_str!("../figures/chart.css")
);

/// A page: its title, what follows it at the head, and its sections with their names.
///
/// Sections without content are not named in the list of contents.
pub(super) fn page(title: &str, head: &Markup, sections: &[(impl AsRef<str>, Markup)]) -> String {
    let id = |section: &Markup| section.0.split('"').nth(1).map(ToOwned::to_owned);
    let markup = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                meta name="generator" content="Orrery";
                title { (title) }
                style { (PreEscaped(STYLE)) }
            }
            body {
                header {
                    p.brand { "Orrery" }
                    h1 { (title) }
                    (head)
                    nav aria-label="Sections of this page" {
                        @for (name, section) in sections { @if let Some(id) = id(section) { a href={ "#" (id) } { (name.as_ref()) } " " } }
                    }
                }
                main { @for (_, section) in sections { (section) } }
                footer { p { "Written by Orrery " (env!("CARGO_PKG_VERSION")) ". The page needs no other \
                    file: it can be saved, sent and printed." } }
            }
        }
    };
    markup.into_string()
}

/// The table for people, in a box that scrolls sideways on narrow screens.
pub(super) fn html_table(table: &Table) -> Markup {
    table_markup(table.display_table())
}

/// The table with all rows and columns.
pub(super) fn full_html_table(table: &Table) -> Markup {
    table_markup(table)
}

/// The HTML of a table.
fn table_markup(table: &Table) -> Markup {
    let decimals: Vec<usize> =
        (0..table.columns().len()).map(|column| most_decimals(table, column)).collect();
    html! {
        div.scroll tabindex="0" role="region" aria-label=(table.title) {
            table {
                caption { (table.title) }
                thead { tr {
                    @for column in table.columns() {
                        th scope="col" class=(side(column.align)) { (column.title) }
                    }
                } }
                tbody {
                    @for row in table.rows() {
                        tr {
                            @for ((cell, column), decimals) in row.iter().zip(table.columns()).zip(&decimals) {
                                td class=(side(column.align)) { (aligned(cell, column.align, *decimals)) }
                            }
                        }
                    }
                }
            }
        }
        @for line in table.note.lines() { p.note { (line) } }
    }
}

/// The class in the style sheet of an alignment.
fn side(align: Align) -> &'static str {
    match align {
        Align::Left => "word",
        Align::Right => "number",
    }
}

/// The number of decimals of a number as text.
fn decimals(display: &str) -> usize {
    let number = display.split_once(' ').map_or(display, |(number, _)| number);
    number.split_once('.').map_or(0, |(_, fraction)| fraction.chars().count())
}

/// The largest number of decimals in a column.
fn most_decimals(table: &Table, column: usize) -> usize {
    let numbers = table.rows().iter().filter_map(|row| match &row[column] {
        Cell::Number { display, .. } => Some(decimals(display)),
        Cell::Size(size) => Some(decimals(&size.to_string())),
        _ => None,
    });
    numbers.max().unwrap_or(0)
}

/// A cell whose number is aligned at its decimal point, with the unit apart.
fn aligned(cell: &Cell, align: Align, most: usize) -> Markup {
    let display = cell.display();
    if !matches!((cell, align), (Cell::Number { .. } | Cell::Size(_), Align::Right)) {
        return html! { (display) };
    }
    let (number, unit) = display.split_once(' ').unwrap_or((&display, ""));
    html! { (number) (padding(decimals(&display), most)) @if !unit.is_empty() { " " span.unit { (unit) } } }
}

/// Invisible digits that align a number with `have` decimals at its decimal point with those of
/// `most` decimals.
fn padding(have: usize, most: usize) -> Markup {
    let point = if have == 0 { "." } else { "" };
    let digits = "0".repeat(most.saturating_sub(have));
    html! { @if have < most { span.unseen aria-hidden="true" { (point) (digits) } } }
}

/// The section with the provenance of a model and of what it is compared with, then more.
pub(super) fn provenance(
    model: &Model,
    (name, compared): (&str, &Provenance),
    more: &Markup,
) -> Markup {
    html! {
        section id="provenance" {
            h2 { "Provenance" }
            @if model.provenance == *compared {
                (provenance_table(&format!("Model and {}", name.to_lowercase()), compared))
            } @else {
                (provenance_table(name, compared))
                (provenance_table("Model", &model.provenance))
            }
            (more)
        }
    }
}

/// The provenance of samples and of the model, and the experiments that are not supported.
pub(super) fn sample_provenance(model: &Model, samples: &Samples) -> Markup {
    let unknown = html! {
        @if !samples.unknown.is_empty() {
            p { "Experiments of kinds that this version does not support: "
                @for (place, unknown) in samples.unknown.iter().enumerate() {
                    @if place > 0 { ", " } code { (unknown.experiment) } " (" (unknown.rows) " rows)"
                } "." }
        }
    };
    provenance(model, ("Samples", &samples.provenance), &unknown)
}

/// The table of a provenance.
fn provenance_table(title: &str, provenance: &Provenance) -> Markup {
    html! {
        div.scroll tabindex="0" role="region" aria-label=(title) {
            table.provenance {
                caption { (title) }
                tbody {
                    @for (key, value) in provenance.iter() { tr { th.word scope="row" { (key) } td.word { (value) } } }
                    @if provenance.iter().next().is_none() { tr { td.word { "No provenance is \
                        recorded." } } }
                }
            }
        }
    }
}

/// The glossary of pages on communication models.
pub(super) fn communication_glossary() -> Markup {
    html! {
        section id="reading" {
            h2 { "How to read this page" }
            dl.reading {
                dt { "Measured" }
                dd { "The median of repeated readings of one experiment with its confidence \
                    interval." }
                dt { "Predicted" }
                dd { "The time of the same experiment by a model." }
                dt { "Seen" }
                dd { "Experiments of the samples that the models were fitted to: an operation at \
                    a size, with any pair and in any launch. Parameters, errors of \
                    algorithms or other parts of the fit come from them, so their errors are \
                    residuals and not errors of predictions." }
                dt { "Error" }
                dd { "(predicted − measured) / measured: +10 % means that the prediction is 10 % \
                    above the measurement." }
                dt { "S, M1, M2" }
                dd { "Block sizes at which a linear scatter (S) or gather (M1, M2) changes its \
                    behaviour. Between M1 and M2 some gathers "
                    "escalate: they take much longer." }
                dt { "No significant difference" }
                dd { "Student's test of the paired differences of the errors of two models at the \
                    5 % level." }
                dt { "Sizes" }
                dd { "In bytes; K and M are powers of 1024. In a collective operation: the block \
                    of one processor. "
                    "Rates are in powers of 1000: 1 MB/s is a million bytes per second." }
            }
        }
    }
}

/// The glossary of pages on applications.
pub(super) fn application_glossary() -> Markup {
    html! {
        section id="reading" {
            h2 { "How to read this page" }
            dl.reading {
                dt { "Measured" }
                dd { "The median of the runs of one point: one size, one configuration." }
                dt { "Estimate" }
                dd { "The time of that point by the model. A single run lies in the band or \
                    interval with the probability given on the "
                    "page." }
                dt { "Configuration" }
                dd { "kind=elements×processes on each, such as athlon=1x2; or the process grid, \
                    rows×columns." }
                dt { "Error" }
                dd { "(estimate − measured) / measured: +10 % means that the estimate is 10 % \
                    above the measurement." }
                dt { "Loss" }
                dd { "The measured time of the configuration that the model ranks first over that \
                    of the best one, minus 1: the cost of a "
                    "decision by the model." }
            }
        }
    }
}
