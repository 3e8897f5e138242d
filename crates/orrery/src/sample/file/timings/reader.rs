use std::path::Path;

use super::column::Layout;
use super::{FORMAT, Fault, LoadedTimings, TimingsError, TimingsFault, TimingsWarning, row};
use crate::file::{self, Position};
use crate::sample::Timings;
use crate::sample::file::comment::{self, Comment};
use crate::sample::file::fields::{self, Field};

/// Reads a timings file.
///
/// # Errors
///
/// A file that cannot be opened, and whatever [`parse`] refuses.
pub fn read(path: impl AsRef<Path>) -> Result<LoadedTimings, TimingsError> {
    let path = path.as_ref();
    parse(file::read(path)?, path)
}

/// Reads the content of a timings file; `name` is its name in errors and warnings.
///
/// A last line without line break may be torn: it is dropped with a warning. Anything else that is broken is an error
/// with its place.
///
/// # Errors
///
/// The first thing that is wrong, with its line and column.
pub fn parse(content: impl AsRef<[u8]>, name: impl AsRef<Path>) -> Result<LoadedTimings, TimingsError> {
    content_of(content.as_ref(), name.as_ref()).map(|content| content.loaded)
}

/// What a resuming writer must know of a file beside its readings.
pub(super) struct Content {
    pub(super) loaded: LoadedTimings,
    pub(super) layout: Layout,
    /// How many bytes are whole lines.
    pub(super) whole: usize,
}

pub(super) fn content_of(content: &[u8], path: &Path) -> Result<Content, TimingsError> {
    let whole = content.iter().rposition(|&byte| byte == b'\n').map_or(0, |last| last + 1);
    let mut parser = Parser { path, line: 0, timings: Timings::default(), layout: None, format: false };
    parser.run(&content[..whole])?;
    let mut warnings = Vec::new();
    if whole < content.len() {
        warnings.push(TimingsWarning::TornLine { path: path.to_owned(), line: parser.line + 1 });
    }
    let layout = parser.layout.ok_or_else(|| TimingsError::whole(path, TimingsFault::NoHeader))?;
    if !parser.format {
        warnings.push(TimingsWarning::NoFormat { path: path.to_owned() });
    }
    Ok(Content { loaded: LoadedTimings { timings: parser.timings, warnings }, layout, whole })
}

/// Takes lines one by one.
struct Parser<'a> {
    path: &'a Path,
    line: usize,
    timings: Timings,
    layout: Option<Layout>,
    format: bool,
}

impl Parser<'_> {
    /// Takes a text of whole lines.
    fn run(&mut self, text: &[u8]) -> Result<(), TimingsError> {
        let text = text.strip_prefix("\u{feff}".as_bytes()).unwrap_or(text);
        for line in text.split_inclusive(|&byte| byte == b'\n') {
            self.line += 1;
            let line = line.strip_suffix(b"\n").unwrap_or(line);
            let line = line.strip_suffix(b"\r").unwrap_or(line);
            let line = match std::str::from_utf8(line) {
                Ok(line) if !line.contains('\0') => line,
                _ => return Err(self.fault("", 0, TimingsFault::NotText)),
            };
            if line.starts_with('#') {
                self.comment(line)?;
            } else if !line.trim().is_empty() {
                let fields = fields::split(line).map_err(|(byte, fault)| self.fault(line, byte, fault.into()))?;
                match self.layout.take() {
                    Some(layout) => {
                        self.row(line, &fields, &layout)?;
                        self.layout = Some(layout);
                    }
                    None => {
                        let layout = Layout::of(&fields.iter().map(|field| &*field.text));
                        let refused = |(field, fault): (usize, _)| self.fault(line, fields[field].start, fault);
                        self.layout = Some(layout.map_err(refused)?);
                    }
                }
            }
        }
        Ok(())
    }

    /// An error at a byte of a line.
    fn fault(&self, line: &str, byte: usize, fault: TimingsFault) -> TimingsError {
        let column = line[..byte].chars().count() + 1;
        let position = Position { line: self.line, column };
        TimingsError::At { path: self.path.to_owned(), position, place: String::new(), fault }
    }

    /// A comment: provenance when it stands above the column names.
    fn comment(&mut self, line: &str) -> Result<(), TimingsError> {
        if self.layout.is_some() {
            return Ok(());
        }
        match comment::read(line) {
            Comment::Format(found) if found == FORMAT => self.format = true,
            Comment::Format(found) => return Err(self.fault(line, 0, TimingsFault::Format { found })),
            Comment::Entry(key, value) => self.timings.provenance.set(key, value),
            Comment::Remark => {}
        }
        Ok(())
    }

    fn row(&mut self, line: &str, fields: &[Field], layout: &Layout) -> Result<(), TimingsError> {
        let (found, expected) = (fields.len(), layout.width);
        if found != expected {
            return Err(self.fault(line, 0, Fault::Fields { found, expected }.into()));
        }
        let row = row::read(fields, layout).map_err(|(column, fault)| {
            let byte = layout.place(column).map_or(0, |field| fields[field].start);
            self.fault(line, byte, fault)
        })?;
        self.timings.push(row).map_err(|mismatch| self.fault(line, 0, mismatch.into()))
    }
}
