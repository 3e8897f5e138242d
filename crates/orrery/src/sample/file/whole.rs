use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

/// A file of readings that is whole up to a place and grows by pieces, locked against other writers meanwhile.
#[derive(Debug)]
pub(super) struct WholeFile {
    path: PathBuf,
    file: File,
    /// Up to here the file is whole; `None` when it is no regular file, of which nothing can be taken back.
    end: Option<u64>,
}

/// Why a file cannot be had or changed.
#[derive(Debug)]
pub(super) enum Refused {
    /// What the system said, and what was being done.
    System(&'static str, io::Error),
    /// It exists and is not empty.
    Exists,
    /// Another writer holds it.
    InUse,
}

impl WholeFile {
    /// An empty file; one that is there and not empty is replaced if `force` allows to.
    pub(super) fn create(path: &Path, force: bool) -> Result<Self, Refused> {
        let open = |reason| Refused::System("open", reason);
        let file = OpenOptions::new().write(true).create(true).truncate(false).open(path).map_err(open)?;
        let regular = file.metadata().map_err(open)?.is_file();
        if regular {
            lock(&file)?;
            if file.metadata().map_err(open)?.len() > 0 && !force {
                return Err(Refused::Exists);
            }
            file.set_len(0).map_err(|reason| Refused::System("replace", reason))?;
        }
        Ok(Self { path: path.to_owned(), file, end: regular.then_some(0) })
    }

    /// A file that is there, with its content.
    pub(super) fn resume(path: &Path) -> Result<(Self, Vec<u8>), Refused> {
        let file = OpenOptions::new().read(true).write(true).open(path);
        let mut file = file.map_err(|reason| Refused::System("open", reason))?;
        lock(&file)?;
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes).map_err(|reason| Refused::System("read", reason))?;
        let end = Some(bytes.len() as u64);
        Ok((Self { path: path.to_owned(), file, end }, bytes))
    }

    /// Cuts off what stands behind this place.
    pub(super) fn keep(&mut self, end: u64) -> Result<(), Refused> {
        self.end = Some(end);
        self.cut().map_err(|reason| Refused::System("repair", reason))
    }

    /// Appends a piece and hands it to the operating system; where that fails, what was written of it is taken back.
    pub(super) fn append(&mut self, piece: &[u8]) -> Result<(), Refused> {
        let written = self.file.write_all(piece);
        match &written {
            Ok(()) => self.end = self.end.map(|end| end + piece.len() as u64),
            // The first failure is the one to tell.
            Err(_) => drop(self.cut()),
        }
        written.map_err(|reason| Refused::System("write", reason))
    }

    /// The path of the file.
    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    fn cut(&mut self) -> io::Result<()> {
        if let Some(end) = self.end {
            self.file.set_len(end)?;
            self.file.seek(SeekFrom::Start(end))?;
        }
        Ok(())
    }
}

/// Locks a file against other writers, where its file system can.
fn lock(file: &File) -> Result<(), Refused> {
    match file.try_lock() {
        Err(TryLockError::WouldBlock) => Err(Refused::InUse),
        _ => Ok(()),
    }
}
