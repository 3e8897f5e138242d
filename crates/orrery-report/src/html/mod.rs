//! The report as one HTML page: no file beside it, no script, nothing fetched.

mod application;
mod breakdown;
mod curves;
mod errors;
mod headline;
mod heatmap;
mod launches;
mod maps;
mod names;
mod parameters;
mod provenance;
mod replay;
mod residuals;
mod schemes;
mod steps;
mod strip;
mod table;
mod threshold_marks;

use maud::{DOCTYPE, Markup, PreEscaped, html};

pub use self::application::application_page;
pub use self::replay::replay_page;
pub use self::schemes::schemes_page;
use super::comparison::Comparison;
use orrery::model::{Model, Validation};
use orrery::sample::Samples;

/// The page for a model, the samples it is compared with, and the comparison.
///
/// The same input gives the same bytes. Everything that comes from the input is escaped.
pub fn page(model: &Model, samples: &Samples, validation: &Validation) -> String {
    let comparisons = Comparison::all(validation);
    let title = headline::title(model, samples);
    let sections = [
        ("Curves", curves::render(&comparisons, &model.thresholds)),
        ("Errors", errors::render(validation)),
        ("What the time is made of", breakdown::render(model, validation)),
        ("Residuals", residuals::render(validation)),
        ("Launches", launches::render(samples)),
        ("Links", maps::render(model)),
        ("Parameters", parameters::render(model)),
        ("Provenance", provenance::render(model, samples)),
        ("How to read this page", provenance::how_to_read()),
    ];
    let body = html! {
        header {
            p.brand { "Orrery" }
            h1 { (title) }
            (headline::render(model, samples, validation))
            (contents(sections.iter().map(|(name, section)| (*name, section))))
        }
        main {
            @for (_, section) in &sections { (section) }
        }
        (footer())
    };
    document(&title, &body).into_string()
}

fn footer() -> Markup {
    html! {
        footer { p { "Written by Orrery " (env!("CARGO_PKG_VERSION")) ". The page is complete in itself: it can be saved, sent and printed." } }
    }
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

/// Links to the sections that are there.
fn contents<'a>(sections: impl Iterator<Item = (&'a str, &'a Markup)>) -> Markup {
    let id = |section: &Markup| section.0.split('"').nth(1).map(ToOwned::to_owned);
    html! {
        nav aria-label="Sections of this page" {
            @for (name, section) in sections { @if let Some(id) = id(section) { a href={ "#" (id) } { (name) } " " } }
        }
    }
}
