//! Tables of concurrent messages: predicted and measured penalties, and the parameters of sharing
//! laws.

use super::columns::Columns;
use super::format::{
    error_cell, factor_cell, maybe_seconds, percent, percent_cell, plain_cell, seconds,
};
use super::table::{Cell, Table};
use orrery::model::SharingValidation;
use orrery::numeric::{Estimate, Interval};
use orrery::sample::{MeasuredPenalty, MeasuredScheme};
use orrery::sharing::scheme::{Arc, Scheme};
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
    let conflicts = conflicts(&scheme.transfers());
    let rows: Vec<_> = scheme.arcs.iter().enumerate().collect();
    let mut columns = Columns::of(&rows);
    add_arc(&mut columns, |(_, arc)| arc);
    columns.number("size", |(_, arc)| arc.size).drop_first(2);
    columns.number("penalty", |(k, _)| factor_cell(penalties[*k]));
    columns.number("seconds", |(k, _)| maybe_seconds(seconds[*k])).titled("time");
    let names = |k: usize| Cell::texts(conflicts[k].iter().map(|conflict| conflict.name()));
    columns.text("conflicts", |(k, _)| names(*k)).drop_first(1);
    if let Some(emissions) = emissions {
        columns.number("sets", |(k, _)| count(emissions[*k].sets));
        columns.number("least", |(k, _)| count(emissions[*k].least)).drop_first(3);
        columns.number("all_sets", |(k, _)| count(emissions[*k].all_sets));
        columns.ends(["low", "high"], 0, |(k, _)| emissions[*k].interval.map(factors));
    }
    let sets = emissions.and_then(|_| listed(scheme));
    columns.table("penalties", "").with_note(sets.unwrap_or_default()).hide_empty_columns()
}

/// Adds the columns of the name and the ends of a transfer.
fn add_arc<'a, R>(columns: &mut Columns<'a, R>, of: impl Fn(&'a R) -> &'a Arc) {
    columns.text("name", |row| &of(row).name);
    columns.number("source", |row| of(row).transfer.source.0);
    columns.number("destination", |row| of(row).transfer.destination.0);
}

/// The ends of an interval of a penalty.
fn factors(interval: Interval) -> (Cell, Cell) {
    (factor_cell(interval.low), factor_cell(interval.high))
}

/// The ends of an interval of a time.
fn times(interval: Interval) -> (Cell, Cell) {
    (seconds(interval.low), seconds(interval.high))
}

/// A cell with a number of sets, which is whole unless it is estimated.
fn count(value: f64) -> Cell {
    let whole = value.fract().abs() < f64::EPSILON && value < 1e6;
    Cell::number(value, if whole { value.to_string() } else { format!("{value:.3e}") })
}

/// The maximal sets of transfers that can send at the same time: `2 sets: {a b} {a c}`. `None` if
/// there are more than [`MAX_LISTED_SETS`], or none.
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
    let rows: Vec<_> = rows.collect();
    let number = |value: f64| Cell::number(value, format!("{value:.4}"));
    let mut columns = Columns::of(&rows);
    columns.text("network", |(network, ..)| *network);
    columns.text("parameter", |(_, name, _)| *name);
    columns.number("value", |(.., one)| number(one.value));
    columns.ends(["low", "high"], 0, |(.., one)| {
        one.interval.map(|ends| (number(ends.low), number(ends.high)))
    });
    columns.number("level", |(.., one)| one.interval.map(|ends| plain_cell(ends.level)));
    columns.number("samples", |(.., one)| one.samples);
    columns.table("sharing", "Parameters of sharing laws").hide_empty_columns()
}

