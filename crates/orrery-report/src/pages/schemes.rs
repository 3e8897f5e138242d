//! The page of measured schemes: graphs, and measured and predicted penalties.

use maud::{Markup, PreEscaped, html};

use super::document::{full_html_table, html_table, page, provenance};
use crate::figures::scheme_graph::{GraphArc, LEGEND, drawing};
use crate::tables::columns::Columns;
use crate::tables::format::{counted, percent_cell};
use crate::tables::sharing::{measured_schemes, sharing_parameters, sharing_validation};
use crate::tables::table::{Cell, Table};
use orrery::model::{Model, PenaltyComparison, SharingValidation};
use orrery::sample::{MeasuredPenalty, MeasuredScheme, Timings, measured_penalties};
use orrery::sharing::Transfer;

/// The page of measured schemes and the sharing laws that they are compared with, at a confidence
/// level.
///
/// Equal inputs give equal bytes, and all text from the inputs is escaped.
pub fn schemes_page(
    model: &Model,
    timings: &Timings,
    validation: &SharingValidation,
    level: f64,
) -> String {
    let schemes = measured_penalties(timings);
    let (rows, summary) = sharing_validation(validation);
    let parameters = (!model.sharing.is_empty()).then(|| sharing_parameters(&model.sharing));
    let sections = [
        ("Schemes", graphs(&schemes, validation, level)),
        ("Errors", errors(&summary, &rows)),
        ("Measured", section("measured", "Measured", &measured_schemes(&schemes, level))),
        (
            "Parameters",
            parameters.map_or_else(|| html! {}, |all| section("parameters", "Parameters", &all)),
        ),
        ("Provenance", provenance(model, ("Timings", &timings.provenance), &html! {})),
    ];
    let count: usize = schemes.iter().map(|scheme| scheme.communications.len()).sum();
    let [transfers, in_schemes] = [(count, "concurrent transfer"), (schemes.len(), "scheme")]
        .map(|(count, noun)| counted(count, noun));
    let title = format!("{transfers} in {in_schemes}");
    page(&title, &html! { p.lead { (lead(validation)) } }, &sections)
}

/// The sentence that names the law with the smallest error.
fn lead(validation: &SharingValidation) -> String {
    let whole: Vec<_> = validation.summary.iter().filter(|one| one.scheme.is_none()).collect();
    let error = |error: f64| percent_cell(error).display();
    match whole.as_slice() {
        [] => "There are no measured penalties to compare with a law.".to_owned(),
        [best, others @ ..] => {
            let others: Vec<_> =
                others.iter().map(|one| format!("{} {}", one.law, error(one.error))).collect();
            let others =
                if others.is_empty() { String::new() } else { format!(" ({})", others.join(", ")) };
            format!("{} has a mean error of {}{others}.", best.law, error(best.error))
        }
    }
}

/// A section with one table.
fn section(id: &str, title: &str, all: &Table) -> Markup {
    html! { section id=(id) { h2 { (title) } (html_table(all)) } }
}

/// The section with the errors of the laws.
fn errors(summary: &Table, rows: &Table) -> Markup {
    html! {
        section id="errors" {
            h2 { "Errors" }
            (html_table(summary))
            details { summary { "All transfers" } (full_html_table(rows)) }
        }
    }
}

/// The section with the graphs of all schemes.
fn graphs(schemes: &[MeasuredScheme], validation: &SharingValidation, level: f64) -> Markup {
    html! {
        section id="schemes" {
            h2 { "Schemes" }
            p { "Each arrow is a transfer with its measured penalty: its time over the time of an \
                uncontended transfer." }
            ul.legend {
                @for (class, text, dashes) in LEGEND {
                    li { svg.swatch viewBox="0 0 26 14" aria-hidden="true" {
                        path d="M0 7H26" style={ "fill:none;stroke-width:2;stroke:var(--" (class) ");stroke-dasharray:" (dashes) } {}
                    } (text) }
                }
            }
            div.figures {
                @for (number, scheme) in schemes.iter().enumerate() {
                    figure {
                        h3 { (scheme.name) }
                        (PreEscaped(graph(scheme, number, level)))
                        (html_table(&penalties(scheme, validation, level)))
                    }
                }
            }
        }
    }
}

/// The graph of a scheme with its measured penalties.
fn graph(scheme: &MeasuredScheme, number: usize, level: f64) -> String {
    let arc = |one: &MeasuredPenalty| GraphArc {
        name: one.name.clone(),
        transfer: Transfer::between(one.message.source, one.message.destination),
        label: one
            .penalty(level)
            .map(|penalty| format!("{:.2}", penalty.value))
            .unwrap_or_default(),
    };
    let arcs: Vec<GraphArc> = scheme.communications.iter().map(arc).collect();
    drawing(&format!("Graph of the scheme {}", scheme.name), &arcs, number)
}

/// The table of the measured and predicted penalties of a scheme.
fn penalties(scheme: &MeasuredScheme, validation: &SharingValidation, level: f64) -> Table {
    let own: Vec<&PenaltyComparison> =
        validation.rows.iter().filter(|row| row.scheme == scheme.name).collect();
    let whole = validation.summary.iter().filter(|one| one.scheme.is_none());
    let laws: Vec<&str> =
        whole.map(|one| one.law).filter(|law| own.iter().any(|row| row.law == *law)).collect();
    let factor = |value: f64| Cell::number(value, format!("{value:.2}"));
    let span = |one: &MeasuredPenalty| {
        let interval = one.penalty(level)?.interval?;
        Some(format!("{:.2} to {:.2}", interval.low, interval.high))
    };
    let mut columns = Columns::of(&scheme.communications);
    columns.text("name", |one| &one.name);
    columns.number("measured", |one| one.penalty(level).map(|penalty| factor(penalty.value)));
    columns.text("interval", span);
    for law in laws {
        columns.number(law, |one| {
            let row = own.iter().find(|row| row.law == law && row.communication == one.name);
            row.map(|row| factor(row.predicted_penalty))
        });
    }
    columns.table("penalties", "Penalties")
}
