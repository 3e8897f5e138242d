//! The table that summarises repeated readings.

use std::collections::BTreeMap;

use super::format::{maybe_seconds, median, percent_cell, seconds, signed_percent};
use super::link_classes::{class_cell, with_class};
use super::table::{Cell, Column, Table};
use orrery::platform::{LinkClass, Processor};
use orrery::sample::{Experiment, LaunchSpread, OUTLIER_DEVIATIONS, PROCESSOR_COLUMNS, Summary};
use orrery::units::Bytes;

/// Up to this many experiments, people see each one; more are grouped by operation and size.
const MAX_SINGLE_EXPERIMENTS: usize = 40;

/// Drifts count below this p value.
const DRIFT_SIGNIFICANCE: f64 = 0.01;

/// The columns with texts, before those with numbers.
const TEXTS: [&str; 2] = ["operation", "algorithm"];

/// The columns with numbers, after those of the processors.
const NUMBERS: [&str; 17] = [
    "root",
    "procs",
    "size",
    "reply",
    "count",
    "launches",
    "median",
    "median_low",
    "median_high",
    "mean",
    "spread",
    "outliers",
    "drift",
    "drift_p",
    "between",
    "within",
    "expected_between",
];

/// The table of summarised readings, one line for each experiment.
///
/// Keys: operation, algorithm, i, j, k, root, procs, size, reply, count, launches, median,
/// median_low, median_high, mean, spread, outliers, drift, drift_p, between, within,
/// expected_between, and links (within, across, both) in clusters with links within a host and
/// across hosts. Shares are relative to the median. More than 40 experiments are grouped by
/// operation and size for people.
pub fn summary(summaries: &[Summary]) -> Table {
    let words = TEXTS.into_iter().map(Column::text);
    let numbers = PROCESSOR_COLUMNS.into_iter().chain(NUMBERS).map(Column::number);
    let have_classes = summaries.iter().any(|summary| summary.class.is_some());
    let links = have_classes.then(|| Column::text("links"));
    let mut table = Table::new("summary", "Readings", words.chain(numbers).chain(links));
    for summary in summaries {
        let class = have_classes.then(|| class_cell(summary.class));
        table.push(cells(summary).into_iter().chain(class));
    }
    let display = if summaries.len() > MAX_SINGLE_EXPERIMENTS {
        grouped_table(summaries)
    } else {
        single_table(summaries)
    };
    table.with_display(display)
}

/// The cells for programs.
fn cells(summary: &Summary) -> Vec<Cell> {
    let (operation, algorithm) = names(&summary.experiment);
    let fields = summary.experiment.fields();
    let processor =
        |processor: Option<Processor>| processor.map_or(Cell::Null, |p| Cell::integer(p.0.into()));
    let interval = summary.median.interval;
    let between =
        |pick: fn(&LaunchSpread) -> Option<f64>| share(summary.between.as_ref().and_then(pick));
    let mut cells = vec![Cell::text(operation), Cell::optional_text(algorithm)];
    cells.extend(fields.processors.map(processor));
    cells.extend([
        processor(fields.root),
        Cell::integer(summary.experiment.procs() as u64),
        Cell::size(fields.size),
        fields.reply.map_or(Cell::Null, Cell::size),
        Cell::integer(summary.count()),
        Cell::integer(summary.launches as u64),
        seconds(summary.median.value),
        maybe_seconds(interval.map(|interval| interval.low)),
        maybe_seconds(interval.map(|interval| interval.high)),
        seconds(summary.mean),
        share(summary.spread),
        Cell::integer(summary.outliers as u64),
        summary.drift.map_or(Cell::Null, |drift| {
            Cell::number(drift.relative, signed_percent(drift.relative))
        }),
        summary
            .drift
            .map_or(Cell::Null, |drift| Cell::number(drift.p_value, probability(drift.p_value))),
        between(|between| Some(between.between)),
        between(|between| between.within),
        between(|between| between.expected),
    ]);
    cells
}

/// A cell with a share, or null for `None`.
fn share(value: Option<f64>) -> Cell {
    value.map_or(Cell::Null, percent_cell)
}

/// The text of a probability.
fn probability(p: f64) -> String {
    if p < 0.001 { "< 0.001".to_owned() } else { format!("{p:.3}") }
}

/// The names of the operation and of its algorithm.
fn names(experiment: &Experiment) -> (String, Option<String>) {
    (experiment.operation().to_owned(), experiment.algorithm())
}

/// The processors of an experiment: `0-1`, `0→1,2`, `root 3`.
fn processors_text(experiment: &Experiment) -> String {
    experiment.participants()
}

/// The operation for people; round trips with a reply of another size are named apart.
fn operation(experiment: &Experiment) -> String {
    experiment.name() + if experiment.other_reply().is_some() { ", short reply" } else { "" }
}

