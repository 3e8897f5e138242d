use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use super::column::Layout;
use super::reader::{Content, content_of, system};
use super::{Loaded, SamplesError, frames, head, row};
use crate::sample::{Provenance, Sample};

/// Appends the readings of a campaign to its file, one experiment at a time.
///
/// The file is locked, so that no second campaign writes to it.
///
/// ```
/// use orrery::platform::Processor;
/// use orrery::sample::{Experiment, Provenance, Sample, file};
/// use orrery::units::{Bytes, Seconds};
/// # let folder = tempfile::tempdir()?;
/// # let path = folder.path().join("samples.csv");
/// let experiment =
///     Experiment::RoundTrip { i: Processor(0), j: Processor(1), size: Bytes::new(64), reply: Bytes::ZERO };
/// let sample = Sample { experiment, launch: 0, rep: 0, seconds: Seconds::new(41.2e-6) };
///
/// let mut writer = file::Writer::create(&path, &Provenance::new().with("machine", "local:2"), false)?;
/// writer.append(&[sample])?; // a kill from here on does not lose it
/// drop(writer);
///
/// let (mut writer, loaded) = file::Writer::resume(&path)?;
/// assert_eq!(loaded.samples.count(), 1);
/// writer.append(&[Sample { rep: 1, ..sample }])?;
/// assert_eq!(file::read(&path)?.samples.count(), 2);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Writer {
    path: PathBuf,
    file: File,
    layout: Layout,
    compressed: bool,
    /// Up to here the file is whole; `None` when it is no regular file, of which nothing can be taken back.
    end: Option<u64>,
}

impl Writer {
    /// Begins a file: provenance and column names. A path that ends in `.zst` is compressed.
    ///
    /// # Errors
    ///
    /// A file that exists and is not empty, unless `force` allows to replace it; a file that another writer holds;
    /// provenance that cannot be written; whatever the system refuses.
    pub fn create(path: impl AsRef<Path>, provenance: &Provenance, force: bool) -> Result<Self, SamplesError> {
        let path = path.as_ref();
        let head = head(provenance).map_err(|fault| fault.of(path))?;
        let mut options = OpenOptions::new();
        let file = options.write(true).create(true).truncate(false).open(path);
        let file = file.map_err(|reason| system(path, "open", reason))?;
        let regular = file.metadata().map_err(|reason| system(path, "open", reason))?.is_file();
        if regular {
            lock(&file, path)?;
            let length = file.metadata().map_err(|reason| system(path, "open", reason))?.len();
            if length > 0 && !force {
                return Err(SamplesError::Exists { path: path.to_owned() });
            }
            file.set_len(0).map_err(|reason| system(path, "replace", reason))?;
        }
        let compressed = path.extension().is_some_and(|extension| extension == "zst");
        let layout = Layout::own();
        let mut writer = Self { path: path.to_owned(), file, layout, compressed, end: regular.then_some(0) };
        writer.write(head.as_bytes())?;
        Ok(writer)
    }

    /// Continues a file, with all that is in it.
    ///
    /// A torn last line or frame is cut off, with a warning; nothing else is changed: rows of unknown experiments,
    /// comments and columns stay as they are, and readings are appended in the columns of the file.
    ///
    /// # Errors
    ///
    /// A file that does not exist, that another writer holds, or that cannot be read; whatever the system refuses.
    pub fn resume(path: impl AsRef<Path>) -> Result<(Self, Loaded), SamplesError> {
        let path = path.as_ref();
        let file = OpenOptions::new().read(true).write(true).open(path);
        let mut file = file.map_err(|reason| system(path, "open", reason))?;
        lock(&file, path)?;
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes).map_err(|reason| system(path, "read", reason))?;
        let Content { loaded, layout, whole, frames } = content_of(&bytes, path)?;
        // Up to here the file stays; `again` was readable behind it, but not as whole frames.
        let (keep, again) = match &frames {
            None => (whole, &[][..]),
            Some(frames) => {
                let &(content, text) = frames.ends.iter().rev().find(|(_, text)| *text <= whole).unwrap_or(&(0, 0));
                (content, &frames.text[text..whole])
            }
        };
        let mut writer =
            Self { path: path.to_owned(), file, layout, compressed: frames.is_some(), end: Some(keep as u64) };
        if keep < bytes.len() {
            writer.cut().map_err(|reason| system(path, "repair", reason))?;
        }
        if !again.is_empty() {
            writer.write(again)?;
        }
        Ok((writer, loaded))
    }

    /// Appends the readings of one experiment, in one piece, and hands them to the operating system.
    ///
    /// # Errors
    ///
    /// A reading that the file cannot hold; whatever the system refuses (what was written of the piece is taken back).
    pub fn append(&mut self, samples: &[Sample]) -> Result<(), SamplesError> {
        let mut text = String::new();
        for sample in samples {
            row::write(&mut text, &self.layout, sample).map_err(|fault| fault.of(&self.path))?;
        }
        if text.is_empty() { Ok(()) } else { self.write(text.as_bytes()) }
    }

    /// The path of the file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Writes whole lines in one piece.
    fn write(&mut self, text: &[u8]) -> Result<(), SamplesError> {
        let result = self.piece(text);
        if result.is_err() {
            // The first failure is the one to tell.
            let _ = self.cut();
        }
        result.map_err(|reason| system(&self.path, "write", reason))
    }

    fn piece(&mut self, text: &[u8]) -> io::Result<()> {
        let frame;
        let piece = if self.compressed {
            frame = frames::compress(text)?;
            &frame
        } else {
            text
        };
        self.file.write_all(piece)?;
        if let Some(end) = &mut self.end {
            *end += piece.len() as u64;
        }
        Ok(())
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
fn lock(file: &File, path: &Path) -> Result<(), SamplesError> {
    match file.try_lock() {
        Err(TryLockError::WouldBlock) => Err(SamplesError::InUse { path: path.to_owned() }),
        _ => Ok(()),
    }
}
