use std::borrow::Cow;
use std::path::Path;

use super::frames::compress;
use super::reader::{Content, content_of};
use super::row::{self, SampleColumn};
use super::table::{self, Layout, Table as _};
use super::{Loaded, to_text};
use crate::sample::{Provenance, Sample, Samples};
use orrery_base::file::{self, FileError, LockedFile};

/// Appends the readings of a campaign to a samples file, which is locked against other writers.
///
/// ```
/// use orrery_cluster::platform::Processor;
/// use orrery_measure::sample::{Experiment, Provenance, Sample, file};
/// use orrery_base::units::{Bytes, Seconds};
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
    file: LockedFile,
    layout: Layout<SampleColumn>,
    compressed: bool,
}

impl Writer {
    /// Creates a file with provenance and column names; it is compressed if its name ends in
    /// `.zst`.
    ///
    /// With `force`, an existing file is replaced together with the first readings and not before.
    ///
    /// # Errors
    ///
    /// Returns an error if the file exists and is not empty (unless `force` is set), is locked by
    /// another writer or cannot be written, or if the provenance cannot be represented.
    pub fn create(
        path: impl AsRef<Path>,
        provenance: &Provenance,
        force: bool,
    ) -> Result<Self, FileError> {
        let path = path.as_ref();
        let head =
            table::head::<Samples>(provenance).map_err(|fault| FileError::whole(path, fault))?;
        let compressed = is_compressed_name(path);
        let file = LockedFile::create(
            path,
            Samples::FILE,
            &encode(path, compressed, head.as_bytes())?,
            force,
        )?;
        Ok(Self { file, layout: Layout::all(), compressed })
    }

    /// Opens a file to append to it, and returns its content.
    ///
    /// An incomplete last line or frame is removed with a warning. Everything else is kept: rows of
    /// unknown experiments, comments and the columns, which new readings use.
    ///
    /// # Errors
    ///
    /// Returns an error if the file does not exist, is locked by another writer or cannot be read.
    pub fn resume(path: impl AsRef<Path>) -> Result<(Self, Loaded), FileError> {
        let path = path.as_ref();
        let (mut file, bytes) = LockedFile::resume(path, Samples::FILE)?;
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
            file.replace(&[&bytes[..keep], &encode(path, compressed, again)?].concat())?;
        } else if keep < bytes.len() {
            file.truncate(keep as u64)?;
        }
        Ok((Self { file, layout, compressed }, loaded))
    }

    /// Appends readings in one write operation.
    ///
    /// # Errors
    ///
    /// Returns an error if a reading cannot be represented, if another program has changed the
    /// file, or if it cannot be written; a partial write is undone.
    pub fn append(&mut self, samples: &[Sample]) -> Result<(), FileError> {
        let mut text = String::new();
        for sample in samples {
            row::write(&mut text, &self.layout, sample)
                .map_err(|fault| FileError::whole(self.file.path(), fault))?;
        }
        if text.is_empty() { Ok(()) } else { self.write(text.as_bytes()) }
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

    /// Writes whole lines in one operation.
    fn write(&mut self, text: &[u8]) -> Result<(), FileError> {
        let piece = encode(self.file.path(), self.compressed, text)?;
        self.file.append(&piece)
    }
}

/// Writes samples to a file in one step; it is compressed if its name ends in `.zst`.
///
/// # Errors
///
/// Returns an error if the file exists and is not empty (unless `force` is set) or cannot be
/// written, or if the provenance or a reading cannot be represented.
pub fn write(path: impl AsRef<Path>, samples: &Samples, force: bool) -> Result<(), FileError> {
    let path = path.as_ref();
    let text = to_text(samples)?;
    file::write(
        path,
        Samples::FILE,
        &encode(path, is_compressed_name(path), text.as_bytes())?,
        force,
    )
}

/// Returns true if a file of this name is compressed.
fn is_compressed_name(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "zst")
}

/// A text as it is stored: as it is, or as a compressed frame.
fn encode<'a>(path: &Path, compressed: bool, text: &'a [u8]) -> Result<Cow<'a, [u8]>, FileError> {
    if compressed {
        Ok(Cow::Owned(compress(text).map_err(FileError::system(path, Samples::FILE, "write"))?))
    } else {
        Ok(Cow::Borrowed(text))
    }
}
