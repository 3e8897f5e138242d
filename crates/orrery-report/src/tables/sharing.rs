//! Tables of concurrent messages: predicted and measured penalties, and the parameters of sharing
//! laws.

use super::format::{maybe_seconds, percent_cell, seconds, signed_percent};
use super::table::{Cell, Column, Table};
use orrery::model::{PenaltyComparison, SharingValidation};
use orrery::numeric::{Estimate, Interval};
use orrery::sample::MeasuredScheme;
use orrery::sharing::scheme::Scheme;
use orrery::sharing::{
    Emission, FittedLaws, conflicts, maximal_sending_sets, mean_absolute_error, relative_error,
};

/// The largest number of sending sets that a note lists.
const MAX_LISTED_SETS: usize = 12;

/// The table of the penalties of a scheme, one line for each transfer.
///
/// Keys: name, source, destination, size, penalty, seconds (null if unknown), conflicts (a list).
/// Myrinet adds sets (the number of sending sets with the transfer), least (the least such number
/// of its source), all_sets (of its component), low and high (null if the penalty is counted, not
/// estimated).
pub fn penalties(
    scheme: &Scheme,
    penalties: &[f64],
    seconds: &[Option<f64>],
    emissions: Option<&[Emission]>,
) -> Table {
    let mut columns = vec![
        Column::text("name"),
        Column::number("source"),
        Column::number("destination"),
        Column::number("size").drop_priority(2),
        Column::number("penalty"),
        Column::number("seconds").with_title("time"),
        Column::text("conflicts").drop_priority(1),
    ];
    if emissions.is_some() {
        columns.push(Column::number("sets"));
        columns.push(Column::number("least").drop_priority(3));
        columns.push(Column::number("all_sets"));
        columns.extend([Column::number("low"), Column::number("high")]);
    }
    let mut table = Table::new("penalties", "", columns);
    let conflicts = conflicts(&scheme.transfers());
    for (k, arc) in scheme.arcs.iter().enumerate() {
        let mut cells = vec![
            Cell::text(arc.name.clone()),
            Cell::integer(arc.transfer.source.0.into()),
            Cell::integer(arc.transfer.destination.0.into()),
            Cell::size(arc.size),
            penalty(penalties[k]),
            maybe_seconds(seconds[k]),
            Cell::texts(conflicts[k].iter().map(|conflict| conflict.name())),
        ];
        if let Some(Emission { sets, least, all_sets, interval, .. }) = emissions.map(|all| all[k])
        {
            cells.extend([sets, least, all_sets].map(count));
            let end = |end: Option<f64>| end.map_or(Cell::Null, penalty);
            cells.extend([end(interval.map(|i| i.low)), end(interval.map(|i| i.high))]);
        }
        table.push(cells);
    }
    match emissions.and_then(|_| listed(scheme)) {
        Some(sets) => table.with_note(sets).hide_empty_columns(),
        None => table.hide_empty_columns(),
    }
}

/// A cell with a penalty.
fn penalty(value: f64) -> Cell {
    Cell::number(value, format!("{value:.3}"))
}

/// A cell with a number of sets, which is whole unless it is estimated.
fn count(value: f64) -> Cell {
    let whole = value.fract().abs() < f64::EPSILON && value < 1e6;
    Cell::number(value, if whole { value.to_string() } else { format!("{value:.3e}") })
}

/// The sets of transfers that can send at the same time, if there are few.
fn listed(scheme: &Scheme) -> Option<String> {
    let sets = maximal_sending_sets(&scheme.transfers(), MAX_LISTED_SETS)
        .filter(|sets| !sets.is_empty())?;
    let names = |set: &Vec<usize>| {
        set.iter().map(|&k| scheme.arcs[k].name.as_str()).collect::<Vec<_>>().join(" ")
    };
    let all: Vec<_> = sets.iter().map(|set| format!("{{{}}}", names(set))).collect();
    Some(format!(
        "{} {}: {}",
        all.len(),
        if all.len() == 1 { "set" } else { "sets" },
        all.join(" ")
    ))
}

