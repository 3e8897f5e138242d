//! Tables of predicted times of redistributions.

use super::format::{percent, seconds, signed_percent};
use super::routines::alarm_cell;
use super::table::{Cell, Column, Table};
use orrery::model::{RedistributionPrediction, RoutineComparison};
use orrery::routine::RedistributionCall;
use orrery::units::Seconds;

/// The table of predicted redistributions.
///
/// Keys: routine, grid, block, to, to_block (the grid after), m, n, model, seconds, low, high (null
/// if the model has no intervals), volume (bytes of all messages), memory (of the matrix before and
/// after at a process \[B\]), alarms (with a line for each below the table).
pub fn redistribution_predictions(all: &[RedistributionPrediction]) -> Table {
    let columns = call_columns().into_iter().chain([
        Column::text("model").drop_priority(3),
        Column::number("seconds").with_title("time"),
        Column::number("low").drop_priority(2),
        Column::number("high").drop_priority(2),
        Column::number("volume"),
        Column::number("memory").drop_priority(3),
        Column::text("alarms").drop_priority(1),
    ]);
    let mut table = Table::new("predictions", "", columns);
    let mut lines = Vec::new();
    for one in all {
        let mut cells = call_cells(&one.call);
        cells.push(Cell::text(one.kind.name()));
        cells.push(seconds(one.seconds.get()));
        cells.extend(ends(one.interval));
        cells.extend([Cell::size(one.volume), Cell::size(one.space)]);
        cells.push(alarm_cell(&one.alarms, &mut lines));
        table.push(cells);
    }
    table.with_note(lines.join("\n")).hide_empty_columns()
}

/// The table of measured and predicted times of redistributions, with a line of mean errors for
/// each kind of model below.
///
/// Keys: routine, grid, block, to, to_block, m, n, model, readings, measured (median) and predicted
/// \[s\], low, high, error (relative to the measured time), inside (true if the measured time is in
/// the interval).
pub fn redistribution_validation(all: &[RoutineComparison<RedistributionPrediction>]) -> Table {
    let columns = call_columns().into_iter().chain([
        Column::text("model"),
        Column::number("readings").drop_priority(4),
        Column::number("measured"),
        Column::number("predicted"),
        Column::number("low").drop_priority(2),
        Column::number("high").drop_priority(2),
        Column::number("error"),
        Column::text("inside").drop_priority(1),
    ]);
    let mut table =
        Table::new("redistributions", "Measured and predicted times of redistributions", columns)
            .with_note(note(all));
    for one in all {
        let predicted = &one.predicted;
        let mut cells = call_cells(&predicted.call);
        cells.extend([Cell::text(predicted.kind.name()), Cell::integer(one.readings as u64)]);
        cells.extend([seconds(one.measured.get()), seconds(predicted.seconds.get())]);
        cells.extend(ends(predicted.interval));
        cells.push(Cell::number(one.error, signed_percent(one.error)));
        let inside =
            predicted.interval.map(|(low, high)| low <= one.measured && one.measured <= high);
        cells.push(inside.map_or(Cell::Null, Cell::Flag));
        table.push(cells);
    }
    table.hide_empty_columns()
}

/// The mean of the absolute errors of each kind of model.
fn note(all: &[RoutineComparison<RedistributionPrediction>]) -> String {
    let mut kinds: Vec<_> = all.iter().map(|one| one.predicted.kind).collect();
    kinds.sort_unstable();
    kinds.dedup();
    let mean = |kind| {
        let of: Vec<f64> = all
            .iter()
            .filter(|one| one.predicted.kind == kind)
            .map(|one| one.error.abs())
            .collect();
        of.iter().sum::<f64>() / of.len() as f64
    };
    let means = kinds.iter().map(|kind| format!("{} {}", kind.name(), percent(mean(*kind))));
    let means: Vec<String> = means.collect();
    format!(
        "Errors are (predicted − measured) / measured; means of absolute errors: {}.",
        means.join(", ")
    )
}

/// The ends of an interval.
fn ends(interval: Option<(Seconds, Seconds)>) -> [Cell; 2] {
    interval
        .map_or([Cell::Null, Cell::Null], |(low, high)| [low, high].map(|end| seconds(end.get())))
}

/// The columns and the cells of a call.
fn call_columns() -> [Column; 7] {
    [
        Column::text("routine"),
        Column::text("grid"),
        Column::number("block"),
        Column::text("to"),
        Column::number("to_block").with_title("to block").drop_priority(4),
        Column::number("m").drop_priority(5),
        Column::number("n"),
    ]
}

fn call_cells(call: &RedistributionCall) -> Vec<Cell> {
    let ([m, n], from, to) = (call.dimensions(), call.from(), call.to());
    vec![
        Cell::text(call.to_string()),
        Cell::text(from.to_string()),
        Cell::integer(from.block),
        Cell::text(to.to_string()),
        Cell::integer(to.block),
        Cell::integer(m),
        Cell::integer(n),
    ]
}
