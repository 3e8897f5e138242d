use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use super::{FileError, FileFault};

/// A file to which whole pieces are appended; it is locked against other writers while it is open.
#[derive(Debug)]
pub(crate) struct GrowingFile {
    path: PathBuf,
    file: File,
    /// The length of the whole pieces; `None` for devices and pipes, which cannot be truncated.
    end: Option<u64>,
}

impl GrowingFile {
    /// Creates an empty file; an existing one that is not empty is replaced only with `force`.
    pub(crate) fn create<F: FileFault>(path: &Path, force: bool) -> Result<Self, FileError<F>> {
        let open = FileError::system(path, "open");
        let file = OpenOptions::new().write(true).create(true).truncate(false).open(path).map_err(&open)?;
        let regular = file.metadata().map_err(&open)?.is_file();
        if regular {
            lock(&file, path)?;
            if file.metadata().map_err(&open)?.len() > 0 && !force {
                return Err(FileError::Exists { path: path.to_owned() });
            }
            file.set_len(0).map_err(FileError::system(path, "replace"))?;
        }
        Ok(Self { path: path.to_owned(), file, end: regular.then_some(0) })
    }

    /// Opens an existing file and reads its content.
    pub(crate) fn resume<F: FileFault>(path: &Path) -> Result<(Self, Vec<u8>), FileError<F>> {
        let file = OpenOptions::new().read(true).write(true).open(path);
        let mut file = file.map_err(FileError::system(path, "open"))?;
        lock(&file, path)?;
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes).map_err(FileError::system(path, "read"))?;
        let end = Some(bytes.len() as u64);
        Ok((Self { path: path.to_owned(), file, end }, bytes))
    }

    /// Truncates the file to its first `end` bytes.
    pub(crate) fn truncate<F: FileFault>(&mut self, end: u64) -> Result<(), FileError<F>> {
        self.end = Some(end);
        self.cut().map_err(FileError::system(&self.path, "repair"))
    }

    /// Appends a piece and passes it to the operating system; after a failure, the part that was written is removed.
    pub(crate) fn append<F: FileFault>(&mut self, piece: &[u8]) -> Result<(), FileError<F>> {
        let written = self.file.write_all(piece);
        match &written {
            Ok(()) => self.end = self.end.map(|end| end + piece.len() as u64),
            // The first failure is the one to report.
            Err(_) => drop(self.cut()),
        }
        written.map_err(FileError::system(&self.path, "write"))
    }

    /// The path of the file.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Removes everything beyond the whole content.
    fn cut(&mut self) -> io::Result<()> {
        if let Some(end) = self.end {
            self.file.set_len(end)?;
            self.file.seek(SeekFrom::Start(end))?;
        }
        Ok(())
    }
}

/// Locks a file against other writers if its file system supports locks.
fn lock<F: FileFault>(file: &File, path: &Path) -> Result<(), FileError<F>> {
    match file.try_lock() {
        Err(TryLockError::WouldBlock) => Err(FileError::InUse { path: path.to_owned() }),
        _ => Ok(()),
    }
}
