use super::format::{byte_delay, percent_cell};
use super::table::{Cell, Column, Table};
use orrery::comm::Thresholds;
use orrery::numeric::Estimate;
use orrery::units::{Bytes, Seconds};

/// Thresholds of linear operations, one line for each number. Keys: operation, root, procs, parameter (`scatter_threshold`,
/// `gather_small`, `gather_large` in bytes, `gather_small_slope`, `gather_large_slope` and those of HLMO, `hlmo_small_slope`,
/// `hlmo_large_slope`, in seconds per byte, and for each escalation `seconds` and `probability`), value, low, high, level, samples.
pub fn thresholds(thresholds: &[Thresholds]) -> Table {
    let columns = [
        Column::words("operation"),
        Column::numbers("root"),
        Column::numbers("procs"),
        Column::words("parameter"),
        Column::numbers("value"),
        Column::numbers("low").dispensable(2),
        Column::numbers("high").dispensable(2),
        Column::numbers("level").dispensable(4),
        Column::numbers("samples").dispensable(3),
    ];
    let mut table = Table::new("thresholds", "Thresholds of linear scatter and gather", columns);
    for of in thresholds {
        for (name, Estimate { value, interval, samples }) in of.estimates() {
            let cell = |value: f64| show(name, value);
            table.push([
                Cell::text(of.operation.name()),
                Cell::integer(of.root.0.into()),
                Cell::integer(of.procs as u64),
                Cell::text(name),
                cell(value),
                interval.map_or(Cell::Null, |interval| cell(interval.low)),
                interval.map_or(Cell::Null, |interval| cell(interval.high)),
                interval.map_or(Cell::Null, |interval| Cell::number(interval.level, interval.level.to_string())),
                samples.map_or(Cell::Null, Cell::integer),
            ]);
        }
    }
    table.sparing_empty()
}

fn show(name: &str, value: f64) -> Cell {
    match name {
        "seconds" => Cell::number(value, Seconds::new(value).to_string()),
        "probability" => percent_cell(value),
        name if name.ends_with("_slope") => Cell::number(value, byte_delay(value)),
        _ => Cell::number(value, Bytes::new(value.round() as u64).to_string()),
    }
}
