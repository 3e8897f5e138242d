//! Tables of the totals of each rank of a trace or of a recorded run.

use std::collections::BTreeMap;

use orrery::trace::actions::RankProfile;
use orrery::trace::recording::{Ending, Function, FunctionTotals, RankTotals};
use orrery::units::Bytes;

use super::columns::Columns;
use super::format::seconds;
use super::table::{Cell, Table};

/// The table of the totals of each rank and action of a trace.
///
/// Keys: rank, action, count, sent_bytes, flops, sleep_seconds.
pub fn profile(profiles: &[RankProfile]) -> Table {
    let mut rows = Vec::new();
    for (rank, profile) in profiles.iter().enumerate() {
        rows.extend(profile.iter().map(|(action, totals)| (rank, *action, totals)));
    }
    let flops = |flops: f64| Cell::number(flops, format!("{flops:.3e}"));
    let mut columns = Columns::of(&rows);
    columns.number("rank", |(rank, ..)| *rank);
    columns.text("action", |(_, action, _)| *action);
    columns.number("count", |(.., totals)| totals.count);
    columns.number("sent_bytes", |(.., totals)| Bytes::new(totals.sent_bytes)).titled("sent");
    columns.number("flops", |(.., totals)| flops(totals.flops));
    columns.number("sleep_seconds", |(.., totals)| seconds(totals.sleep_seconds)).titled("sleep");
    columns.table("profile", "")
}

/// The table of the computation and MPI times of each rank.
///
/// Keys: run, rank, host, computation (Ta) and communication (Tc) in seconds, seconds (their sum),
/// calls, sent_bytes (without collective operations), end (`finalize`, `stopped` or `unfinished`).
pub fn recorded_ranks(run: &str, ranks: &[RankTotals]) -> Table {
    let mut columns = Columns::of(ranks);
    columns.text("run", |_| run);
    columns.number("rank", |rank| rank.rank);
    columns.text("host", |rank| &rank.host);
    columns.number("computation", |rank| rank.computation);
    columns.number("communication", |rank| rank.communication);
    columns.number("seconds", RankTotals::seconds).titled("time");
    columns.number("calls", RankTotals::calls);
    columns.number("sent_bytes", |rank| Bytes::new(rank.sent_bytes())).titled("sent");
    columns.text("end", |rank| match rank.ending {
        Ending::Finalized => "finalize",
        Ending::Stopped(_) => "stopped",
        Ending::Unfinished => "unfinished",
    });
    columns.table("ranks", "")
}

/// The table of the functions that the ranks have called, by the sum of their times.
///
/// Keys: function, calls, seconds (sum over ranks and calls), mean (of a call, in seconds),
/// sent_bytes (without collective operations).
pub fn recorded_functions(ranks: &[RankTotals]) -> Table {
    let mut sums: BTreeMap<Function, FunctionTotals> = BTreeMap::new();
    for (function, totals) in ranks.iter().flat_map(|rank| &rank.functions) {
        let sum = sums.entry(*function).or_default();
        sum.calls = sum.calls.saturating_add(totals.calls);
        sum.nanoseconds = sum.nanoseconds.saturating_add(totals.nanoseconds);
        sum.sent_bytes = sum.sent_bytes.saturating_add(totals.sent_bytes);
    }
    let mut rows: Vec<(Function, FunctionTotals)> = sums.into_iter().collect();
    rows.sort_by_key(|(_, totals)| std::cmp::Reverse(totals.nanoseconds));
    let time = |totals: &FunctionTotals| totals.nanoseconds as f64 * 1e-9;
    let mean = |totals: &FunctionTotals| time(totals) / totals.calls.max(1) as f64;
    let mut columns = Columns::of(&rows);
    columns.text("function", |(function, _)| function.name());
    columns.number("calls", |(_, totals)| totals.calls);
    columns.number("seconds", |(_, totals)| seconds(time(totals))).titled("time");
    columns.number("mean", |(_, totals)| seconds(mean(totals)));
    columns.number("sent_bytes", |(_, totals)| Bytes::new(totals.sent_bytes)).titled("sent");
    columns.table("functions", "")
}
