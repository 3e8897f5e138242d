//! Tables of estimated and measured execution times, of left-out runs, and of the lack of fit.

use orrery::run::variable;
use orrery::scaling::{
    Accuracy, ComparedPoint, ErrorFactor, ErrorSummary, Evaluation, GroupError, HeldOut, LackOfFit,
    LeftOut, Pattern, PatternShape, RunsOfFit,
};

use super::columns::Columns;
use super::format::{error_cell, percent, percent_cell, plain_cell, signed_percent};
use super::point_labels::PointLabels;
use super::table::{Cell, Table};

/// The tables of an evaluation.
#[derive(Debug, Clone, PartialEq)]
pub struct EvaluationTables {
    /// The errors of runs that were left out of the fit; `None` if no model was fitted without some
    /// of the runs.
    ///
    /// Keys: region if there are several, left_out, fits, skipped (fits that were not possible),
    /// points, without_estimate, mean_error, median_error, max_error, runs_in_interval, coverage,
    /// median_factor (of the ends of the intervals), worst (the point with the largest error).
    pub held_out: Option<Table>,
    /// The estimated and the actual best configuration of each size; `None` if no size has several
    /// configurations.
    ///
    /// Keys: region if there are several, n, estimated_best, estimate (τ), measured (τ̂),
    /// actual_best, best (T̂), error (τ−T̂)/T̂, loss (τ̂−T̂)/T̂.
    pub choices: Option<Table>,
    /// The points. Keys: region if there are several, n, configuration, estimate, low, high,
    /// measured, runs, error, runs_in_interval, extrapolated.
    pub points: Table,
    /// The errors. Keys: region if there are several, sample (held-out, in-sample, null if it is
    /// unknown), points, runs, without_estimate, mean_error, median_error, max_error,
    /// runs_in_interval, coverage (the share of runs in their intervals), median_factor (of the ends
    /// of the intervals).
    pub summary: Table,
    /// The lack of fit; `None` if the models describe their runs.
    ///
    /// Keys: region if there are several, typical_error, worst (the point), worst_error, spread (of
    /// repeated runs), factor, text (the pattern), p_value.
    pub lack_of_fit: Option<Table>,
}

/// The tables of the accuracy of the models of regions, each with its name.
pub fn evaluations(all: &[(&str, &Accuracy)]) -> EvaluationTables {
    let several = all.len() > 1;
    let evaluated: Vec<(&str, &Evaluation)> =
        all.iter().map(|(name, accuracy)| (*name, &accuracy.evaluation)).collect();
    EvaluationTables {
        held_out: held_out_errors(all, several).if_filled(),
        choices: choices(&evaluated, several).if_filled(),
        points: points(&evaluated, several),
        summary: summary(all, several),
        lack_of_fit: lacks_of_fit(all, several).if_filled(),
    }
}

/// Adds the column `region` if there are several.
pub(crate) fn add_region<'a, R>(
    columns: &mut Columns<'a, R>,
    several: bool,
    name: impl Fn(&'a R) -> &'a str,
) {
    if several {
        columns.text("region", name);
    }
}

/// A label, or null if it is empty.
fn label(label: String) -> Option<String> {
    Some(label).filter(|label| !label.is_empty())
}

/// The table of estimated and actual best configurations.
fn choices(all: &[(&str, &Evaluation)], several: bool) -> Table {
    let mut rows = Vec::new();
    for (name, evaluation) in all {
        let naming = PointLabels::of(evaluation);
        let decisions = evaluation.decisions.iter().filter(|row| row.candidates > 1);
        rows.extend(decisions.map(|row| (*name, naming.clone(), row)));
    }
    let mut columns = Columns::of(&rows);
    add_region(&mut columns, several, |(name, ..)| name);
    columns.number("n", |(.., row)| plain_cell(row.size));
    columns.text("estimated_best", |(_, of, row)| label(of.label(&row.estimated.point)));
    columns.number("estimate", |(.., row)| row.estimated.estimate);
    columns.number("measured", |(.., row)| row.estimated.measured);
    columns.text("actual_best", |(_, of, row)| label(of.label(&row.actual)));
    columns.number("best", |(.., row)| row.best);
    columns.number("error", |(.., row)| error_cell(row.error()));
    columns.number("loss", |(.., row)| error_cell(row.loss()));
    let note = "Estimate τ and measured τ̂ are times of the configuration with the smallest \
        estimate; best T̂ is the time of the actual best. Error is (τ−T̂)/T̂, loss is (τ̂−T̂)/T̂.";
    columns.table("choices", "Estimated and actual best configurations").with_note(note)
}

