//! Tables of recorded runs of MPI programs.

use std::collections::BTreeMap;

use super::table::{Cell, Column, Table};
use orrery::trace::recording::{Ending, Function, FunctionTotals, RankTotals};
use orrery::units::{Bytes, Seconds};

/// The table of the computation and MPI times of each rank.
///
/// Keys: run, rank, host, computation (Ta) and communication (Tc) in seconds, seconds (their sum),
/// calls, sent_bytes (without collective operations), end (`finalize`, `stopped` or `unfinished`).
pub fn recorded_ranks(run: &str, ranks: &[RankTotals]) -> Table {
    let columns = [
        Column::text("run"),
        Column::number("rank"),
        Column::text("host"),
        Column::number("computation"),
        Column::number("communication"),
        Column::number("seconds").with_title("time"),
        Column::number("calls"),
        Column::number("sent_bytes").with_title("sent"),
        Column::text("end"),
    ];
    let mut table = Table::new("ranks", "", columns);
    for rank in ranks {
        let end = match rank.ending {
            Ending::Finalized => "finalize",
            Ending::Stopped(_) => "stopped",
            Ending::Unfinished => "unfinished",
        };
        table.push([
            Cell::text(run),
            Cell::integer(rank.rank.into()),
            Cell::text(&rank.host),
            seconds(rank.computation),
            seconds(rank.communication),
            seconds(rank.seconds()),
            Cell::integer(rank.calls()),
            Cell::size(Bytes::new(rank.sent_bytes())),
            Cell::text(end),
        ]);
    }
    table
}

/// The table of the functions that the ranks have called, by the sum of their times.
///
/// Keys: function, calls, seconds (sum over ranks and calls), mean (of a call, in seconds),
/// sent_bytes (without collective operations).
pub fn recorded_functions(ranks: &[RankTotals]) -> Table {
    let columns = [
        Column::text("function"),
        Column::number("calls"),
        Column::number("seconds").with_title("time"),
        Column::number("mean"),
        Column::number("sent_bytes").with_title("sent"),
    ];
    let mut sums: BTreeMap<Function, FunctionTotals> = BTreeMap::new();
    for (function, totals) in ranks.iter().flat_map(|rank| &rank.functions) {
        let sum = sums.entry(*function).or_default();
        sum.calls = sum.calls.saturating_add(totals.calls);
        sum.nanoseconds = sum.nanoseconds.saturating_add(totals.nanoseconds);
        sum.sent_bytes = sum.sent_bytes.saturating_add(totals.sent_bytes);
    }
    let mut rows: Vec<(Function, FunctionTotals)> = sums.into_iter().collect();
    rows.sort_by_key(|(_, totals)| std::cmp::Reverse(totals.nanoseconds));
    let mut table = Table::new("functions", "", columns);
    for (function, totals) in rows {
        let time = totals.nanoseconds as f64 * 1e-9;
        table.push([
            Cell::text(function.name()),
            Cell::integer(totals.calls),
            seconds(Seconds::new(time)),
            seconds(Seconds::new(time / totals.calls.max(1) as f64)),
            Cell::size(Bytes::new(totals.sent_bytes)),
        ]);
    }
    table
}

/// A time.
fn seconds(time: Seconds) -> Cell {
    Cell::number(time.get(), time.to_string())
}
