//! Tables of validations: measured and predicted times, errors, ranks of models, and native
//! collective operations.

use super::alarms::{alarm_cell, note_with_alarms};
use super::comparison::{Comparison, Point};
use super::format::{half_width_cell, maybe_seconds, percent_cell, seconds, signed_percent};
use super::link_classes::{class_cell, with_class};
use super::table::{Cell, Column, Table};
use orrery::model::{
    ModelKind, NativeComparison, Prediction, Ranked, RankingBasis, Validation, ValidationRow,
};
use orrery::sample::PROCESSOR_COLUMNS;
use std::collections::BTreeSet;

/// The sentence where there is no error of a prediction.
pub const ONLY_RESIDUALS: &str = "The fit has seen all of these experiments: these are residuals, \
    not errors of predictions. To test predictions, measure further sizes, or hold some out of \
    the fit.";

/// The tables of a validation: the rows and the summary.
///
/// The rows have one line for each experiment and model. Keys: operation, algorithm, i, j, k, root,
/// procs, size, reply, count, measured, measured_low, measured_high, model, predicted, low, high,
/// from_readings, from_model, error, alarms, seen, and links (within, across, both) in clusters with
/// links within a host and across hosts. People see one line for each operation and size with the
/// models side by side. The keys of the summary are model, operation, experiments, mean_error,
/// median_error, max_error, seen, and links. `seen` is true for experiments that the fit has seen;
/// people see it where some experiments were seen and some were not.
pub fn validation(validation: &Validation) -> (Table, Table) {
    (rows(validation).with_display(pivot(validation)), summary(validation))
}

/// The table of all experiments and models.
fn rows(validation: &Validation) -> Table {
    let words = ["operation", "algorithm"].map(Column::text);
    let places = PROCESSOR_COLUMNS.map(Column::number);
    let before = ["root", "procs", "size", "reply", "count"].map(Column::number);
    let measured = ["measured", "measured_low", "measured_high"].map(Column::number);
    let after =
        ["predicted", "low", "high", "from_readings", "from_model", "error"].map(Column::number);
    let columns = words
        .into_iter()
        .chain(places)
        .chain(before)
        .chain(measured)
        .chain([Column::text("model")])
        .chain(after);
    let with_classes = validation.rows.iter().any(|row| row.class.is_some());
    let columns = columns
        .chain([Column::text("alarms"), seen_column()])
        .chain(with_classes.then(|| Column::text("links")));
    let mut table = Table::new("rows", "Measured and predicted times", columns);
    for row in &validation.rows {
        table.push(cells(row).into_iter().chain(with_classes.then(|| class_cell(row.class))));
    }
    table
}

/// The cells of a row for programs.
fn cells(row: &ValidationRow) -> Vec<Cell> {
    let processor = |p: Option<orrery::platform::Processor>| {
        p.map_or(Cell::Null, |p| Cell::integer(p.0.into()))
    };
    let fields = row.experiment.fields();
    let (query, prediction) = (row.predicted.query, &row.predicted);
    let interval = row.observed.interval;
    let mut cells = vec![Cell::text(query.operation()), Cell::optional_text(query.algorithm())];
    cells.extend(fields.processors.map(processor));
    cells.extend([
        processor(fields.root),
        Cell::integer(query.procs() as u64),
        Cell::size(row.experiment.size()),
        fields.reply.map_or(Cell::Null, Cell::size),
        row.observed.samples.map_or(Cell::Null, Cell::integer),
        seconds(row.observed.value),
        maybe_seconds(interval.map(|interval| interval.low)),
        maybe_seconds(interval.map(|interval| interval.high)),
        Cell::text(prediction.model.name()),
        seconds(prediction.seconds.get()),
        maybe_seconds(prediction.interval.map(|(low, _)| low.get())),
        maybe_seconds(prediction.interval.map(|(_, high)| high.get())),
        half_width_cell(prediction.uncertainty.readings),
        half_width_cell(prediction.uncertainty.model),
        Cell::number(row.error, signed_percent(row.error)),
        alarm_cell(&prediction.alarms),
        Cell::Flag(row.seen),
    ]);
    cells
}

/// The column for whether the fit has seen an experiment.
fn seen_column() -> Column {
    Column::text("seen").drop_priority(5)
}

/// Returns true if the fit has seen some of the experiments and not others.
fn is_mixed(validation: &Validation) -> bool {
    let seen: BTreeSet<bool> = validation.rows.iter().map(|row| row.seen).collect();
    seen.len() > 1
}

/// The sentence on errors that are residuals; empty if none are, and where a column marks them.
fn residuals_note(validation: &Validation) -> &'static str {
    if is_mixed(validation) {
        " Where the fit has seen an experiment, the error is a residual and not that of a \
            prediction."
    } else if validation.rows.iter().any(|row| row.seen) {
        " The fit has seen all of these experiments: the errors are residuals and not those of \
            predictions."
    } else {
        ""
    }
}

