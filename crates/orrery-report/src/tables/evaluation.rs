//! Tables of estimated and measured execution times.

use super::format::{maybe_seconds, percent_cell, quantile, seconds, signed_percent};
use super::point_labels::PointLabels;
use super::table::{Cell, Column, Table};
use orrery::run::variable;
use orrery::scaling::{Evaluation, SizeDecision};

/// The tables of an evaluation.
#[derive(Debug, Clone, PartialEq)]
pub struct EvaluationTables {
    /// The estimated and the actual best configuration of each size; `None` if no size has several configurations.
    ///
    /// Keys: region if there are several, n, estimated_best, estimate (τ), measured (τ̂), actual_best, best (T̂),
    /// error (τ−T̂)/T̂, loss (τ̂−T̂)/T̂.
    pub choices: Option<Table>,
    /// The points. Keys: region if there are several, n, configuration, estimate, low, high, measured, runs, error,
    /// runs_in_interval, extrapolated.
    pub points: Table,
    /// The errors. Keys: region if there are several, points, runs, without_estimate, mean_error, median_error, max_error,
    /// runs_in_interval, coverage (the share of runs in their intervals).
    pub summary: Table,
}

/// The tables of the evaluations of regions, each with its name.
pub fn evaluations(all: &[(&str, &Evaluation)]) -> EvaluationTables {
    let several = all.len() > 1;
    let choices = choices(all, several);
    let choices = (!choices.rows().is_empty()).then_some(choices);
    EvaluationTables { choices, points: points(all, several), summary: summary(all, several) }
}

/// The column `region` if there are several.
fn region(several: bool) -> Option<Column> {
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
    let note = "Estimate τ and measured τ̂ are times of the configuration with the smallest estimate; best T̂ is the time of the \
                actual best. Error is (τ−T̂)/T̂, loss is (τ̂−T̂)/T̂.";
    let title = "Estimated and actual best configurations";
    let mut table = Table::new("choices", title, region(several).into_iter().chain(columns)).with_note(note);
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
    let sizes =
        all.iter().flat_map(|(_, e)| &e.points).any(|pair| pair.point.variables.contains_key(variable::PROBLEM_SIZE));
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
    let mut table = Table::new("points", "Estimated and measured times", region(several).into_iter().chain(columns));
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
fn summary(all: &[(&str, &Evaluation)], several: bool) -> Table {
    let columns = [
        Column::number("points"),
        Column::number("runs"),
        Column::number("without_estimate"),
        Column::number("mean_error"),
        Column::number("median_error"),
        Column::number("max_error"),
        Column::number("runs_in_interval"),
        Column::number("coverage"),
    ];
    let note = "Errors are |estimate − measured| / measured.";
    let mut table =
        Table::new("summary", "Errors of the estimates", region(several).into_iter().chain(columns)).with_note(note);
    for (name, evaluation) in all {
        let errors = || evaluation.points.iter().map(|pair| pair.error().abs());
        let runs: usize = evaluation.points.iter().map(|pair| pair.runs.len()).sum();
        let within = within(evaluation);
        let cells = [
            Cell::integer(evaluation.points.len() as u64),
            Cell::integer(runs as u64),
            Cell::integer(evaluation.without_estimate.len() as u64),
            super::format::mean(errors()).map_or(Cell::Null, percent_cell),
            quantile(errors(), 0.5).map_or(Cell::Null, percent_cell),
            quantile(errors(), 1.0).map_or(Cell::Null, percent_cell),
            within.map_or(Cell::Null, |(within, _)| Cell::integer(within as u64)),
            within.map_or(Cell::Null, |(within, of)| percent_cell(within as f64 / of as f64)),
        ];
        table.push(several.then(|| Cell::text(*name)).into_iter().chain(cells));
    }
    table
}

/// The number of runs in their intervals, and of runs with an interval; `None` if there are no intervals.
pub(crate) fn within(evaluation: &Evaluation) -> Option<(usize, usize)> {
    let counts = evaluation.points.iter().filter_map(|pair| Some((pair.runs_in_interval()?, pair.runs.len())));
    counts.reduce(|(a, b), (c, d)| (a + c, b + d))
}
