//! Tables of applications: runs, forecasts, and models of the execution time.

use super::format::{maybe_seconds, seconds};
use super::table::{Cell, Column, Table};
use orrery::run::{KindTimes, Run, Runs, variable};
use orrery::scaling::paper::PaperModel;
use orrery::scaling::{Application, Forecast, Point};
use orrery::units::Seconds;
use std::collections::BTreeSet;

/// The table of runs of an application.
///
/// Keys: the variables by name, region and configuration if some run has one, seconds,
/// `computation:KIND` and `communication:KIND` if they were measured, the labels by name
/// (`label:NAME` if another column has that name), origin.
pub fn runs(runs: &Runs) -> Table {
    let runs = &runs.runs;
    let variables = names(runs.iter().flat_map(|run| run.variables.keys()));
    let labels = names(runs.iter().flat_map(|run| run.labels.keys()));
    let kinds = names(runs.iter().flat_map(|run| run.parts.iter().map(|part| &part.kind)));
    let regions = runs.iter().any(|run| !run.region.is_empty());
    let configurations = runs.iter().any(|run| !run.configuration.shares.is_empty());
    let key = |part: &str, kind: &str| {
        if kind.is_empty() { part.to_owned() } else { format!("{part}:{kind}") }
    };
    let mut columns: Vec<Column> =
        variables.iter().map(|name| Column::number(*name).with_title(*name)).collect();
    columns.extend(regions.then(|| Column::text("region")));
    columns.extend(configurations.then(|| Column::text("configuration")));
    columns.push(Column::number("seconds").with_title("time"));
    for kind in &kinds {
        columns.push(Column::number(key("computation", kind)).drop_priority(1));
        columns.push(Column::number(key("communication", kind)).drop_priority(1));
    }
    for name in &labels {
        let taken = columns.iter().any(|column| column.key == *name) || *name == "origin";
        let key = if taken { format!("label:{name}") } else { (*name).to_owned() };
        columns.push(Column::text(key).with_title(*name).drop_priority(2));
    }
    columns.push(Column::text("origin").drop_priority(3));
    let mut table = Table::new("runs", "Runs", columns);
    for run in runs {
        let mut cells: Vec<Cell> = variables.iter().map(|name| number(run, name)).collect();
        cells.extend(regions.then(|| text_cell(&run.region)));
        cells.extend(configurations.then(|| text_cell(&run.configuration.to_string())));
        cells.push(seconds(run.seconds.get()));
        for kind in &kinds {
            let part = run.parts.iter().find(|part| part.kind == **kind);
            let time = |pick: fn(&KindTimes) -> Seconds| {
                part.map_or(Cell::Null, |part| seconds(pick(part).get()))
            };
            cells.push(time(|part| part.computation));
            cells.push(time(|part| part.communication));
        }
        cells.extend(labels.iter().map(|name| Cell::optional_text(run.labels.get(*name).cloned())));
        cells.push(text_cell(&run.origin));
        table.push(cells);
    }
    table
}

/// The names without duplicates: variables with a fixed meaning first, the others in alphabetical
/// order.
pub(crate) fn names<'a>(all: impl Iterator<Item = &'a String>) -> Vec<&'a str> {
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

/// A cell with the value of a variable.
fn number(run: &Run, name: &str) -> Cell {
    run.variable(name).map_or(Cell::Null, |value| Cell::number(value, value.to_string()))
}

/// A cell with a text, or null if it is empty.
fn text_cell(text: &str) -> Cell {
    if text.is_empty() { Cell::Null } else { Cell::text(text) }
}

