//! Tables of decisions: ranked configurations, optimality proofs, and runs to make next.

use std::collections::BTreeMap;

use super::application::names;
use super::columns::Columns;
use super::format::{percent_cell, plain_cell};
use super::table::{Cell, Table};
use orrery::run::{Configuration, Plan, variable};
use orrery::scaling::RankedConfiguration;
use orrery::scaling::advise::{Advice, AdvisedRun, DecisionStatus, Outlook};
use orrery::scaling::search::{Ranking, RankingScope};
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
    let rows: Vec<_> = all
        .iter()
        .flat_map(|(n, choices)| choices.iter().enumerate().map(move |(k, one)| (*n, k + 1, one)))
        .collect();
    let mut columns = Columns::of(&rows);
    let priority = if all.len() > 1 { 0 } else { 7 };
    columns.number("n", |(n, ..)| n.map(plain_cell)).drop_first(priority);
    columns.number("rank", |(_, rank, _)| *rank).drop_first(6);
    columns.text("configuration", |(.., one)| one.candidate.configuration.to_string());
    columns.number("processes", |(.., one)| one.candidate.layout.processes).drop_first(3);
    columns.number("p", |(.., one)| one.candidate.layout.grid.map(|grid| grid.0)).drop_first(3);
    columns.number("q", |(.., one)| one.candidate.layout.grid.map(|grid| grid.1)).drop_first(3);
    columns.number("block", |(.., one)| one.candidate.layout.block).drop_first(3);
    for name in others {
        let value = |one: &RankedConfiguration| number(&one.point.variables, name);
        columns.number(name, |(.., one)| value(one)).titled(name).drop_first(5);
    }
    for name in labels {
        columns.text(name, |(.., one)| one.point.labels.get(name)).titled(name).drop_first(5);
    }
    columns.number("seconds", |(.., one)| one.candidate.time).titled("time");
    columns.ends(["low", "high"], 2, |(.., one)| one.forecast.interval);
    let hours = |hours: f64| Cell::number(hours, format!("{hours:.3}"));
    columns
        .number("core_hours", |(.., one)| hours(one.candidate.core_hours))
        .titled("core hours")
        .drop_first(4);
    let cost = |cost: f64| Cell::number(cost, format!("{cost:.4}"));
    columns.number("cost", |(.., one)| one.candidate.cost.map(cost)).drop_first(4);
    columns.text("significantly_worse", |(.., one)| one.significantly_worse).drop_first(1);
    columns.text("extrapolated", |(.., one)| one.forecast.extrapolated).drop_first(5);
    columns.number("runs", |(.., one)| (one.runs > 0).then_some(one.runs)).drop_first(1);
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
    columns.table("choices", "").with_note(notes.join(" ")).hide_empty_columns()
}

/// The table of optimality proofs, one line for each problem size.
///
/// Keys: n, optimal, selections, layouts, examined_layouts, feasibility_tests, dynamic_programs,
/// lower_bound, gap, scope (`configurations`: ranked among all; `layouts`: ranked among the best of
/// each layout).
pub fn optimality_proofs(all: &[(Option<f64>, Ranking)]) -> Table {
    let selections = |count: f64| {
        Cell::number(count, if count < 1e6 { count.to_string() } else { format!("{count:.1e}") })
    };
    let bound = |bound: f64| Cell::number(bound, format!("{bound:.4}"));
    let gap = |gap: f64| Cell::number(gap, format!("{:.1} %", gap * 100.0));
    let mut columns = Columns::of(all);
    columns.number("n", |(n, _)| n.map(plain_cell));
    columns.text("optimal", |(_, ranking)| ranking.proof.is_optimal());
    columns.number("selections", |(_, ranking)| selections(ranking.proof.selections));
    columns.number("layouts", |(_, ranking)| ranking.proof.layouts);
    columns.number("examined_layouts", |(_, of)| of.proof.examined_layouts).drop_first(1);
    columns.number("feasibility_tests", |(_, of)| of.proof.feasibility_tests).drop_first(3);
    columns.number("dynamic_programs", |(_, of)| of.proof.dynamic_programs).drop_first(4);
    columns.number("lower_bound", |(_, ranking)| bound(ranking.proof.lower_bound));
    columns.number("gap", |(_, ranking)| gap(ranking.proof.gap())).drop_first(2);
    let scope = |ranking: &Ranking| match ranking.scope {
        RankingScope::Configurations => "configurations",
        RankingScope::Layouts => "layouts",
    };
    columns.text("scope", |(_, ranking)| scope(ranking)).drop_first(5);
    columns.table("proof", "")
}

