//! Lack of fit in words, and as a table for programs.

use super::columns::Columns;
use super::evaluation::add_region;
use super::format::{error_cell, percent, percent_cell, signed_percent};
use super::table::{Cell, Table};
use orrery::run::variable;
use orrery::scaling::{Accuracy, ErrorFactor, GroupError, LackOfFit, Pattern, PatternShape};

/// Two sentences: how far and where a model is off its runs, and the pattern of its errors.
pub fn lack_of_fit_sentences(lack: &LackOfFit) -> [String; 2] {
    let noise = lack.spread.map_or_else(
        || "no repeated runs show the noise".to_owned(),
        |spread| format!("repeated runs differ by {}", percent(spread)),
    );
    let far = format!(
        "lack of fit: estimates are typically {} off the runs of the model, at worst {} at {}; \
            {noise}",
        percent(lack.typical_error),
        signed_percent(lack.worst_error),
        lack.worst
    );
    let pattern = match &lack.pattern {
        Some(pattern) => pattern_text(pattern),
        None => {
            let noise = if lack.spread.is_none() { " they are noise, or" } else { "" };
            format!(
                "the errors follow no variable, kind, configuration or label of the runs:{noise} \
                    something that changes the \
                 time is not recorded"
            )
        }
    };
    [far, pattern]
}

/// The pattern in words, with what it means for the use of the model.
fn pattern_text(pattern: &Pattern) -> String {
    let factor = factor_text(&pattern.factor);
    let group = |group: &GroupError| match &pattern.factor {
        ErrorFactor::Label(name) | ErrorFactor::Variable(name) => {
            format!("{name} = {}", group.name)
        }
        _ => group.name.clone(),
    };
    let shown = |own: &GroupError| format!("{} at {}", signed_percent(own.error), group(own));
    let is_label = matches!(pattern.factor, ErrorFactor::Label(_));
    let unreliable = "no term describes this: forecasts that vary it are unreliable";
    let (what, advice) = match &pattern.shape {
        PatternShape::Trend { low, high } => (
            format!("the errors change with {factor}, from {} to {}", shown(low), shown(high)),
            unreliable,
        ),
        PatternShape::OneGroup { group: own, others } => {
            let [own_error, others] = [own.error, *others].map(signed_percent);
            let what = format!(
                "the errors differ at {}: {own_error}, elsewhere typically {others}",
                group(own)
            );
            (what, "measure it again, or leave it out of the fit")
        }
        PatternShape::Groups { least, most } => {
            let what =
                format!("the errors depend on {factor}, from {} to {}", shown(least), shown(most));
            (what, if is_label { "select alike runs with --where" } else { unreliable })
        }
        PatternShape::Neighbours { equal, pairs } => {
            let what = format!(
                "{equal} of {pairs} pairs of neighbours in {factor} have errors of equal sign"
            );
            (what, unreliable)
        }
    };
    format!("{what} ({}); {advice}", significance(pattern))
}

/// The p-value of a pattern: `p = 0.02`, `p = 3e-7`.
fn significance(pattern: &Pattern) -> String {
    let p_value = pattern.p_value;
    if p_value >= 0.001 { format!("p = {p_value:.3}") } else { format!("p = {p_value:.0e}") }
}

/// The name of a factor.
fn factor_text(factor: &ErrorFactor) -> String {
    match factor {
        ErrorFactor::Variable(name) if name == variable::PROCESSES => {
            "the number of processes".to_owned()
        }
        ErrorFactor::Variable(name) => name.clone(),
        ErrorFactor::ProcessesPerElement(kind) => format!("the processes per element of {kind}"),
        ErrorFactor::Elements => "the number of elements".to_owned(),
        ErrorFactor::MemoryPerProcess => "the memory per process, n²/processes".to_owned(),
        ErrorFactor::SlowestKind => "the slowest kind".to_owned(),
        ErrorFactor::Kinds => "the kinds that take part".to_owned(),
        ErrorFactor::Configuration => "the configuration".to_owned(),
        ErrorFactor::Label(name) => format!("the label {name}"),
    }
}

/// The lack of fit of models.
///
/// For the keys see
/// [`EvaluationTables::lack_of_fit`](super::evaluation::EvaluationTables::lack_of_fit).
pub(crate) fn lacks_of_fit(all: &[(&str, &Accuracy)], several: bool) -> Table {
    let rows: Vec<(&str, &LackOfFit)> = all
        .iter()
        .filter_map(|(name, accuracy)| Some((*name, accuracy.lack_of_fit.as_ref()?)))
        .collect();
    let mut columns = Columns::of(&rows);
    add_region(&mut columns, several, |(name, _)| name);
    columns.number("typical_error", |(_, lack)| percent_cell(lack.typical_error));
    columns.text("worst", |(_, lack)| lack.worst.to_string());
    columns.number("worst_error", |(_, lack)| error_cell(lack.worst_error));
    columns.number("spread", |(_, lack)| lack.spread.map(percent_cell));
    columns.text("factor", |(_, lack)| lack.pattern.as_ref().map(|of| factor_text(&of.factor)));
    columns.text("pattern", |(_, lack)| {
        let [_, text] = lack_of_fit_sentences(lack);
        text
    });
    let p_value = |pattern: &Pattern| Cell::number(pattern.p_value, significance(pattern));
    columns.number("p_value", |(_, lack)| lack.pattern.as_ref().map(p_value));
    columns.table("lack_of_fit", "Lack of fit")
}
