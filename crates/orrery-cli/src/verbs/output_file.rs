//! The rule for output files that already exist: refuse them without `--force`, and never replace a file of another kind.

use std::error::Error;
use std::fmt;
use std::fs::{self, File};
use std::io::Read as _;
use std::path::{Path, PathBuf};

use crate::context::Usage;

/// The kinds of output files that start with known text.
#[derive(Debug, Clone, Copy)]
pub enum OutputKind {
    Model,
    Runs,
    Plan,
    Page,
    Drawing,
    ChromeTrace,
}

impl OutputKind {
    /// The name in messages.
    const fn name(self) -> &'static str {
        match self {
            Self::Model => "model file",
            Self::Runs => "runs file",
            Self::Plan => "plan file",
            Self::Page => "report",
            Self::Drawing => "drawing",
            Self::ChromeTrace => "trace of Chrome",
        }
    }

    /// The text with which all files of the kind start.
    const fn beginning(self) -> &'static str {
        match self {
            Self::Model | Self::Runs | Self::Plan => "{",
            Self::Page => "<!DOCTYPE html>",
            Self::Drawing => "<svg",
            Self::ChromeTrace => "{\"displayTimeUnit\"",
        }
    }
}

/// The error for an output file that exists and is not to be replaced.
#[derive(Debug)]
pub struct OutputExists(PathBuf);

impl fmt::Display for OutputExists {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: this file already exists", self.0.display())
    }
}

impl Error for OutputExists {}

/// Checks that an output file is new, or that `--force` replaces a file of the same kind; `option` names the file.
pub fn check(path: &Path, force: bool, option: &str, kind: OutputKind) -> anyhow::Result<()> {
    check_kind(path, option, kind)?;
    Ok(refuse_existing(path, force)?)
}

/// Returns an error if an output file exists and is of another kind, so that a typing error costs no samples.
pub fn check_kind(path: &Path, option: &str, kind: OutputKind) -> Result<(), Usage> {
    match head(path) {
        Some(head) if !head.trim_start().starts_with(kind.beginning()) => Err(Usage(format!(
            "{}: this file exists and is no {}; write elsewhere with {option}, or remove it",
            path.display(),
            kind.name()
        ))),
        _ => Ok(()),
    }
}

/// Returns an error if an output file exists and is not to be replaced; empty files and devices may be written.
pub fn refuse_existing(path: &Path, force: bool) -> Result<(), OutputExists> {
    let exists = fs::metadata(path).is_ok_and(|found| found.is_file() && found.len() > 0);
    if exists && !force { Err(OutputExists(path.to_owned())) } else { Ok(()) }
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
