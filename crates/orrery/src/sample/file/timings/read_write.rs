use std::path::Path;

use super::row::{self, TimingColumn};
use super::{Fault, LoadedTimings, TimingsError, TimingsFault, TimingsWarning};
use crate::file::{self, LockedFile};
use crate::sample::file::suspicious_rows::RowTime;
use crate::sample::file::table::{self, Layout, Parsed, Table};
use crate::sample::{Provenance, TimingRow, Timings};

/// Reads a timings file.
///
/// # Errors
///
/// Returns an error if the file cannot be read, and the errors of [`parse`].
pub fn read(path: impl AsRef<Path>) -> Result<LoadedTimings, TimingsError> {
    let path = path.as_ref();
    parse(file::read(path)?, path)
}

/// Reads the content of a timings file; `name` is its name in errors and warnings.
///
/// A last line without line break may be incomplete: it is ignored with a warning.
///
/// # Errors
///
/// Returns the first other defect with its line and column.
pub fn parse(content: impl AsRef<[u8]>, name: impl AsRef<Path>) -> Result<LoadedTimings, TimingsError> {
    content_of(content.as_ref(), name.as_ref()).map(|content| content.loaded)
}

/// The content of a file, with what a writer needs to resume it.
struct Content {
    loaded: LoadedTimings,
    layout: Layout<TimingColumn>,
    /// The number of bytes in whole lines.
    whole: usize,
}

/// Parses the content of a file.
fn content_of(content: &[u8], path: &Path) -> Result<Content, TimingsError> {
    let whole = table::whole_lines(content);
    let text = &content[..whole];
    let parsed = table::parse::<Timings>(text, path)?;
    let Parsed { table: timings, layout, names_format, repeated, implausible, .. } = parsed;
    let mut warnings = Vec::new();
    if whole < content.len() {
        let line = text.split(|&byte| byte == b'\n').count();
        warnings.push(TimingsWarning::TornLine { path: path.to_owned(), line });
    }
    if !names_format {
        warnings.push(TimingsWarning::NoFormat { path: path.to_owned() });
    }
    warnings.extend(repeated.map(|rows| TimingsWarning::RepeatedRows { path: path.to_owned(), rows }));
    warnings.extend(implausible.map(|times| TimingsWarning::ImplausibleTimes { path: path.to_owned(), times }));
    Ok(Content { loaded: LoadedTimings { timings, warnings }, layout, whole })
}

impl Table for Timings {
    type Column = TimingColumn;
    type Fault = TimingsFault;
    const FORMAT: &'static str = "orrery-timings 1";

    fn provenance(&mut self) -> &mut Provenance {
        &mut self.provenance
    }

    fn push(&mut self, row: table::Row<TimingColumn>) -> Result<RowTime, (Option<TimingColumn>, TimingsFault)> {
        let row = row::read(row).map_err(|(column, fault)| (Some(column), fault))?;
        let time = row::time(&row);
        Self::push(self, row).map_err(|mismatch| (None, mismatch.into()))?;
        Ok(time)
    }

    fn not_text() -> TimingsFault {
        TimingsFault::NotText
    }

    fn no_header() -> TimingsFault {
        TimingsFault::NoHeader
    }

    fn other_format(found: String) -> TimingsFault {
        TimingsFault::Format { found }
    }
}

/// The text of a timings file.
///
/// # Errors
///
/// Returns an error if a provenance key, a name or a reading cannot be represented, such as a time that is not finite.
pub fn to_text(timings: &Timings) -> Result<String, TimingsError> {
    let name = Path::new("timings");
    let head = table::head::<Timings>(&timings.provenance);
    let mut text = head.map_err(|fault: Fault| TimingsError::whole(name, fault.into()))?;
    for one in timings.rows() {
        row::write(&mut text, &Layout::all(), &one).map_err(|fault| TimingsError::whole(name, fault))?;
    }
    Ok(text)
}

/// Appends the readings of a campaign of schemes to a timings file, which is locked against other writers.
#[derive(Debug)]
pub struct TimingsWriter {
    file: LockedFile,
    layout: Layout<TimingColumn>,
}

impl TimingsWriter {
    /// Creates a file with provenance and column names.
    ///
    /// With `force`, an existing file is replaced together with the first readings and not before.
    ///
    /// # Errors
    ///
    /// Returns an error if the file exists and is not empty (unless `force` is set), is locked by another writer or
    /// cannot be written, or if the provenance cannot be represented.
    pub fn create(path: impl AsRef<Path>, provenance: &Provenance, force: bool) -> Result<Self, TimingsError> {
        let path = path.as_ref();
        let head = table::head::<Timings>(provenance).map_err(|fault| TimingsError::whole(path, fault.into()))?;
        let file = LockedFile::create(path, head.as_bytes(), force)?;
        Ok(Self { file, layout: Layout::all() })
    }

    /// Opens a file to append to it, and returns its content. An incomplete last line is removed with a warning.
    ///
    /// # Errors
    ///
    /// Returns an error if the file does not exist, is locked by another writer or cannot be read.
    pub fn resume(path: impl AsRef<Path>) -> Result<(Self, LoadedTimings), TimingsError> {
        let path = path.as_ref();
        let (mut file, bytes) = LockedFile::resume(path)?;
        let Content { loaded, layout, whole } = content_of(&bytes, path)?;
        if whole < bytes.len() {
            file.truncate(whole as u64)?;
        }
        let writer = Self { file, layout };
        Ok((writer, loaded))
    }

    /// Appends rows in one write operation.
    ///
    /// # Errors
    ///
    /// Returns an error if a row cannot be represented, if another program has changed the file, or if it cannot be
    /// written; a partial write is undone.
    pub fn append(&mut self, rows: &[TimingRow]) -> Result<(), TimingsError> {
        let mut text = String::new();
        for one in rows {
            row::write(&mut text, &self.layout, one).map_err(|fault| TimingsError::whole(self.file.path(), fault))?;
        }
        if rows.iter().all(|row| row.reading.is_none()) {
            // Declarations alone replace no earlier readings.
            self.file.prepare(text.as_bytes())
        } else {
            self.file.append(text.as_bytes())
        }
    }

    /// Checks that the file holds all readings, and passes them to the disk.
    ///
    /// # Errors
    ///
    /// Returns an error if another program has changed the file, or the disk reports an error.
    pub fn finish(&self) -> Result<(), TimingsError> {
        self.file.finish()
    }

    /// The path of the file.
    pub fn path(&self) -> &Path {
        self.file.path()
    }
}

/// Writes timings to a file in one step.
///
/// # Errors
///
/// Returns an error if the file exists and is not empty (unless `force` is set) or cannot be written, or if a value
/// cannot be represented.
pub fn write(path: impl AsRef<Path>, timings: &Timings, force: bool) -> Result<(), TimingsError> {
    file::write(path.as_ref(), to_text(timings)?.as_bytes(), force)
}
