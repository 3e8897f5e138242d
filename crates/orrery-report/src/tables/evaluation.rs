//! Tables of estimated and measured execution times.

use super::format::{maybe_seconds, percent_cell, seconds, signed_percent};
use super::held_out::held_out_errors;
use super::lack_of_fit::lacks_of_fit;
use super::point_labels::PointLabels;
use super::table::{Cell, Column, Table};
use orrery::run::variable;
use orrery::scaling::{Accuracy, ErrorSummary, Evaluation, RunsOfFit, SizeDecision};

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
    let filled = |table: Table| (!table.rows().is_empty()).then_some(table);
    EvaluationTables {
        held_out: filled(held_out_errors(all, several)),
        choices: filled(choices(&evaluated, several)),
        points: points(&evaluated, several),
        summary: summary(all, several),
        lack_of_fit: filled(lacks_of_fit(all, several)),
    }
}

/// The column `region` if there are several.
pub(crate) fn region(several: bool) -> Option<Column> {
    several.then(|| Column::text("region"))
}

/// A cell with a problem size.
fn size(value: Option<f64>) -> Cell {
    value.map_or(Cell::Null, |value| Cell::number(value, value.to_string()))
}

/// A cell with a signed relative error.
fn error(value: f64) -> Cell {
    Cell::number(value, signed_percent(value))
}

/// A cell with a label, or null if it is empty.
fn configuration(label: String) -> Cell {
    Cell::optional_text((!label.is_empty()).then_some(label))
}

/// The table of estimated and actual best configurations.
fn choices(all: &[(&str, &Evaluation)], several: bool) -> Table {
    let columns = [
        Column::number("n"),
        Column::text("estimated_best"),
        Column::number("estimate"),
        Column::number("measured"),
        Column::text("actual_best"),
        Column::number("best"),
        Column::number("error"),
        Column::number("loss"),
    ];
    let note = "Estimate τ and measured τ̂ are times of the configuration with the smallest \
        estimate; best T̂ is the time of the \
                actual best. Error is (τ−T̂)/T̂, loss is (τ̂−T̂)/T̂.";
    let title = "Estimated and actual best configurations";
    let mut table =
        Table::new("choices", title, region(several).into_iter().chain(columns)).with_note(note);
    for (name, evaluation) in all {
        let naming = PointLabels::of(evaluation);
        for row in evaluation.decisions.iter().filter(|row| row.candidates > 1) {
            let SizeDecision { estimated, actual, best, .. } = row;
            let cells = [
                size(Some(row.size)),
                configuration(naming.label(&estimated.point)),
                seconds(estimated.estimate.get()),
                seconds(estimated.measured.get()),
                configuration(naming.label(actual)),
                seconds(best.get()),
                error(row.error()),
                error(row.loss()),
            ];
            table.push(several.then(|| Cell::text(*name)).into_iter().chain(cells));
        }
    }
    table
}

/// The table of points.
fn points(all: &[(&str, &Evaluation)], several: bool) -> Table {
    let sizes = all
        .iter()
        .flat_map(|(_, e)| &e.points)
        .any(|pair| pair.point.variables.contains_key(variable::PROBLEM_SIZE));
    let named = |e: &Evaluation| {
        let naming = PointLabels::of(e);
        e.points.iter().any(|pair| !naming.label(&pair.point).is_empty())
    };
    let named = all.iter().any(|(_, e)| named(e));
    let sure = all.iter().flat_map(|(_, e)| &e.points).any(|pair| pair.interval.is_some());
    let interval = u8::from(!sure) * 7;
    let columns = [
        Column::number("n").drop_priority(u8::from(!sizes) * 8),
        Column::text("configuration").drop_priority(u8::from(!named) * 8),
        Column::number("estimate"),
        Column::number("low").drop_priority(interval.max(2)),
        Column::number("high").drop_priority(interval.max(2)),
        Column::number("measured"),
        Column::number("runs").drop_priority(3),
        Column::number("error"),
        Column::number("runs_in_interval").drop_priority(interval.max(1)),
        Column::text("extrapolated").drop_priority(4),
    ];
    let mut table = Table::new(
        "points",
        "Estimated and measured times",
        region(several).into_iter().chain(columns),
    );
    for (name, evaluation) in all {
        let naming = PointLabels::of(evaluation);
        for pair in &evaluation.points {
            let cells = [
                size(pair.point.variables.get(variable::PROBLEM_SIZE).copied()),
                configuration(naming.label(&pair.point)),
                seconds(pair.estimate.get()),
                maybe_seconds(pair.interval.map(|(low, _)| low.get())),
                maybe_seconds(pair.interval.map(|(_, high)| high.get())),
                seconds(pair.measured.get()),
                Cell::integer(pair.runs.len() as u64),
                error(pair.error()),
                pair.runs_in_interval().map_or(Cell::Null, |within| Cell::integer(within as u64)),
                Cell::Flag(pair.extrapolated),
            ];
            table.push(several.then(|| Cell::text(*name)).into_iter().chain(cells));
        }
    }
    table
}

/// The table of errors.
fn summary(all: &[(&str, &Accuracy)], several: bool) -> Table {
    let columns = [
        Column::text("sample").drop_priority(5),
        Column::number("points"),
        Column::number("runs"),
        Column::number("without_estimate"),
    ];
    let columns = region(several).into_iter().chain(columns).chain(error_columns());
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
    let mut table = Table::new("summary", title, columns)
        .with_note("Errors are |estimate − measured| / measured.");
    for (name, accuracy) in all {
        let mut push = |sample: Option<&str>, errors: Option<ErrorSummary>, refused: usize| {
            let [points, runs] = errors.map_or([0; 2], |errors| [errors.points, errors.runs]);
            if points + refused > 0 {
                let counts = [points, runs, refused].map(|count| Cell::integer(count as u64));
                let cells = std::iter::once(Cell::optional_text(sample)).chain(counts);
                let region = several.then(|| Cell::text(*name));
                table.push(region.into_iter().chain(cells).chain(error_cells(errors.as_ref())));
            }
        };
        if accuracy.runs_of_fit == RunsOfFit::Unknown {
            let Evaluation { points, without_estimate, .. } = &accuracy.evaluation;
            push(None, ErrorSummary::of(points), without_estimate.len());
        }
        for (sample, in_sample) in [("held-out", false), ("in-sample", true)] {
            push(
                Some(sample),
                ErrorSummary::of(accuracy.points(in_sample)),
                accuracy.without_estimate(in_sample),
            );
        }
    }
    table
}

/// The columns of [`error_cells`].
pub(crate) fn error_columns() -> [Column; 5] {
    ["mean_error", "median_error", "max_error", "runs_in_interval", "coverage"].map(Column::number)
}

/// Cells with the size of errors.
pub(crate) fn error_cells(errors: Option<&ErrorSummary>) -> [Cell; 5] {
    let share = |value: Option<f64>| value.map_or(Cell::Null, percent_cell);
    let within = errors.and_then(|errors| errors.runs_in_interval);
    [
        share(errors.map(|errors| errors.mean)),
        share(errors.map(|errors| errors.median)),
        share(errors.map(|errors| errors.worst.error().abs())),
        within.map_or(Cell::Null, |(within, _)| Cell::integer(within as u64)),
        share(errors.and_then(ErrorSummary::coverage)),
    ]
}
