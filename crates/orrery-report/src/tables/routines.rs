//! Tables of predicted times of parallel routines and of redistributions.

use std::collections::{BTreeMap, BTreeSet};

use orrery::grid::{ChosenGrids, Plan, PlanKind, Plans};
use orrery::model::{
    GridRegret, ModelKind, RedistributionPrediction, RoutineAlarm, RoutineComparison, RoutinePart,
    RoutinePrediction, RoutineShare,
};
use orrery::platform::Processor;
use orrery::routine::{RedistributionCall, RoutineCall};
use orrery::units::Seconds;

use super::alarms::{ShownAlarm, settled_load};
use super::columns::Columns;
use super::format::{error_cell, mean, operations_cell, percent, percent_cell};
use super::table::{Cell, Table};

/// The table of predicted calls of parallel routines.
///
/// Keys: routine, variant, grid, block, m, n, k, model, seconds, low, high (null if the model has
/// no intervals), computing (the part of the time), operations_per_second, memory (of the largest
/// operands of a process \[B\]), alarms (with a line for each below the table).
pub fn routine_predictions(all: &[RoutinePrediction]) -> Table {
    let mut lines = Vec::new();
    predicted(all, &mut lines)
        .table("predictions", "")
        .with_note(lines.join("\n"))
        .hide_empty_columns()
}

/// The table of what predicted times of routines consist of along the critical path.
///
/// Keys: routine, variant, grid, block, m, n, k, model, part (kernel or messages), term (the kernel
/// with its variant, or the parameter of the communication), seconds, share, mean (over the
/// processes, of kernels \[s\]).
pub fn routine_critical_path(all: &[(RoutinePrediction, Vec<RoutineShare>)]) -> Table {
    let rows: Vec<_> =
        all.iter().flat_map(|(one, shares)| shares.iter().map(move |share| (one, share))).collect();
    let mut columns = Columns::of(&rows);
    add_call(&mut columns, [3, 5, 0, 5], |(one, _)| &one.call);
    columns.text("model", |(one, _)| one.kind.name()).drop_first(2);
    columns.text("part", |(_, share)| match share.part {
        RoutinePart::Kernel(..) => "kernel",
        RoutinePart::Messages(_) | RoutinePart::Flows => "messages",
    });
    columns.text("term", |(_, share)| match share.part {
        RoutinePart::Kernel(kernel, variant) => format!("{kernel} {variant}").trim_end().to_owned(),
        RoutinePart::Messages(parameter) => parameter.to_owned(),
        RoutinePart::Flows => "flows".to_owned(),
    });
    columns.number("seconds", |(_, share)| share.seconds).titled("time");
    let part =
        |share: &RoutineShare, one: &RoutinePrediction| share.seconds.get() / one.seconds.get();
    columns.number("share", |(one, share)| percent_cell(part(share, one)));
    columns.number("mean", |(_, share)| share.mean).drop_first(1);
    let table =
        columns.table("critical_path", "Terms of the predicted time along the critical path");
    let note = "The path has no waiting: it continues at the process that is waited for. mean is \
        that of the time in the kernel over the processes; in the rest of the time they send, \
        receive and wait.";
    table.with_note(note).hide_empty_columns()
}

/// The table of the best grids of a routine, the fastest first.
///
/// Keys: as [`routine_predictions`], and processors (of the processes, row by row of the grid),
/// difference (from the fastest, relative) and distinct (false if the intervals of both overlap).
pub fn chosen_grids(chosen: &ChosenGrids) -> Table {
    let note = format!(
        "The fastest of {} grids and blocks by closed forms, predicted by their programs.{} \
            distinct: the interval does not overlap with that of the fastest.",
        chosen.candidates,
        rejected(chosen.rejected, "more", "more"),
    );
    let mut lines = vec![note];
    let mut columns = predicted(&chosen.best, &mut lines);
    let placed = |one: &RoutinePrediction| chosen.placed(one.call.grid());
    let list = |one: &RoutinePrediction| {
        Cell::List(placed(one).iter().map(|processor| Cell::from(*processor)).collect())
    };
    columns.text("processors", list).for_programs();
    columns.text("processors", |one| ranges(placed(one))).for_people();
    if let Some(fastest) = chosen.best.first() {
        let least = fastest.seconds.get();
        columns.number("difference", |one| percent_cell(one.seconds.get() / least - 1.0));
        let distinct = |one: &RoutinePrediction| {
            one.interval.zip(fastest.interval).map(|(one, fastest)| one.0 > fastest.1)
        };
        columns.text("distinct", distinct).drop_first(2);
    }
    columns.table("grids", "").with_note(lines.join("\n")).hide_empty_columns()
}

