use super::format::{byte_delay, percent_cell, seconds};
use super::table::{Cell, Column, Table};
use orrery::comm::Predicted;
use orrery::model::Prediction;

/// What predicted times are made of: for each prediction the terms along its critical path, the largest first.
///
/// Keys: operation, algorithm, model, root, procs, size, parameter, i, j (processor or ends of the link), factor (a count,
/// or a number of bytes), value, seconds (factor × value), share (of the predicted time).
pub fn explanation(answers: &[(Prediction, Predicted)]) -> Table {
    // What tells the predictions apart is not left out where room is small.
    let several = |differ: fn(&Prediction, &Prediction) -> bool| {
        answers.iter().any(|(prediction, _)| differ(&answers[0].0, prediction))
    };
    let algorithm = if several(|a, b| a.query.algorithm() != b.query.algorithm()) { 0 } else { 2 };
    let model = if several(|a, b| a.model != b.model) { 0 } else { 2 };
    let columns = [
        Column::words("operation").dispensable(3),
        Column::words("algorithm").dispensable(algorithm),
        Column::words("model").dispensable(model),
        Column::numbers("root").dispensable(4),
        Column::numbers("procs").dispensable(5),
        Column::numbers("size"),
        Column::words("parameter"),
        Column::numbers("i"),
        Column::numbers("j"),
        Column::numbers("factor").dispensable(1),
        Column::numbers("value").dispensable(1),
        Column::numbers("seconds").titled("time"),
        Column::numbers("share"),
    ];
    let mut table = Table::new("critical_path", "What the time is made of, along the critical path", columns);
    for (prediction, predicted) in answers {
        let query = &prediction.query;
        for contribution in &predicted.contributions {
            let parameter = contribution.parameter;
            let processor = |place: Option<orrery::platform::Processor>| {
                place.map_or(Cell::Null, |processor| Cell::integer(processor.0.into()))
            };
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
                Cell::maybe_text(query.algorithm()),
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
