//! The page of the execution-time models of an application.

use maud::{Markup, html};
mod errors;
mod figures;
mod headline;
mod overview;
mod subject;

use self::overview::Overview;
use self::subject::Subject;
use super::document::{application_glossary, page, provenance};
use crate::tables::format::and;
use orrery::model::Model;
use orrery::run::{Metric, Runs};
use orrery::scaling::{Accuracy, Application, Region};

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
    let metric = model.application.as_ref().map(|of| of.metric.clone()).unwrap_or_default();
    let subject = |(place, (region, accuracy)): (usize, &'a (&'a Region, Accuracy))| {
        let name = if region.name.is_empty() { "the whole program" } else { region.name.as_str() };
        let prefix = if several { format!("region-{place}-") } else { String::new() };
        let suffix = if several { format!(" of {name}") } else { String::new() };
        Subject {
            region,
            metric: &metric,
            accuracy,
            evaluation: &accuracy.evaluation,
            prefix,
            suffix,
        }
    };
    let subjects: Vec<Subject> = evaluated.iter().enumerate().map(subject).collect();
    // Pages of single regions have the whole story of each; pages of programs that of the longest.
    let regions = evaluated.iter().map(|(region, _)| (*region).clone()).collect();
    let application = Application { metric: metric.clone(), regions };
    let overview = Overview::of(&application, &subjects, level);
    let detailed: Vec<usize> = overview.as_ref().map_or_else(
        || (0..subjects.len()).collect(),
        |overview| overview.largest(&subjects, MAX_DETAILED),
    );
    let mut sections: Vec<(String, Markup)> = Vec::new();
    if let Some(overview) = &overview {
        sections.push(("Regions".to_owned(), overview.section(&subjects, level)));
    }
    for subject in detailed.iter().map(|place| &subjects[*place]) {
        let details = [
            (subject.title("Model"), errors::model(subject)),
            (subject.title("Curves"), figures::curves(subject, level)),
            (subject.title("Map"), figures::map(subject, level)),
            (subject.title("Correlation"), figures::correlation(subject)),
            (subject.title("Errors"), errors::errors(subject)),
        ];
        if overview.is_none() {
            sections.extend(details);
            continue;
        }
        // One entry of the table of contents for each region.
        let headline = headline::headline(subject, level);
        let section = html! {
            section id=(subject.id("estimates")) { (headline) }
            @for (_, section) in details { (section) }
        };
        sections.push((subject.region.name.clone(), section));
    }
    let provenance = provenance(model, ("Runs", &runs.provenance), &html! {});
    sections.push(("Provenance".to_owned(), provenance));
    sections.push(("How to read this page".to_owned(), application_glossary()));
    let head = html! {
        @match &overview {
            Some(overview) => {
                (overview.lead())
                @if detailed.len() < subjects.len() { p.note {
                    "Details are those of the " (detailed.len()) " regions with the longest times." } }
            }
            None => { @for subject in &subjects { (headline::headline(subject, level)) } }
        }
    };
    page(&title(&subjects), &head, &sections)
}

/// The largest number of regions with sections of their own, if there are several.
const MAX_DETAILED: usize = 12;

/// The title of the page.
fn title(subjects: &[Subject]) -> String {
    let metric = subjects.first().map_or_else(Metric::default, |first| first.metric.clone());
    let what = if metric.is_time() { "Execution times" } else { metric.name() };
    let names: Vec<String> = subjects.iter().map(|subject| subject.region.name.clone()).collect();
    match names.as_slice() {
        [name] if name.is_empty() => format!("{what}, estimated and measured"),
        names if names.len() <= 3 && names.iter().all(|name| !name.is_empty()) => {
            format!("{what} of {}, estimated and measured", and(names))
        }
        names => format!("{what} of {} regions, estimated and measured", names.len()),
    }
}