/// The sentence on what does not fit into the memory; empty if all does.
fn rejected(count: usize, one: &str, several: &str) -> String {
    match count {
        0 => String::new(),
        1 => format!(" 1 {one} exceeds the memory."),
        count => format!(" {count} {several} exceed the memory."),
    }
}

/// Processors in their order, runs of successive ones as ranges: `2,3,0` or `0..63`.
fn ranges(processors: &[Processor]) -> String {
    let mut runs: Vec<(u32, u32)> = Vec::new();
    for processor in processors {
        match runs.last_mut() {
            Some((_, last)) if *last + 1 == processor.0 => *last = processor.0,
            _ => runs.push((processor.0, processor.0)),
        }
    }
    let run = |(first, last): (u32, u32)| match last - first {
        0 => first.to_string(),
        1 => format!("{first},{last}"),
        _ => format!("{first}..{last}"),
    };
    runs.into_iter().map(run).collect::<Vec<_>>().join(",")
}

/// The columns of predictions; the lines of alarms are added to those below the table.
fn predicted<'a>(
    all: &'a [RoutinePrediction],
    lines: &mut Vec<String>,
) -> Columns<'a, RoutinePrediction> {
    let mut columns = Columns::of(all);
    add_call(&mut columns, [0, 5, 5, 5], |one| &one.call);
    columns.text("model", |one| one.kind.name()).drop_first(3);
    columns.number("seconds", |one| one.seconds).titled("time");
    columns.ends(["low", "high"], 2, |one| one.interval);
    let computing = |one: &RoutinePrediction| percent_cell(one.computing.get() / one.seconds.get());
    columns.number("computing", computing).drop_first(3);
    let rate = |one: &RoutinePrediction| operations_cell(one.call.operations() / one.seconds.get());
    columns.number("operations_per_second", rate).titled("rate").drop_first(2);
    columns.number("memory", |one| one.space).drop_first(3);
    columns.text("alarms", |one| alarm_cell(&one.alarms, lines)).drop_first(1);
    columns
}

/// The table of plans for a product of operands on different grids, the fastest first.
///
/// Keys: plan (first, second, all), grid, processes, model, seconds, low, high, redistribution and
/// product (the parts of the time \[s\]), volume (bytes in messages of redistributions), memory
/// (of the largest operands of a process), alarms.
pub fn plans(all: &Plans) -> Table {
    let note = format!(
        "On the grid of the first or of the second operand, or on a grid of all processors. \
            Redistributions are those of pdgemr2d, one after the other.{}",
        rejected(all.rejected, "plan", "plans")
    );
    let mut lines = vec![note];
    let mut columns = Columns::of(&all.plans);
    columns.text("plan", |plan| match plan.kind {
        PlanKind::OnFirst => "first",
        PlanKind::OnSecond => "second",
        PlanKind::OnAll => "all",
    });
    columns.text("grid", |plan| plan.product.call.grid().to_string());
    columns.number("processes", |plan| plan.product.call.grid().processes());
    columns.text("model", |plan| plan.product.kind.name()).drop_first(3);
    columns.number("seconds", Plan::seconds).titled("time");
    columns.ends(["low", "high"], 2, |plan| plan.interval);
    columns.number("redistribution", |plan| plan.redistribution);
    columns.number("product", |plan| plan.product.seconds);
    columns.number("volume", |plan| plan.volume);
    columns.number("memory", |plan| plan.product.space).drop_first(2);
    let alarms = |plan: &Plan| alarm_cell(&plan.product.alarms, &mut lines);
    columns.text("alarms", alarms).drop_first(1);
    columns.table("plans", "").with_note(lines.join("\n")).hide_empty_columns()
}

