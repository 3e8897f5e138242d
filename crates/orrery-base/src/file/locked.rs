use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use super::input::read_file;
use super::output::Target;
use super::{FileChange, FileError, Identity, OutputFormat, Replacement};

/// The file of a campaign: locked against other campaigns, and checked before each write for
/// changes by other programs.
///
/// Devices and pipes are written to without lock and checks.
#[derive(Debug)]
pub struct LockedFile {
    path: PathBuf,
    /// The name of such a file in messages.
    format: &'static str,
    file: File,
    /// The number of bytes that the campaign left in the file; `None` for devices and pipes.
    length: Option<u64>,
    /// The beginning of the new content if the old one is replaced together with the first piece;
    /// all of the content that a device or pipe takes at the end.
    beginning: Option<Vec<u8>>,
    /// True if the file did not exist before.
    is_new: bool,
}

impl LockedFile {
    /// Opens a new file that begins with `head`; an older one of the same kind is replaced only
    /// with `force`, in one step with the first piece.
    ///
    /// # Errors
    ///
    /// When an older file exists, without `force`, the file is in use by another process, or cannot
    /// be written: see [`OutputFormat::check`].
    pub fn create(
        path: &Path,
        format: OutputFormat,
        head: &[u8],
        force: bool,
    ) -> Result<Self, FileError> {
        let mut new = Self::open(path, format.name, true)?;
        format.check(path)?;
        if new.length.is_none_or(|length| length == 0) {
            new.append(head)?;
        } else if force {
            new.beginning = Some(head.to_owned());
        } else {
            return Err(FileError::Exists { path: path.to_owned() });
        }
        Ok(new)
    }

    /// Opens an existing file and reads its content.
    ///
    /// # Errors
    ///
    /// When the file does not exist, is in use by another process, or cannot be read.
    pub fn resume(path: &Path, format: &'static str) -> Result<(Self, Vec<u8>), FileError> {
        let mut old = Self::open(path, format, false)?;
        let bytes = read_file(&mut old.file).map_err(FileError::system(path, format, "read"))?;
        old.length = Some(bytes.len() as u64);
        Ok((old, bytes))
    }

    /// Opens and locks a file; with `create`, a missing file is created.
    fn open(path: &Path, format: &'static str, create: bool) -> Result<Self, FileError> {
        let system = FileError::system(path, format, "open");
        loop {
            let target = Target::of(path).map_err(&system)?;
            let is_device = matches!(target, Target::Stream);
            let is_new = matches!(target, Target::File { metadata: None, .. });
            let mut options = OpenOptions::new();
            let options =
                options.read(!is_device).append(!is_device).write(true).create(create && is_new);
            let file = options.open(path).map_err(&system)?;
            let found = file.metadata().map_err(&system)?;
            let path = path.to_owned();
            if !found.is_file() {
                return Ok(Self { path, format, file, length: None, beginning: None, is_new });
            }
            // File systems without locks have none of these errors.
            if matches!(file.try_lock(), Err(TryLockError::WouldBlock)) {
                return Err(FileError::InUse { path });
            }
            // Another process may have replaced or removed the file before it was locked.
            if Identity::from(&found).is_at(&path) {
                let length = Some(file.metadata().map_err(&system)?.len());
                return Ok(Self { path, format, file, length, beginning: None, is_new });
            }
        }
    }

    /// Truncates the file to its first `length` bytes.
    ///
    /// # Errors
    ///
    /// When the file cannot be truncated, or another program changed it.
    pub fn truncate(&mut self, length: u64) -> Result<(), FileError> {
        self.check()?;
        self.file.set_len(length).map_err(FileError::system(&self.path, self.format, "repair"))?;
        self.length = Some(length);
        Ok(())
    }

    /// Appends a piece and passes it to the operating system; after a failure, the part that was
    /// written is removed. The first piece of a file that was opened by force replaces the old
    /// content.
    ///
    /// # Errors
    ///
    /// When the file cannot be written, or another program changed it.
    pub fn append(&mut self, piece: &[u8]) -> Result<(), FileError> {
        if let Some(beginning) = &self.beginning {
            return self.replace(&[beginning, piece].concat());
        }
        self.check()?;
        let mut written = 0;
        let result = write_counting(&mut self.file, piece, &mut written);
        if let Some(length) = &mut self.length {
            match result {
                Ok(()) => *length += written,
                // The first failure is the one to report.
                Err(_) => drop(remove_end(&self.file, *length, written)),
            }
        }
        result.map_err(FileError::system(&self.path, self.format, "write"))
    }

    /// Appends a piece that is of no use without the next one: if the file still has an old
    /// content, that is kept until the next [`append`](Self::append).
    ///
    /// # Errors
    ///
    /// When the file cannot be written, or another program changed it.
    pub fn prepare(&mut self, piece: &[u8]) -> Result<(), FileError> {
        match &mut self.beginning {
            Some(beginning) => {
                beginning.extend_from_slice(piece);
                Ok(())
            }
            None => self.append(piece),
        }
    }

    /// Replaces the whole content in one step; a device or a pipe takes the last content at the end.
    ///
    /// # Errors
    ///
    /// When the file cannot be written, or another program changed it.
    pub fn replace(&mut self, content: &[u8]) -> Result<(), FileError> {
        if self.length.is_none() {
            self.beginning = Some(content.to_owned());
            return Ok(());
        }
        self.check()?;
        let replaced = (|| {
            let mut replacement = Replacement::begin(&self.path)?;
            replacement.write_all(content)?;
            replacement.commit_open()
        })();
        self.file = replaced.map_err(FileError::system(&self.path, self.format, "write"))?;
        self.length = Some(content.len() as u64);
        self.beginning = None;
        Ok(())
    }

    /// Checks that the content is complete, and passes it to the disk.
    ///
    /// # Errors
    ///
    /// When the disk does not take the content, or another program changed it.
    pub fn finish(&self) -> Result<(), FileError> {
        self.check()?;
        let written = match (&self.length, &self.beginning) {
            (Some(_), _) => self.file.sync_all(),
            (None, Some(content)) => (&self.file).write_all(content),
            (None, None) => Ok(()),
        };
        written.map_err(FileError::system(&self.path, self.format, "write"))
    }

    /// The path of the file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns an error if another program has changed the file.
    fn check(&self) -> Result<(), FileError> {
        let Some(length) = self.length else { return Ok(()) };
        let change = FileChange::of(&self.file, &self.path, length).map_err(FileError::system(
            &self.path,
            self.format,
            "write",
        ))?;
        change.map_or(Ok(()), |change| Err(FileError::Changed { path: self.path.clone(), change }))
    }
}

impl Drop for LockedFile {
    fn drop(&mut self) {
        // A campaign that wrote nothing leaves no file.
        let is_empty = self.length == Some(0);
        if self.is_new
            && is_empty
            && FileChange::of(&self.file, &self.path, 0).is_ok_and(|change| change.is_none())
        {
            drop(std::fs::remove_file(&self.path));
        }
    }
}

/// Writes all bytes, and adds to `written` how many were written, even if it fails.
fn write_counting(file: &mut File, mut bytes: &[u8], written: &mut u64) -> io::Result<()> {
    while !bytes.is_empty() {
        match file.write(bytes) {
            Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
            Ok(count) => {
                *written += count as u64;
                bytes = &bytes[count..];
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

/// Removes the last `written` bytes of a file that had `length` bytes before, unless others have
/// written to it, too.
fn remove_end(file: &File, length: u64, written: u64) -> io::Result<()> {
    if file.metadata()?.len() == length + written { file.set_len(length) } else { Ok(()) }
}
