//! Tables of predicted times of parallel routines.

use std::collections::BTreeMap;

use super::alarms::record;
use super::format::{percent_cell, seconds, signed_percent};
use super::table::{Cell, Column, Table};
use orrery::grid::{ChosenGrids, PlanKind, Plans};
use orrery::model::{
    GridRegret, RoutineAlarm, RoutineComparison, RoutinePart, RoutinePrediction, RoutineShare,
};
use orrery::platform::Processor;
use orrery::routine::RoutineCall;
use orrery::units::Seconds;

/// The table of predicted calls of parallel routines.
///
/// Keys: routine, variant, grid, block, m, n, k, model, seconds, low, high (null if the model has
/// no intervals), computing (the part of the time), operations_per_second, memory (of the largest
/// operands of a process \[B\]), alarms (with a line for each below the table).
pub fn routine_predictions(all: &[RoutinePrediction]) -> Table {
    let table = Table::new("predictions", "", columns());
    filled(table, all, String::new())
}

/// The table of what predicted times of routines consist of along the critical path.
///
/// Keys: routine, variant, grid, block, m, n, k, model, part (kernel or messages), term (the kernel
/// with its variant, or the parameter of the communication), seconds, share, mean (over the
/// processes, of kernels \\[s\\]).
pub fn routine_critical_path(all: &[(RoutinePrediction, Vec<RoutineShare>)]) -> Table {
    let mut columns = call_columns().to_vec();
    columns.extend([
        Column::text("model").drop_priority(2),
        Column::text("part"),
        Column::text("term"),
        Column::number("seconds").with_title("time"),
        Column::number("share"),
        Column::number("mean").drop_priority(1),
    ]);
    let title = "Terms of the predicted time along the critical path";
    let mut table = Table::new("critical_path", title, columns).with_note(
        "The path has no waiting: it continues at the process that is waited for. mean is that of \
            the time in the kernel over the \
         processes; in the rest of the time they send, receive and wait.",
    );
    for (prediction, share) in
        all.iter().flat_map(|(one, shares)| shares.iter().map(move |share| (one, share)))
    {
        let (part, term) = match share.part {
            RoutinePart::Kernel(kernel, variant) => {
                ("kernel", format!("{kernel} {variant}").trim_end().to_owned())
            }
            RoutinePart::Messages(parameter) => ("messages", parameter.to_owned()),
            RoutinePart::Flows => ("messages", "flows".to_owned()),
        };
        let mut cells = call_cells(&prediction.call);
        cells.extend([Cell::text(prediction.kind.name()), Cell::text(part), Cell::text(term)]);
        cells.push(seconds(share.seconds.get()));
        cells.push(percent_cell(share.seconds.get() / prediction.seconds.get()));
        cells.push(share.mean.map_or(Cell::Null, |mean| seconds(mean.get())));
        table.push(cells);
    }
    table.hide_empty_columns()
}

/// The table of the best grids of a routine, the fastest first.
///
/// Keys: as [`routine_predictions`], and difference (from the fastest, relative) and distinct
/// (false if the intervals of both overlap).
pub fn chosen_grids(chosen: &ChosenGrids) -> Table {
    let columns = columns()
        .into_iter()
        .chain([Column::number("difference"), Column::text("distinct").drop_priority(2)]);
    let rejected = match chosen.rejected {
        0 => String::new(),
        1 => " 1 more exceeds the memory.".to_owned(),
        rejected => format!(" {rejected} more exceed the memory."),
    };
    let note = format!(
        "The fastest of {} grids and blocks by closed forms, predicted by their \
            programs.{rejected} distinct: the interval does not overlap \
         with that of the fastest.{}",
        chosen.candidates,
        order(&chosen.processors)
    );
    let table = Table::new("grids", "", columns);
    filled(table, &chosen.best, note)
}

