use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use super::column::Layout;
use super::reader::{Content, content_of, system};
use super::{LoadedTimings, TimingsError, TimingsFault, head, row};
use crate::sample::{Provenance, TimingRow};

/// Appends the readings of a campaign of schemes to its file, which is locked meanwhile.
#[derive(Debug)]
pub struct TimingsWriter {
    path: PathBuf,
    file: File,
    layout: Layout,
    /// Up to here the file is whole; `None` when it is no regular file, of which nothing can be taken back.
    end: Option<u64>,
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
        let head = head(provenance).map_err(|fault| TimingsFault::from(fault).of(path))?;
        let file = OpenOptions::new().write(true).create(true).truncate(false).open(path);
        let file = file.map_err(|reason| system(path, "open", reason))?;
        let found = file.metadata().map_err(|reason| system(path, "open", reason))?;
        if found.is_file() {
            lock(&file, path)?;
            if found.len() > 0 && !force {
                return Err(TimingsError::Exists { path: path.to_owned() });
            }
            file.set_len(0).map_err(|reason| system(path, "replace", reason))?;
        }
        let end = found.is_file().then_some(0);
        let mut writer = Self { path: path.to_owned(), file, layout: Layout::own(), end };
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
        let file = OpenOptions::new().read(true).write(true).open(path);
        let mut file = file.map_err(|reason| system(path, "open", reason))?;
        lock(&file, path)?;
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes).map_err(|reason| system(path, "read", reason))?;
        let Content { loaded, layout, whole } = content_of(&bytes, path)?;
        let mut writer = Self { path: path.to_owned(), file, layout, end: Some(whole as u64) };
        writer.cut().map_err(|reason| system(path, "repair", reason))?;
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
            row::write(&mut text, &self.layout, one).map_err(|fault| fault.of(&self.path))?;
        }
        if text.is_empty() { Ok(()) } else { self.write(text.as_bytes()) }
    }

    /// The path of the file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    fn write(&mut self, text: &[u8]) -> Result<(), TimingsError> {
        let result = self.file.write_all(text);
        match &result {
            Ok(()) => self.end = self.end.map(|end| end + text.len() as u64),
            // The first failure is the one to tell.
            Err(_) => drop(self.cut()),
        }
        result.map_err(|reason| system(&self.path, "write", reason))
    }

    /// Cuts off what stands behind the whole part of the file.
    fn cut(&mut self) -> io::Result<()> {
        if let Some(end) = self.end {
            self.file.set_len(end)?;
            self.file.seek(SeekFrom::Start(end))?;
        }
        Ok(())
    }
}

/// Locks a file against other writers, where its file system can.
fn lock(file: &File, path: &Path) -> Result<(), TimingsError> {
    match file.try_lock() {
        Err(TryLockError::WouldBlock) => Err(TimingsError::InUse { path: path.to_owned() }),
        _ => Ok(()),
    }
}
