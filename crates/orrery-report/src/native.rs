//! What the MPI library does of its own, beside what models predict of known algorithms.

use super::format::{maybe_seconds, seconds, signed_percent};
use super::table::{Cell, Column, Table};
use orrery::model::NativeComparison;
use orrery::schedule::Algorithm;

/// Collective operations of the MPI library as a table: one line for each experiment and model, with the keys operation,
/// root, procs, size, count, observed, observed_low, observed_high, model, for each algorithm its predicted time and its
/// error (`linear`, `linear_error`, …), and the nearest algorithm.
pub fn native(comparisons: &[NativeComparison]) -> Table {
    let mut columns = vec![
        Column::words("operation"),
        Column::numbers("root").dispensable(3),
        Column::numbers("procs").dispensable(2),
        Column::numbers("size"),
        Column::numbers("count").dispensable(5),
        Column::numbers("observed"),
        Column::numbers("observed_low").dispensable(5),
        Column::numbers("observed_high").dispensable(5),
        Column::words("model"),
    ];
    for algorithm in Algorithm::ALL {
        columns.push(Column::numbers(algorithm.name()).dispensable(1));
        columns.push(Column::numbers(format!("{algorithm}_error")));
    }
    columns.push(Column::words("nearest"));
    let title = "Collective operations of the MPI library, against known algorithms";
    let mut table = Table::new("native", title, columns).with_note(
        "Which algorithm the library takes is not known: the one whose prediction is nearest is named, which does not prove \
         that it is taken. Errors are (predicted − observed) / observed.",
    );
    for comparison in comparisons {
        let Some((prediction, _)) = comparison.algorithms.first() else { continue };
        let (query, interval) = (prediction.query, comparison.observed.interval);
        let mut row = vec![
            Cell::text(query.operation()),
            Cell::integer(query.root().0.into()),
            Cell::integer(query.procs() as u64),
            Cell::size(query.size()),
            comparison.observed.samples.map_or(Cell::Null, Cell::integer),
            seconds(comparison.observed.value),
            maybe_seconds(interval.map(|interval| interval.low)),
            maybe_seconds(interval.map(|interval| interval.high)),
            Cell::text(comparison.model.name()),
        ];
        for (prediction, error) in &comparison.algorithms {
            row.extend([seconds(prediction.seconds.get()), Cell::number(*error, signed_percent(*error))]);
        }
        row.push(Cell::maybe_text(comparison.nearest().and_then(|(nearest, _)| nearest.query.algorithm())));
        table.push(row);
    }
    table
}
