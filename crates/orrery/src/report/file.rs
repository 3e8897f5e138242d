//! Reports on disk.

use std::fs;
use std::io;
use std::path::Path;

/// Writes a report — a page, a figure, a table — in one go.
///
/// # Errors
///
/// When the file cannot be created or written.
pub fn write(path: impl AsRef<Path>, report: &str) -> io::Result<()> {
    fs::write(path, report)
}