/// The remark that explains the columns; `launches` adds those of several launches.
fn note(launches: bool) -> String {
    let columns = format!(
        "Spread: robust standard deviation of a reading. Outliers: more than {OUTLIER_DEVIATIONS} \
            spreads from the median. Drift: change \
         from the first reading to the last; drift p: the probability of such a trend by chance."
    );
    let between = " Between: standard deviation of the medians of launches; expected between: the \
        part of it that the \
                   spread within launches explains.";
    columns + if launches { between } else { "" }
}

/// The table for people with one line for each experiment.
fn single_table(summaries: &[Summary]) -> Table {
    let collective = |summary: &Summary| summary.experiment.is_collective();
    let launches = summaries.iter().any(|summary| summary.between.is_some());
    let mut columns = vec![
        Column::text("operation"),
        Column::text("processors"),
        Column::number("procs").drop_priority(if summaries.iter().any(collective) { 0 } else { 4 }),
        Column::number("size"),
        Column::number("count"),
        Column::number("median"),
        Column::number("mean").drop_priority(3),
        Column::number("spread"),
        Column::number("outliers"),
        Column::number("drift"),
        Column::number("drift_p").drop_priority(2),
    ];
    if launches {
        columns.push(Column::number("launches").drop_priority(1));
        columns.push(Column::number("between"));
        columns.push(Column::number("expected_between").drop_priority(1));
    }
    let mut table = Table::new("summary", "Readings", columns).with_note(note(launches));
    for summary in summaries {
        let all = cells(summary);
        let operation = with_class(operation(&summary.experiment), summary.class);
        let mut row = vec![Cell::text(operation), Cell::text(processors_text(&summary.experiment))];
        let cell = |name: &str| {
            let mut names = TEXTS.into_iter().chain(PROCESSOR_COLUMNS).chain(NUMBERS);
            names.position(|known| known == name).map_or(Cell::Null, |place| all[place].clone())
        };
        row.extend(
            ["procs", "size", "count", "median", "mean", "spread", "outliers", "drift", "drift_p"]
                .map(cell),
        );
        if launches {
            row.extend(["launches", "between", "expected_between"].map(cell));
        }
        table.push(row);
    }
    table
}

/// The table for people with one line for each operation and size, naming the worst experiment.
fn grouped_table(summaries: &[Summary]) -> Table {
    let launches = summaries.iter().any(|summary| summary.between.is_some());
    let mut columns = vec![
        Column::text("operation"),
        Column::number("procs").drop_priority(4),
        Column::number("size"),
        Column::number("experiments").drop_priority(2),
        Column::number("readings").drop_priority(3),
        Column::number("median"),
        Column::number("spread"),
        Column::number("worst_spread"),
        Column::text("processors"),
        Column::number("outliers"),
        Column::number("drifting"),
    ];
    if launches {
        columns.push(Column::number("between"));
        columns.push(Column::number("worst_between").drop_priority(1));
    }
    let mut groups: BTreeMap<(String, usize, Bytes, Option<LinkClass>), Vec<&Summary>> =
        BTreeMap::new();
    for summary in summaries {
        let procs = summary.experiment.procs();
        let key = (operation(&summary.experiment), procs, summary.experiment.size(), summary.class);
        groups.entry(key).or_default().push(summary);
    }
    let title = "Readings, medians over the experiments of each operation and size";
    let note = format!(
        "{} Drifting: experiments with drift p below {DRIFT_SIGNIFICANCE}; by chance one in {:.0}. \
            --format csv lists all \
         experiments.",
        note(launches),
        1.0 / DRIFT_SIGNIFICANCE
    );
    let mut table = Table::new("summary", title, columns).with_note(note);
    for ((operation, procs, size, class), group) in groups {
        let worst = group
            .iter()
            .filter(|summary| summary.spread.is_some())
            .max_by(|a, b| a.spread.unwrap_or(0.0).total_cmp(&b.spread.unwrap_or(0.0)));
        let drifting = group
            .iter()
            .filter(|summary| summary.drift.is_some_and(|drift| drift.p_value < DRIFT_SIGNIFICANCE))
            .count();
        let between =
            || group.iter().filter_map(|summary| summary.between.map(|between| between.between));
        let mut row = vec![
            Cell::text(with_class(operation, class)),
            Cell::integer(procs as u64),
            Cell::size(size),
            Cell::integer(group.len() as u64),
            Cell::integer(group.iter().map(|summary| summary.count()).sum()),
            maybe_seconds(median(group.iter().map(|summary| summary.median.value))),
            share(median(group.iter().filter_map(|summary| summary.spread))),
            share(worst.and_then(|summary| summary.spread)),
            Cell::optional_text(worst.map(|summary| processors_text(&summary.experiment))),
            Cell::integer(group.iter().map(|summary| summary.outliers as u64).sum()),
            Cell::integer(drifting as u64),
        ];
        if launches {
            row.extend([share(median(between())), share(between().max_by(f64::total_cmp))]);
        }
        table.push(row);
    }
    table
}
