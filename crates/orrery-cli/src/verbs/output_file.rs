//! The rule for output files that already exist: refuse them without `--force`, and never replace
//! an input or a file of another kind.

use std::error::Error;
use std::path::{Path, PathBuf};
use std::{fmt, fs, io};

use anyhow::anyhow;
use orrery::file::{FileKind, advice, replace};
use orrery::sample::file::kind_of;

use crate::applies;
use crate::context::{Context, Usage};

/// The kinds of output files.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OutputKind {
    Samples,
    Timings,
    Kernels,
    Model,
    Runs,
    Plan,
    Page,
    Drawing,
    ChromeTrace,
    Trace,
    /// A page of the manual.
    Manual,
    /// An input file of another program, which nothing marks as written by this command.
    Tuning,
}

impl OutputKind {
    /// The name in messages.
    const fn name(self) -> &'static str {
        match self {
            Self::Samples => "samples file",
            Self::Timings => "timings file",
            Self::Kernels => "kernel timings file",
            Self::Model => "model file",
            Self::Runs => "runs file",
            Self::Plan => "plan file",
            Self::Page => "report",
            Self::Drawing => "drawing",
            Self::ChromeTrace => "trace of Chrome",
            Self::Trace => "trace",
            Self::Manual => "page of a manual",
            Self::Tuning => "input file",
        }
    }

    /// Returns true if a file with this content is of the kind.
    fn is_kind_of(self, content: &[u8]) -> bool {
        let text = || String::from_utf8_lossy(&content[..content.len().min(1024)]).into_owned();
        let is = |kind: FileKind| kind_of(content) == Some(kind);
        match self {
            Self::Samples => is(FileKind::Samples),
            Self::Timings => is(FileKind::Timings),
            Self::Kernels => is(FileKind::Kernels),
            Self::Model => is(FileKind::Model),
            Self::Runs => is(FileKind::Runs),
            Self::Plan => is(FileKind::Plan),
            Self::Page => {
                text().starts_with("<!DOCTYPE html>") && text().contains("content=\"Orrery\"")
            }
            Self::Drawing => text().starts_with("<svg class=\"scheme\""),
            Self::ChromeTrace => text().starts_with("{\"displayTimeUnit\""),
            Self::Trace => kind_of(content).is_some_and(FileKind::is_trace),
            Self::Manual => text().starts_with(".ie ") || text().starts_with(".TH "),
            Self::Tuning => true,
        }
    }
}

/// The error for an output file or folder that exists and is not to be replaced.
#[derive(Debug)]
pub struct OutputExists(PathBuf);

impl fmt::Display for OutputExists {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let what =
            if self.0.is_dir() { "this folder is not empty" } else { "this file already exists" };
        write!(f, "{}: {what}", self.0.display())
    }
}

impl Error for OutputExists {}

/// Checks that an output file is new, or that `--force` replaces a file of the same kind that is no
/// input; `option` names the file.
pub fn check(path: &Path, force: bool, option: &str, kind: OutputKind) -> anyhow::Result<()> {
    check_kind(path, option, kind)?;
    refuse_inputs(path, option, &applies::command_line().files)?;
    let exists = fs::metadata(path).is_ok_and(|found| found.is_file() && found.len() > 0);
    if exists && !force { Err(OutputExists(path.to_owned()).into()) } else { Ok(()) }
}

/// Checks that an output folder is new or empty, or that `--force` replaces its content; `option`
/// names the folder.
pub fn check_folder(path: &Path, force: bool, option: &str) -> anyhow::Result<()> {
    if !force && has_content(path) {
        return Err(OutputExists(path.to_owned()).into());
    }
    if path.exists() && !path.is_dir() {
        let path = path.display();
        return Err(
            Usage(format!("{path}: this is not a folder; write elsewhere with {option}")).into()
        );
    }
    Ok(())
}

/// Returns true if a folder exists and is not empty.
pub fn has_content(folder: &Path) -> bool {
    fs::read_dir(folder).is_ok_and(|mut entries| entries.next().is_some())
}

/// Returns an error if an output file is one of these inputs, perhaps under another name.
pub fn refuse_inputs(path: &Path, option: &str, inputs: &[PathBuf]) -> Result<(), Usage> {
    let Some(input) = inputs.iter().find(|input| applies::is_same_file(input, path)) else {
        return Ok(());
    };
    let (path, input) = (path.display().to_string(), input.display().to_string());
    let name = if path == input {
        "an input of this command".to_owned()
    } else {
        format!("the input {input}")
    };
    Err(Usage(format!("{path}: this file is {name}; write elsewhere with {option}")))
}

/// Returns an error if an output file exists and is of another kind; empty files and devices may be
/// written.
pub fn check_kind(path: &Path, option: &str, kind: OutputKind) -> Result<(), Usage> {
    match content(path) {
        Some(content) if !kind.is_kind_of(&content) => Err(Usage(format!(
            "{}: this file exists and is no {}; write elsewhere with {option}, or remove it",
            path.display(),
            kind.name()
        ))),
        _ => Ok(()),
    }
}

/// Writes a file in one step.
pub fn write(path: &Path, text: &str) -> anyhow::Result<()> {
    replace(path, text.as_bytes()).map_err(|error| cannot_write(path, &error))
}

/// Writes a file in one step and reports it.
pub fn write_and_report(context: Context, path: &Path, text: &str) -> anyhow::Result<()> {
    write(path, text)?;
    context.say(format!("wrote {}", path.display()));
    Ok(())
}

/// The error of a file that cannot be written.
pub fn cannot_write(path: &Path, error: &io::Error) -> anyhow::Error {
    anyhow!("{}: cannot write the file: {error}{}", path.display(), advice(error, "write"))
}

/// The content of a regular file that shows its kind; `None` if it is empty or cannot be read,
/// which the writer reports.
fn content(path: &Path) -> Option<Vec<u8>> {
    if !fs::metadata(path).is_ok_and(|found| found.is_file()) {
        return None;
    }
    let content = fs::read(path).ok()?;
    (!content.is_empty()).then_some(content)
}