/// Adds the columns of a call; of narrow tables, those of block, m, n and k with the highest
/// priorities are left out first.
fn add_call<'a, R>(
    columns: &mut Columns<'a, R>,
    [block, m, n, k]: [u8; 4],
    call: impl Fn(&'a R) -> &'a RoutineCall + Copy,
) {
    columns.text("routine", |row| call(row).routine().to_string());
    columns.text("variant", |row| call(row).variant()).drop_first(4);
    columns.text("grid", |row| call(row).grid().to_string());
    columns.number("block", |row| call(row).grid().block).drop_first(block);
    let dimensions = |row| {
        let call = call(row);
        (call.dimensions(), call.routine().kind.dimensions())
    };
    columns.dimensions([m, n, k], dimensions);
}

/// The model, the time and its interval of a prediction.
pub(super) type Predicted = (ModelKind, Seconds, Option<(Seconds, Seconds)>);

/// Adds the columns of measured times and their predictions.
pub(super) fn add_compared<P>(
    columns: &mut Columns<'_, RoutineComparison<P>>,
    of: fn(&P) -> Predicted,
) {
    columns.text("model", |row| of(&row.predicted).0.name());
    columns.number("readings", |row| row.readings).drop_first(4);
    columns.number("measured", |row| row.measured);
    columns.number("predicted", |row| of(&row.predicted).1);
    columns.ends(["low", "high"], 2, |row| of(&row.predicted).2);
    columns.number("error", |row| error_cell(row.error));
    columns.text("inside", |row| is_inside(row.measured, of(&row.predicted).2)).drop_first(1);
}

/// True if a measured time is in an interval; `None` without one.
fn is_inside(measured: Seconds, interval: Option<(Seconds, Seconds)>) -> Option<bool> {
    interval.map(|(low, high)| low <= measured && measured <= high)
}

/// The table of measured and predicted times of parallel routines.
///
/// Keys: routine, variant, grid, block, m, n, k, model, readings, measured (median) and predicted
/// \[s\], low, high, error (relative to the measured time), inside (true if the measured time is
/// in the interval).
pub fn routine_validation(all: &[RoutineComparison]) -> Table {
    let mut columns = Columns::of(all);
    add_call(&mut columns, [3, 5, 0, 5], |one| &one.predicted.call);
    add_compared(&mut columns, |one| (one.kind, one.seconds, one.interval));
    let table = columns.table("routines", "Measured and predicted times of routines");
    table.with_note("Errors are (predicted − measured) / measured.").hide_empty_columns()
}

/// The table of mean errors by kind of model and routine.
///
/// Keys: model, routine, calls, mean (of absolute errors), bias (mean error), largest, inside (the
/// part of calls in their intervals).
pub fn routine_errors(all: &[RoutineComparison]) -> Table {
    let mut groups: BTreeMap<_, Vec<&RoutineComparison>> = BTreeMap::new();
    for one in all {
        let key = (one.predicted.kind, one.predicted.call.routine());
        groups.entry(key).or_default().push(one);
    }
    let rows: Vec<_> = groups.into_iter().collect();
    let errors =
        |of: &'_ [&RoutineComparison]| of.iter().map(|one| one.error).collect::<Vec<f64>>();
    let mut columns = Columns::of(&rows);
    columns.text("model", |((kind, _), _)| kind.name());
    columns.text("routine", |((_, routine), _)| routine.to_string());
    columns.number("calls", |(_, of)| of.len());
    let absolute = |of: &[&RoutineComparison]| mean(errors(of).into_iter().map(f64::abs));
    columns.number("mean", |(_, of)| absolute(of).map(percent_cell));
    columns.number("bias", |(_, of)| mean(errors(of)).map(error_cell));
    let largest = |of: &[&RoutineComparison]| {
        errors(of).into_iter().max_by(|a, b| a.abs().total_cmp(&b.abs()))
    };
    columns.number("largest", |(_, of)| largest(of).map(error_cell));
    let inside = |of: &[&RoutineComparison]| {
        let inside = of.iter().filter_map(|one| is_inside(one.measured, one.predicted.interval));
        mean(inside.map(|is_inside| f64::from(u8::from(is_inside))))
    };
    columns.number("inside", |(_, of)| inside(of).map(percent_cell));
    columns.table("errors", "Mean errors").with_note(
        "The mean is that of absolute errors; inside is the part of calls whose measured time is \
            in the interval.",
    )
}

