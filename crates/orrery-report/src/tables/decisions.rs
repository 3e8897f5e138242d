//! Tables of decisions: ranked configurations, optimality proofs, and runs to make next.

use super::format::{maybe_seconds, percent_cell, seconds};
use super::table::{Cell, Column, Table};
use orrery::run::{Configuration, Plan, PlanEntry, variable};
use orrery::scaling::advise::{AdvisedRun, DecisionStatus};
use orrery::scaling::search::{OptimalityProof, Ranking, RankingScope};
use orrery::scaling::{Point, RankedConfiguration};
use orrery::units::Seconds;

/// The table of the best configurations for each problem size.
///
/// Keys: n (null if there is none), rank, configuration, processes, p, q, block, seconds, low, high, core_hours, cost,
/// significantly_worse (than the first at the level of the intervals; null for the first), extrapolated, runs (own runs
/// of the configuration at this point, which its time takes into account; null if it was not measured).
pub fn choices(all: &[(Option<f64>, Vec<RankedConfiguration>)]) -> Table {
    let every = || all.iter().flat_map(|(_, choices)| choices);
    let columns = [
        Column::number("n").drop_priority(if all.len() > 1 { 0 } else { 7 }),
        Column::number("rank").drop_priority(6),
        Column::text("configuration"),
        Column::number("processes").drop_priority(3),
        Column::number("p").drop_priority(3),
        Column::number("q").drop_priority(3),
        Column::number("block").drop_priority(3),
        Column::number("seconds").with_title("time"),
        Column::number("low").drop_priority(2),
        Column::number("high").drop_priority(2),
        Column::number("core_hours").with_title("core hours").drop_priority(4),
        Column::number("cost").drop_priority(4),
        Column::text("significantly_worse").drop_priority(1),
        Column::text("extrapolated").drop_priority(5),
        Column::number("runs").drop_priority(1),
    ];
    let mut table = Table::new("choices", "", columns);
    let number = |value: Option<u32>| value.map_or(Cell::Null, |value| Cell::integer(value.into()));
    for (n, choices) in all {
        for (index, choice) in choices.iter().enumerate() {
            let candidate = &choice.candidate;
            let interval = choice.forecast.interval;
            table.push([
                n.map_or(Cell::Null, |n| Cell::number(n, n.to_string())),
                Cell::integer(index as u64 + 1),
                Cell::text(candidate.configuration.to_string()),
                Cell::integer(candidate.layout.processes.into()),
                number(candidate.layout.grid.map(|(rows, _)| rows)),
                number(candidate.layout.grid.map(|(_, columns)| columns)),
                number(candidate.layout.block),
                seconds(candidate.time.get()),
                maybe_seconds(interval.map(|(low, _)| low.get())),
                maybe_seconds(interval.map(|(_, high)| high.get())),
                Cell::number(candidate.core_hours, format!("{:.3}", candidate.core_hours)),
                candidate.cost.map_or(Cell::Null, |cost| Cell::number(cost, format!("{cost:.4}"))),
                choice.significantly_worse.map_or(Cell::Null, Cell::Flag),
                Cell::Flag(choice.forecast.extrapolated),
                if choice.runs > 0 { Cell::integer(choice.runs as u64) } else { Cell::Null },
            ]);
        }
    }
    let mut notes = Vec::new();
    if every().any(|choice| choice.significantly_worse == Some(false)) {
        notes.push(
            "Significantly worse: no means that the difference to the best is within the uncertainty of the model.",
        );
    }
    if every().any(|choice| choice.runs > 0) {
        notes.push("Runs: the configuration was measured with this size; its time takes these runs into account.");
    }
    if !notes.is_empty() {
        table = table.with_note(notes.join(" "));
    }
    table.hide_empty_columns()
}

/// The table of optimality proofs, one line for each problem size.
///
/// Keys: n, optimal, selections, layouts, examined_layouts, feasibility_tests, dynamic_programs, lower_bound, gap, scope
/// (`configurations`: ranked among all; `layouts`: ranked among the best of each layout).
pub fn optimality_proofs(all: &[(Option<f64>, Ranking)]) -> Table {
    let columns = [
        Column::number("n"),
        Column::text("optimal"),
        Column::number("selections"),
        Column::number("layouts"),
        Column::number("examined_layouts").drop_priority(1),
        Column::number("feasibility_tests").drop_priority(3),
        Column::number("dynamic_programs").drop_priority(4),
        Column::number("lower_bound"),
        Column::number("gap").drop_priority(2),
        Column::text("scope").drop_priority(5),
    ];
    let mut table = Table::new("proof", "", columns);
    for (n, ranking) in all {
        let OptimalityProof {
            selections,
            layouts,
            examined_layouts,
            feasibility_tests,
            dynamic_programs,
            lower_bound,
            ..
        } = ranking.proof;
        let gap = ranking.proof.gap();
        table.push([
            n.map_or(Cell::Null, |n| Cell::number(n, n.to_string())),
            Cell::Flag(ranking.proof.is_optimal()),
            Cell::number(
                selections,
                if selections < 1e6 { selections.to_string() } else { format!("{selections:.1e}") },
            ),
            Cell::integer(layouts),
            Cell::integer(examined_layouts),
            Cell::integer(feasibility_tests),
            Cell::integer(dynamic_programs),
            Cell::number(lower_bound, format!("{lower_bound:.4}")),
            Cell::number(gap, format!("{:.1} %", gap * 100.0)),
            Cell::text(match ranking.scope {
                RankingScope::Configurations => "configurations",
                RankingScope::Layouts => "layouts",
            }),
        ]);
    }
    table
}

