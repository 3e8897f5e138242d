//! The errors of the estimates: decisions, sizes, groups, points.

use maud::{Markup, PreEscaped, html};

use super::Subject;
use super::groups::Groups;
use crate::evaluation::{EvaluationTables, evaluations};
use crate::figure::Ink;
use crate::format::{mean, signed_percent};
use crate::html::strip::{self, Group, Lane};
use crate::html::table;
use orrery::run::variable;
use orrery::scaling::ComparedPoint;

/// A mean error on one side smaller than this is nothing to speak of.
const WORTH_SAYING: f64 = 0.02;

pub(super) fn render(subject: &Subject) -> Markup {
    let EvaluationTables { choices, points, summary } = evaluations(&[("", subject.evaluation)]);
    let pairs: Vec<&ComparedPoint> = subject.evaluation.points.iter().collect();
    let groups = Groups::of(subject.evaluation).split(&pairs);
    let sizes = by_size(&pairs);
    html! {
        section id=(subject.id("errors")) {
            h2 { (subject.title("Errors")) }
            @if let Some(choices) = choices { (table::complete(&choices)) }
            (table::complete(&summary))
            h3 { "Residuals" }
            p { "A box that stands off zero is what the model says wrongly of all that is in it; a lone dot far from its box is a "
                "point to be measured again." }
            div.figures {
                figure { (PreEscaped(strip::svg("Errors by size", &sizes))) }
                @if groups.len() > 1 {
                    figure { (PreEscaped(strip::svg("Errors by group", &by_group(&groups)))) }
                }
            }
            ul.findings { @for finding in findings(&groups) { li { (finding) } } }
            details { summary { "All points as a table" } (table::complete(&points)) }
        }
    }
}

fn by_size(pairs: &[&ComparedPoint]) -> Vec<Group> {
    let size = |pair: &ComparedPoint| pair.point.variables.get(variable::PROBLEM_SIZE).copied();
    let group = |own: &[&ComparedPoint]| Group {
        title: own.first().and_then(|pair| size(pair)).map_or_else(|| "all points".to_owned(), |n| format!("n = {n}")),
        below: None,
        lanes: vec![lane(Ink::Observed, "all", own)],
    };
    pairs.chunk_by(|a, b| size(a).map(f64::to_bits) == size(b).map(f64::to_bits)).map(group).collect()
}

fn lane(ink: Ink, name: &str, pairs: &[&ComparedPoint]) -> Lane {
    Lane { ink, name: name.to_owned(), errors: pairs.iter().map(|pair| pair.error()).collect() }
}

fn by_group(groups: &[(String, Ink, Vec<&ComparedPoint>)]) -> Vec<Group> {
    let group = |(name, ink, pairs): &(String, Ink, Vec<&ComparedPoint>)| Group {
        title: name.clone(),
        below: None,
        lanes: vec![lane(*ink, name, pairs)],
    };
    groups.iter().map(group).collect()
}

/// Groups whose errors lie on one side.
fn findings(groups: &[(String, Ink, Vec<&ComparedPoint>)]) -> Vec<String> {
    let finding = |(name, _, pairs): &(String, Ink, Vec<&ComparedPoint>)| {
        let errors: Vec<f64> = pairs.iter().map(|pair| pair.error()).collect();
        let middle = mean(errors.iter().copied()).filter(|middle| middle.abs() > WORTH_SAYING)?;
        let same = errors.iter().filter(|error| error.signum().total_cmp(&middle.signum()).is_eq()).count();
        let share = same as f64 / errors.len() as f64;
        let word = if middle > 0.0 { "long" } else { "short" };
        (share >= 0.8).then(|| {
            let of = errors.len();
            format!("{name}: {same} of {of} estimates are too {word}, {} in the mean.", signed_percent(middle))
        })
    };
    groups.iter().filter_map(finding).collect()
}
