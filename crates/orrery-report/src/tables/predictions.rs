use super::format::{byte_delay, maybe_seconds, percent_cell, seconds};
use super::table::{Cell, Column, Table};
use orrery::comm::Predicted;
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
    if only_messages && !predictions.is_empty() { table.with_display(messages(predictions)) } else { table }
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
        Column::text("operation").drop_priority(3),
        Column::text("model"),
        Column::number("from"),
        Column::number("to"),
        Column::number("size"),
        Column::number("time"),
        Column::number("low").drop_priority(interval),
        Column::number("high").drop_priority(interval),
        Column::text("extrapolated").with_title("beyond range").drop_priority(flag),
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
        Column::text("operation"),
        Column::text("algorithm"),
        Column::text("model"),
        Column::number("root").drop_priority(3),
        Column::number("procs").drop_priority(4),
        Column::number("size"),
        Column::number("seconds").with_title("time"),
        Column::number("low").drop_priority(interval),
        Column::number("high").drop_priority(interval),
        Column::text("extrapolated").with_title("beyond range").drop_priority(flag),
    ];
    let escalates = predictions.iter().any(|prediction| prediction.escalation.is_some());
    let columns =
        columns.into_iter().chain(escalates.then(|| Column::number("escalation_probability").with_title("escalates")));
    let mut table = Table::new("predictions", "", columns);
    for prediction in predictions {
        let query = &prediction.query;
        let mut cells = vec![
            Cell::text(query.operation()),
            Cell::optional_text(query.algorithm()),
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

/// What predicted times are made of: for each prediction the terms along its critical path, the largest first.
///
/// Keys: operation, algorithm, model, root, procs, size, parameter, i, j (processor or ends of the link), factor (a count,
/// or a number of bytes), value, seconds (factor × value), share (of the predicted time).
pub fn critical_path(answers: &[(Prediction, Predicted)]) -> Table {
    // What tells the predictions apart is not left out where room is small.
    let several = |differ: fn(&Prediction, &Prediction) -> bool| {
        answers.iter().any(|(prediction, _)| differ(&answers[0].0, prediction))
    };
    let algorithm = if several(|a, b| a.query.algorithm() != b.query.algorithm()) { 0 } else { 2 };
    let model = if several(|a, b| a.model != b.model) { 0 } else { 2 };
    let columns = [
        Column::text("operation").drop_priority(3),
        Column::text("algorithm").drop_priority(algorithm),
        Column::text("model").drop_priority(model),
        Column::number("root").drop_priority(4),
        Column::number("procs").drop_priority(5),
        Column::number("size"),
        Column::text("parameter"),
        Column::number("i"),
        Column::number("j"),
        Column::number("factor").drop_priority(1),
        Column::number("value").drop_priority(1),
        Column::number("seconds").with_title("time"),
        Column::number("share"),
    ];
    let mut table = Table::new("critical_path", "What the time is made of, along the critical path", columns);
    for (prediction, predicted) in answers {
        let query = &prediction.query;
        for contribution in &predicted.contributions {
            let parameter = contribution.parameter;
            let processor =
                |place: Option<Processor>| place.map_or(Cell::Null, |processor| Cell::integer(processor.0.into()));
            let value = contribution.estimate.value;
            let value_cell = match parameter.name {
                name if name.ends_with("byte_delay") || name.ends_with("_slope") || name == "byte_gap" => {
                    Cell::number(value, byte_delay(value))
                }
                _ => seconds(value),
            };
            let time = contribution.seconds();
            let total = prediction.seconds.get();
            table.push([
                Cell::text(query.operation()),
                Cell::optional_text(query.algorithm()),
                Cell::text(prediction.model.name()),
                Cell::integer(query.root().0.into()),
                Cell::integer(query.procs() as u64),
                Cell::size(query.size()),
                Cell::text(
                    parameter.size.map_or(parameter.name.to_owned(), |size| format!("{}({size})", parameter.name)),
                ),
                processor(parameter.place.0),
                processor(parameter.place.1),
                Cell::number(contribution.factor, contribution.factor.to_string()),
                value_cell,
                seconds(time.get()),
                if total > 0.0 { percent_cell(time.get() / total) } else { Cell::Null },
            ]);
        }
    }
    table
}
