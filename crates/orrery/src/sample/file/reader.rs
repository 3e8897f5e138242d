use std::path::Path;

use super::comment::{self, Comment};
use super::fields::{self, Field};
use super::frames::{self, Frames};
use super::row::{self, Row};
use super::{FORMAT, Fault, Layout, Loaded, SamplesError, Warning};
use crate::file::{self, Located, Position};
use crate::sample::{Samples, UnknownExperiment};

/// Reads a samples file, compressed or not.
///
/// # Errors
///
/// A file that cannot be opened, and whatever [`parse`] refuses.
pub fn read(path: impl AsRef<Path>) -> Result<Loaded, SamplesError> {
    let path = path.as_ref();
    parse(file::read(path)?, path)
}

/// Reads the content of a samples file, compressed or not; `name` is its name in errors and warnings.
///
/// A last line without line break may be torn: it is dropped with a warning, and so is a torn last frame. Anything else
/// that is broken is an error with its place.
///
/// # Errors
///
/// The first thing that is wrong, with its line and column.
pub fn parse(content: impl AsRef<[u8]>, name: impl AsRef<Path>) -> Result<Loaded, SamplesError> {
    content_of(content.as_ref(), name.as_ref()).map(|content| content.loaded)
}

/// What a resuming writer must know of a file beside its samples.
pub(super) struct Content {
    pub(super) loaded: Loaded,
    /// The columns of the file.
    pub(super) layout: Layout,
    /// How many bytes of text are whole lines.
    pub(super) whole: usize,
    /// The frames, when the file is compressed.
    pub(super) frames: Option<Frames>,
}

/// Reads a file with all that a resuming writer must know.
pub(super) fn content_of(content: &[u8], path: &Path) -> Result<Content, SamplesError> {
    if content.is_empty() {
        return Err(SamplesError::whole(path, Fault::Empty));
    }
    let mut warnings = Vec::new();
    let frames = if frames::is_compressed(content) {
        let frames = frames::decompress(content).map_err(|fault| SamplesError::whole(path, fault))?;
        warnings.extend(frames.torn.map(|byte| Warning::TornFrame { path: path.to_owned(), byte }));
        Some(frames)
    } else {
        None
    };
    let text = frames.as_ref().map_or(content, |frames| &frames.text);
    let whole = text.iter().rposition(|&byte| byte == b'\n').map_or(0, |last| last + 1);
    if whole < text.len() {
        let line = text[..whole].split(|&byte| byte == b'\n').count();
        if whole == 0 && std::str::from_utf8(text).map_or(true, |text| text.contains('\0')) {
            return Err(SamplesError::whole(path, Fault::NotText));
        }
        warnings.push(Warning::TornLine { path: path.to_owned(), line });
    }
    if text.trim_ascii_start().starts_with(b"{") {
        return Err(SamplesError::located(path, "", Located { byte: 0, fault: Fault::NoHeader { json: true } }));
    }
    let mut parser = Parser::new(path);
    parser.run(&text[..whole])?;
    let Some(layout) = parser.layout else {
        return Err(SamplesError::whole(path, Fault::NoHeader { json: false }));
    };
    if !parser.format {
        warnings.push(Warning::NoFormat { path: path.to_owned() });
    }
    if let Some(found) = parser.samples.provenance.unknown_timing() {
        let (path, found) = (path.to_owned(), found.to_owned());
        warnings.push(Warning::UnknownTiming { path, line: parser.timing_line, found });
    }
    Ok(Content { loaded: Loaded { samples: parser.samples, warnings }, layout, whole, frames })
}

/// Takes lines one by one.
struct Parser<'a> {
    path: &'a Path,
    line: usize,
    samples: Samples,
    layout: Option<Layout>,
    format: bool,
    /// The line of the key `timing`.
    timing_line: usize,
}

impl<'a> Parser<'a> {
    fn new(path: &'a Path) -> Self {
        Self { path, line: 0, samples: Samples::default(), layout: None, format: false, timing_line: 0 }
    }

    /// Takes a text of whole lines.
    fn run(&mut self, text: &[u8]) -> Result<(), SamplesError> {
        let text = text.strip_prefix("\u{feff}".as_bytes()).unwrap_or(text);
        for line in text.split_inclusive(|&byte| byte == b'\n') {
            self.line += 1;
            let line = line.strip_suffix(b"\n").unwrap_or(line);
            let line = line.strip_suffix(b"\r").unwrap_or(line);
            let line = match std::str::from_utf8(line) {
                Ok(line) if !line.contains('\0') => line,
                _ => return Err(self.fault("", 0, Fault::NotText)),
            };
            if line.starts_with('#') {
                self.comment(line)?;
            } else if !line.trim().is_empty() {
                let fields = fields::split(line).map_err(|(byte, fault)| self.fault(line, byte, fault))?;
                match self.layout.take() {
                    Some(layout) => {
                        self.row(line, &fields, &layout)?;
                        self.layout = Some(layout);
                    }
                    None => self.layout = Some(self.header(line, &fields)?),
                }
            }
        }
        Ok(())
    }

    /// An error at a byte of a line.
    fn fault(&self, line: &str, byte: usize, fault: Fault) -> SamplesError {
        let column = line[..byte].chars().count() + 1;
        let position = Position { line: self.line, column };
        SamplesError::At { path: self.path.to_owned(), position, place: String::new(), fault }
    }

    /// A comment: provenance when it stands above the column names.
    fn comment(&mut self, line: &str) -> Result<(), SamplesError> {
        if self.layout.is_some() {
            return Ok(());
        }
        match comment::read(line) {
            Comment::Format(found) if found == FORMAT => self.format = true,
            Comment::Format(found) => return Err(self.fault(line, 0, Fault::Format { found })),
            Comment::Entry(key, value) => {
                if key == "timing" {
                    self.timing_line = self.line;
                }
                self.samples.provenance.set(key, value);
            }
            Comment::Remark => {}
        }
        Ok(())
    }

    /// The line of column names.
    fn header(&self, line: &str, fields: &[Field]) -> Result<Layout, SamplesError> {
        let names = fields.iter().map(|field| &*field.text);
        Layout::of(&names).map_err(|(field, fault)| {
            let fault = match fault {
                Fault::NoHeader { .. } => Fault::NoHeader { json: line.trim_start().starts_with('{') },
                other => other,
            };
            self.fault(line, fields[field].start, fault)
        })
    }

    /// A reading.
    fn row(&mut self, line: &str, fields: &[Field], layout: &Layout) -> Result<(), SamplesError> {
        let (found, expected) = (fields.len(), layout.width);
        if found != expected {
            return Err(self.fault(line, 0, Fault::Fields { found, expected }));
        }
        let row = row::read(fields, layout).map_err(|(column, fault)| {
            let byte = layout.place(column).map_or(0, |field| fields[field].start);
            self.fault(line, byte, fault)
        })?;
        match row {
            Row::Sample(sample) => self.samples.push(sample),
            Row::Unknown(experiment) => {
                match self.samples.unknown.iter_mut().find(|unknown| unknown.experiment == experiment) {
                    Some(unknown) => unknown.rows += 1,
                    None => self.samples.unknown.push(UnknownExperiment { experiment, rows: 1 }),
                }
            }
        }
        Ok(())
    }
}
