use std::borrow::Cow;
use std::marker::PhantomData;
use std::path::Path;

use super::frames::compress;
use super::layout::{self, Layout, Table, WrittenTable};
use super::reader::{Content, content_of};
use super::{Loaded, kind_of};
use crate::sample::Provenance;
use orrery_base::file::{self, FileError, LockedFile, OutputFormat};

/// Appends the readings of a campaign to a file, which is locked against other writers.
#[derive(Debug)]
pub struct TableWriter<T: WrittenTable> {
    file: LockedFile,
    layout: Layout,
    compressed: bool,
    table: PhantomData<T>,
}

impl<T: WrittenTable> TableWriter<T> {
    /// Creates a file with provenance and column names; it is compressed if its name ends in
    /// `.zst`.
    ///
    /// With `force`, an existing file is replaced together with the first readings and not before.
    ///
    /// # Errors
    ///
    /// Returns an error if the file exists and is not empty (unless `force` is set and it is of the
    /// same kind), is locked by another writer or cannot be written, or if the provenance cannot be
    /// represented.
    pub fn create(
        path: impl AsRef<Path>,
        provenance: &Provenance,
        force: bool,
    ) -> Result<Self, FileError> {
        let path = path.as_ref();
        let head = layout::head::<T>(provenance).map_err(|fault| FileError::whole(path, fault))?;
        let compressed = is_compressed_name(path);
        let head = encode::<T>(path, compressed, head.as_bytes())?;
        let file = LockedFile::create(path, output_format::<T>(), &head, force)?;
        Ok(Self { file, layout: Layout::all::<T>(), compressed, table: PhantomData })
    }

    /// Opens a file to append to it, and returns its content.
    ///
    /// An incomplete last line or frame is removed with a warning. Everything else is kept: rows of
    /// unknown experiments, comments and the columns, which new readings use.
    ///
    /// # Errors
    ///
    /// Returns an error if the file does not exist, is locked by another writer or cannot be read.
    pub fn resume(path: impl AsRef<Path>) -> Result<(Self, Loaded<T>), FileError> {
        let path = path.as_ref();
        let (mut file, bytes) = LockedFile::resume(path, T::FILE)?;
        let Content { loaded, layout, whole, frames } = content_of(&bytes, path)?;
        // The first `keep` bytes are whole; `again` is the readable text of an incomplete frame.
        let (keep, again) = match &frames {
            None => (whole, &[][..]),
            Some(frames) => {
                let &(content, text) =
                    frames.ends.iter().rev().find(|(_, text)| *text <= whole).unwrap_or(&(0, 0));
                (content, &frames.text[text..whole])
            }
        };
        let compressed = frames.is_some();
        if !again.is_empty() {
            let again = encode::<T>(path, compressed, again)?;
            file.replace(&[&bytes[..keep], &again].concat())?;
        } else if keep < bytes.len() {
            file.truncate(keep as u64)?;
        }
        Ok((Self { file, layout, compressed, table: PhantomData }, loaded))
    }

    /// Appends readings in one write operation.
    ///
    /// # Errors
    ///
    /// Returns an error if a reading cannot be represented, if another program has changed the
    /// file, or if it cannot be written; a partial write is undone.
    pub fn append(&mut self, readings: &[T::Reading]) -> Result<(), FileError> {
        let path = self.file.path();
        let text = layout::lines::<T>(&self.layout, readings)
            .map_err(|fault| FileError::whole(path, fault))?;
        if text.is_empty() {
            return Ok(());
        }
        let piece = encode::<T>(path, self.compressed, text.as_bytes())?.into_owned();
        if readings.iter().any(T::is_reading) {
            self.file.append(&piece)
        } else {
            // Rows without readings replace no earlier readings.
            self.file.prepare(&piece)
        }
    }

    /// Checks that the file holds all readings, and passes them to the disk.
    ///
    /// # Errors
    ///
    /// Returns an error if another program has changed the file, or the disk reports an error.
    pub fn finish(&self) -> Result<(), FileError> {
        self.file.finish()
    }

    /// The path of the file.
    pub fn path(&self) -> &Path {
        self.file.path()
    }
}

/// The text of a file: provenance, column names and the rows.
///
/// Rows of unknown experiments are not part of [`Samples`](crate::sample::Samples); a writer that
/// resumes their file keeps them.
///
/// # Errors
///
/// Returns an error if a provenance key, a name or a reading cannot be represented, such as a time
/// that is not finite.
pub fn to_text<T: WrittenTable>(table: &T) -> Result<String, FileError> {
    let text = layout::head::<T>(table.provenance())
        .and_then(|head| Ok(head + &layout::lines::<T>(&Layout::all::<T>(), table.rows())?));
    text.map_err(FileError::unwritable(T::FILE))
}

/// Writes readings to a file in one step; it is compressed if its name ends in `.zst`.
///
/// # Errors
///
/// Returns an error if the file exists and is not empty (unless `force` is set and it is of the same
/// kind) or cannot be written, or if the provenance or a reading cannot be represented.
pub fn write<T: WrittenTable>(
    path: impl AsRef<Path>,
    table: &T,
    force: bool,
) -> Result<(), FileError> {
    let path = path.as_ref();
    let text = to_text(table)?;
    let content = encode::<T>(path, is_compressed_name(path), text.as_bytes())?;
    file::write(path, output_format::<T>(), &content, force)
}

/// The format of an output, compressed or not.
fn output_format<T: Table>() -> OutputFormat {
    OutputFormat { name: T::FILE, kind: T::KIND, kind_of }
}

/// Returns true if a file of this name is compressed.
fn is_compressed_name(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "zst")
}

/// A text as it is stored: as it is, or as a compressed frame.
fn encode<'a, T: WrittenTable>(
    path: &Path,
    compressed: bool,
    text: &'a [u8],
) -> Result<Cow<'a, [u8]>, FileError> {
    if compressed {
        Ok(Cow::Owned(compress(text).map_err(FileError::system(path, T::FILE, "write"))?))
    } else {
        Ok(Cow::Borrowed(text))
    }
}
