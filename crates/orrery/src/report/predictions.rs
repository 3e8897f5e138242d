use super::format::{maybe_seconds, seconds};
use super::table::{Cell, Column, Table};
use crate::model::Prediction;

/// Predictions as a table, one line each.
///
/// Keys: operation, algorithm (null for p2p), model, root, procs, size, seconds, low, high (null where the model has no
/// intervals), extrapolated.
pub fn predictions(predictions: &[Prediction]) -> Table {
    let columns = [
        Column::words("operation"),
        Column::words("algorithm"),
        Column::words("model"),
        Column::numbers("root").dispensable(3),
        Column::numbers("procs").dispensable(4),
        Column::numbers("size"),
        Column::numbers("seconds").titled("time"),
        Column::numbers("low").dispensable(1),
        Column::numbers("high").dispensable(1),
        Column::words("extrapolated").dispensable(2),
    ];
    let mut table = Table::new("predictions", "", columns);
    for prediction in predictions {
        let question = &prediction.question;
        table.push([
            Cell::text(question.operation()),
            Cell::maybe_text(question.algorithm()),
            Cell::text(prediction.model.word()),
            Cell::integer(question.root().0.into()),
            Cell::integer(question.procs() as u64),
            Cell::size(question.size()),
            seconds(prediction.seconds.get()),
            maybe_seconds(prediction.interval.map(|(low, _)| low.get())),
            maybe_seconds(prediction.interval.map(|(_, high)| high.get())),
            Cell::Flag(prediction.extrapolated),
        ]);
    }
    if predictions.iter().any(|prediction| prediction.extrapolated) {
        let note = "Extrapolated: the size lies outside the range that was measured; trust it less.";
        return table.with_note(note);
    }
    table
}
