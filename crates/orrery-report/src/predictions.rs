use super::format::{maybe_seconds, percent_cell, seconds};
use super::table::{Cell, Column, Table};
use orrery::model::{Prediction, Query};
use orrery::platform::Processor;

/// Predictions as a table, one line each.
///
/// Keys: operation, algorithm (null for p2p), model, root, procs, size, seconds, low, high (null where the model has no
/// intervals), extrapolated, and `escalation_probability` where an operation escalates: seconds are then the median of its
/// times, low and high the band of 95 % of them. For people the columns of messages are from and to in place of algorithm, root and procs.
pub fn predictions(predictions: &[Prediction]) -> Table {
    let table = all(predictions);
    let only_messages = predictions.iter().all(|prediction| ends(prediction).is_some());
    if only_messages && !predictions.is_empty() { table.shown_as(messages(predictions)) } else { table }
}

/// Sender and receiver of a single message.
fn ends(prediction: &Prediction) -> Option<(Processor, Processor)> {
    match prediction.query {
        Query::PointToPoint { from, to, .. } => Some((from, to)),
        Query::Experiment(_) => None,
    }
}

fn messages(predictions: &[Prediction]) -> Table {
    let (interval, flag) = ranks(predictions);
    let columns = [
        Column::words("operation").dispensable(3),
        Column::words("model"),
        Column::numbers("from"),
        Column::numbers("to"),
        Column::numbers("size"),
        Column::numbers("time"),
        Column::numbers("low").dispensable(interval),
        Column::numbers("high").dispensable(interval),
        Column::words("extrapolated").titled("beyond range").dispensable(flag),
    ];
    let mut table = Table::new("predictions", "", columns);
    for prediction in predictions {
        let end = |pick: fn((Processor, Processor)) -> Processor| {
            ends(prediction).map_or(Cell::Null, |both| Cell::integer(pick(both).0.into()))
        };
        let mut cells = vec![Cell::text(prediction.query.operation()), Cell::text(prediction.model.name())];
        cells.extend([end(|both| both.0), end(|both| both.1)]);
        cells.extend(answer(prediction));
        table.push(cells);
    }
    noted(table, predictions)
}

/// What every table of predictions ends with.
fn answer(prediction: &Prediction) -> [Cell; 5] {
    [
        Cell::size(prediction.query.size()),
        seconds(prediction.seconds.get()),
        maybe_seconds(prediction.interval.map(|(low, _)| low.get())),
        maybe_seconds(prediction.interval.map(|(_, high)| high.get())),
        Cell::Flag(prediction.extrapolated),
    ]
}

/// How dispensable intervals are, and the flag: what tells something stays longer.
fn ranks(predictions: &[Prediction]) -> (u8, u8) {
    if predictions.iter().any(|prediction| prediction.extrapolated) { (2, 1) } else { (1, 2) }
}

fn all(predictions: &[Prediction]) -> Table {
    let (interval, flag) = ranks(predictions);
    let columns = [
        Column::words("operation"),
        Column::words("algorithm"),
        Column::words("model"),
        Column::numbers("root").dispensable(3),
        Column::numbers("procs").dispensable(4),
        Column::numbers("size"),
        Column::numbers("seconds").titled("time"),
        Column::numbers("low").dispensable(interval),
        Column::numbers("high").dispensable(interval),
        Column::words("extrapolated").titled("beyond range").dispensable(flag),
    ];
    let escalates = predictions.iter().any(|prediction| prediction.escalation.is_some());
    let columns =
        columns.into_iter().chain(escalates.then(|| Column::numbers("escalation_probability").titled("escalates")));
    let mut table = Table::new("predictions", "", columns);
    for prediction in predictions {
        let query = &prediction.query;
        let mut cells = vec![
            Cell::text(query.operation()),
            Cell::maybe_text(query.algorithm()),
            Cell::text(prediction.model.name()),
            Cell::integer(query.root().0.into()),
            Cell::integer(query.procs() as u64),
        ];
        cells.extend(answer(prediction));
        cells.extend(escalates.then(|| prediction.escalation.map_or(Cell::Null, percent_cell)));
        table.push(cells);
    }
    noted(table, predictions)
}

fn noted(table: Table, predictions: &[Prediction]) -> Table {
    let mut notes = Vec::new();
    if predictions.iter().any(|prediction| prediction.escalation.is_some()) {
        notes.push(
            "Escalates: the operation takes much longer now and then, with this probability; its time is the median, low and \
             high hold 95 % of its times.",
        );
    }
    if predictions.iter().any(|prediction| prediction.extrapolated) {
        notes.push("Beyond range: the size lies outside the range that was measured; trust the time less.");
    }
    if notes.is_empty() { table } else { table.with_note(notes.join(" ")) }
}
