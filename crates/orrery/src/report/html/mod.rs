//! The report as one HTML page: no file beside it, no script, nothing fetched.

mod curves;
mod errors;
mod headline;
mod heatmap;
mod parameters;
mod provenance;
mod table;
mod verdict;

use maud::{DOCTYPE, Markup, PreEscaped, html};

use super::comparison::Comparison;
use crate::model::{Model, Validation};
use crate::sample::Samples;

/// The page for a model, the samples it is compared with, and the comparison.
///
/// The same input gives the same bytes. Everything that comes from the input is escaped.
pub fn page(model: &Model, samples: &Samples, validation: &Validation) -> String {
    let comparisons = Comparison::all(validation);
    let title = headline::title(model, samples);
    let body = html! {
        header {
            p.brand { "Orrery" }
            h1 { (title) }
            (headline::render(model, samples, validation))
            (contents())
        }
        main {
            (curves::render(&comparisons))
            (errors::render(validation))
            (parameters::render(model))
            (provenance::render(model, samples))
            (provenance::how_to_read())
        }
        footer { p { "Written by Orrery " (env!("CARGO_PKG_VERSION")) ". The page is complete in itself: it can be saved, sent and printed." } }
    };
    document(&title, &body).into_string()
}

fn document(title: &str, body: &Markup) -> Markup {
    html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                meta name="generator" content="Orrery";
                title { (title) }
                style { (PreEscaped(include_str!("style.css"))) }
            }
            body { (body) }
        }
    }
}

fn contents() -> Markup {
    let sections = [
        ("curves", "Curves"),
        ("errors", "Errors"),
        ("parameters", "Parameters"),
        ("provenance", "Provenance"),
        ("reading", "How to read this page"),
    ];
    html! {
        nav aria-label="Sections of this page" {
            @for (id, name) in sections { a href={ "#" (id) } { (name) } " " }
        }
    }
}