/// The table for people: one line for each operation, algorithm and size, the models side by side.
fn pivot(validation: &Validation) -> Table {
    let kinds: BTreeSet<ModelKind> =
        validation.rows.iter().map(|row| row.predicted.model).collect();
    let comparisons = Comparison::all(validation);
    let mut columns = vec![Column::text("operation")];
    columns.extend([
        Column::number("procs").drop_priority(if ambiguous_without_procs(&comparisons) {
            0
        } else {
            30
        }),
        Column::number("size"),
        Column::number("measured").drop_priority(10),
    ]);
    let is_mixed = is_mixed(validation);
    columns.extend(is_mixed.then(seen_column));
    // On narrow terminals the best models are kept longest.
    let ranking = ranked(validation);
    let place = |kind: ModelKind| ranking.iter().take_while(|one| one.model != kind).count() as u8;
    for kind in &kinds {
        columns.push(Column::number(format!("{kind}")).with_title(kind.name()).drop_priority(20));
        let error = Column::number(format!("{kind}_error")).drop_priority(place(*kind));
        columns.push(error.with_title(if kinds.len() == 1 {
            "error %".to_owned()
        } else {
            format!("{kind} %")
        }));
    }
    let title = "Measured and predicted times, means over roots and pairs";
    let note = "For each model: the predicted time, and its error in percent of the measured time.";
    let note = format!("{note}{}", residuals_note(validation));
    let alarms = validation.rows.iter().flat_map(|row| &row.predicted.alarms);
    let mut table = Table::new("rows", title, columns).with_note(note_with_alarms(&note, alarms));
    for comparison in &comparisons {
        for point in &comparison.points {
            table.push(line(comparison, point, &kinds, is_mixed));
        }
    }
    table
}

/// Returns true if an operation was measured with different numbers of processors.
fn ambiguous_without_procs(comparisons: &[Comparison]) -> bool {
    let procs: BTreeSet<(String, usize)> = comparisons
        .iter()
        .map(|comparison| (comparison.subject.name(), comparison.subject.procs))
        .collect();
    let words: BTreeSet<&String> = procs.iter().map(|(word, _)| word).collect();
    words.len() < procs.len()
}

/// The cells of one size in the table for people.
fn line(
    comparison: &Comparison,
    point: &Point,
    kinds: &BTreeSet<ModelKind>,
    is_mixed: bool,
) -> Vec<Cell> {
    let subject = &comparison.subject;
    let operation = if subject.other_reply {
        format!("{}, short reply", subject.name())
    } else {
        subject.name()
    };
    let operation = with_class(operation, subject.class);
    let mut cells = vec![
        Cell::text(operation),
        Cell::integer(subject.procs as u64),
        Cell::size(point.size),
        seconds(point.measured),
    ];
    cells.extend(is_mixed.then(|| point.seen_cell()));
    for kind in kinds {
        let (predicted, error) = point.models.get(kind).copied().unwrap_or((f64::NAN, f64::NAN));
        cells.extend([
            seconds(predicted),
            Cell::number(error, signed_percent(error).replace(" %", "")),
        ]);
    }
    cells
}

/// The table of errors by model and operation.
fn summary(validation: &Validation) -> Table {
    let with_classes = validation.summary.iter().any(|summary| summary.class.is_some());
    let names = ["model", "operation"].map(Column::text);
    let numbers = [
        Column::number("experiments").drop_priority(1),
        Column::number("mean_error"),
        Column::number("median_error"),
        Column::number("max_error"),
    ];
    let seen = seen_column();
    let links = with_classes.then(|| Column::text("links"));
    let empty = |columns| {
        let note =
            format!("Errors are |predicted − measured| / measured.{}", residuals_note(validation));
        Table::new("summary", "Errors of the models", columns).with_note(note)
    };
    let is_mixed = is_mixed(validation);
    let columns = names.iter().chain(&numbers).chain([&seen]).chain(&links);
    let mut table = empty(columns.cloned().collect::<Vec<_>>());
    let mut people =
        empty(names.into_iter().chain(numbers).chain(is_mixed.then_some(seen)).collect());
    for summary in &validation.summary {
        let numbers = [
            Cell::integer(summary.rows as u64),
            percent_cell(summary.mean_error),
            percent_cell(summary.median_error),
            percent_cell(summary.max_error),
        ];
        let names =
            |operation: &str| [Cell::text(summary.model.name()), Cell::text(operation)].into_iter();
        let links = with_classes.then(|| class_cell(summary.class));
        let seen = Cell::Flag(summary.seen);
        let of_all = numbers.iter().cloned().chain([seen.clone()]).chain(links);
        table.push(names(&summary.operation).chain(of_all));
        let of_people = numbers.into_iter().chain(is_mixed.then_some(seen));
        people.push(names(&with_class(&summary.operation, summary.class)).chain(of_people));
    }
    table.with_display(people)
}

