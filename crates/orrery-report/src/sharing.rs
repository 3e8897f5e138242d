//! What concurrent transfers do to each other, and the parameters of it, as tables.

use super::format::maybe_seconds;
use super::table::{Cell, Column, Table};
use orrery::sharing::scheme::Scheme;
use orrery::sharing::{Emission, Parameters, conflicts, maximal_sending_sets};

/// So many sets are listed for people.
const LISTED: usize = 12;

/// The penalties of a scheme, one line for each transfer. Keys: name, source, destination, size, penalty, seconds (null
/// where not known), conflicts; for Myrinet also sets (in how many sets it sends), least (the least such number of its
/// source), `all_sets` (of its component), low and high (null where the penalty is counted and not estimated).
pub fn penalties(scheme: &Scheme, penalties: &[f64], seconds: &[Option<f64>], emissions: Option<&[Emission]>) -> Table {
    let mut columns = vec![
        Column::words("name"),
        Column::numbers("source"),
        Column::numbers("destination"),
        Column::numbers("size").dispensable(2),
        Column::numbers("penalty"),
        Column::numbers("seconds").titled("time"),
        Column::words("conflicts").dispensable(1),
    ];
    if emissions.is_some() {
        columns.push(Column::numbers("sets"));
        columns.push(Column::numbers("least").dispensable(3));
        columns.push(Column::numbers("all_sets").titled("of all sets"));
        columns.extend([Column::numbers("low"), Column::numbers("high")]);
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
        Some(sets) => table.with_note(sets).sparing_empty(),
        None => table.sparing_empty(),
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

/// The parameters of the laws of sharing, one line for each. Keys: network, parameter, value, low, high, level, samples.
pub fn sharing(parameters: &Parameters) -> Table {
    let columns = [
        Column::words("network"),
        Column::words("parameter"),
        Column::numbers("value"),
        Column::numbers("low"),
        Column::numbers("high"),
        Column::numbers("level"),
        Column::numbers("samples"),
    ];
    let mut table = Table::new("sharing", "What concurrent transfers do to each other", columns);
    for (network, name, estimate) in parameters.all() {
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
    table.sparing_empty()
}
