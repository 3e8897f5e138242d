//! The formula of the model, with its coefficients and their intervals.

use maud::{Markup, html};

use super::Subject;
use crate::forecasts::terms;
use crate::html::headline::counted;
use crate::html::table;
use crate::paper_models::paper_models;
use orrery::scaling::{Application, Coefficient, ExecutionTimeModel, Factor, Region, TermModel};

pub(super) fn render(subject: &Subject) -> Markup {
    let alone = Application { regions: vec![subject.region.clone()] };
    html! {
        section id=(subject.id("model")) {
            h2 { (subject.title("Model")) }
            @match &subject.region.model {
                ExecutionTimeModel::Terms(model) => { (sum(model)) (table::render(&terms(&alone))) }
                ExecutionTimeModel::Paper(_) => { (paper(subject.region)) }
            }
        }
    }
}

fn paper(region: &Region) -> Markup {
    let alone = Application { regions: vec![region.clone()] };
    html! {
        p.formula { span.math { "T = max" sub { "i" } " (Ta" sub { "i" } " + Tc" sub { "i" } ")" } " over the kinds of elements, where" }
        p.formula { span.math { "Ta(N) = k" sub{"0"} "N³ + k" sub{"1"} "N² + k" sub{"2"} "N + k" sub{"3"} ", Tc(N) = k" sub{"4"} "N² + k" sub{"5"} "N + k" sub{"6"} }
            " on one element," }
        p.formula { span.math { "Ta(N, P) = k" sub{"7"} "Ta(N)/P + k" sub{"8"} ", Tc(N, P) = k" sub{"9"} "P·Tc(N) + k" sub{"10"} "Tc(N)/P + k" sub{"11"} }
            " on several." }
        p.note { "The N-T and P-T models of Kishimoto and Ichikawa (2004), made of " (counted(region.model.runs(), "run"))
            " on one kind of elements each. They have no intervals." }
        @for made in paper_models(&alone) { details { summary { (made.title.split(':').next().unwrap_or_default()) } (table::complete(&made)) } }
    }
}

fn sum(model: &TermModel) -> Markup {
    let kinds = !model.kinds.is_empty();
    html! {
        p.formula { span.math { "T = " @if kinds { "max" sub { "kinds" } " (" }
            @for (place, coefficient) in model.coefficients.iter().enumerate() { (summand(place, coefficient)) }
            @if kinds { ")" } } " seconds" }
        p.note { "Made of " (counted(model.runs, "run")) " of " (counted(model.points, "point")) "; family " (model.family.name()) "." }
    }
}

fn summand(place: usize, coefficient: &Coefficient) -> Markup {
    html! {
        @if place > 0 { " " }
        span.summand {
            @if place > 0 { "+ " }
            (scientific(coefficient.estimate.value))
            @for factor in &coefficient.term.factors { wbr; "·" (factor_words(factor)) }
            @if let Some(kind) = &coefficient.kind { span.kind { " [" (kind) "]" } }
        }
    }
}

fn factor_words(factor: &Factor) -> Markup {
    let power = factor.power;
    html! {
        @if power != 0.0 { (factor.variable) @if (power - 1.0).abs() > f64::EPSILON { sup { (format!("{power:.3}").trim_end_matches('0').trim_end_matches('.').replace('-', "−")) } } }
        @if power != 0.0 && factor.logs > 0 { "·" }
        @if factor.logs > 0 { "log" sub { "2" } @if factor.logs > 1 { sup { (factor.logs) } } "(" (factor.variable) ")" }
    }
}

/// `2.07×10⁻⁹`.
fn scientific(value: f64) -> Markup {
    let text = format!("{value:.2e}");
    let (digits, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    html! { (digits) @if exponent != "0" { "×10" sup { (exponent.replace('-', "−")) } } }
}