/// The words about processors that are not taken in their own order.
fn order(processors: &[Processor]) -> String {
    if processors.is_sorted() {
        return String::new();
    }
    let all: Vec<String> = processors.iter().map(Processor::to_string).collect();
    format!("\nGrids take the processors that are fastest now first: {}", all.join(", "))
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
        cells.extend(
            dimensions
                .map(|(value, exists)| if exists { Cell::integer(value) } else { Cell::Null }),
        );
        cells.push(Cell::text(one.kind.name()));
        cells.extend([seconds(one.seconds.get()), end(|both| both.0), end(|both| both.1)]);
        cells.push(percent_cell(one.computing.get() / one.seconds.get()));
        cells.push(Cell::number(rate, format!("{:.2} G/s", rate / 1e9)));
        cells.push(Cell::size(one.space));
        cells.push(alarm_cell(&one.alarms, &mut lines));
        if let Some(fastest) = fastest {
            cells.push(percent_cell(one.seconds.get() / fastest.seconds.get() - 1.0));
            let distinct =
                one.interval.zip(fastest.interval).map(|(one, fastest)| one.0 > fastest.1);
            cells.push(distinct.map_or(Cell::Null, Cell::Flag));
        }
        cells.truncate(table.columns().len());
        table.push(cells);
    }
    let note = std::iter::once(note).filter(|note| !note.is_empty()).chain(lines);
    table.with_note(note.collect::<Vec<_>>().join("\n")).hide_empty_columns()
}

/// The table of plans for a product of operands on different grids, the fastest first.
///
/// Keys: plan (first, second, all), grid, processes, model, seconds, low, high, redistribution and
/// product (the parts of the time \\[s\\]), volume (bytes in messages of redistributions), memory
/// (of the largest operands of a process), alarms.
pub fn plans(all: &Plans) -> Table {
    let columns = [
        Column::text("plan"),
        Column::text("grid"),
        Column::number("processes"),
        Column::text("model").drop_priority(3),
        Column::number("seconds").with_title("time"),
        Column::number("low").drop_priority(2),
        Column::number("high").drop_priority(2),
        Column::number("redistribution"),
        Column::number("product"),
        Column::number("volume"),
        Column::number("memory").drop_priority(2),
        Column::text("alarms").drop_priority(1),
    ];
    let rejected = match all.rejected {
        0 => String::new(),
        1 => " 1 plan exceeds the memory.".to_owned(),
        rejected => format!(" {rejected} plans exceed the memory."),
    };
    let note = format!(
        "On the grid of the first or of the second operand, or on a grid of all processors. \
            Redistributions are those of pdgemr2d, one \
         after the other.{rejected}"
    );
    let mut lines = vec![note];
    let mut table = Table::new("plans", "", columns);
    for plan in &all.plans {
        let call = &plan.product.call;
        let ends = plan.interval.map(|(low, high)| [low, high].map(|end| seconds(end.get())));
        let name = match plan.kind {
            PlanKind::OnFirst => "first",
            PlanKind::OnSecond => "second",
            PlanKind::OnAll => "all",
        };
        let mut cells = vec![Cell::text(name), Cell::text(call.grid().to_string())];
        cells
            .extend([Cell::integer(call.grid().processes()), Cell::text(plan.product.kind.name())]);
        cells.push(seconds(plan.seconds().get()));
        cells.extend(ends.unwrap_or([Cell::Null, Cell::Null]));
        cells.extend([seconds(plan.redistribution.get()), seconds(plan.product.seconds.get())]);
        cells.extend([Cell::size(plan.volume), Cell::size(plan.product.space)]);
        cells.push(alarm_cell(&plan.product.alarms, &mut lines));
        table.push(cells);
    }
    table.with_note(lines.join("\n")).hide_empty_columns()
}

/// The columns and the cells of a call.
fn call_columns() -> [Column; 7] {
    [
        Column::text("routine"),
        Column::text("variant").drop_priority(4),
        Column::text("grid"),
        Column::number("block").drop_priority(3),
        Column::number("m").drop_priority(5),
        Column::number("n"),
        Column::number("k").drop_priority(5),
    ]
}