/// The table of the parameters of sharing laws. Keys: network, parameter, value, low, high, level,
/// samples.
pub fn sharing_parameters(laws: &FittedLaws) -> Table {
    let rows = laws
        .iter()
        .flat_map(|law| law.named().map(|(name, estimate)| (law.kind().name, name, estimate)));
    let columns = [
        Column::text("network"),
        Column::text("parameter"),
        Column::number("value"),
        Column::number("low"),
        Column::number("high"),
        Column::number("level"),
        Column::number("samples"),
    ];
    let mut table = Table::new("sharing", "Parameters of sharing laws", columns);
    for (network, name, estimate) in rows {
        let end =
            |end: Option<f64>| end.map_or(Cell::Null, |end| Cell::number(end, format!("{end:.4}")));
        table.push([
            Cell::text(network),
            Cell::text(name),
            Cell::number(estimate.value, format!("{:.4}", estimate.value)),
            end(estimate.interval.map(|i| i.low)),
            end(estimate.interval.map(|i| i.high)),
            estimate.interval.map_or(Cell::Null, |i| Cell::number(i.level, i.level.to_string())),
            estimate.samples.map_or(Cell::Null, Cell::integer),
        ]);
    }
    table.hide_empty_columns()
}

/// The table of the measured times and penalties of schemes, one line for each message.
///
/// Keys: scheme, communication, source, destination, size, count, seconds, seconds_low,
/// seconds_high, reference (the time of the uncontended message), penalty, low, high.
pub fn measured_schemes(schemes: &[MeasuredScheme], level: f64) -> Table {
    let columns = [
        Column::text("scheme"),
        Column::text("communication"),
        Column::number("source"),
        Column::number("destination"),
        Column::number("size").drop_priority(1),
        Column::number("count").drop_priority(3),
        Column::number("seconds").with_title("time"),
        Column::number("seconds_low").with_title("time low").drop_priority(4),
        Column::number("seconds_high").with_title("time high").drop_priority(4),
        Column::number("reference").drop_priority(2),
        Column::number("penalty"),
        Column::number("low"),
        Column::number("high"),
    ];
    let mut table = Table::new("measured", "Measured penalties", columns);
    for (scheme, one) in
        schemes.iter().flat_map(|scheme| scheme.communications.iter().map(move |one| (scheme, one)))
    {
        let time = one.time.map(|time| time.time(level));
        let penalty = one.penalty(level);
        let interval = |estimate: Option<Estimate>| estimate.and_then(|estimate| estimate.interval);
        let factor = |value: Option<f64>| {
            value.map_or(Cell::Null, |value| Cell::number(value, format!("{value:.3}")))
        };
        table.push([
            Cell::text(scheme.name.clone()),
            Cell::text(one.name.clone()),
            Cell::integer(one.message.source.into()),
            Cell::integer(one.message.destination.into()),
            Cell::size(one.message.size),
            Cell::integer(one.time.map_or(0, |time| time.readings)),
            maybe_seconds(time.map(|time| time.value)),
            maybe_seconds(interval(time).map(|interval| interval.low)),
            maybe_seconds(interval(time).map(|interval| interval.high)),
            maybe_seconds(one.reference.map(|reference| reference.seconds)),
            factor(penalty.map(|penalty| penalty.value)),
            factor(interval(penalty).map(|interval| interval.low)),
            factor(interval(penalty).map(|interval| interval.high)),
        ]);
    }
    let note = format!(
        "Reference: the time of the uncontended message. Intervals are {} % confidence intervals.",
        level * 100.0
    );
    table.with_note(note).hide_empty_columns()
}

