//! Tables of predicted communication times and of their critical paths.

use super::alarms::{alarm_cell, note_with_alarms};
use super::format::{byte_delay, half_width_cell, maybe_seconds, percent_cell, seconds};
use super::table::{Cell, Column, Table};
use orrery::comm::Predicted;
use orrery::model::{Prediction, Query};
use orrery::platform::Processor;

/// The table of predictions, one line each.
///
/// Keys: operation, algorithm (null for p2p), model, root, procs, size, seconds, low, high (null if
/// the model has no intervals), from_readings and from_model (half the widths of these parts of the
/// interval, relative), extrapolated, alarms, and escalation_probability if an operation escalates:
/// seconds is then the median, low and high are the ends of the band of 95 % of the times. People
/// see from and to if all predictions are of single messages, and alarms with a line for each below
/// the table.
pub fn predictions(predictions: &[Prediction]) -> Table {
    let only_messages = predictions.iter().all(|prediction| ends(prediction).is_some());
    let is_messages = only_messages && !predictions.is_empty();
    let display = if is_messages { messages(predictions) } else { all(predictions, false) };
    all(predictions, true).with_display(display)
}

/// The sender and the receiver of a single message.
fn ends(prediction: &Prediction) -> Option<(Processor, Processor)> {
    match prediction.query {
        Query::PointToPoint { from, to, .. } => Some((from, to)),
        Query::Experiment(_) => None,
    }
}

/// The table for people of predictions of single messages.
fn messages(predictions: &[Prediction]) -> Table {
    let columns = [
        Column::text("operation").drop_priority(3),
        Column::text("model"),
        Column::number("from"),
        Column::number("to"),
        Column::number("size"),
        Column::number("time"),
        Column::number("low").drop_priority(2),
        Column::number("high").drop_priority(2),
    ];
    let (parts, alarms) = (uncertainty_columns(predictions), alarm_column(predictions));
    let columns =
        columns.into_iter().chain(parts.clone().into_iter().flatten()).chain(alarms.clone());
    let mut table = Table::new("predictions", "", columns);
    for prediction in predictions {
        let end = |pick: fn((Processor, Processor)) -> Processor| {
            ends(prediction).map_or(Cell::Null, |both| Cell::integer(pick(both).0.into()))
        };
        let mut cells =
            vec![Cell::text(prediction.query.operation()), Cell::text(prediction.model.name())];
        cells.extend([end(|both| both.0), end(|both| both.1)]);
        cells.extend(time_cells(prediction));
        cells.extend(parts.as_ref().into_iter().flat_map(|_| uncertainty_cells(prediction)));
        cells.extend(alarms.as_ref().map(|_| alarm_cell(&prediction.alarms)));
        table.push(cells);
    }
    with_notes(table, predictions)
}

/// The columns for people with the parts of intervals; `None` if no model has a discrepancy.
fn uncertainty_columns(predictions: &[Prediction]) -> Option<[Column; 2]> {
    let columns = ["from_readings", "from_model"].map(|name| Column::number(name).drop_priority(2));
    predictions.iter().any(|prediction| prediction.uncertainty.model.is_some()).then_some(columns)
}

/// The cells of the parts of an interval.
fn uncertainty_cells(prediction: &Prediction) -> [Cell; 2] {
    [prediction.uncertainty.readings, prediction.uncertainty.model].map(half_width_cell)
}

/// The column for people with the alarms; `None` if there are none.
fn alarm_column(predictions: &[Prediction]) -> Option<Column> {
    predictions
        .iter()
        .any(|prediction| !prediction.alarms.is_empty())
        .then(|| Column::text("alarms").drop_priority(1))
}

/// The cells of the predicted time.
fn time_cells(prediction: &Prediction) -> [Cell; 4] {
    [
        Cell::size(prediction.query.size()),
        seconds(prediction.seconds.get()),
        maybe_seconds(prediction.interval.map(|(low, _)| low.get())),
        maybe_seconds(prediction.interval.map(|(_, high)| high.get())),
    ]
}

