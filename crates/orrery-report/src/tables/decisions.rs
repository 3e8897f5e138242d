//! Tables of decisions: ranked configurations, optimality proofs, and runs to make next.

use std::collections::BTreeMap;

use super::application::names;
use super::format::{maybe_seconds, percent_cell, seconds};
use super::table::{Cell, Column, Table};
use orrery::run::{Configuration, Plan, variable};
use orrery::scaling::advise::{AdvisedRun, DecisionStatus};
use orrery::scaling::search::{OptimalityProof, Ranking, RankingScope};
use orrery::scaling::{Point, RankedConfiguration};
use orrery::units::Seconds;

/// The table of the best configurations for each problem size.
///
/// Keys: n (null if there is none), rank, configuration, processes, p, q, block, the other
/// variables, the levels of categories, seconds, low, high, core_hours, cost, significantly_worse
/// (than the first at the level of the intervals; null for the first), extrapolated, runs (own runs
/// of the configuration at this point, which its time takes into account; null if it was not
/// measured).
pub fn choices(all: &[(Option<f64>, Vec<RankedConfiguration>)]) -> Table {
    let every = || all.iter().flat_map(|(_, choices)| choices);
    let others = other_variables(every().map(|choice| &choice.point.variables));
    let labels = names(every().flat_map(|choice| choice.point.labels.keys()));
    let first = [
        Column::number("n").drop_priority(if all.len() > 1 { 0 } else { 7 }),
        Column::number("rank").drop_priority(6),
        Column::text("configuration"),
        Column::number("processes").drop_priority(3),
        Column::number("p").drop_priority(3),
        Column::number("q").drop_priority(3),
        Column::number("block").drop_priority(3),
    ];
    let last = [
        Column::number("seconds").with_title("time"),
        Column::number("low").drop_priority(2),
        Column::number("high").drop_priority(2),
        Column::number("core_hours").with_title("core hours").drop_priority(4),
        Column::number("cost").drop_priority(4),
        Column::text("significantly_worse").drop_priority(1),
        Column::text("extrapolated").drop_priority(5),
        Column::number("runs").drop_priority(1),
    ];
    let columns = first
        .into_iter()
        .chain(others.iter().map(|name| Column::number(*name).with_title(*name).drop_priority(5)))
        .chain(labels.iter().map(|name| Column::text(*name).with_title(*name).drop_priority(5)))
        .chain(last);
    let mut table = Table::new("choices", "", columns);
    let whole = |value: Option<u32>| value.map_or(Cell::Null, |value| Cell::integer(value.into()));
    for (n, choices) in all {
        for (index, choice) in choices.iter().enumerate() {
            let candidate = &choice.candidate;
            let interval = choice.forecast.interval;
            let first = [
                n.map_or(Cell::Null, |n| Cell::number(n, n.to_string())),
                Cell::integer(index as u64 + 1),
                Cell::text(candidate.configuration.to_string()),
                Cell::integer(candidate.layout.processes.into()),
                whole(candidate.layout.grid.map(|(rows, _)| rows)),
                whole(candidate.layout.grid.map(|(_, columns)| columns)),
                whole(candidate.layout.block),
            ];
            let last = [
                seconds(candidate.time.get()),
                maybe_seconds(interval.map(|(low, _)| low.get())),
                maybe_seconds(interval.map(|(_, high)| high.get())),
                Cell::number(candidate.core_hours, format!("{:.3}", candidate.core_hours)),
                candidate.cost.map_or(Cell::Null, |cost| Cell::number(cost, format!("{cost:.4}"))),
                choice.significantly_worse.map_or(Cell::Null, Cell::Flag),
                Cell::Flag(choice.forecast.extrapolated),
                if choice.runs > 0 { Cell::integer(choice.runs as u64) } else { Cell::Null },
            ];
            let others = others.iter().map(|name| number(&choice.point.variables, name));
            let levels = labels
                .iter()
                .map(|name| Cell::optional_text(choice.point.labels.get(*name).cloned()));
            table.push(first.into_iter().chain(others).chain(levels).chain(last));
        }
    }
    let mut notes = Vec::new();
    if every().any(|choice| choice.significantly_worse == Some(false)) {
        notes.push(
            "Significantly worse: no means that the difference to the best is within the \
                uncertainty of the model.",
        );
    }
    if every().any(|choice| choice.runs > 0) {
        notes.push(
            "Runs: the configuration was measured with this size; its time takes these runs \
            into account.",
        );
    }
    if !notes.is_empty() {
        table = table.with_note(notes.join(" "));
    }
    table.hide_empty_columns()
}