/// The tables of sharing laws compared with measured schemes: the rows and the summary.
///
/// Keys of the rows: scheme, communication, count, measured, measured_low, measured_high, penalty,
/// law, predicted, predicted_penalty, error. Keys of the summary: law, scheme (null for all
/// schemes), communications, mean_error, max_error; the best law is first.
pub fn sharing_validation(validation: &SharingValidation) -> (Table, Table) {
    let columns = [
        Column::text("scheme"),
        Column::text("communication"),
        Column::number("count").drop_priority(4),
        Column::number("measured"),
        Column::number("measured_low").drop_priority(3),
        Column::number("measured_high").drop_priority(3),
        Column::number("penalty"),
        Column::text("law"),
        Column::number("predicted").drop_priority(2),
        Column::number("predicted_penalty"),
        Column::number("error"),
    ];
    let mut rows = Table::new("rows", "Measured and predicted times", columns);
    validation.rows.iter().for_each(|row| rows.push(cells(row)));
    let columns = [
        Column::text("law"),
        Column::text("scheme"),
        Column::number("communications").drop_priority(1),
        Column::number("mean_error"),
        Column::number("max_error"),
    ];
    let note = "Errors are |predicted − measured| / measured over the communications; the best law \
        is first.";
    let mut summary = Table::new("summary", "Errors of the laws", columns).with_note(note);
    let mut display = summary.clone();
    for one in &validation.summary {
        let cells = |scheme: Cell| {
            let (error, largest) = (percent_cell(one.error), percent_cell(one.largest));
            [Cell::text(one.law), scheme, Cell::integer(one.communications as u64), error, largest]
        };
        summary.push(cells(Cell::optional_text(one.scheme.clone())));
        display.push(cells(Cell::text(one.scheme.as_deref().unwrap_or("all"))));
    }
    (rows, summary.with_display(display))
}

/// The cells of a row of the comparison.
fn cells(row: &PenaltyComparison) -> Vec<Cell> {
    let end = |end: fn(Interval) -> f64| maybe_seconds(row.observed.interval.map(end));
    let factor = |value: f64| Cell::number(value, format!("{value:.3}"));
    vec![
        Cell::text(row.scheme.clone()),
        Cell::text(row.communication.clone()),
        row.observed.samples.map_or(Cell::Null, Cell::integer),
        seconds(row.observed.value),
        end(|interval| interval.low),
        end(|interval| interval.high),
        factor(row.penalty.value),
        Cell::text(row.law),
        seconds(row.predicted),
        factor(row.predicted_penalty),
        Cell::number(row.error, signed_percent(row.error)),
    ]
}

/// The table of the predicted and measured penalties of a scheme.
///
/// Keys: name, source, destination, penalty, measured, low, high, error (relative). The note has
/// the mean error.
pub fn penalty_comparison(
    scheme: &Scheme,
    penalties: &[f64],
    measured: &MeasuredScheme,
    level: f64,
) -> Table {
    let columns = [
        Column::text("name"),
        Column::number("source"),
        Column::number("destination"),
        Column::number("penalty"),
        Column::number("measured"),
        Column::number("low"),
        Column::number("high"),
        Column::number("error"),
    ];
    let mut table = Table::new("penalties", "", columns);
    let mut pairs = Vec::new();
    let factor = |value: f64| Cell::number(value, format!("{value:.3}"));
    let maybe = |value: Option<f64>| value.map_or(Cell::Null, factor);
    for (arc, &penalty) in scheme.arcs.iter().zip(penalties) {
        let own = measured.communications.iter().find(|one| one.name == arc.name);
        let observed = own.and_then(|one| one.penalty(level));
        let interval = observed.and_then(|observed| observed.interval);
        let error = observed.map(|observed| relative_error(penalty, observed.value) / 100.0);
        pairs.extend(observed.map(|observed| (penalty, observed.value)));
        table.push([
            Cell::text(arc.name.clone()),
            Cell::integer(arc.transfer.source.0.into()),
            Cell::integer(arc.transfer.destination.0.into()),
            factor(penalty),
            maybe(observed.map(|observed| observed.value)),
            maybe(interval.map(|interval| interval.low)),
            maybe(interval.map(|interval| interval.high)),
            error.map_or(Cell::Null, |error| Cell::number(error, signed_percent(error))),
        ]);
    }
    match mean_absolute_error(&pairs) {
        Some(error) => {
            table.with_note(format!("mean error {}", percent_cell(error / 100.0).display()))
        }
        None => table,
    }
}
