//! Runs of applications as a table.

use std::collections::BTreeSet;

use super::format::seconds;
use super::table::{Cell, Column, Table};
use orrery::run::{KindTimes, Run, Runs, variable};
use orrery::units::Seconds;

/// Runs, one line each: the variables by name, the region and the configuration where some run has one, `seconds`,
/// `computation:KIND` and `communication:KIND` where they were measured, the labels by name, and `origin`. A label of the
/// name of another column goes by `label:NAME`.
pub fn runs(runs: &Runs) -> Table {
    let runs = &runs.runs;
    let variables = names(runs.iter().flat_map(|run| run.variables.keys()));
    let labels = names(runs.iter().flat_map(|run| run.labels.keys()));
    let kinds = names(runs.iter().flat_map(|run| run.parts.iter().map(|part| &part.kind)));
    let regions = runs.iter().any(|run| !run.region.is_empty());
    let configurations = runs.iter().any(|run| !run.configuration.shares.is_empty());
    let of = |word: &str, kind: &str| if kind.is_empty() { word.to_owned() } else { format!("{word}:{kind}") };
    let mut columns: Vec<Column> = variables.iter().map(|name| Column::numbers(*name).titled(*name)).collect();
    columns.extend(regions.then(|| Column::words("region")));
    columns.extend(configurations.then(|| Column::words("configuration")));
    columns.push(Column::numbers("seconds").titled("time"));
    for kind in &kinds {
        columns.push(Column::numbers(of("computation", kind)).dispensable(1));
        columns.push(Column::numbers(of("communication", kind)).dispensable(1));
    }
    for name in &labels {
        let taken = columns.iter().any(|column| column.key == *name) || *name == "origin";
        let key = if taken { format!("label:{name}") } else { (*name).to_owned() };
        columns.push(Column::words(key).titled(*name).dispensable(2));
    }
    columns.push(Column::words("origin").dispensable(3));
    let mut table = Table::new("runs", "Runs", columns);
    for run in runs {
        let mut cells: Vec<Cell> = variables.iter().map(|name| number(run, name)).collect();
        cells.extend(regions.then(|| word(&run.region)));
        cells.extend(configurations.then(|| word(&run.configuration.to_string())));
        cells.push(seconds(run.seconds.get()));
        for kind in &kinds {
            let part = run.parts.iter().find(|part| part.kind == **kind);
            let time = |pick: fn(&KindTimes) -> Seconds| part.map_or(Cell::Null, |part| seconds(pick(part).get()));
            cells.push(time(|part| part.computation));
            cells.push(time(|part| part.communication));
        }
        cells.extend(labels.iter().map(|name| Cell::maybe_text(run.labels.get(*name).cloned())));
        cells.push(word(&run.origin));
        table.push(cells);
    }
    table
}

/// Names, each once: those with a meaning first, the others by alphabet.
pub(super) fn names<'a>(all: impl Iterator<Item = &'a String>) -> Vec<&'a str> {
    let first = [
        variable::PROBLEM_SIZE,
        variable::BLOCK_SIZE,
        variable::PROCESSES,
        variable::GRID_ROWS,
        variable::GRID_COLUMNS,
    ];
    let all: BTreeSet<&str> = all.map(String::as_str).collect();
    let known = first.into_iter().filter(|name| all.contains(name));
    known.chain(all.iter().copied().filter(|name| !first.contains(name))).collect()
}

fn number(run: &Run, name: &str) -> Cell {
    run.variable(name).map_or(Cell::Null, |value| Cell::number(value, value.to_string()))
}

fn word(text: &str) -> Cell {
    if text.is_empty() { Cell::Null } else { Cell::text(text) }
}
