//! Lack of fit in words, and as a table for programs.

use super::evaluation::region;
use super::format::{percent, percent_cell, signed_percent};
use super::table::{Cell, Column, Table};
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
    let columns = [
        Column::number("typical_error"),
        Column::text("worst"),
        Column::number("worst_error"),
        Column::number("spread"),
        Column::text("factor"),
        Column::text("pattern"),
        Column::number("p_value"),
    ];
    let mut table =
        Table::new("lack_of_fit", "Lack of fit", region(several).into_iter().chain(columns));
    for (name, accuracy) in all {
        let Some(lack) = &accuracy.lack_of_fit else { continue };
        let pattern = lack.pattern.as_ref();
        let [_, text] = lack_of_fit_sentences(lack);
        let cells = [
            percent_cell(lack.typical_error),
            Cell::text(lack.worst.to_string()),
            Cell::number(lack.worst_error, signed_percent(lack.worst_error)),
            lack.spread.map_or(Cell::Null, percent_cell),
            Cell::optional_text(pattern.map(|pattern| factor_text(&pattern.factor))),
            Cell::text(text),
            pattern
                .map_or(Cell::Null, |pattern| Cell::number(pattern.p_value, significance(pattern))),
        ];
        table.push(several.then(|| Cell::text(*name)).into_iter().chain(cells));
    }
    table
}
