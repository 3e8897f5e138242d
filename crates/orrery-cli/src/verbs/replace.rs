use std::fs::{self, File};
use std::io::Read as _;
use std::path::Path;

use crate::context::Usage;

/// Refuses to replace a file of another kind: measured samples are not to be lost by a slip of the pen.
///
/// What is replaced must be empty, or begin as such files do.
pub fn only(path: &Path, what: &str, beginning: &str) -> Result<(), Usage> {
    // What cannot be looked at is left to the writer, which knows best what to say.
    if !fs::metadata(path).is_ok_and(|found| found.is_file()) {
        return Ok(());
    }
    let mut head = Vec::new();
    let read = File::open(path).and_then(|file| file.take(64).read_to_end(&mut head));
    if read.is_err() || head.is_empty() || String::from_utf8_lossy(&head).trim_start().starts_with(beginning) {
        return Ok(());
    }
    Err(Usage(format!("{}: this file exists and is no {what}; name another file to write, or remove it", path.display())))
}
