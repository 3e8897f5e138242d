use std::path::Path;

use super::LoadedTimings;
use super::row::{self, TimingColumn};
use crate::sample::file::suspicious_rows::RowTime;
use crate::sample::file::table::{self, Layout, Table};
use crate::sample::file::table_file::{Content, TableWriter, content_of};
use crate::sample::{Provenance, TimingRow, Timings};
use orrery_base::file::{self, Fault, FileError, FileKind};

/// Reads a timings file.
///
/// # Errors
///
/// Returns an error if the file cannot be read, and the errors of [`parse`].
pub fn read(path: impl AsRef<Path>) -> Result<LoadedTimings, FileError> {
    let path = path.as_ref();
    parse(file::read(path, Timings::FILE)?, path)
}

/// Reads the content of a timings file; `name` is its name in errors and warnings.
///
/// A last line without line break may be incomplete: it is ignored with a warning.
///
/// # Errors
///
/// Returns the first other defect with its line and column.
pub fn parse(
    content: impl AsRef<[u8]>,
    name: impl AsRef<Path>,
) -> Result<LoadedTimings, FileError> {
    content_of(content.as_ref(), name.as_ref()).map(loaded)
}

/// The timings and warnings of a file.
fn loaded(content: Content<Timings>) -> LoadedTimings {
    LoadedTimings { timings: content.table, warnings: content.warnings }
}

impl Table for Timings {
    type Column = TimingColumn;
    const FILE: &'static str = "timings file";
    const FORMAT: &'static str = "orrery-timings 1";
    const EXAMPLE: &'static str = "scheme,communication,source,destination,size,kind,seconds";
    const KIND: FileKind = FileKind::Timings;

    fn provenance(&mut self) -> &mut Provenance {
        &mut self.provenance
    }

    fn push(
        &mut self,
        row: table::Row<TimingColumn>,
    ) -> Result<RowTime, (Option<TimingColumn>, Fault)> {
        let row = row::read(row).map_err(|(column, fault)| (Some(column), fault))?;
        let time = row::time(&row);
        Self::push(self, row).map_err(|mismatch| (None, Fault::new(mismatch)))?;
        Ok(time)
    }
}

/// The text of a timings file.
///
/// # Errors
///
/// Returns an error if a provenance key, a name or a reading cannot be represented, such as a time
/// that is not finite.
pub fn to_text(timings: &Timings) -> Result<String, FileError> {
    let name = Path::new("timings");
    let head = table::head::<Timings>(&timings.provenance);
    let mut text = head.map_err(|fault| FileError::whole(name, fault))?;
    for one in timings.rows() {
        row::write(&mut text, &Layout::all(), &one)
            .map_err(|fault| FileError::whole(name, fault))?;
    }
    Ok(text)
}

/// Appends the readings of a campaign of schemes to a timings file, which is locked against other
/// writers.
#[derive(Debug)]
pub struct TimingsWriter(TableWriter<Timings>);

impl TimingsWriter {
    /// Creates a file with provenance and column names.
    ///
    /// With `force`, an existing file is replaced together with the first readings and not before.
    ///
    /// # Errors
    ///
    /// Returns an error if the file exists and is not empty (unless `force` is set), is locked by
    /// another writer or cannot be written, or if the provenance cannot be represented.
    pub fn create(
        path: impl AsRef<Path>,
        provenance: &Provenance,
        force: bool,
    ) -> Result<Self, FileError> {
        TableWriter::create(path.as_ref(), provenance, force).map(Self)
    }

    /// Opens a file to append to it, and returns its content. An incomplete last line is removed
    /// with a warning.
    ///
    /// # Errors
    ///
    /// Returns an error if the file does not exist, is locked by another writer or cannot be read.
    pub fn resume(path: impl AsRef<Path>) -> Result<(Self, LoadedTimings), FileError> {
        let (writer, content) = TableWriter::resume(path.as_ref())?;
        Ok((Self(writer), loaded(content)))
    }

    /// Appends rows in one write operation.
    ///
    /// # Errors
    ///
    /// Returns an error if a row cannot be represented, if another program has changed the file, or
    /// if it cannot be written; a partial write is undone.
    pub fn append(&mut self, rows: &[TimingRow]) -> Result<(), FileError> {
        let TableWriter { file, layout } = &mut self.0;
        let mut text = String::new();
        for one in rows {
            row::write(&mut text, layout, one)
                .map_err(|fault| FileError::whole(file.path(), fault))?;
        }
        if rows.iter().all(|row| row.reading.is_none()) {
            // Declarations alone replace no earlier readings.
            file.prepare(text.as_bytes())
        } else {
            file.append(text.as_bytes())
        }
    }

    /// Checks that the file holds all readings, and passes them to the disk.
    ///
    /// # Errors
    ///
    /// Returns an error if another program has changed the file, or the disk reports an error.
    pub fn finish(&self) -> Result<(), FileError> {
        self.0.file.finish()
    }

    /// The path of the file.
    pub fn path(&self) -> &Path {
        self.0.file.path()
    }
}

/// Writes timings to a file in one step.
///
/// # Errors
///
/// Returns an error if the file exists and is not empty (unless `force` is set) or cannot be
/// written, or if a value cannot be represented.
pub fn write(path: impl AsRef<Path>, timings: &Timings, force: bool) -> Result<(), FileError> {
    file::write(path.as_ref(), Timings::FILE, to_text(timings)?.as_bytes(), force)
}