/// The table of the measured times and penalties of schemes, one line for each message.
///
/// Keys: scheme, communication, source, destination, size, count, seconds, seconds_low,
/// seconds_high, reference (the time of the uncontended message), penalty, low, high.
pub fn measured_schemes(schemes: &[MeasuredScheme], level: f64) -> Table {
    let rows: Vec<_> = schemes
        .iter()
        .flat_map(|scheme| scheme.communications.iter().map(move |one| (scheme, one)))
        .collect();
    let time = |one: &MeasuredPenalty| one.time.map(|time| time.time(level));
    let ends = |estimate: Option<Estimate>| estimate.and_then(|estimate| estimate.interval);
    let mut columns = Columns::of(&rows);
    columns.text("scheme", |(scheme, _)| &scheme.name);
    columns.text("communication", |(_, one)| &one.name);
    columns.number("source", |(_, one)| one.message.source);
    columns.number("destination", |(_, one)| one.message.destination);
    columns.number("size", |(_, one)| one.message.size).drop_first(1);
    columns.number("count", |(_, one)| one.time.map_or(0, |time| time.readings)).drop_first(3);
    columns.number("seconds", |(_, one)| time(one).map(|of| seconds(of.value))).titled("time");
    let low = |one: &MeasuredPenalty| ends(time(one)).map(|ends| seconds(ends.low));
    columns.number("seconds_low", |(_, one)| low(one)).titled("time low").drop_first(4);
    let high = |one: &MeasuredPenalty| ends(time(one)).map(|ends| seconds(ends.high));
    columns.number("seconds_high", |(_, one)| high(one)).titled("time high").drop_first(4);
    let reference = |one: &MeasuredPenalty| one.reference.map(|of| seconds(of.seconds));
    columns.number("reference", |(_, one)| reference(one)).drop_first(2);
    columns.number("penalty", |(_, one)| one.penalty(level).map(|of| factor_cell(of.value)));
    columns.ends(["low", "high"], 0, |(_, one)| ends(one.penalty(level)).map(factors));
    let note = format!(
        "Reference: the time of the uncontended message. Intervals are {} % confidence intervals.",
        level * 100.0
    );
    columns.table("measured", "Measured penalties").with_note(note).hide_empty_columns()
}

/// The tables of sharing laws compared with measured schemes: the rows and the summary.
///
/// Keys of the rows: scheme, communication, count, measured, measured_low, measured_high, penalty,
/// law, predicted, predicted_penalty, error. Keys of the summary: law, scheme (null for all
/// schemes), communications, mean_error, max_error; the best law is first.
pub fn sharing_validation(validation: &SharingValidation) -> (Table, Table) {
    let mut rows = Columns::of(&validation.rows);
    rows.text("scheme", |row| &row.scheme);
    rows.text("communication", |row| &row.communication);
    rows.number("count", |row| row.observed.samples).drop_first(4);
    rows.number("measured", |row| seconds(row.observed.value));
    rows.ends(["measured_low", "measured_high"], 3, |row| row.observed.interval.map(times));
    rows.number("penalty", |row| factor_cell(row.penalty.value));
    rows.text("law", |row| row.law);
    rows.number("predicted", |row| seconds(row.predicted)).drop_first(2);
    rows.number("predicted_penalty", |row| factor_cell(row.predicted_penalty));
    rows.number("error", |row| error_cell(row.error));
    let mut summary = Columns::of(&validation.summary);
    summary.text("law", |one| one.law);
    summary.text("scheme", |one| one.scheme.as_ref()).for_programs();
    summary.text("scheme", |one| one.scheme.as_deref().unwrap_or("all")).for_people();
    summary.number("communications", |one| one.communications).drop_first(1);
    summary.number("mean_error", |one| percent_cell(one.error));
    summary.number("max_error", |one| percent_cell(one.largest));
    let note = "Errors are |predicted − measured| / measured over the communications; the best law \
        is first.";
    (
        rows.table("rows", "Measured and predicted times"),
        summary.table("summary", "Errors of the laws").with_note(note),
    )
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
    let find = |arc: &Arc| measured.communications.iter().find(|one| one.name == arc.name);
    let rows: Vec<(&Arc, f64, Option<Estimate>)> = scheme
        .arcs
        .iter()
        .zip(penalties)
        .map(|(arc, &penalty)| (arc, penalty, find(arc).and_then(|one| one.penalty(level))))
        .collect();
    let error = |penalty: f64, observed: Estimate| relative_error(penalty, observed.value) / 100.0;
    let mut columns = Columns::of(&rows);
    add_arc(&mut columns, |(arc, ..)| arc);
    columns.number("penalty", |(_, penalty, _)| factor_cell(*penalty));
    columns.number("measured", |(.., observed)| observed.map(|of| factor_cell(of.value)));
    columns.ends(["low", "high"], 0, |(.., observed)| (*observed)?.interval.map(factors));
    columns.number("error", |(_, penalty, observed)| {
        observed.map(|observed| error_cell(error(*penalty, observed)))
    });
    let pairs: Vec<(f64, f64)> = rows
        .iter()
        .filter_map(|(_, penalty, observed)| Some((*penalty, (*observed)?.value)))
        .collect();
    let mean = mean_absolute_error(&pairs);
    let note = mean.map(|error| format!("mean error {}", percent(error / 100.0)));
    columns.table("penalties", "").with_note(note.unwrap_or_default())
}