fn call_cells(call: &RoutineCall) -> Vec<Cell> {
    let mut cells = vec![
        Cell::text(call.routine().to_string()),
        Cell::text(call.variant()),
        Cell::text(call.grid().to_string()),
        Cell::integer(call.grid().block),
    ];
    let dimensions = call.dimensions().into_iter().zip(call.routine().kind.dimensions());
    cells.extend(
        dimensions.map(|(value, exists)| if exists { Cell::integer(value) } else { Cell::Null }),
    );
    cells
}

/// The table of measured and predicted times of parallel routines.
///
/// Keys: routine, variant, grid, block, m, n, k, model, readings, measured (median) and predicted
/// \\[s\\], low, high, error (relative to the measured time), inside (true if the measured time is
/// in the interval).
pub fn routine_validation(all: &[RoutineComparison]) -> Table {
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
    let mut table = Table::new("routines", "Measured and predicted times of routines", columns)
        .with_note("Errors are (predicted − measured) / measured.");
    for one in all {
        let predicted = &one.predicted;
        let ends = predicted.interval.map(|(low, high)| [low, high].map(|end| seconds(end.get())));
        let mut cells = call_cells(&predicted.call);
        cells.extend([Cell::text(predicted.kind.name()), Cell::integer(one.readings as u64)]);
        cells.extend([seconds(one.measured.get()), seconds(predicted.seconds.get())]);
        cells.extend(ends.unwrap_or([Cell::Null, Cell::Null]));
        cells.push(Cell::number(one.error, signed_percent(one.error)));
        let inside =
            predicted.interval.map(|(low, high)| low <= one.measured && one.measured <= high);
        cells.push(inside.map_or(Cell::Null, Cell::Flag));
        table.push(cells);
    }
    table.hide_empty_columns()
}

/// The table of mean errors by kind of model and routine.
///
/// Keys: model, routine, calls, mean (of absolute errors), bias (mean error), largest, inside (the
/// part of calls in their intervals).
pub fn routine_errors(all: &[RoutineComparison]) -> Table {
    let columns = [
        Column::text("model"),
        Column::text("routine"),
        Column::number("calls"),
        Column::number("mean"),
        Column::number("bias"),
        Column::number("largest"),
        Column::number("inside"),
    ];
    let mut table = Table::new("errors", "Mean errors", columns).with_note(
        "The mean is that of absolute errors; inside is the part of calls whose measured time is \
            in the interval.",
    );
    let mut groups: BTreeMap<_, Vec<&RoutineComparison>> = BTreeMap::new();
    for one in all {
        groups.entry((one.predicted.kind, one.predicted.call.routine())).or_default().push(one);
    }
    for ((kind, routine), of) in groups {
        let count = of.len() as f64;
        let sum =
            |value: fn(f64) -> f64| of.iter().map(|one| value(one.error)).sum::<f64>() / count;
        let largest = of
            .iter()
            .map(|one| one.error)
            .max_by(|a, b| a.abs().total_cmp(&b.abs()))
            .unwrap_or(0.0);
        let known = of
            .iter()
            .filter_map(|one| Some((one.measured, one.predicted.interval?)))
            .collect::<Vec<_>>();
        let inside = known
            .iter()
            .filter(|(measured, (low, high))| low <= measured && measured <= high)
            .count();
        let signed = |value: f64| Cell::number(value, signed_percent(value));
        table.push([
            Cell::text(kind.name()),
            Cell::text(routine.to_string()),
            Cell::integer(of.len() as u64),
            percent_cell(sum(f64::abs)),
            signed(sum(|error| error)),
            signed(largest),
            if known.is_empty() {
                Cell::Null
            } else {
                percent_cell(inside as f64 / known.len() as f64)
            },
        ]);
    }
    table
}

