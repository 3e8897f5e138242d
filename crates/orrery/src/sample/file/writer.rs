use std::path::Path;

use super::reader::{Content, compress, content_of};
use super::row::{self, SampleColumn};
use super::table::{self, Layout};
use super::{Loaded, SamplesError};
use crate::file::GrowingFile;
use crate::sample::{Provenance, Sample, Samples};

/// Appends the readings of a campaign to a samples file, which is locked against other writers.
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
    layout: Layout<SampleColumn>,
    compressed: bool,
}

impl Writer {
    /// Creates a file with provenance and column names; it is compressed if its name ends in `.zst`.
    ///
    /// # Errors
    ///
    /// Returns an error if the file exists and is not empty (unless `force` is set), is locked by another writer or
    /// cannot be written, or if the provenance cannot be represented.
    pub fn create(path: impl AsRef<Path>, provenance: &Provenance, force: bool) -> Result<Self, SamplesError> {
        let path = path.as_ref();
        let head = table::head::<Samples>(provenance).map_err(|fault| SamplesError::whole(path, fault))?;
        let file = GrowingFile::create(path, force)?;
        let compressed = path.extension().is_some_and(|extension| extension == "zst");
        let mut writer = Self { file, layout: Layout::all(), compressed };
        writer.write(head.as_bytes())?;
        Ok(writer)
    }

    /// Opens a file to append to it, and returns its content.
    ///
    /// An incomplete last line or frame is removed with a warning. Everything else is kept: rows of unknown experiments,
    /// comments and the columns, which new readings use.
    ///
    /// # Errors
    ///
    /// Returns an error if the file does not exist, is locked by another writer or cannot be read.
    pub fn resume(path: impl AsRef<Path>) -> Result<(Self, Loaded), SamplesError> {
        let path = path.as_ref();
        let (file, bytes) = GrowingFile::resume(path)?;
        let Content { loaded, layout, whole, frames } = content_of(&bytes, path)?;
        // The file is truncated to `keep`; `again` is the readable text of an incomplete frame.
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

    /// Appends readings in one write operation.
    ///
    /// # Errors
    ///
    /// Returns an error if a reading cannot be represented or the file cannot be written; a partial write is undone.
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

    /// Writes whole lines in one operation.
    fn write(&mut self, text: &[u8]) -> Result<(), SamplesError> {
        if self.compressed {
            let frame = compress(text).map_err(SamplesError::system(self.file.path(), "write"))?;
            self.file.append(&frame)
        } else {
            self.file.append(text)
        }
    }
}