/// The models by rank, over the experiments that show best how good predictions are.
pub(crate) fn ranked(validation: &Validation) -> Vec<Ranked> {
    let basis = validation.basis();
    validation.ranking(|row| basis.counts(row))
}

/// The table of models ranked by their mean error over collective operations that the fit has not
/// seen, over all experiments that it has not seen if there are none, or else over what it has seen.
///
/// Keys: rank, model, over (`collectives` or `experiments`), experiments, mean_error, max_error,
/// seen.
pub fn ranking(validation: &Validation) -> Table {
    let RankingBasis { collectives, seen } = validation.basis();
    let ranking = ranked(validation);
    let over = if collectives { "collectives" } else { "experiments" };
    let columns = [
        Column::number("rank"),
        Column::text("model"),
        Column::text("over"),
        Column::number("experiments").drop_priority(1),
        Column::number("mean_error"),
        Column::number("max_error"),
        Column::text("seen"),
    ];
    let people: Vec<Column> = columns
        .iter()
        .filter(|column| !["over", "seen"].contains(&column.key.as_str()))
        .cloned()
        .collect();
    let scope = if collectives { "collective operations" } else { "experiments" };
    let title = if seen {
        format!("Models ranked by their mean residual over {scope} of the fit")
    } else {
        format!("Models ranked by their mean error over held-out {scope}")
    };
    let mut notes = Vec::new();
    if seen {
        notes.push(ONLY_RESIDUALS);
    }
    if ranking.windows(2).any(|two| two[0].rank == two[1].rank) {
        notes.push(
            "Models of the same rank do not differ significantly from the best of them: Student's \
                test of the paired differences of their errors, at 5 %.",
        );
    }
    let mut people = Table::new("ranking", &title, people).with_note(notes.join(" "));
    let mut table = Table::new("ranking", title, columns);
    for one in ranking {
        let (rank, model) = (Cell::integer(one.rank as u64), Cell::text(one.model.name()));
        let experiments = Cell::integer(one.experiments as u64);
        let numbers = [experiments, percent_cell(one.mean_error), percent_cell(one.max_error)];
        people.push([rank.clone(), model.clone()].into_iter().chain(numbers.clone()));
        let first = [rank, model, Cell::text(over)].into_iter();
        table.push(first.chain(numbers).chain([Cell::Flag(seen)]));
    }
    table.with_display(people)
}

/// The table of collective operations of the MPI library beside the predictions for each algorithm.
///
/// Keys: operation, root, procs, size, count, measured, measured_low, measured_high, model, nearest
/// (the algorithm with the smallest error), predicted and error (its predicted time and its error),
/// fastest (the algorithm with the shortest predicted time) and fastest_predicted.
pub fn native_collectives(comparisons: &[NativeComparison]) -> Table {
    let columns = vec![
        Column::text("operation"),
        Column::number("root").drop_priority(3),
        Column::number("procs").drop_priority(2),
        Column::number("size"),
        Column::number("count").drop_priority(5),
        Column::number("measured"),
        Column::number("measured_low").drop_priority(5),
        Column::number("measured_high").drop_priority(5),
        Column::text("model"),
        Column::text("nearest"),
        Column::number("predicted"),
        Column::number("error"),
        Column::text("fastest").drop_priority(1),
        Column::number("fastest_predicted").drop_priority(1),
    ];
    let title = "Collective operations of the MPI library and predictions for known algorithms";
    let mut table = Table::new("native", title, columns).with_note(
        "Which algorithm the library takes is not known: the one whose prediction is nearest is \
            named, which does not prove \
         that it is taken. Errors are (predicted − observed) / observed.",
    );
    for comparison in comparisons {
        let Some((prediction, _)) = comparison.algorithms.first() else { continue };
        let (query, interval) = (prediction.query, comparison.observed.interval);
        let mut row = vec![
            Cell::text(query.operation()),
            query.distinct_root().map_or(Cell::Null, |root| Cell::integer(root.0.into())),
            Cell::integer(query.procs() as u64),
            Cell::size(query.size()),
            comparison.observed.samples.map_or(Cell::Null, Cell::integer),
            seconds(comparison.observed.value),
            maybe_seconds(interval.map(|interval| interval.low)),
            maybe_seconds(interval.map(|interval| interval.high)),
            Cell::text(comparison.model.name()),
        ];
        let name = |prediction: &Prediction| Cell::optional_text(prediction.query.algorithm());
        row.extend(match comparison.nearest() {
            Some((prediction, error)) => {
                let error = Cell::number(*error, signed_percent(*error));
                [name(prediction), seconds(prediction.seconds.get()), error]
            }
            None => [Cell::Null, Cell::Null, Cell::Null],
        });
        row.extend(match comparison.fastest() {
            Some(prediction) => [name(prediction), seconds(prediction.seconds.get())],
            None => [Cell::Null, Cell::Null],
        });
        table.push(row);
    }
    table
}
