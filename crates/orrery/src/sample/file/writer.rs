use std::path::Path;

use super::column::Layout;
use super::reader::{Content, content_of};
use super::{Loaded, SamplesError, frames, head, row};
use crate::file::GrowingFile;
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
    file: GrowingFile,
    layout: Layout,
    compressed: bool,
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
        let head = head(provenance).map_err(|fault| SamplesError::whole(path, fault))?;
        let file = GrowingFile::create(path, force)?;
        let compressed = path.extension().is_some_and(|extension| extension == "zst");
        let mut writer = Self { file, layout: Layout::own(), compressed };
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
        let (file, bytes) = GrowingFile::resume(path)?;
        let Content { loaded, layout, whole, frames } = content_of(&bytes, path)?;
        // Up to here the file stays; `again` was readable behind it, but not as whole frames.
        let (keep, again) = match &frames {
            None => (whole, &[][..]),
            Some(frames) => {
                let &(content, text) = frames.ends.iter().rev().find(|(_, text)| *text <= whole).unwrap_or(&(0, 0));
                (content, &frames.text[text..whole])
            }
        };
        let mut writer = Self { file, layout, compressed: frames.is_some() };
        if keep < bytes.len() {
            writer.file.truncate(keep as u64)?;
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
            row::write(&mut text, &self.layout, sample)
                .map_err(|fault| SamplesError::whole(self.file.path(), fault))?;
        }
        if text.is_empty() { Ok(()) } else { self.write(text.as_bytes()) }
    }

    /// The path of the file.
    pub fn path(&self) -> &Path {
        self.file.path()
    }

    /// Writes whole lines in one piece.
    fn write(&mut self, text: &[u8]) -> Result<(), SamplesError> {
        if self.compressed {
            let frame = frames::compress(text).map_err(SamplesError::system(self.file.path(), "write"))?;
            self.file.append(&frame)
        } else {
            self.file.append(text)
        }
    }
}
