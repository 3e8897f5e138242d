//! Tables of predicted times of redistributions.

use std::collections::BTreeSet;

use super::columns::Columns;
use super::format::{mean, percent};
use super::routines::{Compared, add_compared, alarm_cell};
use super::table::Table;
use orrery::model::{ModelKind, RedistributionPrediction, RoutineComparison};
use orrery::routine::RedistributionCall;

/// The table of predicted redistributions.
///
/// Keys: routine, grid, block, to, to_block (the grid after), m, n, model, seconds, low, high (null
/// if the model has no intervals), volume (bytes of all messages), memory (of the matrix before and
/// after at a process \[B\]), alarms (with a line for each below the table).
pub fn redistribution_predictions(all: &[RedistributionPrediction]) -> Table {
    let mut lines = Vec::new();
    let mut columns = Columns::of(all);
    add_call(&mut columns, |one| &one.call);
    columns.text("model", |one| one.kind.name()).drop_first(3);
    columns.number("seconds", |one| one.seconds).titled("time");
    columns.ends(["low", "high"], 2, |one| one.interval);
    columns.number("volume", |one| one.volume);
    columns.number("memory", |one| one.space).drop_first(3);
    columns.text("alarms", |one| alarm_cell(&one.alarms, &mut lines)).drop_first(1);
    columns.table("predictions", "").with_note(lines.join("\n")).hide_empty_columns()
}

/// The table of measured and predicted times of redistributions, with a line of mean errors for
/// each kind of model below.
///
/// Keys: routine, grid, block, to, to_block, m, n, model, readings, measured (median) and predicted
/// \[s\], low, high, error (relative to the measured time), inside (true if the measured time is in
/// the interval).
pub fn redistribution_validation(all: &[RoutineComparison<RedistributionPrediction>]) -> Table {
    let mut columns = Columns::of(all);
    add_call(&mut columns, |one| &one.predicted.call);
    add_compared(&mut columns);
    let title = "Measured and predicted times of redistributions";
    columns.table("redistributions", title).with_note(note(all)).hide_empty_columns()
}

impl From<&RoutineComparison<RedistributionPrediction>> for Compared {
    fn from(one: &RoutineComparison<RedistributionPrediction>) -> Self {
        let RedistributionPrediction { kind, seconds, interval, .. } = one.predicted;
        let (readings, measured, error) = (one.readings, one.measured, one.error);
        Self { kind, readings, measured, predicted: seconds, interval, error }
    }
}

/// The mean of the absolute errors of each kind of model.
fn note(all: &[RoutineComparison<RedistributionPrediction>]) -> String {
    let kinds: BTreeSet<_> = all.iter().map(|one| one.predicted.kind).collect();
    let mean_of = |kind: &ModelKind| {
        mean(all.iter().filter(|one| one.predicted.kind == *kind).map(|one| one.error.abs()))
    };
    let means: Vec<String> = kinds
        .iter()
        .filter_map(|kind| Some(format!("{} {}", kind.name(), percent(mean_of(kind)?))))
        .collect();
    format!(
        "Errors are (predicted − measured) / measured; means of absolute errors: {}.",
        means.join(", ")
    )
}

/// Adds the columns of a call.
fn add_call<'a, R>(columns: &mut Columns<'a, R>, call: impl Fn(&'a R) -> &'a RedistributionCall) {
    columns.text("routine", |row| call(row).to_string());
    columns.text("grid", |row| call(row).from().to_string());
    columns.number("block", |row| call(row).from().block);
    columns.text("to", |row| call(row).to().to_string());
    columns.number("to_block", |row| call(row).to().block).titled("to block").drop_first(4);
    columns.number("m", |row| call(row).dimensions()[0]).drop_first(5);
    columns.number("n", |row| call(row).dimensions()[1]);
}