/// The table of the grids that would have been chosen.
///
/// Keys: routine, variant, m, n, k, model, grids, chosen and best (grid and block), time of the
/// chosen and of the best one \[s\], regret.
pub fn grid_regrets(all: &[GridRegret]) -> Table {
    let call = |one: &GridRegret| one.chosen.predicted.call;
    let grid = |of: &RoutineComparison| {
        let grid = of.predicted.call.grid();
        format!("{grid} by {}", grid.block)
    };
    let mut columns = Columns::of(all);
    columns.text("routine", |one| call(one).routine().to_string());
    columns.text("variant", |one| call(one).variant()).drop_first(3);
    columns.number("n", |one| call(one).dimensions()[1]);
    columns.text("model", |one| one.chosen.predicted.kind.name());
    columns.number("grids", |one| one.grids);
    columns.text("chosen", |one| grid(&one.chosen));
    columns.text("best", |one| grid(&one.best));
    columns.number("chosen_seconds", |one| one.chosen.measured).titled("time of chosen");
    columns.number("best_seconds", |one| one.best.measured).titled("time of best");
    columns.number("regret", |one| percent_cell(one.regret()));
    columns.table("regrets", "Chosen grids").with_note(
        "The regret is the measured time on the chosen grid over that on the best measured one, \
            less 1.",
    )
}

/// The cell with alarms, whose lines are added to those below the table.
pub(super) fn alarm_cell(alarms: &[RoutineAlarm], lines: &mut Vec<String>) -> Cell {
    let record = |alarm: &RoutineAlarm| {
        let (name, message, settle) = (alarm.name(), alarm.message(), settled_by(alarm));
        let shown = ShownAlarm { name, message, settle };
        if !lines.contains(&shown.line()) {
            lines.push(shown.line());
        }
        shown.cell()
    };
    Cell::List(alarms.iter().map(record).collect())
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
        RoutineAlarm::UnmeasuredHosts { .. } => "orrery measure comm, without --classes".to_owned(),
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
        RoutineAlarm::UnknownLoad { hosts } | RoutineAlarm::FewSamples { hosts } => {
            settled_load(hosts)
        }
        RoutineAlarm::Excluded { hosts } => {
            format!("{}; --unmonitored takes them, too", settled_load(hosts))
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

/// The table of predicted redistributions.
///
/// Keys: routine, grid, block, to, to_block (the grid after), m, n, model, seconds, low, high (null
/// if the model has no intervals), volume (bytes of all messages), memory (of the matrix before and
/// after at a process \[B\]), alarms (with a line for each below the table).
pub fn redistribution_predictions(all: &[RedistributionPrediction]) -> Table {
    let mut lines = Vec::new();
    let mut columns = Columns::of(all);
    add_redistribution(&mut columns, |one| &one.call);
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
    add_redistribution(&mut columns, |one| &one.predicted.call);
    add_compared(&mut columns, |one| (one.kind, one.seconds, one.interval));
    let title = "Measured and predicted times of redistributions";
    columns.table("redistributions", title).with_note(note(all)).hide_empty_columns()
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
fn add_redistribution<'a, R>(
    columns: &mut Columns<'a, R>,
    call: impl Fn(&'a R) -> &'a RedistributionCall,
) {
    columns.text("routine", |row| call(row).to_string());
    columns.text("grid", |row| call(row).from().to_string());
    columns.number("block", |row| call(row).from().block);
    columns.text("to", |row| call(row).to().to_string());
    columns.number("to_block", |row| call(row).to().block).titled("to block").drop_first(4);
    columns.number("m", |row| call(row).dimensions()[0]).drop_first(5);
    columns.number("n", |row| call(row).dimensions()[1]);
}
