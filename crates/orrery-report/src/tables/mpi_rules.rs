//! Tables of rules for MPI libraries.

use super::format::seconds;
use super::table::{Cell, Column, Table};
use orrery::schedule::CollectiveKind;
use orrery::tuning::mpi::{CommunicatorRules, Reason, Rules};
use orrery::units::Bytes;

/// The table of the rules for an MPI library, one row for each range of sizes.
///
/// Keys: operation, procs, from, to (the largest size; null for all), algorithm (null for the
/// default), default (null if it is not known), seconds and default_seconds (at the smallest size),
/// saved (the smallest part of the default's time that is saved), reason.
pub fn mpi_rules(rules: &Rules) -> Table {
    let columns = [
        Column::text("operation"),
        Column::number("procs"),
        Column::number("from"),
        Column::number("to"),
        Column::text("algorithm"),
        Column::text("default"),
        Column::number("seconds").with_title("time"),
        Column::number("default_seconds").with_title("default's time").drop_priority(1),
        Column::number("saved").with_title("saves at least"),
        Column::text("reason").drop_priority(2),
    ];
    let title = format!("Rules for {}", rules.target);
    let mut table = Table::new("rules", title, columns);
    for all in &rules.communicators {
        rows(all).for_each(|row| table.push(row));
    }
    table
}

/// The rows of an operation on some processes.
fn rows(all: &CommunicatorRules) -> impl Iterator<Item = Vec<Cell>> + '_ {
    let ends = all.rules.iter().skip(1).map(|next| Some(next.from.get() - 1)).chain([None]);
    all.rules.iter().zip(ends).map(|(rule, end)| {
        let has_sizes = all.operation != CollectiveKind::Barrier;
        let size = |size: Option<u64>| {
            size.filter(|_| has_sizes).map_or(Cell::Null, |size| Cell::size(Bytes::new(size)))
        };
        let name = |algorithm: Option<_>| {
            Cell::optional_text(
                algorithm.map(|one: orrery::sample::LibraryAlgorithm| one.to_string()),
            )
        };
        let times = match rule.reason {
            Reason::Faster { seconds: own, default, saved } => [
                seconds(own.get()),
                seconds(default.get()),
                Cell::number(saved, super::format::percent(saved)),
            ],
            _ => [Cell::Null, Cell::Null, Cell::Null],
        };
        let reason = match rule.reason {
            Reason::Faster { .. } => "a loss is excluded".to_owned(),
            other => other.words(),
        };
        let mut row = vec![
            Cell::text(all.operation.name()),
            Cell::integer(all.procs as u64),
            size(Some(rule.from.get())),
            size(end),
            name(rule.algorithm),
            name(rule.default),
        ];
        row.extend(times);
        row.push(Cell::text(reason));
        row
    })
}
