//! Results on stdout: as tables for people, as JSON or as CSV.

use std::fmt;
use std::io::{self, IsTerminal, Write};

use clap::ValueEnum;
use orrery_report::{Table, json_document};

use crate::printable::printable;

/// How results are written to stdout.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// Aligned columns with units
    #[default]
    Table,
    /// JSON in SI units; unknown values are null
    Json,
    /// CSV in SI units; unknown values are empty
    Csv,
}

/// The width of a plot in characters where stdout is not a terminal.
const DEFAULT_PLOT_WIDTH: usize = 100;

/// Writes one table to stdout.
pub fn print(table: &Table, format: Format) -> anyhow::Result<()> {
    match format {
        Format::Table => text(&table_text(table)),
        Format::Json => text(&table.json()),
        Format::Csv => text(&table.csv()),
    }
}

/// Writes several tables to stdout: with empty lines between them, or as one JSON object.
pub fn print_all(tables: &[Table], format: Format) -> anyhow::Result<()> {
    let joined =
        |each: fn(&Table) -> String| tables.iter().map(each).collect::<Vec<_>>().join("\n");
    match format {
        Format::Table => text(&joined(table_text)),
        Format::Json => text(&json_document(tables)),
        Format::Csv => text(&joined(Table::csv)),
    }
}

/// The text of a table: fitted to the terminal, or with all columns where stdout is not a terminal.
fn table_text(table: &Table) -> String {
    terminal_width().map_or_else(|| table.full_text(), |width| table.terminal(width))
}

/// A count and its noun, with an s unless the count is 1.
pub fn counted(count: u64, noun: &str) -> String {
    let ending = match noun {
        _ if count == 1 => "",
        hissing if hissing.ends_with(['s', 'x']) || hissing.ends_with("ch") => "es",
        _ => "s",
    };
    format!("{count} {noun}{ending}")
}

/// Writes text to stdout; control characters, which can only come from files, are escaped.
pub fn text(text: &str) -> anyhow::Result<()> {
    let mut stdout = io::stdout().lock();
    let written = stdout.write_all(printable(text).as_bytes()).and_then(|()| stdout.flush());
    written.map_err(cannot_write)
}

/// The error of a failed write to stdout.
pub fn cannot_write(error: io::Error) -> anyhow::Error {
    anyhow::Error::new(error).context(StdoutClosed)
}

/// Stdout for results that are written piece by piece.
pub struct Stdout {
    out: io::BufWriter<io::StdoutLock<'static>>,
    written: io::Result<()>,
}

impl Stdout {
    /// Locks stdout.
    pub fn lock() -> Self {
        Self { out: io::BufWriter::new(io::stdout().lock()), written: Ok(()) }
    }

    /// Writes a piece; after an error further pieces are dropped.
    pub fn write(&mut self, text: &str) {
        if self.written.is_ok() {
            self.written = self.out.write_all(printable(text).as_bytes());
        }
    }

    /// Writes what is left; returns the first error.
    pub fn finish(mut self) -> anyhow::Result<()> {
        let written = self.written.and_then(|()| self.out.flush());
        written.map_err(cannot_write)
    }
}

/// The width of a plot in characters: that of the terminal, or [`DEFAULT_PLOT_WIDTH`].
pub fn plot_width() -> usize {
    terminal_width().unwrap_or(DEFAULT_PLOT_WIDTH)
}

/// The width of the terminal in characters: the environment variable COLUMNS if it is set,
/// otherwise that of stdout; `None` if stdout is not a terminal.
fn terminal_width() -> Option<usize> {
    let terminal = io::stdout()
        .is_terminal()
        .then(|| rustix::termios::tcgetwinsize(io::stdout()).ok())
        .flatten();
    let columns = std::env::var("COLUMNS").ok().and_then(|columns| columns.parse().ok());
    columns.or(terminal.map(|size| usize::from(size.ws_col))).filter(|&columns| columns > 0)
}

/// The error context of failed writes to stdout.
#[derive(Debug)]
pub struct StdoutClosed;

impl fmt::Display for StdoutClosed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("cannot write the result")
    }
}
