use std::path::Path;

use super::frames::{self, Frames, is_compressed};
use super::row::{self, SampleColumn};
use super::suspicious_rows::RowTime;
use super::table::{self, Layout, Parsed, Table};
use super::{Loaded, Warning};
use crate::sample::{Provenance, Samples, UnknownExperiment};
use orrery_base::file::{self, Fault, FaultKind, FileError, FileKind};

/// Reads a samples file, compressed or not.
///
/// # Errors
///
/// Returns an error if the file cannot be read, and the errors of [`parse`].
pub fn read(path: impl AsRef<Path>) -> Result<Loaded, FileError> {
    let path = path.as_ref();
    parse(file::read(path, Samples::FILE)?, path)
}

/// Reads the content of a samples file, compressed or not; `name` is its name in errors and
/// warnings.
///
/// A last line without line break may be incomplete: it is ignored with a warning, as is an
/// incomplete last frame.
///
/// # Errors
///
/// Returns the first other defect with its line and column.
pub fn parse(content: impl AsRef<[u8]>, name: impl AsRef<Path>) -> Result<Loaded, FileError> {
    content_of(content.as_ref(), name.as_ref()).map(|content| content.loaded)
}

/// The content of a file, with what a writer needs to resume it.
pub(super) struct Content {
    pub(super) loaded: Loaded,
    /// The columns of the file.
    pub(super) layout: Layout<SampleColumn>,
    /// The number of bytes of text in whole lines.
    pub(super) whole: usize,
    /// The frames of a compressed file.
    pub(super) frames: Option<Frames>,
}

/// Parses the content of a file.
pub(super) fn content_of(content: &[u8], path: &Path) -> Result<Content, FileError> {
    if content.is_empty() {
        let fault = "the file is empty; it needs at least a line of column names";
        return Err(FileError::whole(path, Fault::new(fault).of_kind(FaultKind::Empty)));
    }
    let mut warnings = Vec::new();
    let frames = if is_compressed(content) {
        let frames = frames::decompress(content).map_err(|fault| FileError::whole(path, fault))?;
        warnings.extend(frames.torn.map(|byte| Warning::TornFrame { path: path.to_owned(), byte }));
        Some(frames)
    } else {
        None
    };
    let text = frames.as_ref().map_or(content, |frames| &frames.text);
    let whole = table::whole_lines(text);
    if whole < text.len() {
        let line = text[..whole].split(|&byte| byte == b'\n').count();
        if whole == 0 && std::str::from_utf8(text).map_or(true, |text| text.contains('\0')) {
            return Err(FileError::whole(path, Samples::not_text()));
        }
        warnings.push(Warning::TornLine { path: path.to_owned(), line });
    }
    if text.trim_ascii_start().starts_with(b"{") {
        let example = Samples::EXAMPLE;
        let fault = Fault::new(format!(
            "this looks like JSON, perhaps a model file; a samples file is CSV and has a line of \
                column names, such as {example:?}"
        ));
        return Err(FileError::located(path, "", fault.at(0)));
    }
    let parsed = table::parse::<Samples>(&text[..whole], path)?;
    let Parsed { table: samples, layout, names_format, timing_line, repeated, implausible } =
        parsed;
    if !names_format {
        warnings.push(Warning::NoFormat { path: path.to_owned(), format: Samples::FORMAT });
    }
    if let Some(found) = samples.provenance.unknown_timing() {
        let (path, found) = (path.to_owned(), found.to_owned());
        warnings.push(Warning::UnknownTiming { path, line: timing_line, found });
    }
    warnings.extend(repeated.map(|rows| Warning::RepeatedRows { path: path.to_owned(), rows }));
    warnings.extend(
        implausible.map(|times| Warning::ImplausibleTimes { path: path.to_owned(), times }),
    );
    Ok(Content { loaded: Loaded { samples, warnings }, layout, whole, frames })
}

impl Table for Samples {
    type Column = SampleColumn;
    const FILE: &'static str = "samples file";
    const FORMAT: &'static str = "orrery-samples 1";
    const EXAMPLE: &'static str = "experiment,i,j,size,seconds";
    const KIND: FileKind = FileKind::Samples;

    fn provenance(&mut self) -> &mut Provenance {
        &mut self.provenance
    }

    fn push(
        &mut self,
        row: table::Row<SampleColumn>,
    ) -> Result<RowTime, (Option<SampleColumn>, Fault)> {
        match row::read(row).map_err(|(column, fault)| (Some(column), fault))? {
            row::Row::Sample(sample) => {
                Self::push(self, sample);
                return Ok(row::time(&sample));
            }
            row::Row::Unknown(experiment) => {
                match self.unknown.iter_mut().find(|one| one.experiment == experiment) {
                    Some(unknown) => unknown.rows += 1,
                    None => self.unknown.push(UnknownExperiment { experiment, rows: 1 }),
                }
            }
        }
        Ok(RowTime::None)
    }

    fn no_header() -> Fault {
        let example = Self::EXAMPLE;
        let message = format!(
            "there is no line of column names above the readings, such as {example:?}; add it"
        );
        Fault::new(message).of_kind(FaultKind::NoHeader)
    }

    fn other_format(found: &str) -> Fault {
        let format = Self::FORMAT;
        Fault::new(format!(
            "the format is {found:?}, but orrery reads {format:?} here; name a samples file of \
                version 1"
        ))
    }
}
