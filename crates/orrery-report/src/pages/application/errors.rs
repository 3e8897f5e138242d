//! The errors of estimates by decision, size and group, and the formula of the model.

use super::subject::{Groups, Subject};
use crate::figures::error_strips::{self, Group, Lane};
use crate::figures::figure::SeriesColor;
use crate::pages::document::{full_html_table, html_table};
use crate::tables::application::{paper_models, terms, varying_together_sentences};
use crate::tables::evaluation::{EvaluationTables, evaluations};
use crate::tables::format::counted;
use crate::tables::format::{mean, percent, signed_percent};
use maud::{Markup, PreEscaped, html};
use orrery::run::{Metric, variable};
use orrery::scaling::{
    Alternative, Application, Coefficient, ComparedPoint, ExecutionTimeModel, Factor, Region,
    TermModel,
};

/// The least mean error on one side that is reported.
const MIN_REPORTED_ERROR: f64 = 0.02;

/// The section with the errors by decision, size and group.
pub(super) fn errors(subject: &Subject) -> Markup {
    let EvaluationTables { held_out, choices, points, summary, .. } =
        evaluations(&[("", subject.accuracy)]);
    let pairs: Vec<&ComparedPoint> = subject.evaluation.points.iter().collect();
    let groups = Groups::of(subject.evaluation).split(&pairs);
    let sizes = by_size(&pairs);
    html! {
        section id=(subject.id("errors")) {
            h2 { (subject.title("Errors")) }
            @if let Some(held_out) = held_out { (full_html_table(&held_out)) }
            @if let Some(choices) = choices { (full_html_table(&choices)) }
            (full_html_table(&summary))
            h3 { "Residuals" }
            p { "A box off zero is a systematic error of the model for that size or group. A \
                single dot far from its box is an outlier: "
                "measure that point again." }
            div.figures {
                figure { (PreEscaped(error_strips::svg("Errors by size", &sizes))) }
                @if groups.len() > 1 {
                    figure { (PreEscaped(error_strips::svg("Errors by group", &by_group(&groups)))) }
                }
            }
            ul.findings { @for finding in findings(&groups) { li { (finding) } } }
            details { summary { "All points as a table" } (full_html_table(&points)) }
        }
    }
}

/// The box plots by problem size; points of one size must follow each other.
fn by_size(pairs: &[&ComparedPoint]) -> Vec<Group> {
    let size = |pair: &ComparedPoint| pair.point.variables.get(variable::PROBLEM_SIZE).copied();
    let group = |own: &[&ComparedPoint]| Group {
        title: own
            .first()
            .and_then(|pair| size(pair))
            .map_or_else(|| "all points".to_owned(), |n| format!("n = {n}")),
        subtitle: None,
        lanes: vec![lane(SeriesColor::Measured, "all", own)],
    };
    pairs
        .chunk_by(|a, b| size(a).map(f64::to_bits) == size(b).map(f64::to_bits))
        .map(group)
        .collect()
}

/// The box plot of some points.
fn lane(color: SeriesColor, name: &str, pairs: &[&ComparedPoint]) -> Lane {
    Lane { color, name: name.to_owned(), errors: pairs.iter().map(|pair| pair.error()).collect() }
}

/// The box plots of the errors, one for each group: points with equal processes per element, or
/// equal numbers of processes.
fn by_group(groups: &[(String, SeriesColor, Vec<&ComparedPoint>)]) -> Vec<Group> {
    let group = |(name, color, pairs): &(String, SeriesColor, Vec<&ComparedPoint>)| Group {
        title: name.clone(),
        subtitle: None,
        lanes: vec![lane(*color, name, pairs)],
    };
    groups.iter().map(group).collect()
}

/// The sentences on groups whose errors are mostly on one side.
fn findings(groups: &[(String, SeriesColor, Vec<&ComparedPoint>)]) -> Vec<String> {
    let finding = |(name, _, pairs): &(String, SeriesColor, Vec<&ComparedPoint>)| {
        let errors: Vec<f64> = pairs.iter().map(|pair| pair.error()).collect();
        let middle =
            mean(errors.iter().copied()).filter(|middle| middle.abs() > MIN_REPORTED_ERROR)?;
        let same = errors
            .iter()
            .filter(|error| error.signum().total_cmp(&middle.signum()).is_eq())
            .count();
        let share = same as f64 / errors.len() as f64;
        let word = if middle > 0.0 { "long" } else { "short" };
        (share >= 0.8).then(|| {
            let of = errors.len();
            format!(
                "{name}: {same} of {of} estimates are too {word}, {} in the mean.",
                signed_percent(middle)
            )
        })
    };
    groups.iter().filter_map(finding).collect()
}

