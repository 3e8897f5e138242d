//! Files with reports.

use std::io;
use std::path::Path;

use orrery::file::{advice, replace};

/// Writes a page, a figure or a table to a file, atomically.
///
/// # Errors
///
/// Returns an error if the file cannot be created or written.
pub fn write(path: impl AsRef<Path>, report: &str) -> io::Result<()> {
    // The kind is kept, advice is appended.
    replace(path.as_ref(), report.as_bytes()).map_err(|error| {
        io::Error::new(error.kind(), format!("{error}{}", advice(&error, "write")))
    })
}
