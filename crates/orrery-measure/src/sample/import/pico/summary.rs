//! Tables of quantiles: one row for each system, run, number of nodes, algorithm and size.

use std::fmt;

use super::names;
use crate::sample::import::{invalid_value, missing_field};
use orrery_base::file::{Fault, Result, lines};
use orrery_base::names::nearest;
use orrery_base::units::Seconds;
use orrery_program::schedule::CollectiveKind;

/// The columns that a table needs; others are ignored.
const COLUMNS: [&str; 13] = [
    "system",
    "run",
    "nodes",
    "ppn",
    "library",
    "collective",
    "algorithm",
    "bytes",
    "type",
    "readings",
    "p10",
    "median",
    "p90",
];

/// The largest number of nodes, or of processes per node.
const MAX_COUNT: usize = 1 << 20;

/// The largest buffer in bytes (1 TiB).
const MAX_BYTES: u64 = 1 << 40;

/// What a samples file has one of.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Setup {
    pub(super) system: String,
    pub(super) nodes: usize,
    /// The number of processes per node.
    pub(super) ppn: usize,
    pub(super) library: String,
}

impl Setup {
    /// The number of processes.
    pub(super) fn procs(&self) -> usize {
        self.nodes.saturating_mul(self.ppn)
    }
}

impl fmt::Display for Setup {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { system, nodes, ppn, library } = self;
        let counted =
            |count: usize, one: &str| format!("{count} {one}{}", if count == 1 { "" } else { "s" });
        let (nodes, processes) =
            (counted(*nodes, "node"), if *ppn == 1 { "process" } else { "processes" });
        write!(f, "{system}, {nodes} with {ppn} {processes} each, {library}")
    }
}

/// A row of a table.
#[derive(Debug, Clone)]
pub(super) struct SummaryRow {
    pub(super) line: usize,
    pub(super) setup: Setup,
    pub(super) run: String,
    pub(super) kind: CollectiveKind,
    pub(super) algorithm: String,
    pub(super) bytes: u64,
    /// The bytes of an element.
    pub(super) element: u64,
    pub(super) readings: u64,
    /// The quantiles of 10, 50 and 90 %.
    pub(super) quantiles: [Seconds; 3],
}

/// Returns true for the line of column names of such a table.
pub(super) fn is_header(line: &str) -> bool {
    let names: Vec<&str> = line.trim_end().split(',').collect();
    ["collective", "algorithm", "median"].iter().all(|wanted| names.contains(wanted))
}

/// The rows of a table; a last row without line break is left out.
pub(super) fn rows(text: &str) -> Result<Vec<SummaryRow>> {
    let names: Vec<&str> = text.lines().next().unwrap_or_default().trim_end().split(',').collect();
    let place = |wanted: &&str| {
        let place = names.iter().position(|name| name == wanted);
        place.ok_or_else(|| {
            let add = match nearest(wanted, names.iter().copied()) {
                Some(near) => format!("rename {near:?}"),
                None => "add it".to_owned(),
            };
            let message =
                format!("there is no column {wanted:?} in the line of column names; {add}");
            Fault::new(message).at(0)
        })
    };
    let places: Vec<usize> = COLUMNS.iter().map(place).collect::<Result<_>>()?;
    let rows = (1..).zip(lines(text)).skip(1);
    rows.filter(|(_, (_, line, is_whole))| *is_whole && !line.trim().is_empty())
        .map(|(number, (start, line, _))| Fields::of(line, number, start, &places).row())
        .collect()
}

/// The fields of a line with their first bytes in the text.
struct Fields<'a> {
    line: usize,
    found: Vec<(usize, &'a str)>,
    end: usize,
    places: &'a [usize],
}

impl<'a> Fields<'a> {
    /// Splits a line at its commas; `start` is its first byte in the text, `places` has the index
    /// of the field of each column in [`COLUMNS`].
    fn of(content: &'a str, line: usize, start: usize, places: &'a [usize]) -> Self {
        let mut next = start;
        let mut found = Vec::new();
        for field in content.split(',') {
            found.push((next, field.trim()));
            next += field.len() + 1;
        }
        Self { line, found, end: start + content.len(), places }
    }

    /// The field of the column with this index in [`COLUMNS`].
    fn field(&self, column: usize) -> Result<(usize, &'a str)> {
        let field = self.found.get(self.places[column]).copied();
        field.ok_or_else(|| Fault::new(missing_field(COLUMNS[column])).at(self.end))
    }

    /// The value of a column, by a parser that returns `None` for invalid texts.
    fn value<T>(
        &self,
        column: usize,
        expected: &str,
        parse: impl FnOnce(&'a str) -> Option<T>,
    ) -> Result<T> {
        let (start, text) = self.field(column)?;
        parse(text)
            .ok_or_else(|| Fault::new(invalid_value(COLUMNS[column], text, expected)).at(start))
    }

    /// Parses the row.
    fn row(&self) -> Result<SummaryRow> {
        let word = |column| self.field(column).map(|(_, text)| text.to_owned());
        let count = |column| {
            let parse =
                |text: &str| text.parse().ok().filter(|count| (1..=MAX_COUNT).contains(count));
            self.value(column, "a number, such as 16 (1 to 1048576)", parse)
        };
        let seconds = |column| {
            let parse = |text: &str| {
                text.parse().ok().filter(|time: &f64| time.is_finite() && *time >= 0.0)
            };
            self.value(column, "a time in seconds, such as 0.0000412 (finite, not negative)", parse)
                .map(Seconds::new)
        };
        let setup = Setup { system: word(0)?, nodes: count(2)?, ppn: count(3)?, library: word(4)? };
        let operations = "a collective operation, such as allgather or reduce_scatter";
        let bytes = |text: &str| text.parse().ok().filter(|bytes| *bytes <= MAX_BYTES);
        Ok(SummaryRow {
            line: self.line,
            setup,
            run: word(1)?,
            kind: self.value(5, operations, names::operation)?,
            algorithm: word(6)?,
            bytes: self.value(7, "a size in bytes, such as 4096 (up to 1 TiB)", bytes)?,
            element: self.value(8, "a type, such as int32 or double", names::element)?,
            readings: self
                .value(9, "a number of readings, such as 1000", |text| text.parse().ok())?,
            quantiles: [seconds(10)?, seconds(11)?, seconds(12)?],
        })
    }
}