/// The table of the current decision for each problem size.
///
/// Keys: n, configuration, p, q, block, the other variables, seconds, probability (that the choice
/// is within the tolerance), expected_loss (relative to the best), untested_mix (the choice mixes
/// kinds, and no run does: it is not certain).
pub fn decisions(all: &[DecisionStatus]) -> Table {
    let mut columns = Columns::of(all);
    columns.number("n", |one| plain_cell(one.size));
    add_layout(&mut columns, |one| (&one.choice.variables, &one.choice.configuration));
    columns.number("seconds", |one| one.seconds).titled("time");
    columns.number("probability", |one| percent_cell(one.probability));
    columns.number("expected_loss", |one| percent_cell(one.expected_loss));
    columns.text("untested_mix", |one| one.is_untested_mix).drop_first(1);
    let table = columns.table("decisions", "Current decisions").hide_empty_columns();
    if all.iter().any(|one| one.is_untested_mix) {
        let note = "Untested mix: no run mixes kinds of elements, so how they work together is \
            assumed, and the probability may be too high.";
        return table.with_note(note);
    }
    table
}

/// The table of advised runs in their order.
///
/// Keys: run (from 1), n, configuration, p, q, block, the other variables, seconds, total_time (in
/// seconds, with all earlier runs), expected_loss and probability after the run.
pub fn advised_runs(runs: &[AdvisedRun]) -> Table {
    let mut columns = Columns::of(runs);
    add_run(&mut columns, |run| (&run.point.variables, &run.point.configuration));
    columns.number("seconds", |run| run.seconds).titled("time");
    columns.number("total_time", |run| run.cost);
    let percent = |run: &AdvisedRun, of: fn(&Outlook) -> f64| {
        Cell::from(run.outlook.as_ref().map(|outlook| percent_cell(of(outlook))))
    };
    columns.number("expected_loss", |run| percent(run, |now| now.expected_loss)).drop_first(1);
    columns.number("probability", |run| percent(run, |now| now.probability));
    columns.table("runs", "Runs to make next").hide_empty_columns()
}

/// The table of the end of a plan, whose runs are repeated `repetitions` times.
///
/// Keys: ends (why: `certain`, `budget`, `no run pays`, `nothing left to measure` or `unidentified
/// kind`), runs, total_time of all runs in seconds, expected_saving of the production runs in
/// seconds, expected_loss and probability after the runs (the last three null if the cost of a kind
/// is not identified).
pub fn plan_end(advice: &Advice, repetitions: u32) -> Table {
    let cost = advice.runs.last().map_or(Seconds::ZERO, |run| run.cost);
    let outlook = advice.outlook.as_ref();
    let mut columns = Columns::of(std::slice::from_ref(advice));
    columns.text("ends", |advice| advice.stop_reason.name());
    columns.number("runs", |advice| advice.runs.len() as u64 * u64::from(repetitions));
    columns.number("total_time", |_| cost);
    columns.number("expected_saving", |_| outlook.map(|now| now.expected_saving));
    columns.number("expected_loss", |_| outlook.map(|now| percent_cell(now.expected_loss)));
    columns.number("probability", |_| outlook.map(|now| percent_cell(now.probability)));
    columns.table("plan", "After these runs").hide_empty_columns()
}

/// The table of the runs of a plan. Keys: run (from 1), n, configuration, p, q, block, the other
/// variables, seconds (null without a model).
pub fn planned_runs(plan: &Plan) -> Table {
    let mut columns = Columns::of(&plan.runs);
    add_run(&mut columns, |run| (&run.variables, &run.configuration));
    columns.number("seconds", |run| run.seconds).titled("time").drop_first(1);
    columns.table("runs", "Runs to make next").hide_empty_columns()
}

/// Adds the columns of a run to make: its place, its size and its layout.
fn add_run<'a, R>(
    columns: &mut Columns<'a, R>,
    of: impl Fn(&'a R) -> (&'a Variables, &'a Configuration) + Copy,
) {
    let mut places = 1_u64..;
    columns.number("run", |_| places.next());
    columns.number("n", |row| number(of(row).0, variable::PROBLEM_SIZE));
    add_layout(columns, of);
}

/// The variables of a layout, whose columns are always there.
const LAYOUT: [&str; 3] = [variable::GRID_ROWS, variable::GRID_COLUMNS, variable::BLOCK_SIZE];

/// Adds the columns of points of one size: configuration, grid, block and all other variables.
fn add_layout<'a, R>(
    columns: &mut Columns<'a, R>,
    of: impl Fn(&'a R) -> (&'a Variables, &'a Configuration),
) {
    columns.text("configuration", |row| {
        let (_, configuration) = of(row);
        (!configuration.shares.is_empty()).then(|| configuration.to_string())
    });
    let others = other_variables(columns.rows().iter().map(|row| of(row).0));
    for name in LAYOUT.into_iter().chain(others) {
        columns.number(name, |row| number(of(row).0, name)).titled(name);
    }
}

/// The values of variables by name.
type Variables = BTreeMap<String, f64>;

/// The variables besides the size and those of layouts.
fn other_variables<'a>(points: impl Iterator<Item = &'a Variables>) -> Vec<&'a str> {
    let is_other = |name: &&str| *name != variable::PROBLEM_SIZE && !LAYOUT.contains(name);
    names(points.flat_map(BTreeMap::keys)).into_iter().filter(is_other).collect()
}

/// A cell with the value of a variable.
fn number(variables: &Variables, name: &str) -> Cell {
    variables.get(name).copied().map(plain_cell).into()
}
