//! Reports on disk.

use std::io;
use std::path::Path;

use orrery::file::{advice, replace};

/// Writes a report — a page, a figure, a table — in one go.
///
/// # Errors
///
/// When the file cannot be created or written.
pub fn write(path: impl AsRef<Path>, report: &str) -> io::Result<()> {
    // The kind is kept, advice is appended.
    replace(path.as_ref(), report.as_bytes())
        .map_err(|error| io::Error::new(error.kind(), format!("{error}{}", advice(&error, "write"))))
}