/// The table for programs, or for people.
fn all(predictions: &[Prediction], is_for_programs: bool) -> Table {
    let columns = [
        Column::text("operation"),
        Column::text("algorithm"),
        Column::text("model"),
        Column::number("root").drop_priority(3),
        Column::number("procs").drop_priority(4),
        Column::number("size"),
        Column::number("seconds").with_title("time"),
        Column::number("low").drop_priority(2),
        Column::number("high").drop_priority(2),
    ];
    let escalates = predictions.iter().any(|prediction| prediction.escalation.is_some());
    let alarms =
        if is_for_programs { Some(Column::text("alarms")) } else { alarm_column(predictions) };
    let for_programs = ["from_readings", "from_model"].map(Column::number);
    let parts = if is_for_programs { Some(for_programs) } else { uncertainty_columns(predictions) };
    let columns = columns.into_iter().chain(parts.clone().into_iter().flatten());
    let columns = columns.chain(is_for_programs.then(|| Column::text("extrapolated")));
    let columns = columns
        .chain(alarms.clone())
        .chain(escalates.then(|| Column::number("escalation_probability")));
    let mut table = Table::new("predictions", "", columns);
    for prediction in predictions {
        let query = &prediction.query;
        let mut cells = vec![
            Cell::text(query.operation()),
            Cell::optional_text(query.algorithm()),
            Cell::text(prediction.model.name()),
            query.distinct_root().map_or(Cell::Null, |root| Cell::integer(root.0.into())),
            Cell::integer(query.procs() as u64),
        ];
        cells.extend(time_cells(prediction));
        cells.extend(parts.as_ref().into_iter().flat_map(|_| uncertainty_cells(prediction)));
        cells.extend(is_for_programs.then(|| Cell::Flag(prediction.is_extrapolated())));
        cells.extend(alarms.as_ref().map(|_| alarm_cell(&prediction.alarms)));
        cells.extend(escalates.then(|| prediction.escalation.map_or(Cell::Null, percent_cell)));
        table.push(cells);
    }
    with_notes(table, predictions)
}

/// Adds remarks on escalations, and the lines of alarms.
fn with_notes(table: Table, predictions: &[Prediction]) -> Table {
    let escalates = predictions.iter().any(|prediction| prediction.escalation.is_some());
    let note = if escalates {
        "Escalation probability: the share of operations that take much longer; time is the \
            median, low and high enclose 95 % of \
         the times."
    } else {
        ""
    };
    table.with_note(note_with_alarms(
        note,
        predictions.iter().flat_map(|prediction| &prediction.alarms),
    ))
}

/// The table of the terms along the critical path of each prediction, the largest first.
///
/// Keys: operation, algorithm, model, root, procs, size, parameter, i, j (processor or ends of the
/// link), factor (a count or a number of bytes), value, seconds (factor × value), share (of the
/// predicted time).
pub fn critical_path(answers: &[(Prediction, Predicted)]) -> Table {
    // Columns that differ between the predictions are never dropped.
    let is_varied = |differ: fn(&Prediction, &Prediction) -> bool| {
        answers.iter().any(|(prediction, _)| differ(&answers[0].0, prediction))
    };
    let algorithm =
        if is_varied(|a, b| a.query.algorithm() != b.query.algorithm()) { 0 } else { 2 };
    let model = if is_varied(|a, b| a.model != b.model) { 0 } else { 2 };
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
    let mut table =
        Table::new("critical_path", "Terms of the predicted time along the critical path", columns);
    for (prediction, predicted) in answers {
        let query = &prediction.query;
        for contribution in &predicted.contributions {
            let parameter = contribution.parameter;
            let processor = |place: Option<Processor>| {
                place.map_or(Cell::Null, |processor| Cell::integer(processor.0.into()))
            };
            let value = contribution.estimate.value;
            let value_cell = match parameter.name {
                name if name.ends_with("byte_delay")
                    || name.ends_with("_slope")
                    || name == "byte_gap" =>
                {
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
                query.distinct_root().map_or(Cell::Null, |root| Cell::integer(root.0.into())),
                Cell::integer(query.procs() as u64),
                Cell::size(query.size()),
                Cell::text(parameter.size.map_or(parameter.name.to_owned(), |size| {
                    format!("{}({size})", parameter.name)
                })),
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
