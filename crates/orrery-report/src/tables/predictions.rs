//! Tables of predicted communication times and of their critical paths.

use super::alarms::{alarm_cell, note_with_alarms};
use super::columns::Columns;
use super::format::{byte_delay, half_width_cell, percent_cell, plain_cell, seconds};
use super::table::{Cell, Table};
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
    let have_parts = predictions.iter().any(|one| one.uncertainty.model.is_some());
    let have_alarms = predictions.iter().any(|one| !one.alarms.is_empty());
    let mut columns = Columns::of(predictions);
    let priority = if is_messages { 3 } else { 0 };
    columns.text("operation", |one| one.query.operation()).drop_first(priority);
    columns.text("algorithm", |one| one.query.algorithm()).for_programs_if(is_messages);
    columns.text("model", |one| one.model.name());
    if is_messages {
        columns.number("from", |one| ends(one).map(|(from, _)| from)).for_people();
        columns.number("to", |one| ends(one).map(|(_, to)| to)).for_people();
    }
    let root = |one: &Prediction| one.query.distinct_root();
    columns.number("root", root).drop_first(3).for_programs_if(is_messages);
    columns.number("procs", |one| one.query.procs()).drop_first(4).for_programs_if(is_messages);
    columns.number("size", |one| one.query.size());
    columns.number("seconds", |one| one.seconds).titled("time");
    columns.ends(["low", "high"], 2, |one| one.interval);
    let from_readings = |one: &Prediction| half_width_cell(one.uncertainty.readings);
    columns.number("from_readings", from_readings).drop_first(2).for_programs_if(!have_parts);
    let from_model = |one: &Prediction| half_width_cell(one.uncertainty.model);
    columns.number("from_model", from_model).drop_first(2).for_programs_if(!have_parts);
    columns.text("extrapolated", Prediction::is_extrapolated).for_programs();
    let alarms = |one: &Prediction| alarm_cell(&one.alarms);
    columns.text("alarms", alarms).drop_first(1).for_programs_if(!have_alarms);
    let escalates = predictions.iter().any(|prediction| prediction.escalation.is_some());
    if escalates {
        let probability = |one: &Prediction| one.escalation.map(percent_cell);
        columns.number("escalation_probability", probability).for_programs_if(is_messages);
    }
    let note = if escalates {
        "Escalation probability: the share of operations that take much longer; time is the \
            median, low and high enclose 95 % of the times."
    } else {
        ""
    };
    let alarms = predictions.iter().flat_map(|prediction| &prediction.alarms);
    columns.table("predictions", "").with_note(note_with_alarms(note, alarms))
}

/// The sender and the receiver of a single message; `None` for any other experiment.
fn ends(prediction: &Prediction) -> Option<(Processor, Processor)> {
    match prediction.query {
        Query::PointToPoint { from, to, .. } => Some((from, to)),
        Query::Experiment(_) => None,
    }
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
    let rows: Vec<_> = answers
        .iter()
        .flat_map(|(one, predicted)| predicted.contributions.iter().map(move |part| (one, part)))
        .collect();
    let mut columns = Columns::of(&rows);
    columns.text("operation", |(one, _)| one.query.operation()).drop_first(3);
    columns.text("algorithm", |(one, _)| one.query.algorithm()).drop_first(algorithm);
    columns.text("model", |(one, _)| one.model.name()).drop_first(model);
    columns.number("root", |(one, _)| one.query.distinct_root()).drop_first(4);
    columns.number("procs", |(one, _)| one.query.procs()).drop_first(5);
    columns.number("size", |(one, _)| one.query.size());
    columns.text("parameter", |(_, part)| match part.parameter.size {
        Some(size) => format!("{}({size})", part.parameter.name),
        None => part.parameter.name.to_owned(),
    });
    columns.number("i", |(_, part)| part.parameter.place.0);
    columns.number("j", |(_, part)| part.parameter.place.1);
    columns.number("factor", |(_, part)| plain_cell(part.factor)).drop_first(1);
    let value = |name: &str, value: f64| match name {
        name if name.ends_with("byte_delay") || name.ends_with("_slope") || name == "byte_gap" => {
            Cell::number(value, byte_delay(value))
        }
        _ => seconds(value),
    };
    columns
        .number("value", |(_, part)| value(part.parameter.name, part.estimate.value))
        .drop_first(1);
    columns.number("seconds", |(_, part)| part.seconds()).titled("time");
    columns.number("share", |(one, part)| {
        let total = one.seconds.get();
        (total > 0.0).then(|| percent_cell(part.seconds().get() / total))
    });
    columns.table("critical_path", "Terms of the predicted time along the critical path")
}
