use std::path::Path;

use super::column::Layout;
use super::reader::{Content, content_of};
use super::{LoadedTimings, TimingsError, head, row};
use crate::file::GrowingFile;
use crate::sample::{Provenance, TimingRow};

/// Appends the readings of a campaign of schemes to its file, which is locked meanwhile.
#[derive(Debug)]
pub struct TimingsWriter {
    file: GrowingFile,
    layout: Layout,
}

impl TimingsWriter {
    /// Begins a file: provenance and column names.
    ///
    /// # Errors
    ///
    /// A file that exists and is not empty, unless `force` allows to replace it; a file that another writer holds;
    /// provenance that cannot be written; whatever the system refuses.
    pub fn create(path: impl AsRef<Path>, provenance: &Provenance, force: bool) -> Result<Self, TimingsError> {
        let path = path.as_ref();
        let head = head(provenance).map_err(|fault| TimingsError::whole(path, fault.into()))?;
        let file = GrowingFile::create(path, force)?;
        let mut writer = Self { file, layout: Layout::own() };
        writer.write(head.as_bytes())?;
        Ok(writer)
    }

    /// Continues a file, with all that is in it. A torn last line is cut off, with a warning.
    ///
    /// # Errors
    ///
    /// A file that does not exist, that another writer holds, or that cannot be read; whatever the system refuses.
    pub fn resume(path: impl AsRef<Path>) -> Result<(Self, LoadedTimings), TimingsError> {
        let path = path.as_ref();
        let (mut file, bytes) = GrowingFile::resume(path)?;
        let Content { loaded, layout, whole } = content_of(&bytes, path)?;
        file.truncate(whole as u64)?;
        let writer = Self { file, layout };
        Ok((writer, loaded))
    }

    /// Appends rows in one piece, and hands them to the operating system.
    ///
    /// # Errors
    ///
    /// A row that the file cannot hold; whatever the system refuses (what was written of the piece is taken back).
    pub fn append(&mut self, rows: &[TimingRow]) -> Result<(), TimingsError> {
        let mut text = String::new();
        for one in rows {
            row::write(&mut text, &self.layout, one).map_err(|fault| TimingsError::whole(self.file.path(), fault))?;
        }
        if text.is_empty() { Ok(()) } else { self.write(text.as_bytes()) }
    }

    /// The path of the file.
    pub fn path(&self) -> &Path {
        self.file.path()
    }

    fn write(&mut self, text: &[u8]) -> Result<(), TimingsError> {
        self.file.append(text)
    }
}
