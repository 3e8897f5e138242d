//! Tables of choices of collective algorithms by measured rows, and of the rows to measure next.

use super::format::{percent, percent_cell, seconds, signed_percent, span};
use super::table::{Cell, Column, Table};
use orrery::collective::measured::{Advice, MeasuredChoice, PredictedTime};

/// The table of the choice at each operation and size.
///
/// Keys: operation, procs, size, algorithm (`default` if the library's own choice is kept), best
/// (the algorithm that is predicted to be the fastest), its seconds, low and high, then
/// default_seconds, default_low, default_high, default_measured, margin (the default's time over
/// that of the best, minus 1), margin_low and margin_high (all null if the default was not
/// measured), expected_loss, term, term_share, read and algorithms (numbers of algorithms).
pub fn measured_choices(procs: usize, choices: &[MeasuredChoice]) -> Table {
    let columns = [
        Column::text("operation"),
        Column::number("procs"),
        Column::number("size"),
        Column::text("algorithm"),
        Column::text("best"),
        Column::number("seconds"),
        Column::number("low"),
        Column::number("high"),
        Column::number("default_seconds"),
        Column::number("default_low"),
        Column::number("default_high"),
        Column::text("default_measured"),
        Column::number("margin"),
        Column::number("margin_low"),
        Column::number("margin_high"),
        Column::number("expected_loss"),
        Column::text("term"),
        Column::number("term_share"),
        Column::number("read"),
        Column::number("algorithms"),
    ];
    let mut table = Table::new("choices", "", columns);
    for choice in choices {
        let bound = |bound: Option<f64>| bound.map_or(Cell::Null, percent_cell);
        let interval = choice.default.margin();
        let time = |time: PredictedTime| {
            [time.seconds, time.interval.0, time.interval.1].map(|t| seconds(t.get()))
        };
        let mut cells = vec![
            Cell::text(choice.point.operation.name()),
            Cell::integer(procs as u64),
            Cell::size(choice.point.size),
            Cell::text(chosen(choice)),
            Cell::optional_text(choice.ranking.first().map(ToString::to_string)),
        ];
        cells.extend(time(choice.predicted));
        cells.extend(time(choice.default.time()));
        cells.extend([
            Cell::Flag(interval.is_some()),
            if interval.is_some() { percent_cell(margin(choice)) } else { Cell::Null },
            bound(interval.map(|(low, _)| low)),
            bound(interval.map(|(_, high)| high)),
            Cell::number(choice.expected_loss, percent(choice.expected_loss)),
            Cell::text(choice.dominant.0.name()),
            percent_cell(choice.dominant.1),
            Cell::integer(choice.read.0 as u64),
            Cell::integer(choice.read.1 as u64),
        ]);
        table.push(cells);
    }
    table.with_display(display(choices))
}

/// The name of what is chosen.
fn chosen(choice: &MeasuredChoice) -> String {
    choice.chosen.map_or_else(|| "default".to_owned(), |implementation| implementation.to_string())
}

/// The default's time over that of the fastest algorithm, minus 1.
fn margin(choice: &MeasuredChoice) -> f64 {
    choice.default.time().seconds.get() / choice.predicted.seconds.get() - 1.0
}

/// The reason of a choice.
fn reason(choice: &MeasuredChoice) -> String {
    match (choice.chosen, choice.default.margin(), choice.ranking.first()) {
        (None, Some(_), Some(best)) if margin(choice) < 0.0 => {
            format!("{best} is predicted to be slower")
        }
        (None, Some(_), Some(best)) => format!("a loss by {best} is not excluded"),
        (None, None, _) => "too little is measured".to_owned(),
        (_, interval, _) => {
            let risk = match interval {
                Some((low, _)) if low >= 0.0 => "",
                Some(_) => "; a loss is not excluded",
                None => "; default not measured",
            };
            format!("mostly {}{risk}", choice.dominant.0.name())
        }
    }
}