/// The table of the current decision for each problem size.
///
/// Keys: n, configuration, p, q, block, seconds, probability (that the choice is within the tolerance), expected_loss (relative
/// to the best).
pub fn decisions(standings: &[DecisionStatus]) -> Table {
    let mut columns = vec![Column::number("n")];
    columns.extend(layout_columns(
        standings.iter().map(|standing| plan_entry(&standing.choice)).collect::<Vec<_>>().as_slice(),
    ));
    columns.extend([
        Column::number("seconds").with_title("time"),
        Column::number("probability"),
        Column::number("expected_loss"),
    ]);
    let mut table = Table::new("decisions", "Current decisions", columns);
    for standing in standings {
        let mut cells = vec![Cell::number(standing.size, standing.size.to_string())];
        cells.extend(layout_cells(&plan_entry(&standing.choice)));
        cells.push(seconds(standing.seconds.get()));
        cells.extend([percent_cell(standing.probability), percent_cell(standing.expected_loss)]);
        table.push(cells);
    }
    table
}

/// The table of advised runs in their order.
///
/// Keys: run (from 1), n, configuration, p, q, block, seconds, total_time (in seconds, with all earlier runs), expected_loss and
/// probability after the run.
pub fn advised_runs(runs: &[AdvisedRun]) -> Table {
    let points: Vec<PlanEntry> = runs.iter().map(|run| plan_entry(&run.point)).collect();
    let mut columns = vec![Column::number("run"), Column::number("n")];
    columns.extend(layout_columns(&points));
    columns.extend([
        Column::number("seconds").with_title("time"),
        Column::number("total_time"),
        Column::number("expected_loss").drop_priority(1),
        Column::number("probability"),
    ]);
    let mut table = Table::new("runs", "Runs to make next", columns);
    for (place, (run, point)) in runs.iter().zip(&points).enumerate() {
        let mut cells = vec![Cell::integer(place as u64 + 1), number(point, variable::PROBLEM_SIZE)];
        cells.extend(layout_cells(point));
        cells.extend([seconds(run.seconds.get()), seconds(run.cost.get())]);
        cells.extend([percent_cell(run.expected_loss), percent_cell(run.probability)]);
        table.push(cells);
    }
    table
}

/// The table of the runs of a plan. Keys: run (from 1), n, configuration, p, q, block, seconds (null without a model).
pub fn planned_runs(plan: &Plan) -> Table {
    let mut columns = vec![Column::number("run"), Column::number("n")];
    columns.extend(layout_columns(&plan.runs));
    columns.push(Column::number("seconds").with_title("time").drop_priority(1));
    let mut table = Table::new("runs", "Runs to make next", columns);
    for (place, run) in plan.runs.iter().enumerate() {
        let mut cells = vec![Cell::integer(place as u64 + 1), number(run, variable::PROBLEM_SIZE)];
        cells.extend(layout_cells(run));
        cells.push(maybe_seconds(run.seconds.map(Seconds::get)));
        table.push(cells);
    }
    table
}

/// A point as an entry of a plan.
fn plan_entry(point: &Point) -> PlanEntry {
    PlanEntry { variables: point.variables.clone(), configuration: point.configuration.clone(), seconds: None }
}

/// The columns of configuration, grid and block; grid and block are dropped first if no run has them.
fn layout_columns(runs: &[PlanEntry]) -> [Column; 4] {
    let shown = |name: &str| if runs.iter().any(|run| run.variables.contains_key(name)) { 0 } else { 9 };
    [
        Column::text("configuration"),
        Column::number("p").drop_priority(shown(variable::GRID_ROWS)),
        Column::number("q").drop_priority(shown(variable::GRID_COLUMNS)),
        Column::number("block").drop_priority(shown(variable::BLOCK_SIZE)),
    ]
}

/// The cells of configuration, grid and block.
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

/// A cell with the value of a variable.
fn number(run: &PlanEntry, name: &str) -> Cell {
    run.variables.get(name).map_or(Cell::Null, |&value| Cell::number(value, value.to_string()))
}
