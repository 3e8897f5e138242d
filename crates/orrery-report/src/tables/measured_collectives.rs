//! Tables of choices of collective algorithms by measured rows, and of the rows to measure next.

use super::columns::Columns;
use super::format::{percent, percent_cell, signed_percent, span};
use super::table::Table;
use orrery::collective::measured::{Advice, DefaultTime, MeasuredChoice, Origin, PredictedTime};

/// The table of the choice at each operation and size.
///
/// Keys: operation, procs, size, algorithm (`default` if the library's own choice is kept), best
/// (the algorithm that is predicted to be the fastest), its seconds, low and high, then
/// default_seconds, default_low, default_high, default_measured, margin (the default's time over
/// that of the best, minus 1), margin_low and margin_high (all null if the default was not
/// measured), expected_loss, term, term_share, read and algorithms (numbers of algorithms), then
/// transferred (true if the point was not measured), from_procs (numbers of processors, separated by
/// spaces), from_size_below and from_size_above (the nearest measured sizes), and probability (that
/// the choice is at most 5 % slower than the fastest one; null for a default that was not measured).
pub fn measured_choices(choices: &[MeasuredChoice]) -> Table {
    let mut columns = Columns::of(choices);
    columns.text("operation", |one| one.point.operation.name());
    columns.number("procs", |one| one.point.procs);
    columns.number("size", |one| one.point.size);
    columns.text("algorithm", chosen);
    columns.text("best", |one| one.ranking.first().map(ToString::to_string));
    columns.number("seconds", |one| one.predicted.seconds);
    columns.ends(["low", "high"], 0, |one| Some(one.predicted.interval));
    columns.number("default_seconds", |one| one.default.time().seconds);
    columns.ends(["default_low", "default_high"], 0, |one| Some(one.default.time().interval));
    columns.text("default_measured", |one| one.default.margin().is_some());
    columns.number("margin", |one| one.default.margin().map(|_| percent_cell(margin(one))));
    columns.ends(["margin_low", "margin_high"], 0, |one| {
        one.default.margin().map(|(low, high)| (percent_cell(low), percent_cell(high)))
    });
    columns.number("expected_loss", |one| percent_cell(one.expected_loss));
    columns.text("term", |one| one.dominant.0.name());
    columns.number("term_share", |one| percent_cell(one.dominant.1));
    columns.number("read", |one| one.read.0);
    columns.number("algorithms", |one| one.read.1);
    columns.text("transferred", |one| one.origin.is_transferred);
    columns.text("from_procs", |one| list(&one.origin.procs, " "));
    columns.number("from_size_below", |one| one.origin.below);
    columns.number("from_size_above", |one| one.origin.above);
    columns.number("probability", |one| one.probability.map(percent_cell));
    columns.table("choices", "").with_display(display(choices))
}

/// The name of what is chosen.
fn chosen(choice: &MeasuredChoice) -> String {
    choice.chosen.map_or_else(|| "default".to_owned(), |implementation| implementation.to_string())
}

/// The default's time over that of the fastest algorithm, minus 1.
fn margin(choice: &MeasuredChoice) -> f64 {
    choice.default.time().seconds.get() / choice.predicted.seconds.get() - 1.0
}

/// The numbers, separated.
fn list(numbers: &[usize], separator: &str) -> String {
    numbers.iter().map(ToString::to_string).collect::<Vec<_>>().join(separator)
}

/// The reason of a choice, and where its times come from if they were not measured.
fn reason(choice: &MeasuredChoice) -> String {
    let Origin { procs, below, above, is_transferred, is_alike } = &choice.origin;
    let mut parts = vec![reason_of_times(choice)];
    if *is_transferred && procs[..] != [choice.point.procs] {
        let unlike = match (is_alike, choice.point.procs.is_power_of_two()) {
            (true, _) => "",
            (false, true) => ", no power of two",
            (false, false) => ", powers of two",
        };
        parts.push(format!("from {} processors{unlike}", list(procs, ", ")));
    }
    if *is_transferred && below != above {
        parts.extend(match (below, above) {
            (Some(below), Some(above)) => Some(format!("between {below} and {above}")),
            (Some(below), None) => Some(format!("beyond {below}")),
            (None, Some(above)) => Some(format!("below {above}")),
            (None, None) => None,
        });
    }
    parts.join("; ")
}

