//! Tables of predicted times of parallel routines.

use super::format::{percent_cell, seconds};
use super::table::{Cell, Column, Table};
use orrery::routine::{ChosenGrids, RoutineAlarm, RoutinePrediction};
use orrery::units::Seconds;

/// The table of predicted calls of parallel routines.
///
/// Keys: routine, variant, grid, block, m, n, k, model, seconds, low, high (null if the model has no intervals), computing (the part of
/// the time), operations_per_second, memory (of the largest operands of a process \[B\]), alarms (with a line for each below the table).
pub fn routine_predictions(all: &[RoutinePrediction]) -> Table {
    let table = Table::new("predictions", "", columns());
    filled(table, all, String::new())
}

/// The table of the best grids of a routine, the fastest first.
///
/// Keys: as [`routine_predictions`], and difference (from the fastest, relative) and distinct (false if the intervals of both overlap).
pub fn chosen_grids(chosen: &ChosenGrids) -> Table {
    let columns =
        columns().into_iter().chain([Column::number("difference"), Column::text("distinct").drop_priority(2)]);
    let rejected = match chosen.rejected {
        0 => String::new(),
        rejected => format!(" {rejected} more exceed the memory of a process."),
    };
    let note = format!(
        "The fastest of {} grids and blocks by closed forms, predicted by their programs.{rejected} distinct: the interval does not overlap \
         with that of the fastest.",
        chosen.candidates
    );
    let table = Table::new("grids", "", columns);
    filled(table, &chosen.best, note)
}

fn columns() -> Vec<Column> {
    vec![
        Column::text("routine"),
        Column::text("variant").drop_priority(4),
        Column::text("grid"),
        Column::number("block"),
        Column::number("m").drop_priority(5),
        Column::number("n").drop_priority(5),
        Column::number("k").drop_priority(5),
        Column::text("model").drop_priority(3),
        Column::number("seconds").with_title("time"),
        Column::number("low").drop_priority(2),
        Column::number("high").drop_priority(2),
        Column::number("computing").drop_priority(3),
        Column::number("operations_per_second").with_title("rate").drop_priority(2),
        Column::number("memory").drop_priority(3),
        Column::text("alarms").drop_priority(1),
    ]
}

/// Adds the rows and the lines of alarms to a table.
fn filled(mut table: Table, all: &[RoutinePrediction], note: String) -> Table {
    let mut lines: Vec<String> = Vec::new();
    let fastest = all.first();
    for one in all {
        let call = &one.call;
        let end = |pick: fn(&(Seconds, Seconds)) -> Seconds| {
            one.interval.as_ref().map_or(Cell::Null, |interval| seconds(pick(interval).get()))
        };
        let dimensions = call.dimensions().into_iter().zip(call.routine().kind.dimensions());
        let rate = call.operations() / one.seconds.get();
        let mut cells = vec![
            Cell::text(call.routine().to_string()),
            Cell::text(call.variant()),
            Cell::text(call.grid().to_string()),
            Cell::integer(call.grid().block),
        ];
        cells.extend(dimensions.map(|(value, exists)| if exists { Cell::integer(value) } else { Cell::Null }));
        cells.push(Cell::text(one.kind.name()));
        cells.extend([seconds(one.seconds.get()), end(|both| both.0), end(|both| both.1)]);
        cells.push(percent_cell(one.computing.get() / one.seconds.get()));
        cells.push(Cell::number(rate, format!("{:.2} G/s", rate / 1e9)));
        cells.push(Cell::size(one.space));
        let alarm = |alarm: &RoutineAlarm| {
            let (name, message, settle) = described(alarm);
            let line = format!("{name}: {message}: {settle}");
            if !lines.contains(&line) {
                lines.push(line);
            }
            let fields = [("alarm", name.to_owned()), ("message", message), ("settle", settle)];
            let fields = fields.map(|(key, text)| (key, Cell::text(text))).to_vec();
            Cell::Record { fields, display: name.to_owned() }
        };
        cells.push(Cell::List(one.alarms.iter().map(alarm).collect()));
        if let Some(fastest) = fastest {
            cells.push(percent_cell(one.seconds.get() / fastest.seconds.get() - 1.0));
            let distinct = one.interval.zip(fastest.interval).map(|(one, fastest)| one.0 > fastest.1);
            cells.push(distinct.map_or(Cell::Null, Cell::Flag));
        }
        cells.truncate(table.columns().len());
        table.push(cells);
    }
    let note = std::iter::once(note).filter(|note| !note.is_empty()).chain(lines);
    table.with_note(note.collect::<Vec<_>>().join("\n")).hide_empty_columns()
}

/// The keyword and the message of an alarm, and the command that settles it.
fn described(alarm: &RoutineAlarm) -> (&'static str, String, String) {
    match alarm {
        RoutineAlarm::Dimension { kernel, name, values: [low, high], measured: [smallest, largest] } => {
            let values = if low == high { low.to_string() } else { format!("{low} to {high}") };
            let message = format!("{name} = {values} of {kernel} is outside the measured {smallest} to {largest}");
            let (low, high) = (low.min(smallest), high.max(largest));
            ("dimension", message, format!("orrery measure kernels --routines {kernel} --dimensions {low}..{high}"))
        }
        RoutineAlarm::Variant { kernel, variant, measured } => {
            let message = format!("{kernel} {variant} was not measured, {measured} stands for it");
            ("variant", message, format!("orrery measure kernels --routines {kernel} --variants {variant}"))
        }
    }
}