/// The table of forecast execution times.
///
/// Keys: the variables and the levels of categories by name, configuration if one was given,
/// seconds (null if the runs do not determine it), low, high (null if the model has no intervals),
/// extrapolated, and slowest_kind (of elements) if kinds differ.
pub fn forecasts(forecasts: &[(Point, Forecast)]) -> Table {
    let variables = names(forecasts.iter().flat_map(|(point, _)| point.variables.keys()));
    let labels = names(forecasts.iter().flat_map(|(point, _)| point.labels.keys()));
    let configured = forecasts.iter().any(|(point, _)| !point.configuration.shares.is_empty());
    let kinds = forecasts.iter().any(|(_, forecast)| forecast.slowest_kind.is_some());
    let mut columns: Vec<Column> = variables.iter().map(|name| Column::number(*name)).collect();
    columns.extend(labels.iter().map(|name| Column::text(*name).with_title(*name)));
    columns.extend(configured.then(|| Column::text("configuration")));
    columns.push(Column::number("seconds").with_title("time"));
    columns.push(Column::number("low").drop_priority(1));
    columns.push(Column::number("high").drop_priority(1));
    columns.push(Column::text("extrapolated").drop_priority(2));
    columns.extend(kinds.then(|| Column::text("slowest_kind").drop_priority(3)));
    let mut table = Table::new("forecasts", "", columns);
    for (point, forecast) in forecasts {
        let number = |name: &&str| {
            point
                .variables
                .get(*name)
                .map_or(Cell::Null, |value| Cell::number(*value, value.to_string()))
        };
        let mut cells: Vec<Cell> = variables.iter().map(number).collect();
        cells.extend(
            labels.iter().map(|name| Cell::optional_text(point.labels.get(*name).cloned())),
        );
        cells.extend(configured.then(|| Cell::text(point.configuration.to_string())));
        cells.push(maybe_seconds((!forecast.is_worthless()).then_some(forecast.seconds.get())));
        cells.push(maybe_seconds(forecast.interval.map(|(low, _)| low.get())));
        cells.push(maybe_seconds(forecast.interval.map(|(_, high)| high.get())));
        cells.push(Cell::Flag(forecast.extrapolated));
        cells.extend(kinds.then(|| Cell::optional_text(forecast.slowest_kind.clone())));
        table.push(cells);
    }
    let mut notes = Vec::new();
    if forecasts.iter().any(|(_, forecast)| forecast.extrapolated) {
        let sure = forecasts.iter().any(|(_, forecast)| forecast.interval.is_some());
        let note = "Extrapolated: a variable or the configuration lies outside the measured range";
        let wider = if sure { ", which widens the interval." } else { "." };
        notes.push(format!("{note}{wider}"));
    }
    if forecasts.iter().any(|(_, forecast)| forecast.is_worthless()) {
        notes.push(
            "No time: the ends of the interval differ by more than a factor of 100.".to_owned(),
        );
    }
    if notes.is_empty() { table } else { table.with_note(notes.join(" ")) }
}

/// The table of the terms of execution-time models.
///
/// Keys: region if there are several, term, kind if kinds differ, role, value, low, high in seconds
/// per unit of the term.
pub fn terms(application: &Application) -> Table {
    let regions = application.regions.len() > 1;
    let kinds = application.regions.iter().any(|region| !region.model.kinds().is_empty());
    let mut columns: Vec<Column> = regions.then(|| Column::text("region")).into_iter().collect();
    columns.push(Column::text("term"));
    columns.extend(kinds.then(|| Column::text("kind")));
    columns.push(Column::text("role").drop_priority(3));
    columns.push(Column::number("value"));
    columns.push(Column::number("low").drop_priority(1));
    columns.push(Column::number("high").drop_priority(1));
    let mut table =
        Table::new("terms", "Terms of the execution time in seconds: T = Σ value × term", columns);
    let number = |value: f64| Cell::number(value, format!("{value:.4e}"));
    for region in &application.regions {
        for coefficient in region.model.as_terms().iter().flat_map(|model| &model.coefficients) {
            let interval = coefficient.estimate.interval;
            let mut cells: Vec<Cell> =
                regions.then(|| Cell::text(region.name.clone())).into_iter().collect();
            cells.push(Cell::text(coefficient.term.to_string()));
            cells.extend(kinds.then(|| Cell::optional_text(coefficient.kind.clone())));
            cells.extend([
                Cell::text(coefficient.role.name()),
                number(coefficient.estimate.value),
                interval.map_or(Cell::Null, |interval| number(interval.low)),
                interval.map_or(Cell::Null, |interval| number(interval.high)),
            ]);
            table.push(cells);
        }
    }
    table
}

/// The tables of the N-T and P-T models of all regions that have them.
///
/// Keys of N-T models: region and range if there are several, kind, per_element, processes, k0 to
/// k6, smallest, largest. Keys of P-T models: region and range, kind, per_element, k7 to k11,
/// reference (its P), processes_from, processes_to, composed_from.
pub fn paper_models(application: &Application) -> Vec<Table> {
    let papers = || {
        application
            .regions
            .iter()
            .filter_map(|region| Some((region.name.as_str(), region.model.as_paper()?)))
    };
    let models = || papers().map(|(_, model)| model);
    let ranges = models().any(|model| !model.limits.is_empty());
    let regions = application.regions.len() > 1;
    let mut tables = Vec::new();
    if papers().next().is_some() {
        tables.push(size_models(papers(), regions, ranges));
    }
    if models().any(|model| !model.pt_models.is_empty()) {
        let notes: Vec<String> = models().flat_map(notes).collect();
        tables.push(process_models(papers(), regions, ranges).with_note(notes.join(" ")));
    }
    tables
}