/// The reason of a choice by its times.
fn reason_of_times(choice: &MeasuredChoice) -> String {
    match (choice.chosen, choice.default.margin(), choice.ranking.first()) {
        (None, Some(_), Some(best)) if margin(choice) < 0.0 => {
            format!("{best} is predicted to be slower")
        }
        (None, Some(_), Some(best)) => format!("a loss by {best} is not excluded"),
        (None, None, _) if matches!(choice.default, DefaultTime::FasterNearby(_)) => {
            "default was faster than all algorithms nearby".to_owned()
        }
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
    let is_same = |a: &MeasuredChoice, b: &MeasuredChoice| {
        let key = |one: &MeasuredChoice| (one.point.operation, one.chosen, reason(one));
        key(a) == key(b)
    };
    let rows: Vec<_> =
        choices.chunk_by(is_same).map(|range| (&range[0], &range[range.len() - 1])).collect();
    let is_single = |first: &MeasuredChoice, last: &MeasuredChoice| first.point == last.point;
    let time = |choice: &MeasuredChoice| {
        let PredictedTime { seconds, interval } = choice.predicted;
        format!("{seconds} ({})", span(&interval.0.to_string(), &interval.1.to_string()))
    };
    let mut columns = Columns::of(&rows);
    columns.text("operation", |(first, _)| first.point.operation.name());
    columns.number("from", |(first, _)| first.point.size);
    columns.number("to", |(_, last)| last.point.size);
    columns.text("algorithm", |(first, _)| chosen(first));
    columns.text("first", |(first, _)| time(first)).titled("best at from");
    let at_last = |(first, last): &(&MeasuredChoice, &MeasuredChoice)| {
        (!is_single(first, last)).then(|| time(last))
    };
    columns.text("last", at_last).titled("best at to").drop_first(2);
    let margins = |(first, last): &(&MeasuredChoice, &MeasuredChoice)| {
        first.default.margin().and(last.default.margin())?;
        let ends = [first, last].map(|one| signed_percent(margin(one)));
        Some(if is_single(first, last) { ends[0].clone() } else { span(&ends[0], &ends[1]) })
    };
    columns.text("margin", margins).titled("default − best");
    let sure = |range: &(&MeasuredChoice, &MeasuredChoice)| {
        let (first, last) = *range;
        let ends = [first.probability?, last.probability?];
        Some(percent(ends[0].min(ends[1])))
    };
    columns.text("probability", sure).titled("within 5 %");
    columns.text("reason", |(first, _)| reason(first));
    let title = "Algorithm by size of a block, or of the vector of other operations";
    columns.table("choices", title).with_note(
        "best: the predicted time of the algorithm that is predicted to be the fastest, with its \
            interval of 90 %. default − best: what the library's own choice takes more, at from \
            and at to, in percent of that time. within 5 %: the probability that the choice is at \
            most 5 % slower than the fastest one, at from or to. Sizes between measured ones need \
            --size.",
    )
}

/// The table of the rows to measure next, in their order.
///
/// Keys: order (from 1), experiment, operation, algorithm, procs, size, launch, gain (the expected
/// decrease of the sum of the logs of the chosen times), seconds, low and high (the predicted
/// time).
pub fn measured_advice(advice: &[(Advice, PredictedTime)]) -> Table {
    let mut places = 1_u64..;
    let mut columns = Columns::of(advice);
    columns.number("order", |_| places.next());
    columns.text("experiment", |(advice, _)| advice.row.experiment_name());
    columns.text("operation", |(advice, _)| advice.row.point.operation.name()).drop_first(3);
    columns.text("algorithm", |(advice, _)| advice.row.implementation.to_string()).drop_first(3);
    columns.number("procs", |(advice, _)| advice.row.point.procs).drop_first(1);
    columns.number("size", |(advice, _)| advice.row.point.size);
    columns.number("launch", |(advice, _)| advice.row.launch).drop_first(2);
    columns.number("gain", |(advice, _)| percent_cell(advice.gain));
    columns.number("seconds", |(_, time)| time.seconds).titled("predicted");
    columns.ends(["low", "high"], 0, |(_, time)| Some(time.interval));
    columns.table("advice", "Rows to measure next").with_note(
        "gain: the decrease of the chosen time that is expected from reading this row after those \
            above, summed over all operations, sizes and launches. Measure the first ones, add \
            them to the samples, and ask for advice again.",
    )
}
