use std::path::Path;

use super::frames::{self, Frames, is_compressed};
use super::layout::{self, Layout, Parsed, Table};
use super::{Loaded, Warning};
use orrery_base::file::{self, Fault, FaultKind, FileError, FileKind, other_kind};

/// Reads a file, compressed or not.
///
/// # Errors
///
/// Returns an error if the file cannot be read, and the errors of [`parse_table`].
pub fn read_table<T: Table>(path: impl AsRef<Path>) -> Result<Loaded<T>, FileError> {
    let path = path.as_ref();
    parse_table(file::read(path, T::FILE)?, path)
}

/// Reads the content of a file, compressed or not; `name` is its name in errors and warnings.
///
/// A last line without line break may be incomplete: it is ignored with a warning, as is an
/// incomplete last frame.
///
/// # Errors
///
/// Returns the first other defect with its line and column.
pub fn parse_table<T: Table>(
    content: impl AsRef<[u8]>,
    name: impl AsRef<Path>,
) -> Result<Loaded<T>, FileError> {
    content_of(content.as_ref(), name.as_ref()).map(|content| content.loaded)
}

/// The content of a file, with what a writer needs to resume it.
pub(super) struct Content<T: Table> {
    pub(super) loaded: Loaded<T>,
    /// The columns of the file.
    pub(super) layout: Layout,
    /// The number of bytes of text in whole lines.
    pub(super) whole: usize,
    /// The frames of a compressed file.
    pub(super) frames: Option<Frames>,
}

/// Parses the content of a file, compressed or not; `path` is its name in errors and warnings.
pub(super) fn content_of<T: Table>(content: &[u8], path: &Path) -> Result<Content<T>, FileError> {
    if content.is_empty() {
        let fault = Fault::new("the file is empty: there is no line of column names");
        return Err(FileError::whole(path, fault.of_kind(FaultKind::Empty)));
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
    let whole = text.iter().rposition(|&byte| byte == b'\n').map_or(0, |last| last + 1);
    if whole < text.len() {
        let line = text[..whole].split(|&byte| byte == b'\n').count();
        if whole == 0 && std::str::from_utf8(text).map_or(true, |text| text.contains('\0')) {
            return Err(FileError::whole(path, T::not_text()));
        }
        warnings.push(Warning::TornLine { path: path.to_owned(), line });
    }
    if text.trim_ascii_start().starts_with(b"{") {
        return Err(FileError::located(path, "", other_kind(text, T::KIND)));
    }
    let Parsed { table: samples, layout, names_format, timing_line, repeated, implausible } =
        layout::parse::<T>(&text[..whole], path)?;
    if !names_format {
        warnings.push(Warning::NoFormat { path: path.to_owned(), format: T::FORMAT });
    }
    if let Some(found) = samples.provenance().unknown_timing()
        && T::KIND == FileKind::Samples
    {
        let (path, found) = (path.to_owned(), found.to_owned());
        warnings.push(Warning::UnknownTiming { path, line: timing_line, found });
    }
    warnings.extend(repeated.map(|rows| Warning::RepeatedRows { path: path.to_owned(), rows }));
    warnings.extend(
        implausible.map(|times| Warning::ImplausibleTimes { path: path.to_owned(), times }),
    );
    Ok(Content { loaded: Loaded { samples, warnings }, layout, whole, frames })
}
