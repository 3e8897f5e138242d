//! Tables of compute kernels: predictions, and the models of their times.

use super::format::{interval, percent_cell, seconds};
use super::table::{Cell, Column, Table};
use orrery::kernel::KernelCall;
use orrery::model::{KernelOnHost, Model};
use orrery::numeric::Estimate;

/// The table of predicted times of calls of kernels, each with the model that predicts it.
///
/// Keys: kernel, variant, host, library, m, n, k, seconds, low, high, operations_per_second, alarms.
pub fn kernel_predictions(all: &[(KernelCall, &KernelOnHost, Estimate)]) -> Table {
    let texts = ["kernel", "variant", "host", "library"].map(Column::text);
    let numbers = ["m", "n", "k", "seconds", "low", "high", "operations_per_second"].map(Column::number);
    let columns = texts.into_iter().chain(numbers).chain([Column::text("alarms")]);
    let mut table = Table::new("predictions", "", columns);
    for (call, found, time) in all {
        let end = |pick: fn(&orrery::numeric::Interval) -> f64| {
            time.interval.as_ref().map_or(Cell::Null, |interval| seconds(pick(interval)))
        };
        let mut cells = vec![
            Cell::text(call.kernel().to_string()),
            Cell::text(call.variant()),
            Cell::text(&found.conditions.host),
            Cell::text(&found.conditions.library),
        ];
        let exists = call.kernel().routine.dimensions();
        let dimensions = call.dimensions().into_iter().zip(exists);
        cells.extend(dimensions.map(|(value, exists)| if exists { Cell::integer(value) } else { Cell::Null }));
        cells.extend([seconds(time.value), end(|interval| interval.low), end(|interval| interval.high)]);
        let rate = call.operations() / time.value;
        cells.push(Cell::number(rate, format!("{:.2} G/s", rate / 1e9)));
        let outside = found.model.extrapolated(call);
        let words: Vec<String> = outside
            .map(|(name, value, [low, high])| format!("{name} = {value} is outside the measured {low} to {high}"))
            .collect();
        cells.push(if words.is_empty() { Cell::Null } else { Cell::Text(words.join("; ")) });
        table.push(cells);
    }
    table
}

/// The table of the models of kernels, one line for each term; `None` if there are none.
///
/// Keys: kernel, variant, host, library, threads, operands, from (the smallest dimension of the piece), term, seconds (its
/// coefficient), low, high, spread (of readings, relative).
pub fn kernel_models(model: &Model) -> Option<Table> {
    let columns = [
        Column::text("kernel"),
        Column::text("variant"),
        Column::text("host"),
        Column::text("library").drop_priority(2),
        Column::number("threads").drop_priority(3),
        Column::text("operands").drop_priority(4),
        Column::number("from"),
        Column::text("term"),
        Column::number("coefficient"),
        Column::text("interval").drop_priority(1),
        Column::number("spread"),
    ];
    let mut table = Table::new("kernels", "Kernels", columns).with_note(
        "The time of a call is the sum of its terms, in the piece that begins at or below its smallest dimension.",
    );
    for KernelOnHost { conditions, model } in &model.kernels {
        for (piece, one) in model.pieces.iter().flat_map(|piece| piece.terms.iter().map(move |one| (piece, one))) {
            let text = |value: f64| format!("{value:.3e} s");
            table.push([
                Cell::text(model.kernel.to_string()),
                Cell::text(model.variant),
                Cell::text(&conditions.host),
                Cell::text(&conditions.library),
                Cell::integer(conditions.threads.into()),
                Cell::text(conditions.operands.name()),
                Cell::integer(piece.from),
                Cell::text(one.term.to_string()),
                Cell::number(one.coefficient.value, text(one.coefficient.value)),
                interval(&one.coefficient, text),
                percent_cell(piece.deviation),
            ]);
        }
    }
    (!table.rows().is_empty()).then_some(table)
}
