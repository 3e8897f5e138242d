//! The table of the totals of each rank of a trace.

use super::columns::Columns;
use super::format::seconds;
use super::table::{Cell, Table};
use orrery::trace::actions::RankProfile;
use orrery::units::Bytes;

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
