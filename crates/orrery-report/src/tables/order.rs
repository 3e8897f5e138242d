//! Tables of the order of processors in collective operations.

use super::alarms::{alarm_cell, note_with_alarms};
use super::format::{percent, seconds};
use super::table::{Cell, Column, Table};
use orrery::request::CollectiveOrder;

/// The table of orders.
///
/// Keys: operation, algorithm, model, root, procs, size, in_rank_order and ordered (predicted
/// seconds), saved (the part of the time that the order saves), order (the processor of each rank),
/// hosts (their names; empty if they are unknown), alarms.
pub fn orders(rows: &[CollectiveOrder], hosts: &[String]) -> Table {
    let columns = [
        Column::text("operation").drop_priority(2),
        Column::text("algorithm").drop_priority(1),
        Column::text("model"),
        Column::number("root").drop_priority(3),
        Column::number("procs").drop_priority(4),
        Column::number("size"),
        Column::number("in_rank_order").with_title("in rank order"),
        Column::number("ordered"),
        Column::number("saved"),
        Column::text("order").with_title("processor of each rank"),
        Column::text("hosts").drop_priority(5),
        Column::text("alarms"),
    ];
    let title = "Order of the processors by which a collective operation is fastest";
    let note = "Ranks 0, 1, 2 … of the communicator run on these processors (MPI_Comm_split with \
        the rank as key). The search exchanges \
                pairs of processors as long as the predicted time decreases; another order may be \
                faster still. It prefers orders that \
                errors of the parameters favour, so that savings are smaller than predicted on \
                average.";
    let alarms = rows.iter().flat_map(|row| &row.found.alarms);
    let mut table = Table::new("order", title, columns).with_note(note_with_alarms(note, alarms));
    for CollectiveOrder { model, collective, found } in rows {
        let processors = found.placement.processors();
        let (before, after) = (found.in_rank_order.get(), found.seconds.get());
        let saved = if before > 0.0 { 1.0 - after / before } else { 0.0 };
        let names: Vec<&str> = processors
            .iter()
            .map(|one| hosts.get(one.index()).map_or("", String::as_str))
            .collect();
        let has_names = names.iter().all(|name| !name.is_empty());
        table.push([
            Cell::text(collective.kind.name()),
            Cell::text(collective.algorithm.to_string()),
            Cell::text(model.name()),
            if collective.kind.has_root() {
                Cell::integer(collective.root.0.into())
            } else {
                Cell::Null
            },
            Cell::integer(collective.ranks as u64),
            Cell::size(collective.block),
            seconds(before),
            seconds(after),
            Cell::number(saved, percent(saved)),
            Cell::text(processors.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ")),
            Cell::optional_text(has_names.then(|| names.join(" "))),
            alarm_cell(&found.alarms),
        ]);
    }
    table.hide_empty_columns()
}