/// A cell with a coefficient.
fn coefficient_cell(value: f64) -> Cell {
    Cell::number(value, format!("{value:.2e}"))
}

/// The columns that identify a model.
fn head(regions: bool, ranges: bool, counts: &[&str]) -> Vec<Column> {
    let mut columns: Vec<Column> = regions.then(|| Column::text("region")).into_iter().collect();
    columns.push(Column::text("kind"));
    columns.extend(counts.iter().map(|key| Column::number(*key)));
    columns.extend(ranges.then(|| Column::number("range")));
    columns
}

/// The table of N-T models.
fn size_models<'a>(
    models: impl Iterator<Item = (&'a str, &'a PaperModel)>,
    regions: bool,
    ranges: bool,
) -> Table {
    let mut columns = head(regions, ranges, &["per_element", "processes"]);
    columns.extend((0..7).map(|k| Column::number(format!("k{k}"))));
    columns.extend(["smallest", "largest"].map(|key| Column::number(key).drop_priority(7)));
    let title = "N-T models in seconds: Ta = k0·N³ + k1·N² + k2·N + k3, Tc = k4·N² + k5·N + k6";
    let mut table = Table::new("size_models", title, columns);
    for (region, model) in models {
        for model in &model.nt_models {
            let mut cells: Vec<Cell> = regions.then(|| Cell::text(region)).into_iter().collect();
            cells.extend([Cell::text(model.kind.clone()), Cell::integer(model.per_element.into())]);
            cells.push(Cell::integer(model.processes));
            cells.extend(ranges.then(|| Cell::integer(model.range as u64)));
            cells.extend(
                model.computation.into_iter().chain(model.communication).map(coefficient_cell),
            );
            let ends = [model.sizes.first(), model.sizes.last()];
            cells.extend(ends.map(|n| n.map_or(Cell::Null, |n| Cell::number(*n, n.to_string()))));
            table.push(cells);
        }
    }
    table
}

/// The table of P-T models.
fn process_models<'a>(
    models: impl Iterator<Item = (&'a str, &'a PaperModel)>,
    regions: bool,
    ranges: bool,
) -> Table {
    let mut columns = head(regions, ranges, &["per_element"]);
    columns.extend((7..12).map(|k| Column::number(format!("k{k}"))));
    columns.push(Column::number("reference"));
    columns
        .extend(["processes_from", "processes_to"].map(|key| Column::number(key).drop_priority(7)));
    columns.push(Column::text("composed_from").drop_priority(5));
    let title = "P-T models in seconds: Ta(N, P) = k7·Ta(N)/P + k8, Tc(N, P) = k9·P·Tc(N) + \
        k10·Tc(N)/P + k11";
    let mut table = Table::new("process_models", title, columns);
    for (region, model) in models {
        for model in &model.pt_models {
            let mut cells: Vec<Cell> = regions.then(|| Cell::text(region)).into_iter().collect();
            cells.extend([Cell::text(model.kind.clone()), Cell::integer(model.per_element.into())]);
            cells.extend(ranges.then(|| Cell::integer(model.range as u64)));
            cells.extend(
                model.computation.into_iter().chain(model.communication).map(coefficient_cell),
            );
            cells.extend(
                [model.reference.processes, model.processes.0, model.processes.1]
                    .map(Cell::integer),
            );
            cells.push(Cell::optional_text(model.composed_from.clone()));
            table.push(cells);
        }
    }
    table
}

/// Remarks on models that were composed from others or adjusted.
fn notes(model: &PaperModel) -> Vec<String> {
    let compositions = model.compositions.iter().map(|c| {
        let each = c
            .per_element
            .map(|(own, other)| format!(" ({own} processes per element from {other})"));
        format!(
            "{}: composed from {}{} with computation × {:.3} and communication × {:.3}.",
            c.kind,
            c.from,
            each.unwrap_or_default(),
            c.computation,
            c.communication
        )
    });
    let adjustment = model.adjustment.iter().map(|a| {
        let intercept = Seconds::new(a.intercept);
        format!(
            "Estimates of {} with {} or more processes per element are adjusted: {intercept} + \
                {:.3} × estimate.",
            a.kind, a.from_processes, a.slope
        )
    });
    compositions.chain(adjustment).collect()
}
