use std::collections::BTreeSet;

use super::classes::{class_cell, with_class};
use super::comparison::{Comparison, Point};
use super::format::{maybe_seconds, percent_cell, seconds, signed_percent};
use super::ranking::ranked;
use super::table::{Cell, Column, Table};
use orrery::model::{ModelKind, Validation, ValidationRow};
use orrery::sample::Experiment;

/// A validation as two tables: the rows and the summary.
///
/// For programs the rows are one line for each experiment and model, with the keys operation, algorithm, i, j, k, root,
/// procs, size, reply, count, observed, observed_low, observed_high, model, predicted, low, high, error, and links (within,
/// across, both) in clusters with links within a host and across hosts. For people they
/// are one line for each operation, algorithm and size, with the models side by side. [`super::json_document`] writes
/// both as one.
pub fn validation(validation: &Validation) -> (Table, Table) {
    (rows(validation).shown_as(pivot(validation)), summary(validation))
}

fn rows(validation: &Validation) -> Table {
    let words = ["operation", "algorithm"].map(Column::words);
    let before = ["i", "j", "k", "root", "procs", "size", "reply", "count"].map(Column::numbers);
    let observed = ["observed", "observed_low", "observed_high"].map(Column::numbers);
    let after = ["predicted", "low", "high", "error"].map(Column::numbers);
    let columns = words.into_iter().chain(before).chain(observed).chain([Column::words("model")]).chain(after);
    let with_classes = validation.rows.iter().any(|row| row.class.is_some());
    let columns = columns.chain(with_classes.then(|| Column::words("links")));
    let mut table = Table::new("rows", "Observed and predicted times", columns);
    for row in &validation.rows {
        table.push(cells(row).into_iter().chain(with_classes.then(|| class_cell(row.class))));
    }
    table
}

fn cells(row: &ValidationRow) -> Vec<Cell> {
    let processor = |p: Option<orrery::platform::Processor>| p.map_or(Cell::Null, |p| Cell::integer(p.0.into()));
    let (i, j, k, root, reply) = match row.experiment {
        Experiment::RoundTrip { i, j, reply, .. } => (Some(i), Some(j), None, None, Some(reply)),
        Experiment::OneToTwo { i, j, k, .. } => (Some(i), Some(j), Some(k), None, None),
        Experiment::Train { i, j, train } => (Some(i), Some(j), None, None, Some(train.reply)),
        Experiment::Exchange { i, j, .. } => (Some(i), Some(j), None, None, None),
        Experiment::Collective { root, .. } | Experiment::Native { root, .. } => (None, None, None, Some(root), None),
    };
    let (query, prediction) = (row.predicted.query, &row.predicted);
    let interval = row.observed.interval;
    vec![
        Cell::text(query.operation()),
        Cell::maybe_text(query.algorithm()),
        processor(i),
        processor(j),
        processor(k),
        processor(root),
        Cell::integer(query.procs() as u64),
        Cell::size(row.experiment.size()),
        reply.map_or(Cell::Null, Cell::size),
        row.observed.samples.map_or(Cell::Null, Cell::integer),
        seconds(row.observed.value),
        maybe_seconds(interval.map(|interval| interval.low)),
        maybe_seconds(interval.map(|interval| interval.high)),
        Cell::text(prediction.model.name()),
        seconds(prediction.seconds.get()),
        maybe_seconds(prediction.interval.map(|(low, _)| low.get())),
        maybe_seconds(prediction.interval.map(|(_, high)| high.get())),
        Cell::number(row.error, signed_percent(row.error)),
    ]
}

/// One line for each operation, algorithm and size, the models side by side.
fn pivot(validation: &Validation) -> Table {
    let kinds: BTreeSet<ModelKind> = validation.rows.iter().map(|row| row.predicted.model).collect();
    let comparisons = Comparison::all(validation);
    let mut columns = vec![Column::words("operation")];
    columns.extend([
        Column::numbers("procs").dispensable(if ambiguous_without_procs(&comparisons) { 0 } else { 30 }),
        Column::numbers("size"),
        Column::numbers("observed").dispensable(10),
    ]);
    // Where there is no room for all models, the best ones stay.
    let (_, ranking) = ranked(validation);
    let place = |kind: ModelKind| ranking.iter().take_while(|one| one.model != kind).count() as u8;
    for kind in &kinds {
        columns.push(Column::numbers(format!("{kind}")).titled(kind.name()).dispensable(20));
        let error = Column::numbers(format!("{kind} error")).dispensable(place(*kind));
        columns.push(error.titled(if kinds.len() == 1 { "error %".to_owned() } else { format!("{kind} %") }));
    }
    let title = "Observed and predicted times, means over roots and pairs";
    let mut table = Table::new("rows", title, columns)
        .with_note("Under the name of a model: its predicted time, and how many percent it is off the observed time.");
    for comparison in &comparisons {
        for point in &comparison.points {
            table.push(line(comparison, point, &kinds));
        }
    }
    table
}

/// Whether one operation was carried out by different numbers of processors.
fn ambiguous_without_procs(comparisons: &[Comparison]) -> bool {
    let procs: BTreeSet<(String, usize)> =
        comparisons.iter().map(|comparison| (comparison.subject.name(), comparison.subject.procs)).collect();
    let words: BTreeSet<&String> = procs.iter().map(|(word, _)| word).collect();
    words.len() < procs.len()
}

fn line(comparison: &Comparison, point: &Point, kinds: &BTreeSet<ModelKind>) -> Vec<Cell> {
    let subject = &comparison.subject;
    let operation = if subject.empty_reply { format!("{}, short reply", subject.name()) } else { subject.name() };
    let operation = with_class(operation, subject.class);
    let mut cells = vec![
        Cell::text(operation),
        Cell::integer(subject.procs as u64),
        Cell::size(point.size),
        seconds(point.observed),
    ];
    for kind in kinds {
        let (predicted, error) = point.models.get(kind).copied().unwrap_or((f64::NAN, f64::NAN));
        cells.extend([seconds(predicted), Cell::number(error, signed_percent(error).replace(" %", ""))]);
    }
    cells
}

fn summary(validation: &Validation) -> Table {
    let with_classes = validation.summary.iter().any(|summary| summary.class.is_some());
    let names = ["model", "operation"].map(Column::words);
    let numbers = [
        Column::numbers("rows").titled("experiments").dispensable(1),
        Column::numbers("mean_error"),
        Column::numbers("median_error"),
        Column::numbers("max_error").titled("largest error"),
    ];
    let links = with_classes.then(|| Column::words("links"));
    let empty = |columns| {
        let note = "Errors are |predicted − observed| / observed.";
        Table::new("summary", "Errors of the models", columns).with_note(note)
    };
    let mut table = empty(names.iter().chain(&numbers).chain(&links).cloned().collect::<Vec<_>>());
    let mut people = empty(names.into_iter().chain(numbers).collect());
    for summary in &validation.summary {
        let numbers = [
            Cell::integer(summary.rows as u64),
            percent_cell(summary.mean_error),
            percent_cell(summary.median_error),
            percent_cell(summary.max_error),
        ];
        let names = |operation: &str| [Cell::text(summary.model.name()), Cell::text(operation)].into_iter();
        let links = with_classes.then(|| class_cell(summary.class));
        table.push(names(&summary.operation).chain(numbers.clone()).chain(links));
        people.push(names(&with_class(&summary.operation, summary.class)).chain(numbers));
    }
    table.shown_as(people)
}