/// The table of optimality proofs, one line for each problem size.
///
/// Keys: n, optimal, selections, layouts, examined_layouts, feasibility_tests, dynamic_programs,
/// lower_bound, gap, scope (`configurations`: ranked among all; `layouts`: ranked among the best of
/// each layout).
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
/// Keys: n, configuration, p, q, block, the other variables, seconds, probability (that the choice
/// is within the tolerance), expected_loss (relative to the best).
pub fn decisions(all: &[DecisionStatus]) -> Table {
    let layout = LayoutColumns::of(all.iter().map(|decision| &decision.choice.variables));
    let last = [
        Column::number("seconds").with_title("time"),
        Column::number("probability"),
        Column::number("expected_loss"),
    ];
    let columns = [Column::number("n")].into_iter().chain(layout.columns()).chain(last);
    let mut table = Table::new("decisions", "Current decisions", columns);
    for decision in all {
        let Point { variables, configuration, .. } = &decision.choice;
        let mut cells = vec![Cell::number(decision.size, decision.size.to_string())];
        cells.extend(layout.cells(variables, configuration));
        cells.push(seconds(decision.seconds.get()));
        cells.extend([percent_cell(decision.probability), percent_cell(decision.expected_loss)]);
        table.push(cells);
    }
    table.hide_empty_columns()
}

/// The table of advised runs in their order.
///
/// Keys: run (from 1), n, configuration, p, q, block, the other variables, seconds, total_time (in
/// seconds, with all earlier runs), expected_loss and probability after the run.
pub fn advised_runs(runs: &[AdvisedRun]) -> Table {
    let layout = LayoutColumns::of(runs.iter().map(|run| &run.point.variables));
    let last = [
        Column::number("seconds").with_title("time"),
        Column::number("total_time"),
        Column::number("expected_loss").drop_priority(1),
        Column::number("probability"),
    ];
    let columns = [Column::number("run"), Column::number("n")]
        .into_iter()
        .chain(layout.columns())
        .chain(last);
    let mut table = Table::new("runs", "Runs to make next", columns);
    for (place, run) in runs.iter().enumerate() {
        let Point { variables, configuration, .. } = &run.point;
        let mut cells =
            vec![Cell::integer(place as u64 + 1), number(variables, variable::PROBLEM_SIZE)];
        cells.extend(layout.cells(variables, configuration));
        cells.extend([seconds(run.seconds.get()), seconds(run.cost.get())]);
        cells.extend([percent_cell(run.expected_loss), percent_cell(run.probability)]);
        table.push(cells);
    }
    table.hide_empty_columns()
}

/// The table of the runs of a plan. Keys: run (from 1), n, configuration, p, q, block, the other
/// variables, seconds (null without a model).
pub fn planned_runs(plan: &Plan) -> Table {
    let layout = LayoutColumns::of(plan.runs.iter().map(|run| &run.variables));
    let last = [Column::number("seconds").with_title("time").drop_priority(1)];
    let columns = [Column::number("run"), Column::number("n")]
        .into_iter()
        .chain(layout.columns())
        .chain(last);
    let mut table = Table::new("runs", "Runs to make next", columns);
    for (place, run) in plan.runs.iter().enumerate() {
        let mut cells =
            vec![Cell::integer(place as u64 + 1), number(&run.variables, variable::PROBLEM_SIZE)];
        cells.extend(layout.cells(&run.variables, &run.configuration));
        cells.push(maybe_seconds(run.seconds.map(Seconds::get)));
        table.push(cells);
    }
    table.hide_empty_columns()
}

/// The columns of points of one size: configuration, grid, block and all other variables.
struct LayoutColumns<'a> {
    /// The variables with a value, except the size.
    known: Vec<&'a str>,
}

impl<'a> LayoutColumns<'a> {
    /// The columns that are always there.
    const LAYOUT: [&'static str; 3] =
        [variable::GRID_ROWS, variable::GRID_COLUMNS, variable::BLOCK_SIZE];

    /// The columns of points with these variables.
    fn of(points: impl Iterator<Item = &'a Variables>) -> Self {
        let known = names(points.flat_map(BTreeMap::keys)).into_iter();
        Self { known: known.filter(|name| *name != variable::PROBLEM_SIZE).collect() }
    }

    /// The variables in the order of the columns.
    fn variables(&self) -> impl Iterator<Item = &'a str> {
        let others = self.known.iter().copied().filter(|name| !Self::LAYOUT.contains(name));
        Self::LAYOUT.into_iter().chain(others)
    }

    fn columns(&self) -> impl Iterator<Item = Column> {
        let column = |name| Column::number(name).with_title(name);
        [Column::text("configuration")].into_iter().chain(self.variables().map(column))
    }

    /// The cells of a point.
    fn cells(&self, variables: &Variables, configuration: &Configuration) -> Vec<Cell> {
        let is_configured = !configuration.shares.is_empty();
        let configuration =
            if is_configured { Cell::text(configuration.to_string()) } else { Cell::Null };
        [configuration]
            .into_iter()
            .chain(self.variables().map(|name| number(variables, name)))
            .collect()
    }
}

/// The values of variables by name.
type Variables = BTreeMap<String, f64>;

/// The variables besides the size and those of layouts.
fn other_variables<'a>(points: impl Iterator<Item = &'a Variables>) -> Vec<&'a str> {
    LayoutColumns::of(points).variables().skip(LayoutColumns::LAYOUT.len()).collect()
}

/// A cell with the value of a variable.
fn number(variables: &Variables, name: &str) -> Cell {
    variables.get(name).map_or(Cell::Null, |&value| Cell::number(value, value.to_string()))
}