/// The section with the formula and the parameters of the model.
pub(super) fn model(subject: &Subject) -> Markup {
    let alone =
        Application { metric: subject.metric.clone(), regions: vec![subject.region.clone()] };
    html! {
        section id=(subject.id("model")) {
            h2 { (subject.title("Model")) }
            @for sentence in varying_together_sentences([subject.region]) { p.note { "Warning: " (sentence) "." } }
            @match &subject.region.model {
                ExecutionTimeModel::Terms(model) => { (sum(model, subject.metric)) (html_table(&terms(&alone))) }
                ExecutionTimeModel::Paper(_) => { (paper(subject.region)) }
            }
        }
    }
}

/// The formulas and tables of N-T and P-T models.
fn paper(region: &Region) -> Markup {
    let alone = Application { regions: vec![region.clone()], ..Application::default() };
    html! {
        p.formula { span.math { "T = max" sub { "i" } " (Ta" sub { "i" } " + Tc" sub { "i" } ")" } " over the kinds of elements." }
        p.formula { span.math { "Ta(N) = k" sub{"0"} "N³ + k" sub{"1"} "N² + k" sub{"2"} "N + k" sub{"3"} ", Tc(N) = k" sub{"4"} "N² + k" sub{"5"} "N + k" sub{"6"} }
            " on one element." }
        p.formula { span.math { "Ta(N, P) = k" sub{"7"} "Ta(N)/P + k" sub{"8"} ", Tc(N, P) = k" sub{"9"} "P·Tc(N) + k" sub{"10"} "Tc(N)/P + k" sub{"11"} }
            " on several elements." }
        p.note { "The N-T and P-T models of Kishimoto and Ichikawa (2004), \
            fitted to " (counted(region.model.runs(), "run"))
            " with one kind of elements each. They have no intervals." }
        @for made in paper_models(&alone) { details { summary { (made.title.split(':').next().unwrap_or_default()) } (full_html_table(&made)) } }
    }
}

/// The formula of a term model with its coefficients.
fn sum(model: &TermModel, metric: &Metric) -> Markup {
    let kinds = !model.kinds.is_empty();
    let mut others: Vec<&Alternative> = model.alternatives.iter().collect();
    others.sort_by(|a, b| b.probability.total_cmp(&a.probability));
    html! {
        p.formula { (formula(&model.coefficients, kinds)) " " (metric.unit()) }
        p.note { "Fitted to " (counted(model.runs, "run")) " of " (counted(model.points, "point")) "; family " (model.family.name()) "."
            @if !model.alternatives.is_empty() { " It is the most probable sum of detected terms: its probability is " (percent(model.probability())) "." }
        }
        @if !model.alternatives.is_empty() {
            details {
                summary { "Other plausible sums: " (model.alternatives.len()) }
                p.note { "Each one has the probability of all sums with similar forecasts far outside of \
                    the measured range. The intervals of forecasts include all of them." }
                div.scroll tabindex="0" role="region" aria-label="Other plausible sums" { table {
                    thead { tr { th { "probability" } th { "sum" } } }
                    tbody { @for other in others { tr {
                        td.number { (percent(other.probability)) }
                        td { (formula(&other.coefficients, kinds)) }
                    } } }
                } }
            }
        }
    }
}

/// The sum of terms; `kinds` is true if kinds of elements differ.
fn formula(coefficients: &[Coefficient], kinds: bool) -> Markup {
    html! {
        span.math { "T = " @if kinds { "max" sub { "kinds" } " (" }
            @for (place, coefficient) in coefficients.iter().enumerate() { (summand(place, coefficient)) }
            @if kinds { ")" } }
    }
}

/// One term of the formula.
fn summand(place: usize, coefficient: &Coefficient) -> Markup {
    html! {
        @if place > 0 { " " }
        span.summand {
            @if place > 0 { "+ " }
            (scientific(coefficient.estimate.value))
            @for factor in &coefficient.term.factors { wbr; "·" (self::factor(factor)) }
            @if let Some(kind) = &coefficient.kind { span.kind { " [" (kind) "]" } }
        }
    }
}

/// A factor of a term: power and logarithm of a variable.
fn factor(factor: &Factor) -> Markup {
    let power = factor.power;
    html! {
        @if power != 0.0 { (factor.variable) @if (power - 1.0).abs() > f64::EPSILON { sup { (format!("{power:.3}").trim_end_matches('0').trim_end_matches('.').replace('-', "−")) } } }
        @if power != 0.0 && factor.logs > 0 { "·" }
        @if factor.logs > 0 { "log" sub { "2" } @if factor.logs > 1 { sup { (factor.logs) } } "(" (factor.variable) ")" }
    }
}

/// A number in scientific notation: `2.07×10⁻⁹`.
fn scientific(value: f64) -> Markup {
    let text = format!("{value:.2e}");
    let (digits, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    html! { (digits) @if exponent != "0" { "×10" sup { (exponent.replace('-', "−")) } } }
}
