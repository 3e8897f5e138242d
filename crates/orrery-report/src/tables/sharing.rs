//! What concurrent transfers do to each other, and the parameters of it, as tables.

use super::format::{maybe_seconds, percent_cell, seconds, signed_percent};
use super::table::{Cell, Column, Table};
use orrery::model::{PenaltyComparison, SharingValidation};
use orrery::numeric::{Estimate, Interval};
use orrery::sample::MeasuredScheme;
use orrery::sharing::scheme::Scheme;
use orrery::sharing::{Emission, FittedLaws, conflicts, maximal_sending_sets, mean_absolute_error, relative_error};

/// So many sets are listed for people.
const LISTED: usize = 12;

/// The penalties of a scheme, one line for each transfer. Keys: name, source, destination, size, penalty, seconds (null
/// where not known), conflicts; for Myrinet also sets (in how many sets it sends), least (the least such number of its
/// source), `all_sets` (of its component), low and high (null where the penalty is counted and not estimated).
pub fn penalties(scheme: &Scheme, penalties: &[f64], seconds: &[Option<f64>], emissions: Option<&[Emission]>) -> Table {
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
        columns.push(Column::number("all_sets").with_title("of all sets"));
        columns.extend([Column::number("low"), Column::number("high")]);
    }
    let mut table = Table::new("penalties", "", columns);
    let met = conflicts(&scheme.transfers());
    for (k, arc) in scheme.arcs.iter().enumerate() {
        let words: Vec<_> = met[k].iter().map(|conflict| conflict.name()).collect();
        let mut cells = vec![
            Cell::text(arc.name.clone()),
            Cell::integer(arc.transfer.source.0.into()),
            Cell::integer(arc.transfer.destination.0.into()),
            Cell::size(arc.size),
            penalty(penalties[k]),
            maybe_seconds(seconds[k]),
            if words.is_empty() { Cell::Null } else { Cell::text(words.join(", ")) },
        ];
        if let Some(Emission { sets, least, all_sets, interval, .. }) = emissions.map(|all| all[k]) {
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

fn penalty(value: f64) -> Cell {
    Cell::number(value, format!("{value:.3}"))
}

/// A number of sets, which is whole unless it is estimated.
fn count(value: f64) -> Cell {
    let whole = value.fract().abs() < f64::EPSILON && value < 1e6;
    Cell::number(value, if whole { value.to_string() } else { format!("{value:.3e}") })
}

/// The sets in which transfers can send together, if they are few.
fn listed(scheme: &Scheme) -> Option<String> {
    let sets = maximal_sending_sets(&scheme.transfers(), LISTED).filter(|sets| !sets.is_empty())?;
    let names = |set: &Vec<usize>| set.iter().map(|&k| scheme.arcs[k].name.as_str()).collect::<Vec<_>>().join(" ");
    let all: Vec<_> = sets.iter().map(|set| format!("{{{}}}", names(set))).collect();
    Some(format!("{} {}: {}", all.len(), if all.len() == 1 { "set" } else { "sets" }, all.join(" ")))
}

/// The estimated parameters of sharing laws, one line each. Keys: network, parameter, value, low, high, level, samples.
pub fn sharing_parameters(laws: &FittedLaws) -> Table {
    let rows = laws.iter().flat_map(|law| law.named().map(|(name, estimate)| (law.kind().name, name, estimate)));
    let columns = [
        Column::text("network"),
        Column::text("parameter"),
        Column::number("value"),
        Column::number("low"),
        Column::number("high"),
        Column::number("level"),
        Column::number("samples"),
    ];
    let mut table = Table::new("sharing", "What concurrent transfers do to each other", columns);
    for (network, name, estimate) in rows {
        let end = |end: Option<f64>| end.map_or(Cell::Null, |end| Cell::number(end, format!("{end:.4}")));
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

/// The measured times and penalties of schemes, one line for each message. Keys: scheme, communication, source, destination,
/// size, count, seconds, `seconds_low`, `seconds_high`, reference, penalty, low, high.
pub fn measured_schemes(schemes: &[MeasuredScheme], level: f64) -> Table {
    let columns = [
        Column::text("scheme"),
        Column::text("communication").with_title("name"),
        Column::number("source"),
        Column::number("destination"),
        Column::number("size").drop_priority(1),
        Column::number("count").drop_priority(3),
        Column::number("seconds").with_title("time"),
        Column::number("seconds_low").with_title("time low").drop_priority(4),
        Column::number("seconds_high").with_title("time high").drop_priority(4),
        Column::number("reference").with_title("alone").drop_priority(2),
        Column::number("penalty"),
        Column::number("low"),
        Column::number("high"),
    ];
    let mut table = Table::new("measured", "Measured penalties", columns);
    for (scheme, one) in schemes.iter().flat_map(|scheme| scheme.communications.iter().map(move |one| (scheme, one))) {
        let time = one.time.map(|time| time.time(level));
        let penalty = one.penalty(level);
        let interval = |estimate: Option<Estimate>| estimate.and_then(|estimate| estimate.interval);
        let factor = |value: Option<f64>| value.map_or(Cell::Null, |value| Cell::number(value, format!("{value:.3}")));
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
    let note = format!("Intervals cover the median, or the quotient of two medians, at a level of {level}.");
    table.with_note(note).hide_empty_columns()
}

/// Laws of sharing against measured schemes, as two tables. The rows have the keys scheme, communication, count, observed,
/// `observed_low`, `observed_high`, penalty, model, predicted, `predicted_penalty`, error; the summary has model, scheme
/// (null of all schemes), rows, `mean_error`, `max_error`, the best law first.
pub fn sharing_validation(validation: &SharingValidation) -> (Table, Table) {
    let columns = [
        Column::text("scheme"),
        Column::text("communication").with_title("name"),
        Column::number("count").drop_priority(4),
        Column::number("observed"),
        Column::number("observed_low").with_title("low").drop_priority(3),
        Column::number("observed_high").with_title("high").drop_priority(3),
        Column::number("penalty"),
        Column::text("model").with_title("law"),
        Column::number("predicted").drop_priority(2),
        Column::number("predicted_penalty").with_title("its penalty"),
        Column::number("error").with_title("E_rel"),
    ];
    let mut rows = Table::new("rows", "Observed and predicted times", columns);
    validation.rows.iter().for_each(|row| rows.push(cells(row)));
    let columns = [
        Column::text("model").with_title("law"),
        Column::text("scheme"),
        Column::number("rows").with_title("communications").drop_priority(1),
        Column::number("mean_error").with_title("E_abs"),
        Column::number("max_error").with_title("largest error"),
    ];
    let note = "E_abs is the mean of |predicted − observed| / observed over the communications; the best law first.";
    let mut summary = Table::new("summary", "Errors of the laws", columns).with_note(note);
    let mut people = summary.clone();
    for one in &validation.summary {
        let cells = |scheme: Cell| {
            let (error, largest) = (percent_cell(one.error), percent_cell(one.largest));
            [Cell::text(one.law), scheme, Cell::integer(one.communications as u64), error, largest]
        };
        summary.push(cells(Cell::optional_text(one.scheme.clone())));
        people.push(cells(Cell::text(one.scheme.as_deref().unwrap_or("all"))));
    }
    (rows, summary.with_display(people))
}

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

/// The penalties of a scheme by a law beside the measured ones, one line for each message. Keys: name, source, destination,
/// penalty, measured, low, high, error (`E_rel` as a fraction); the note has `E_abs`.
pub fn penalty_comparison(scheme: &Scheme, penalties: &[f64], measured: &MeasuredScheme, level: f64) -> Table {
    let columns = [
        Column::text("name"),
        Column::number("source"),
        Column::number("destination"),
        Column::number("penalty"),
        Column::number("measured"),
        Column::number("low"),
        Column::number("high"),
        Column::number("error").with_title("E_rel"),
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
        Some(error) => table.with_note(format!("E_abs {}", percent_cell(error / 100.0).display())),
        None => table,
    }
}
