//! Tables of the order of processors in collective operations.

use super::alarms::{alarm_cell, note_with_alarms};
use super::columns::Columns;
use super::format::percent_cell;
use super::table::Table;
use orrery::collective::Order;
use orrery::request::CollectiveOrder;

/// The table of orders.
///
/// Keys: operation, algorithm, model, root, procs, size, in_rank_order and ordered (predicted
/// seconds), saved (the part of the time that the order saves), order (the processor of each rank),
/// hosts (their names; empty if they are unknown), alarms.
pub fn orders(rows: &[CollectiveOrder], hosts: &[String]) -> Table {
    let names = |found: &Order| {
        let processors = found.placement.processors().iter();
        let names: Vec<&str> =
            processors.map(|one| hosts.get(one.index()).map_or("", String::as_str)).collect();
        names.iter().all(|name| !name.is_empty()).then(|| names.join(" "))
    };
    let numbers = |found: &Order| {
        let processors = found.placement.processors().iter().map(ToString::to_string);
        processors.collect::<Vec<_>>().join(" ")
    };
    let saved = |found: &Order| {
        let (before, after) = (found.in_rank_order.get(), found.seconds.get());
        percent_cell(if before > 0.0 { 1.0 - after / before } else { 0.0 })
    };
    let mut columns = Columns::of(rows);
    columns.text("operation", |row| row.collective.kind.name()).drop_first(2);
    columns.text("algorithm", |row| row.collective.algorithm.to_string()).drop_first(1);
    columns.text("model", |row| row.model.name());
    let root =
        |row: &CollectiveOrder| row.collective.kind.has_root().then_some(row.collective.root.0);
    columns.number("root", root).drop_first(3);
    columns.number("procs", |row| row.collective.ranks).drop_first(4);
    columns.number("size", |row| row.collective.block);
    columns.number("in_rank_order", |row| row.found.in_rank_order);
    columns.number("ordered", |row| row.found.seconds);
    columns.number("saved", |row| saved(&row.found));
    columns.text("order", |row| numbers(&row.found)).titled("processor of each rank");
    columns.text("hosts", |row| names(&row.found)).drop_first(5);
    columns.text("alarms", |row| alarm_cell(&row.found.alarms));
    let title = "Order of the processors by which a collective operation is fastest";
    let note = "Ranks 0, 1, 2 … of the communicator run on these processors (MPI_Comm_split with \
        the rank as key). The search exchanges pairs of processors as long as the predicted time \
        decreases; another order may be faster still. It prefers orders that errors of the \
        parameters favour, so that savings are smaller than predicted on average.";
    let alarms = rows.iter().flat_map(|row| &row.found.alarms);
    let table = columns.table("order", title);
    table.with_note(note_with_alarms(note, alarms)).hide_empty_columns()
}
