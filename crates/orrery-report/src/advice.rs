//! What is decided and how surely, and which runs to make, as tables.

use super::format::{maybe_seconds, percent_cell, seconds};
use super::table::{Cell, Column, Table};
use orrery::run::{Configuration, Plan, PlanEntry, variable};
use orrery::scaling::Point;
use orrery::scaling::advise::{AdvisedRun, DecisionStatus};
use orrery::units::Seconds;

/// How decisions stand, one line each. Keys: n, configuration, p, q, block, seconds, probability (that the choice is good
/// enough), loss (expected, relative to the best).
pub fn standings(standings: &[DecisionStatus]) -> Table {
    let mut columns = vec![Column::numbers("n")];
    columns
        .extend(layout(standings.iter().map(|standing| planned_of(&standing.choice)).collect::<Vec<_>>().as_slice()));
    columns.extend([
        Column::numbers("seconds").titled("time"),
        Column::numbers("probability"),
        Column::numbers("loss").titled("expected loss"),
    ]);
    let mut table = Table::new("decisions", "Chosen now", columns);
    for standing in standings {
        let mut cells = vec![Cell::number(standing.size, standing.size.to_string())];
        cells.extend(layout_cells(&planned_of(&standing.choice)));
        cells.push(seconds(standing.seconds.get()));
        cells.extend([percent_cell(standing.probability), percent_cell(standing.expected_loss)]);
        table.push(cells);
    }
    table
}

/// Advised runs in their order, one line each. Keys: run (from 1), n, configuration, p, q, block, seconds, cost (of this
/// run and all before it), loss and probability after it.
pub fn advice(runs: &[AdvisedRun]) -> Table {
    let points: Vec<PlanEntry> = runs.iter().map(|run| planned_of(&run.point)).collect();
    let mut columns = vec![Column::numbers("run"), Column::numbers("n")];
    columns.extend(layout(&points));
    columns.extend([
        Column::numbers("seconds").titled("time"),
        Column::numbers("cost"),
        Column::numbers("loss").titled("expected loss").dispensable(1),
        Column::numbers("probability"),
    ]);
    let mut table = Table::new("runs", "Runs to make", columns);
    for (place, (run, point)) in runs.iter().zip(&points).enumerate() {
        let mut cells = vec![Cell::integer(place as u64 + 1), number(point, variable::PROBLEM_SIZE)];
        cells.extend(layout_cells(point));
        cells.extend([seconds(run.seconds.get()), seconds(run.cost.get())]);
        cells.extend([percent_cell(run.expected_loss), percent_cell(run.probability)]);
        table.push(cells);
    }
    table
}

/// The runs of a plan, one line each. Keys: run (from 1), n, configuration, p, q, block, seconds (null where no model was
/// asked).
pub fn planned(plan: &Plan) -> Table {
    let mut columns = vec![Column::numbers("run"), Column::numbers("n")];
    columns.extend(layout(&plan.runs));
    columns.push(Column::numbers("seconds").titled("time").dispensable(1));
    let mut table = Table::new("runs", "Runs to make", columns);
    for (place, run) in plan.runs.iter().enumerate() {
        let mut cells = vec![Cell::integer(place as u64 + 1), number(run, variable::PROBLEM_SIZE)];
        cells.extend(layout_cells(run));
        cells.push(maybe_seconds(run.seconds.map(Seconds::get)));
        table.push(cells);
    }
    table
}

fn planned_of(point: &Point) -> PlanEntry {
    PlanEntry { variables: point.variables.clone(), configuration: point.configuration.clone(), seconds: None }
}

/// The columns of configuration and layout; grid and block only where there are some.
fn layout(runs: &[PlanEntry]) -> [Column; 4] {
    let shown = |name: &str| if runs.iter().any(|run| run.variables.contains_key(name)) { 0 } else { 9 };
    [
        Column::words("configuration"),
        Column::numbers("p").dispensable(shown(variable::GRID_ROWS)),
        Column::numbers("q").dispensable(shown(variable::GRID_COLUMNS)),
        Column::numbers("block").dispensable(shown(variable::BLOCK_SIZE)),
    ]
}

fn layout_cells(run: &PlanEntry) -> [Cell; 4] {
    let configured = |configuration: &Configuration| {
        if configuration.shares.is_empty() { Cell::Null } else { Cell::text(configuration.to_string()) }
    };
    [
        configured(&run.configuration),
        number(run, variable::GRID_ROWS),
        number(run, variable::GRID_COLUMNS),
        number(run, variable::BLOCK_SIZE),
    ]
}

fn number(run: &PlanEntry, name: &str) -> Cell {
    run.variables.get(name).map_or(Cell::Null, |&value| Cell::number(value, value.to_string()))
}
