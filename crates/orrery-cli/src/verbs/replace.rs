use std::fs::{self, File};
use std::io::Read as _;
use std::path::Path;

use crate::context::Usage;

/// Refuses to replace a file of another kind: measured samples are not to be lost by a slip of the pen.
///
/// What is replaced must be empty, or begin as such files do. `option` is what names the file.
pub fn only(path: &Path, option: &str, what: &str, beginning: &str) -> Result<(), Usage> {
    match head(path) {
        Some(head) if !head.trim_start().starts_with(beginning) => Err(refusal(path, option, &format!("is no {what}"))),
        _ => Ok(()),
    }
}

fn refusal(path: &Path, option: &str, why: &str) -> Usage {
    Usage(format!("{}: this file exists and {why}; write elsewhere with {option}, or remove it", path.display()))
}

/// How a file begins; nothing when it is empty, or cannot be looked at: the writer knows best what to say then.
fn head(path: &Path) -> Option<String> {
    if !fs::metadata(path).is_ok_and(|found| found.is_file()) {
        return None;
    }
    let mut head = Vec::new();
    File::open(path).and_then(|file| file.take(1024).read_to_end(&mut head)).ok()?;
    (!head.is_empty()).then(|| String::from_utf8_lossy(&head).into_owned())
}
