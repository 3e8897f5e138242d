//! Estimates over measured times: on the diagonal they agree.
//!
//! Source: Kishimoto, Ichikawa (2004), figures 6 to 15.

use maud::{Markup, PreEscaped, html};

use super::Subject;
use super::groups::Groups;
use crate::evaluation::Naming;
use crate::figure::{Across, Figure, FigurePoint, FigureSeries, Ink, Kind, Measure};
use crate::format::{mean, percent, signed_percent};
use crate::html::headline::counted;
use crate::plot::marker;
use orrery::run::variable;
use orrery::scaling::ComparedPoint;

/// A size with fewer points has no figure of its own.
const LEAST: usize = 4;
/// At most so many sizes have one.
const MOST_SIZES: usize = 3;
/// With more points than this, intervals would hide them.
const MOST_WHISKERS: usize = 16;

pub(super) fn render(subject: &Subject) -> Markup {
    let pairs: Vec<&ComparedPoint> = subject.evaluation.points.iter().collect();
    let (groups, naming) = (Groups::of(subject.evaluation), Naming::of(subject.evaluation));
    let mut charts = vec![("All points".to_owned(), figure("All points", &pairs, &groups, &naming))];
    let sizes = of_sizes(&pairs);
    if sizes.len() > 1 {
        for own in thinned(&sizes) {
            let title = own.first().map(|pair| words(pair)).unwrap_or_default();
            charts.push((title.clone(), figure(&title, own, &groups, &naming)));
        }
    }
    html! {
        section id=(subject.id("correlation")) {
            h2 { (subject.title("Correlation")) }
            p { "One mark for each point. Above the diagonal the estimate is too long, below it too short. Marks in a row beside "
                "the diagonal, or all of one kind off it, are what the model cannot express." }
            (legend(&groups.split(&pairs)))
            div.figures {
                @for (place, (title, figure)) in charts.iter().enumerate() {
                    figure { h3 { (title) } (PreEscaped(figure.svg(&subject.id(&format!("correlation-{place}"))))) }
                }
            }
        }
    }
}

fn words(pair: &ComparedPoint) -> String {
    pair.point.variables.get(variable::PROBLEM_SIZE).map_or_else(String::new, |n| format!("n = {n}"))
}

/// The points of each size that has enough.
fn of_sizes<'a>(pairs: &[&'a ComparedPoint]) -> Vec<Vec<&'a ComparedPoint>> {
    let alike = |a: &&ComparedPoint, b: &&ComparedPoint| words(a) == words(b);
    pairs.chunk_by(alike).filter(|own| own.len() >= LEAST).map(<[_]>::to_vec).collect()
}

/// The first, the last and some between.
fn thinned<T>(all: &[T]) -> Vec<&T> {
    let shown = all.len().min(MOST_SIZES);
    (0..shown).map(|place| &all[if shown > 1 { place * (all.len() - 1) / (shown - 1) } else { 0 }]).collect()
}

fn legend(groups: &[(String, Ink, Vec<&ComparedPoint>)]) -> Markup {
    html! {
        @if groups.len() > 1 {
            ul.legend { @for (name, ink, _) in groups { li {
                svg.swatch viewBox="0 0 26 14" aria-hidden="true" { g class={ "series " (ink.class()) } { (PreEscaped(marker(*ink, "13", "7"))) } }
                (name)
            } } }
        }
    }
}

fn figure(title: &str, pairs: &[&ComparedPoint], groups: &Groups, naming: &Naming) -> Figure {
    let whiskers = pairs.len() <= MOST_WHISKERS;
    let point = |pair: &&ComparedPoint| {
        let (estimate, measured) = (pair.estimate, pair.measured);
        let configuration = naming.words(&pair.point);
        let configuration = if configuration.is_empty() { configuration } else { format!(", {configuration}") };
        FigurePoint {
            x: measured.get(),
            y: estimate.get(),
            interval: pair.interval.filter(|_| whiskers).map(|(low, high)| (low.get(), high.get())),
            words: format!(
                "{}{configuration}: estimated {estimate}, measured {measured} ({})",
                words(pair),
                signed_percent(pair.error())
            ),
        }
    };
    let series = groups.split(pairs).into_iter().map(|(name, ink, own)| FigureSeries {
        name,
        ink,
        kind: Kind::Points,
        points: own.iter().map(point).collect(),
    });
    let error = mean(pairs.iter().map(|pair| pair.error().abs())).unwrap_or_default();
    Figure {
        title: format!("{title}: estimates over measured times"),
        description: format!("{}, off by {} in the mean.", counted(pairs.len(), "point"), percent(error)),
        x_title: "measured".to_owned(),
        y_title: "estimated".to_owned(),
        across: Across::Times,
        measure: Measure::Time,
        marks: Vec::new(),
        series: series.collect(),
    }
}