/// The table of the grids that would have been chosen.
///
/// Keys: routine, variant, m, n, k, model, grids, chosen and best (grid and block), time of the
/// chosen and of the best one \\[s\\], regret.
pub fn grid_regrets(all: &[GridRegret]) -> Table {
    let columns = [
        Column::text("routine"),
        Column::text("variant").drop_priority(3),
        Column::number("n"),
        Column::text("model"),
        Column::number("grids"),
        Column::text("chosen"),
        Column::text("best"),
        Column::number("chosen_seconds").with_title("time of chosen"),
        Column::number("best_seconds").with_title("time of best"),
        Column::number("regret"),
    ];
    let mut table = Table::new("regrets", "Chosen grids", columns).with_note(
        "The regret is the measured time on the chosen grid over that on the best \
            measured one, less 1.",
    );
    for one in all {
        let call = &one.chosen.predicted.call;
        let grid = |of: &RoutineComparison| {
            let grid = of.predicted.call.grid();
            Cell::Text(format!("{grid} by {}", grid.block))
        };
        table.push([
            Cell::text(call.routine().to_string()),
            Cell::text(call.variant()),
            Cell::integer(call.dimensions()[1]),
            Cell::text(one.chosen.predicted.kind.name()),
            Cell::integer(one.grids as u64),
            grid(&one.chosen),
            grid(&one.best),
            seconds(one.chosen.measured.get()),
            seconds(one.best.measured.get()),
            percent_cell(one.regret()),
        ]);
    }
    table
}

/// The cell with alarms, whose lines are added to those below the table.
pub(super) fn alarm_cell(alarms: &[RoutineAlarm], lines: &mut Vec<String>) -> Cell {
    let of = |alarm: &RoutineAlarm| {
        let (name, message, settle) = (alarm.name(), alarm.message(), settled_by(alarm));
        let line = format!("{name}: {message}: {settle}");
        if !lines.contains(&line) {
            lines.push(line);
        }
        record(name, message, settle)
    };
    Cell::List(alarms.iter().map(of).collect())
}

/// What settles an alarm: a command, or a change.
fn settled_by(alarm: &RoutineAlarm) -> String {
    match alarm {
        RoutineAlarm::Dimension {
            kernel,
            values: [low, high],
            measured: [smallest, largest],
            ..
        } => {
            let (low, high) = (low.min(smallest), high.max(largest));
            format!("orrery measure kernels --routines {kernel} --dimensions {low}..{high}")
        }
        RoutineAlarm::Estimate { call } => {
            let (routine, grid, [m, n, k]) = (call.routine(), call.grid(), call.dimensions());
            format!(
                "orrery predict {routine} MODEL --m {m} --n {n} --k {k} --grid {grid} \
                    --block {}",
                grid.block
            )
        }
        RoutineAlarm::Handshakes => "orrery measure overheads".to_owned(),
        RoutineAlarm::Size { size, .. } => format!("orrery measure comm --sizes {size}"),
        RoutineAlarm::Host { host, .. } => format!("orrery measure kernels on {host}"),
        RoutineAlarm::Kernel { kernel, .. } => {
            format!("orrery measure kernels --routines {kernel}")
        }
        RoutineAlarm::Approximation { routine, .. } => {
            format!("time it with orrery-scalapack --routines {routine}, and orrery validate")
        }
        RoutineAlarm::Memory(_) => "take more processes, or fewer on each host".to_owned(),
        RoutineAlarm::Load { .. } => {
            "orrery measure comm and orrery measure kernels while the other programs run".to_owned()
        }
        RoutineAlarm::Variant { kernel, variant, .. } => {
            format!("orrery measure kernels --routines {kernel} --variants {variant}")
        }
    }
}

/// One line for each alarm of a routine, with what settles it.
pub fn routine_alarm_lines(alarms: &[RoutineAlarm]) -> Vec<String> {
    let mut lines = Vec::new();
    alarm_cell(alarms, &mut lines);
    lines
}
