use std::fs::{self, File};
use std::io::Read as _;
use std::path::Path;

use crate::context::Usage;

/// Returns an error if a file that is to be replaced is of another kind, so that a typing error costs no samples.
///
/// The file must be empty or start with `beginning`; `option` is the option that names it.
pub fn only(path: &Path, option: &str, what: &str, beginning: &str) -> Result<(), Usage> {
    match head(path) {
        Some(head) if !head.trim_start().starts_with(beginning) => Err(refusal(path, option, &format!("is no {what}"))),
        _ => Ok(()),
    }
}

/// The error for a file that must not be replaced.
fn refusal(path: &Path, option: &str, why: &str) -> Usage {
    Usage(format!("{}: this file exists and {why}; write elsewhere with {option}, or remove it", path.display()))
}

/// The first kilobyte of a regular file; `None` if it is empty or cannot be read, which the writer reports.
fn head(path: &Path) -> Option<String> {
    if !fs::metadata(path).is_ok_and(|found| found.is_file()) {
        return None;
    }
    let mut head = Vec::new();
    File::open(path).and_then(|file| file.take(1024).read_to_end(&mut head)).ok()?;
    (!head.is_empty()).then(|| String::from_utf8_lossy(&head).into_owned())
}
