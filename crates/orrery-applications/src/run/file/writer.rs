use std::path::Path;

use super::reader::wrong_run;
use super::{FILE, VERSION, parse};
use crate::run::{Run, Runs};
use orrery_base::file::{self, FileError, FileKind, LockedFile, OutputFormat};
use orrery_base::json::{Layout, object, quote};
use orrery_base::units::Seconds;
use orrery_measure::sample::Provenance;

/// The format of the file.
const FORMAT: OutputFormat = OutputFormat::new(FILE, FileKind::Runs);

/// Returns the text of a runs file, with a line for each run.
///
/// # Errors
///
/// The first wrong run (see [`Run::check`]).
pub fn to_text(runs: &Runs) -> Result<String, FileError> {
    for (place, run) in runs.runs.iter().enumerate() {
        let wrong = |problem| wrong_run(&run.origin, &problem).within(format!("runs[{place}]"));
        run.check().map_err(wrong).map_err(FileError::unwritable(FILE))?;
    }
    let rows = runs.runs.iter().map(|run| row(run, Some(run.seconds)));
    Ok(with_provenance(FileKind::Runs, &runs.provenance, rows.collect()))
}

/// The text of a file of this kind with these rows.
pub(super) fn with_provenance(
    kind: FileKind,
    provenance: &Provenance,
    rows: Vec<String>,
) -> String {
    let provenance = provenance.iter().map(|(key, value)| (key.to_owned(), Layout::string(value)));
    let layout = Layout::Object(vec![
        ("format".into(), Layout::Line(quote(kind.format()))),
        ("version".into(), Layout::Line(VERSION.to_string())),
        ("provenance".into(), Layout::Object(provenance.collect())),
        ("runs".into(), Layout::Rows(rows)),
    ]);
    format!("{layout}\n")
}

/// Writes a runs file in one step. An existing one is replaced only with `force`, a file of another
/// kind never.
///
/// # Errors
///
/// An existing file, the first wrong run, and an error of the operating system.
pub fn write(path: impl AsRef<Path>, runs: &Runs, force: bool) -> Result<(), FileError> {
    file::write(path.as_ref(), FORMAT, to_text(runs)?.as_bytes(), force)
}

/// The runs file of a campaign: locked against other campaigns, and replaced in one step after each
/// run.
#[derive(Debug)]
pub struct RunsWriter {
    file: LockedFile,
}

impl RunsWriter {
    /// Opens a new file. With `force`, an existing file is replaced by the first
    /// [`RunsWriter::write`] and not before.
    ///
    /// # Errors
    ///
    /// A file that exists and is not empty (unless `force` is set and it is a runs file), that
    /// another campaign has locked, and an error of the operating system.
    pub fn create(path: impl AsRef<Path>, force: bool) -> Result<Self, FileError> {
        Ok(Self { file: LockedFile::create(path.as_ref(), FORMAT, &[], force)? })
    }

    /// Opens an existing file and returns its runs.
    ///
    /// # Errors
    ///
    /// A file that another campaign has locked or that cannot be read, and the first fault in it.
    pub fn resume(path: impl AsRef<Path>) -> Result<(Self, Runs), FileError> {
        let path = path.as_ref();
        let (file, bytes) = LockedFile::resume(path, FILE)?;
        Ok((Self { file }, parse(bytes, path)?))
    }

    /// Replaces the content of the file.
    ///
    /// # Errors
    ///
    /// The first wrong run, a file that another program has changed, and an error of the operating
    /// system.
    pub fn write(&mut self, runs: &Runs) -> Result<(), FileError> {
        self.file.replace(to_text(runs)?.as_bytes())
    }

    /// Checks that the file holds the runs.
    ///
    /// # Errors
    ///
    /// A file that another program has changed, and an error of the operating system.
    pub fn finish(&self) -> Result<(), FileError> {
        self.file.finish()
    }
}

/// A run with this time as a line of JSON, without empty entries.
pub(super) fn row(run: &Run, seconds: Option<Seconds>) -> String {
    let mut entries = Vec::new();
    let mut entry = |key: &'static str, value: String| entries.push((key, value));
    if !run.origin.is_empty() {
        entry("origin", quote(&run.origin));
    }
    if !run.region.is_empty() {
        entry("region", quote(&run.region));
    }
    if !run.variables.is_empty() {
        let variables = run.variables.iter().map(|(name, &value)| (name.as_str(), number(value)));
        entry("variables", object(variables));
    }
    if !run.configuration.shares.is_empty() {
        let shares = run.configuration.shares.iter().map(|share| {
            let (elements, processes) = (share.elements.to_string(), share.processes.to_string());
            let share_text = object([("elements", elements), ("processes", processes)]);
            (share.kind.as_str(), share_text)
        });
        entry("configuration", object(shares));
    }
    if let Some(seconds) = seconds {
        entry("seconds", number(seconds.get()));
    }
    if !run.parts.is_empty() {
        let parts = run.parts.iter().map(|part| {
            let times = [("computation", part.computation), ("communication", part.communication)];
            (part.kind.as_str(), object(times.map(|(key, time)| (key, number(time.get())))))
        });
        entry("parts", object(parts));
    }
    if !run.labels.is_empty() {
        entry("labels", object(run.labels.iter().map(|(name, word)| (name.as_str(), quote(word)))));
    }
    object(entries)
}

/// A finite number as JSON: the shortest digits that read back exactly, whole numbers without a
/// point.
fn number(value: f64) -> String {
    if value.fract() == 0.0 && value.abs() < 1e15 {
        return value.to_string();
    }
    serde_json::Number::from_f64(value)
        .map_or_else(|| "null".to_owned(), |number| number.to_string())
}