/// The table of points.
fn points(all: &[(&str, &Evaluation)], several: bool) -> Table {
    let mut rows = Vec::new();
    for (name, evaluation) in all {
        let naming = PointLabels::of(evaluation);
        let points = evaluation.points.iter();
        rows.extend(points.map(|pair| (*name, label(naming.label(&pair.point)), pair)));
    }
    let size = |pair: &ComparedPoint| pair.point.variables.get(variable::PROBLEM_SIZE).copied();
    let sizes = rows.iter().any(|(.., pair)| size(pair).is_some());
    let named = rows.iter().any(|(_, label, _)| label.is_some());
    let sure = rows.iter().any(|(.., pair)| pair.interval.is_some());
    let interval = u8::from(!sure) * 7;
    let mut columns = Columns::of(&rows);
    add_region(&mut columns, several, |(name, ..)| name);
    columns.number("n", |(.., pair)| size(pair).map(plain_cell)).drop_first(u8::from(!sizes) * 8);
    let priority = u8::from(!named) * 8;
    columns.text("configuration", |(_, label, _)| label.as_ref()).drop_first(priority);
    columns.number("estimate", |(.., pair)| pair.estimate);
    columns.ends(["low", "high"], interval.max(2), |(.., pair)| pair.interval);
    columns.number("measured", |(.., pair)| pair.measured);
    columns.number("runs", |(.., pair)| pair.runs.len()).drop_first(3);
    columns.number("error", |(.., pair)| error_cell(pair.error()));
    let priority = interval.max(1);
    columns.number("runs_in_interval", |(.., pair)| pair.runs_in_interval()).drop_first(priority);
    columns.text("extrapolated", |(.., pair)| pair.extrapolated).drop_first(4);
    columns.table("points", "Estimated and measured times")
}

/// The table of errors.
fn summary(all: &[(&str, &Accuracy)], several: bool) -> Table {
    let is = |own: RunsOfFit| all.iter().all(|(_, accuracy)| accuracy.runs_of_fit == own);
    let is_in_sample =
        |accuracy: &Accuracy| accuracy.points(true).len() == accuracy.evaluation.points.len();
    let title = if is(RunsOfFit::None) {
        "Held-out errors of the estimates: the model was not fitted to these runs"
    } else if all.iter().all(|(_, accuracy)| is_in_sample(accuracy)) {
        "In-sample errors of the estimates: the model was fitted to these runs"
    } else {
        "Errors of the estimates"
    };
    let mut rows = Vec::new();
    for (name, accuracy) in all {
        if accuracy.runs_of_fit == RunsOfFit::Unknown {
            let Evaluation { points, without_estimate, .. } = &accuracy.evaluation;
            rows.push((*name, None, ErrorSummary::of(points), without_estimate.len()));
        }
        for (sample, in_sample) in [("held-out", false), ("in-sample", true)] {
            let errors = ErrorSummary::of(accuracy.points(in_sample));
            rows.push((*name, Some(sample), errors, accuracy.without_estimate(in_sample)));
        }
    }
    rows.retain(|(_, _, errors, refused)| {
        errors.as_ref().map_or(0, |errors| errors.points) + refused > 0
    });
    let mut columns = Columns::of(&rows);
    add_region(&mut columns, several, |(name, ..)| name);
    columns.text("sample", |(_, sample, ..)| *sample).drop_first(5);
    columns.number("points", |(_, _, of, _)| of.as_ref().map_or(0, |of| of.points));
    columns.number("runs", |(_, _, of, _)| of.as_ref().map_or(0, |of| of.runs));
    columns.number("without_estimate", |(.., refused)| *refused);
    add_errors(&mut columns, 0, |(_, _, of, _)| of.as_ref());
    columns.table("summary", title).with_note("Errors are |estimate − measured| / measured.")
}

