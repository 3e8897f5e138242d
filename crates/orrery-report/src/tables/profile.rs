//! The table of the totals of each rank of a trace.

use super::table::{Cell, Column, Table};
use orrery::trace::actions::RankProfile;
use orrery::units::{Bytes, Seconds};

/// The table of the totals of each rank and action of a trace.
///
/// Keys: rank, action, count, sent_bytes, flops, sleep_seconds.
pub fn profile(profiles: &[RankProfile]) -> Table {
    let columns = [
        Column::number("rank"),
        Column::text("action"),
        Column::number("count"),
        Column::number("sent_bytes").with_title("sent"),
        Column::number("flops"),
        Column::number("sleep_seconds").with_title("sleep"),
    ];
    let mut table = Table::new("profile", "", columns);
    for (rank, profile) in profiles.iter().enumerate() {
        for (action, totals) in profile {
            table.push([
                Cell::integer(rank as u64),
                Cell::text(*action),
                Cell::integer(totals.count),
                Cell::size(Bytes::new(totals.sent_bytes)),
                Cell::number(totals.flops, format!("{:.3e}", totals.flops)),
                Cell::number(totals.sleep_seconds, Seconds::new(totals.sleep_seconds).to_string()),
            ]);
        }
    }
    table
}
