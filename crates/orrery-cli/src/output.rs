use std::fmt;
use std::io::{self, IsTerminal, Write};

use clap::ValueEnum;
use orrery_report::{Table, json_document};

/// How results are written to stdout.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// For people
    #[default]
    Table,
    /// For programs: SI units, null for what is not known
    Json,
    /// For programs: SI units, empty for what is not known
    Csv,
}

/// Writes one table.
pub fn print(table: &Table, format: Format) -> anyhow::Result<()> {
    match format {
        Format::Table => text(&table.terminal(width())),
        Format::Json => text(&table.json()),
        Format::Csv => text(&table.csv()),
    }
}

/// Writes several tables: one under the other, as one JSON object, or as CSV with an empty line between.
pub fn print_all(tables: &[Table], format: Format) -> anyhow::Result<()> {
    let joined = |each: &dyn Fn(&Table) -> String| tables.iter().map(each).collect::<Vec<_>>().join("\n");
    match format {
        Format::Table => text(&joined(&|table| table.terminal(width()))),
        Format::Json => text(&json_document(tables)),
        Format::Csv => text(&joined(&Table::csv)),
    }
}

/// A number of things whose plural has an s.
pub fn counted(count: u64, noun: &str) -> String {
    format!("{count} {noun}{}", if count == 1 { "" } else { "s" })
}

/// Writes text to stdout.
pub fn text(text: &str) -> anyhow::Result<()> {
    let mut stdout = io::stdout().lock();
    let written = stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush());
    written.map_err(|error| anyhow::Error::new(error).context(StdoutClosed))
}

/// The width of the terminal in columns; 100 where stdout is none.
pub fn width() -> usize {
    let terminal = io::stdout().is_terminal().then(|| rustix::termios::tcgetwinsize(io::stdout()).ok()).flatten();
    let columns = std::env::var("COLUMNS").ok().and_then(|columns| columns.parse().ok());
    columns.or(terminal.map(|size| usize::from(size.ws_col))).filter(|&columns| columns > 0).unwrap_or(100)
}

/// Marks errors of writing to stdout.
#[derive(Debug)]
pub struct StdoutClosed;

impl fmt::Display for StdoutClosed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("cannot write the result")
    }
}
