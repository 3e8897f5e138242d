//! The page of the execution-time models of an application.

use maud::{Markup, html};
mod errors;
mod figures;
mod headline;
mod subject;

use self::subject::Subject;
use super::document::{application_glossary, page, provenance};
use crate::tables::format::and;
use orrery::model::Model;
use orrery::run::Runs;
use orrery::scaling::{Accuracy, Region};

/// The page of an application: its model, the runs that it is compared with, and the accuracy of
/// each region at a confidence level.
///
/// Equal inputs give equal bytes, and all text from the inputs is escaped.
pub fn application_page<'a>(
    model: &Model,
    runs: &Runs,
    evaluated: &'a [(&'a Region, Accuracy)],
    level: f64,
) -> String {
    let several = evaluated.len() > 1;
    let subject = |(place, (region, accuracy)): (usize, &'a (&'a Region, Accuracy))| {
        let name = if region.name.is_empty() { "the whole program" } else { region.name.as_str() };
        let prefix = if several { format!("region-{place}-") } else { String::new() };
        let suffix = if several { format!(" of {name}") } else { String::new() };
        Subject { region, accuracy, evaluation: &accuracy.evaluation, prefix, suffix }
    };
    let subjects: Vec<Subject> = evaluated.iter().enumerate().map(subject).collect();
    let mut sections: Vec<(String, Markup)> = Vec::new();
    for subject in &subjects {
        sections.push((subject.title("Model"), errors::model(subject)));
        sections.push((subject.title("Curves"), figures::curves(subject, level)));
        sections.push((subject.title("Correlation"), figures::correlation(subject)));
        sections.push((subject.title("Errors"), errors::errors(subject)));
    }
    let provenance = provenance(model, ("Runs", &runs.provenance), &html! {});
    sections.push(("Provenance".to_owned(), provenance));
    sections.push(("How to read this page".to_owned(), application_glossary()));
    let head = html! { @for subject in &subjects { (headline::headline(subject, level)) } };
    page(&title(&subjects), &head, &sections)
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
