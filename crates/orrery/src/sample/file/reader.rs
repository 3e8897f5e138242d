use std::path::Path;

use super::frames::{self, Frames, is_compressed};
use super::row::{self, SampleColumn};
use super::suspicious_rows::RowTime;
use super::table::{self, Layout, Parsed, Table};
use super::{Fault, Loaded, SamplesError, Warning};
use crate::file::{self, Located};
use crate::sample::{Provenance, Samples, UnknownExperiment};

/// Reads a samples file, compressed or not.
///
/// # Errors
///
/// Returns an error if the file cannot be read, and the errors of [`parse`].
pub fn read(path: impl AsRef<Path>) -> Result<Loaded, SamplesError> {
    let path = path.as_ref();
    parse(file::read(path)?, path)
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
pub fn parse(content: impl AsRef<[u8]>, name: impl AsRef<Path>) -> Result<Loaded, SamplesError> {
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
pub(super) fn content_of(content: &[u8], path: &Path) -> Result<Content, SamplesError> {
    if content.is_empty() {
        return Err(SamplesError::whole(path, Fault::Empty));
    }
    let mut warnings = Vec::new();
    let frames = if is_compressed(content) {
        let frames =
            frames::decompress(content).map_err(|fault| SamplesError::whole(path, fault))?;
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
            return Err(SamplesError::whole(path, Fault::NotText));
        }
        warnings.push(Warning::TornLine { path: path.to_owned(), line });
    }
    if text.trim_ascii_start().starts_with(b"{") {
        return Err(SamplesError::located(
            path,
            "",
            Located { byte: 0, fault: Fault::NoHeader { json: true } },
        ));
    }
    let parsed = table::parse::<Samples>(&text[..whole], path)?;
    let Parsed { table: samples, layout, names_format, timing_line, repeated, implausible } =
        parsed;
    if !names_format {
        warnings.push(Warning::NoFormat { path: path.to_owned() });
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
    type Fault = Fault;
    const FORMAT: &'static str = "orrery-samples 1";

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

    fn not_text() -> Fault {
        Fault::NotText
    }

    fn no_header() -> Fault {
        Fault::NoHeader { json: false }
    }

    fn other_format(found: String) -> Fault {
        Fault::Format { found }
    }
}

/// The first kilobytes of the text of a file, compressed or not.
pub(super) fn beginning(content: &[u8]) -> Vec<u8> {
    const BYTES: usize = 8192;
    if is_compressed(content) {
        frames::beginning(content, BYTES)
    } else {
        content[..content.len().min(BYTES)].to_owned()
    }
}