/// Adds columns with the size of errors, which are empty where `of` returns `None`; `drop_counts`
/// is the priority of leaving out the number of runs on narrow terminals.
pub(crate) fn add_errors<'a, R>(
    columns: &mut Columns<'a, R>,
    drop_counts: u8,
    of: impl Fn(&'a R) -> Option<&'a ErrorSummary>,
) {
    columns.number("mean_error", |row| of(row).map(|errors| percent_cell(errors.mean)));
    columns.number("median_error", |row| of(row).map(|errors| percent_cell(errors.median)));
    let largest = |errors: &ErrorSummary| percent_cell(errors.worst.error().abs());
    columns.number("max_error", |row| of(row).map(largest));
    let within = |errors: &ErrorSummary| errors.runs_in_interval.map(|(within, _)| within);
    columns.number("runs_in_interval", |row| of(row).and_then(within)).drop_first(drop_counts);
    let coverage = |row| of(row).and_then(ErrorSummary::coverage);
    columns.number("coverage", |row| coverage(row).map(percent_cell));
    let factor = |errors: &ErrorSummary| errors.median_factor;
    let cell = |factor: f64| Cell::number(factor, format!("{factor:.2}"));
    columns.number("median_factor", |row| of(row).and_then(factor).map(cell)).titled("factor");
}

/// The errors of runs that were left out of the fits that forecast them.
///
/// For the keys see [`EvaluationTables::held_out`](EvaluationTables::held_out).
pub(crate) fn held_out_errors(all: &[(&str, &Accuracy)], several: bool) -> Table {
    let rows: Vec<_> = all
        .iter()
        .flat_map(|(name, of)| of.held_out.iter().map(|one| (*name, one, one.errors())))
        .collect();
    let mut columns = Columns::of(&rows);
    add_region(&mut columns, several, |(name, ..)| name);
    columns.text("left_out", |(_, one, _)| left_out(one));
    columns.number("fits", |(_, one, _)| one.fits).drop_first(3);
    columns.number("skipped", |(_, one, _)| one.skipped).drop_first(2);
    columns.number("points", |(_, one, _)| one.points.len()).drop_first(4);
    columns.number("without_estimate", |(_, one, _)| one.without_estimate.len()).drop_first(1);
    add_errors(&mut columns, 8, |(.., errors)| errors.as_ref());
    let worst = |errors: &ErrorSummary| errors.worst.point.to_string();
    columns.text("worst", |(.., errors)| errors.as_ref().map(worst)).drop_first(8);
    let note = "Skipped are fits for which the other runs are too few. Points without estimate are \
        those that such a fit cannot forecast.";
    let table = columns.table("held_out", "Held-out errors: forecasts of fits to the other runs");
    let is_partial =
        |held_out: &HeldOut| held_out.skipped > 0 || !held_out.without_estimate.is_empty();
    let partial = all.iter().flat_map(|(_, accuracy)| &accuracy.held_out).any(is_partial);
    if partial { table.with_note(note) } else { table }
}

/// What was left out, in words.
pub(crate) fn left_out(held_out: &HeldOut) -> String {
    match &held_out.left_out {
        LeftOut::LargestSizes { variable, from } => format!("{variable} ≥ {from}, from smaller"),
        LeftOut::Sizes { variable } => format!("one {variable} at a time"),
        LeftOut::Configurations => "one configuration at a time".to_owned(),
    }
}

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

/// The p-value of a pattern: `p-value 0.02`, `p-value 3e-7`.
fn significance(pattern: &Pattern) -> String {
    let p_value = pattern.p_value;
    if p_value >= 0.001 {
        format!("p-value {p_value:.3}")
    } else {
        format!("p-value {p_value:.0e}")
    }
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
/// [`EvaluationTables::lack_of_fit`](EvaluationTables::lack_of_fit).
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
