//! The report on the execution-time models of an application as one HTML page.

mod correlation;
mod curves;
mod errors;
mod groups;
mod headline;
mod model;

use maud::{Markup, html};

use super::headline::and;
use super::{contents, document, provenance};
use orrery::model::Model;
use orrery::run::Runs;
use orrery::scaling::{Evaluation, Region};

/// A region that is told of, with its own names for the parts of the page.
struct Subject<'a> {
    region: &'a Region,
    evaluation: &'a Evaluation,
    /// Before the names of its sections; empty of the only region.
    prefix: String,
    /// After their titles.
    suffix: String,
}

impl Subject<'_> {
    fn id(&self, name: &str) -> String {
        format!("{}{name}", self.prefix)
    }

    fn title(&self, title: &str) -> String {
        format!("{title}{}", self.suffix)
    }
}

/// The page for the model of an application, the runs it is compared with, and what its estimates of each region are worth
/// at a level of its intervals.
///
/// The same input gives the same bytes. Everything that comes from the input is escaped.
pub fn application_page<'a>(
    model: &Model,
    runs: &Runs,
    evaluated: &'a [(&'a Region, Evaluation)],
    level: f64,
) -> String {
    let several = evaluated.len() > 1;
    let subject = |(place, (region, evaluation)): (usize, &'a (&'a Region, Evaluation))| {
        let name = if region.name.is_empty() { "the whole program" } else { region.name.as_str() };
        let prefix = if several { format!("region-{place}-") } else { String::new() };
        let suffix = if several { format!(" of {name}") } else { String::new() };
        Subject { region, evaluation, prefix, suffix }
    };
    let subjects: Vec<Subject> = evaluated.iter().enumerate().map(subject).collect();
    let mut sections: Vec<(String, Markup)> = Vec::new();
    for subject in &subjects {
        sections.push((subject.title("Model"), model::render(subject)));
        sections.push((subject.title("Curves"), curves::render(subject, level)));
        sections.push((subject.title("Correlation"), correlation::render(subject)));
        sections.push((subject.title("Errors"), errors::render(subject)));
    }
    sections.push(("Provenance".to_owned(), provenance::of_runs(model, runs)));
    sections.push(("How to read this page".to_owned(), provenance::how_to_read_runs()));
    let title = title(&subjects);
    let links: Vec<(&str, &Markup)> = sections.iter().map(|(name, section)| (name.as_str(), section)).collect();
    let body = html! {
        header {
            p.brand { "Orrery" }
            h1 { (title) }
            @for subject in &subjects { (headline::render(subject, level)) }
            (contents(links.iter().copied()))
        }
        main { @for (_, section) in &sections { (section) } }
        (super::footer())
    };
    document(&title, &body).into_string()
}

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
