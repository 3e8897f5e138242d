//! The table of the present conditions of hosts and links.

use super::format::{memory_text, percent_cell, seconds};
use super::table::{Cell, Column, Table};
use orrery::conditions::{Conditions, Current};
use orrery::units::BytesPerSecond;

/// The unit of a quantity, and its text for people.
#[derive(Debug, Clone, Copy)]
enum Unit {
    /// A part of a processor.
    Part,
    /// A number of processes.
    Count,
    /// Bytes.
    Bytes,
    /// Seconds.
    Seconds,
    /// Bytes per second.
    Rate,
}

impl Unit {
    /// The text of the unit; `None` for a number without unit.
    fn text(self) -> Option<&'static str> {
        match self {
            Self::Part | Self::Count => None,
            Self::Bytes => Some("B"),
            Self::Seconds => Some("s"),
            Self::Rate => Some("B/s"),
        }
    }

    /// The cell of a value.
    fn cell(self, value: f64) -> Cell {
        match self {
            Self::Part => percent_cell(value),
            Self::Count => Cell::number(value, format!("{value:.2}")),
            Self::Bytes => Cell::number(value, memory_text(value)),
            Self::Seconds => seconds(value),
            Self::Rate => Cell::number(value, BytesPerSecond::new(value).to_string()),
        }
    }
}

/// The table of the conditions of hosts, then of links: a row for each monitored quantity.
///
/// Keys: host, to (the receiver of a link), quantity (availability, load, memory_free, swap_free,
/// disk_free, latency, bandwidth), folder (of disk_free), unit, value, low, high, age (of the last
/// sample \[s\]), stale (true if it says nothing about the present), idle (the value of an idle
/// link).
pub fn conditions(conditions: &Conditions) -> Table {
    let columns = [
        Column::text("host"),
        Column::text("to"),
        Column::text("quantity"),
        Column::text("folder").drop_priority(1),
        Column::text("unit").drop_priority(5),
        Column::number("value"),
        Column::number("low").drop_priority(2),
        Column::number("high").drop_priority(2),
        Column::number("age").drop_priority(3),
        Column::text("stale").drop_priority(3),
        Column::number("idle").drop_priority(4),
    ];
    let mut table = Table::new("conditions", "", columns);
    let mut push = |[host, to, quantity, folder]: [&str; 4],
                    unit: Unit,
                    current: Current,
                    idle: Option<f64>| {
        let name = |text: &str| if text.is_empty() { Cell::Null } else { Cell::text(text) };
        let end = |pick: fn((f64, f64)) -> f64| {
            current.interval.map_or(Cell::Null, |ends| unit.cell(pick(ends)))
        };
        table.push([
            name(host),
            name(to),
            name(quantity),
            name(folder),
            Cell::optional_text(unit.text()),
            unit.cell(current.value),
            end(|ends| ends.0),
            end(|ends| ends.1),
            seconds(current.age.get()),
            Cell::Flag(current.is_stale),
            idle.map_or(Cell::Null, |value| unit.cell(value)),
        ]);
    };
    for (name, host) in &conditions.hosts {
        let quantities = [
            ("availability", Unit::Part, host.availability),
            ("load", Unit::Count, host.load),
            ("memory_free", Unit::Bytes, host.memory_free),
            ("swap_free", Unit::Bytes, host.swap_free),
        ];
        for (quantity, unit, current) in quantities {
            current
                .into_iter()
                .for_each(|current| push([name, "", quantity, ""], unit, current, None));
        }
        for (folder, current) in &host.disk_free {
            push([name, "", "disk_free", folder], Unit::Bytes, *current, None);
        }
    }
    for link in &conditions.links {
        let quantities = [
            ("latency", Unit::Seconds, link.latency, link.idle_latency),
            ("bandwidth", Unit::Rate, link.bandwidth, link.idle_bandwidth),
        ];
        for (quantity, unit, current, idle) in quantities {
            current.into_iter().for_each(|current| {
                push([&link.from, &link.to, quantity, ""], unit, current, idle);
            });
        }
    }
    table.hide_empty_columns()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_quantity_has_a_row() {
        let text = r#"{"format": "orrery-conditions", "version": 1, "time": 1, "hosts": {
            "a": {"availability": {"value": 0.5, "low": 0.4, "high": 0.6, "age": 2, "stale": true},
            "disk_free": {"/tmp": {"value": 1e9}}}},
            "links": [{"from": "a", "to": "b", "bandwidth": {"value": 1e8}, "idle_bandwidth": 2e8}]}"#;
        let table =
            conditions(&orrery::conditions::file::parse(text, "now.json").expect("it is valid"));
        let expected = "host,to,quantity,folder,unit,value,low,high,age,stale,idle\n\
                        a,,availability,,,0.5,0.4,0.6,2,true,\n\
                        a,,disk_free,/tmp,B,1000000000,,,0,false,\n\
                        a,b,bandwidth,,B/s,100000000,,,0,false,200000000\n";
        assert_eq!(table.csv(), expected);
    }
}
