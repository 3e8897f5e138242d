//! Reports on disk.

use std::fs;
use std::io;
use std::path::Path;

use crate::sample::file::advice;

/// Writes a report — a page, a figure, a table — in one go.
///
/// # Errors
///
/// When the file cannot be created or written.
pub fn write(path: impl AsRef<Path>, report: &str) -> io::Result<()> {
    // The kind stays, what to do next is added.
    fs::write(path, report).map_err(|error| io::Error::new(error.kind(), format!("{error}{}", advice(&error, "write"))))
}
