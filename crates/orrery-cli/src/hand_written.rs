//! Texts that users write by hand, such as schemes and tables.

use std::io;
use std::path::Path;

use orrery::file::{TORN_LINE_USED, read_string, torn_line};

use crate::context::warn;

/// Reads a text. Warns if its last line may be incomplete.
pub fn read(path: &Path) -> io::Result<String> {
    let text = read_string(path)?;
    check_end(path, text.as_bytes());
    Ok(text)
}

/// Warns if the last line of a text may be incomplete.
pub fn check_end(path: &Path, content: &[u8]) {
    if let Some(line) = torn_line(content) {
        warn(format_args!("{}:{line}: {TORN_LINE_USED}", path.display()));
    }
}