/// The table for people: one line for consecutive sizes with the same choice and reason.
fn display(choices: &[MeasuredChoice]) -> Table {
    let columns = [
        Column::text("operation"),
        Column::number("from"),
        Column::number("to"),
        Column::text("algorithm"),
        Column::text("first").with_title("best at from"),
        Column::text("last").with_title("best at to").drop_priority(2),
        Column::text("margin").with_title("default − best"),
        Column::text("reason"),
    ];
    let mut table = Table::new(
        "choices",
        "Algorithm by size of a block, or of the vector of other operations",
        columns,
    );
    let is_same = |a: &MeasuredChoice, b: &MeasuredChoice| {
        let key = |one: &MeasuredChoice| (one.point.operation, one.chosen, reason(one));
        key(a) == key(b)
    };
    for range in choices.chunk_by(is_same) {
        let [first, .., last] = range else {
            if let [only] = range {
                table.push(line(only, only));
            }
            continue;
        };
        table.push(line(first, last));
    }
    table.with_note(
        "best: the predicted time of the algorithm that is predicted to be the fastest, with its \
            interval of 90 %. default − best: what \
         the library's own choice takes more, at from and at to, in percent of that time. Between \
         measured sizes nothing is predicted.",
    )
}

/// The line of a range of sizes.
fn line(first: &MeasuredChoice, last: &MeasuredChoice) -> [Cell; 8] {
    let time = |choice: &MeasuredChoice| {
        let PredictedTime { seconds, interval } = choice.predicted;
        Cell::text(format!(
            "{seconds} ({})",
            span(&interval.0.to_string(), &interval.1.to_string())
        ))
    };
    let is_single = first.point == last.point;
    let margins = first.default.margin().and(last.default.margin()).map(|_| {
        let (first, last) = (signed_percent(margin(first)), signed_percent(margin(last)));
        if is_single { first } else { span(&first, &last) }
    });
    [
        Cell::text(first.point.operation.name()),
        Cell::size(first.point.size),
        Cell::size(last.point.size),
        Cell::text(chosen(first)),
        time(first),
        if is_single { Cell::Null } else { time(last) },
        Cell::optional_text(margins),
        Cell::text(reason(first)),
    ]
}

/// The table of the rows to measure next, in their order.
///
/// Keys: order (from 1), experiment, operation, algorithm, procs, size, launch, gain (the expected
/// decrease of the sum of the logs of the chosen times), seconds, low and high (the predicted
/// time).
pub fn measured_advice(procs: usize, advice: &[(Advice, PredictedTime)]) -> Table {
    let columns = [
        Column::number("order"),
        Column::text("experiment"),
        Column::text("operation").drop_priority(3),
        Column::text("algorithm").drop_priority(3),
        Column::number("procs").drop_priority(1),
        Column::number("size"),
        Column::number("launch").drop_priority(2),
        Column::number("gain"),
        Column::number("seconds").with_title("predicted"),
        Column::number("low"),
        Column::number("high"),
    ];
    let mut table = Table::new("advice", "Rows to measure next", columns);
    for (place, (advice, time)) in advice.iter().enumerate() {
        let Advice { row, gain, .. } = advice;
        table.push([
            Cell::integer(place as u64 + 1),
            Cell::text(row.experiment_name()),
            Cell::text(row.point.operation.name()),
            Cell::text(row.implementation.to_string()),
            Cell::integer(procs as u64),
            Cell::size(row.point.size),
            Cell::integer(row.launch.into()),
            Cell::number(*gain, percent(*gain)),
            seconds(time.seconds.get()),
            seconds(time.interval.0.get()),
            seconds(time.interval.1.get()),
        ]);
    }
    table.with_note(
        "gain: the decrease of the chosen time that is expected from reading this row after those \
            above, summed over all operations, \
         sizes and launches. Measure the first ones, add them to the samples, and ask for advice \
         again.",
    )
}
