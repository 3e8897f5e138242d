//! Files of tables: reading them whole, and appending to them.

use std::borrow::Cow;
use std::path::Path;

use super::Warning;
use super::frames::{self, is_compressed};
use super::table::{self, Layout, Parsed, Table};
use crate::sample::Provenance;
use orrery_base::file::{Fault, FileError, LockedFile};

/// The content of a file, with what a writer needs to resume it.
pub(super) struct Content<T: Table> {
    pub(super) table: T,
    pub(super) warnings: Vec<Warning>,
    layout: Layout<T::Column>,
    /// The number of bytes in whole lines.
    whole: usize,
}

/// A text, and the first byte of an incomplete frame in the compressed content that it is from.
type Text<'a> = (Cow<'a, [u8]>, Option<usize>);

/// The text of content that may be compressed.
fn text_of<'a, T: Table>(content: &'a [u8], path: &Path) -> Result<Text<'a>, FileError> {
    if !is_compressed(content) {
        return Ok((Cow::Borrowed(content), None));
    }
    let frames = frames::decompress(content).map_err(|fault| FileError::whole(path, fault))?;
    Ok((Cow::Owned(frames.text), frames.torn))
}

/// Parses the content of a file, which may be compressed. A last line without line break may be
/// incomplete: it is ignored with a warning.
pub(super) fn content_of<T: Table>(content: &[u8], path: &Path) -> Result<Content<T>, FileError> {
    let (content, torn) = text_of::<T>(content, path)?;
    let whole = table::whole_lines(&content);
    let text = &content[..whole];
    let Parsed { table, layout, names_format, repeated, implausible, .. } =
        table::parse::<T>(text, path)?;
    let torn = torn.map(|byte| Warning::TornFrame { path: path.to_owned(), byte });
    let mut warnings: Vec<Warning> = torn.into_iter().collect();
    if whole < content.len() {
        let line = text.split(|&byte| byte == b'\n').count();
        warnings.push(Warning::TornLine { path: path.to_owned(), line });
    }
    if !names_format {
        warnings.push(Warning::NoFormat { path: path.to_owned(), format: T::FORMAT });
    }
    warnings.extend(repeated.map(|rows| Warning::RepeatedRows { path: path.to_owned(), rows }));
    warnings.extend(
        implausible.map(|times| Warning::ImplausibleTimes { path: path.to_owned(), times }),
    );
    Ok(Content { table, warnings, layout, whole })
}

/// Appends rows to a file that is locked against other writers.
#[derive(Debug)]
pub(super) struct TableWriter<T: Table> {
    pub(super) file: LockedFile,
    pub(super) layout: Layout<T::Column>,
}

impl<T: Table> TableWriter<T> {
    /// Creates a file with provenance and column names; with `force`, an existing file is replaced
    /// together with the first readings.
    pub(super) fn create(
        path: &Path,
        provenance: &Provenance,
        force: bool,
    ) -> Result<Self, FileError> {
        let head = table::head::<T>(provenance).map_err(|fault| FileError::whole(path, fault))?;
        let file = LockedFile::create(path, T::FILE, head.as_bytes(), force)?;
        Ok(Self { file, layout: Layout::all() })
    }

    /// Opens a file to append to it, and returns its content; a compressed one is refused. An
    /// incomplete last line is removed with a warning.
    pub(super) fn resume(path: &Path) -> Result<(Self, Content<T>), FileError> {
        let (mut file, bytes) = LockedFile::resume(path, T::FILE)?;
        if is_compressed(&bytes) {
            return Err(FileError::whole(
                path,
                Fault::new(
                    "it is compressed; decompress it by \
                \"zstd -d\" to continue it",
                ),
            ));
        }
        let content = content_of::<T>(&bytes, path)?;
        if content.whole < bytes.len() {
            file.truncate(content.whole as u64)?;
        }
        let layout = content.layout.clone();
        Ok((Self { file, layout }, content))
    }
}
