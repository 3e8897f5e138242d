//! The page of the execution-time models of an application.

use std::collections::BTreeSet;

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

/// What a page is about: the regions, their overview, and those with sections of their own.
struct Content<'a> {
    subjects: &'a [Subject<'a>],
    overview: Option<Overview<'a>>,
    /// The places of the regions with sections of their own.
    detailed: Vec<usize>,
}

/// Returns the result of a function of the content of a page.
fn with_content<'a, T>(
    model: &Model,
    evaluated: &'a [(&'a Region, Accuracy)],
    level: f64,
    use_content: impl FnOnce(&Content) -> T,
) -> T {
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
    use_content(&Content { subjects: &subjects, overview, detailed })
}

/// The figures of the page of an application as SVG files, each with the name of its file: of all
/// regions (`regions.svg`), and for each region with details its curve, errors and correlation, with
/// the name of the region before if there are several (`main-solve-curve.svg`).
///
/// Equal inputs give equal bytes, and all text from the inputs is escaped.
pub fn application_figures(
    model: &Model,
    evaluated: &[(&Region, Accuracy)],
    level: f64,
) -> Vec<(String, String)> {
    with_content(model, evaluated, level, |content| {
        let Content { subjects, overview, detailed } = content;
        let mut figures = Vec::new();
        if let Some(overview) = overview {
            figures.push(("regions.svg".to_owned(), overview.figure(subjects, level).1.file()));
        }
        let mut prefixes = BTreeSet::new();
        for subject in detailed.iter().map(|place| &subjects[*place]) {
            let prefix = match subjects.len() {
                1 => String::new(),
                _ => format!("{}-", file_name(&subject.region.name, &mut prefixes)),
            };
            let charts = figures::charts(subject, level).into_iter();
            figures
                .extend(charts.map(|(name, chart)| (format!("{prefix}{name}.svg"), chart.file())));
        }
        figures
    })
}

/// The name of a region in names of files, which differs from those in use: its letters and digits,
/// with dashes for all others.
fn file_name(region: &str, used: &mut BTreeSet<String>) -> String {
    let words: Vec<&str> =
        region.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
    let name: String = words.join("-").chars().take(MAX_NAME_LETTERS).collect();
    let name = if name.is_empty() { "program".to_owned() } else { name };
    let numbered = |number: usize| format!("{name}-{number}");
    let mut names = std::iter::once(name.clone()).chain((2..).map(numbered));
    let name = names.find(|name| !used.contains(name)).unwrap_or_default();
    used.insert(name.clone());
    name
}

/// The largest number of letters of a region in names of files, whose length systems limit to 255
/// bytes.
const MAX_NAME_LETTERS: usize = 50;

/// The page of an application: its model, the runs that it is compared with, and the accuracy of
/// each region at a confidence level.
///
/// Equal inputs give equal bytes, and all text from the inputs is escaped.
pub fn application_page(
    model: &Model,
    runs: &Runs,
    evaluated: &[(&Region, Accuracy)],
    level: f64,
) -> String {
    with_content(model, evaluated, level, |content| written_page(model, runs, content, level))
}

/// The page of a content.
fn written_page(model: &Model, runs: &Runs, content: &Content, level: f64) -> String {
    let Content { subjects, overview, detailed } = content;
    let mut sections: Vec<(String, Markup)> = Vec::new();
    if let Some(overview) = overview {
        sections.push(("Regions".to_owned(), overview.section(subjects, level)));
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
        @match overview {
            Some(overview) => {
                (overview.lead())
                @if detailed.len() < subjects.len() { p.note {
                    "Details are those of the " (detailed.len()) " largest regions." } }
            }
            None => { @for subject in *subjects { (headline::headline(subject, level)) } }
        }
    };
    page(&title(subjects), &head, &sections)
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
