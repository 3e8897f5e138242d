//! The table of the present conditions of hosts and links.

use super::columns::Columns;
use super::format::{memory_text, percent_cell, seconds};
use super::table::{Cell, Table};
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
    /// A monitored quantity, with the value of an idle link.
    struct Row<'a> {
        host: &'a str,
        to: Option<&'a str>,
        quantity: &'static str,
        folder: Option<&'a str>,
        unit: Unit,
        current: Current,
        idle: Option<f64>,
    }
    let mut rows = Vec::new();
    for (host, now) in &conditions.hosts {
        let quantities = [
            ("availability", Unit::Part, now.availability),
            ("load", Unit::Count, now.load),
            ("memory_free", Unit::Bytes, now.memory_free),
            ("swap_free", Unit::Bytes, now.swap_free),
        ];
        let row = |folder, (quantity, unit, current): (_, _, Option<Current>)| {
            Some(Row { host, to: None, quantity, folder, unit, current: current?, idle: None })
        };
        rows.extend(quantities.into_iter().filter_map(|one| row(None, one)));
        let disks = now.disk_free.iter().filter_map(|(folder, current)| {
            row(Some(folder.as_str()), ("disk_free", Unit::Bytes, Some(*current)))
        });
        rows.extend(disks);
    }
    for link in &conditions.links {
        let quantities = [
            ("latency", Unit::Seconds, link.latency, link.idle_latency),
            ("bandwidth", Unit::Rate, link.bandwidth, link.idle_bandwidth),
        ];
        rows.extend(quantities.into_iter().filter_map(|(quantity, unit, current, idle)| {
            let (host, to) = (link.from.as_str(), Some(link.to.as_str()));
            Some(Row { host, to, quantity, folder: None, unit, current: current?, idle })
        }));
    }
    let mut columns = Columns::of(&rows);
    columns.text("host", |row| Some(row.host).filter(|host| !host.is_empty()));
    columns.text("to", |row| row.to.filter(|host| !host.is_empty()));
    columns.text("quantity", |row| row.quantity);
    columns.text("folder", |row| row.folder).drop_first(1);
    columns.text("unit", |row| row.unit.text()).drop_first(5);
    columns.number("value", |row| row.unit.cell(row.current.value));
    columns.ends(["low", "high"], 2, |row| {
        row.current.interval.map(|(low, high)| (row.unit.cell(low), row.unit.cell(high)))
    });
    columns.number("age", |row| row.current.age).drop_first(3);
    columns.text("stale", |row| row.current.is_stale).drop_first(3);
    columns.number("idle", |row| row.idle.map(|value| row.unit.cell(value))).drop_first(4);
    columns.table("conditions", "").hide_empty_columns()
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
