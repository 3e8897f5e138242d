//! Tables of estimated and measured execution times.

use super::columns::Columns;
use super::format::{error_cell, percent_cell, plain_cell};
use super::held_out::held_out_errors;
use super::lack_of_fit::lacks_of_fit;
use super::point_labels::PointLabels;
use super::table::Table;
use orrery::run::variable;
use orrery::scaling::{Accuracy, ComparedPoint, ErrorSummary, Evaluation, RunsOfFit};

/// The tables of an evaluation.
#[derive(Debug, Clone, PartialEq)]
pub struct EvaluationTables {
    /// The errors of runs that were left out of the fit; `None` if no model was fitted without some
    /// of the runs.
    ///
    /// Keys: region if there are several, left_out, fits, skipped (fits that were not possible),
    /// points, without_estimate, mean_error, median_error, max_error, runs_in_interval, coverage,
    /// worst (the point with the largest error).
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
    /// runs_in_interval, coverage (the share of runs in their intervals).
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
}
