//! The samples file: CSV with provenance in its first lines, which grows while a campaign runs.
//!
//! ```text
//! # format: orrery-samples 1
//! # machine: local:4
//! experiment,i,j,k,procs,size,reply,segment,count,delay,set,launch,rep,seconds
//! roundtrip,0,1,,,4096,4096,,,,0,0,0.0000412
//! ```
//!
//! [`read`] and [`parse`] find columns by name, in any order, and ignore comments and unknown
//! columns. [`Writer`] appends pieces, so that a campaign that is killed loses no finished piece:
//! one experiment, or several that ran in parallel. A file whose name ends in `.zst` is compressed,
//! with one frame for each piece.
//!
//! ```
//! use orrery_measure::sample::file;
//! let text = "# format: orrery-samples 1\nexperiment,i,j,size,seconds\nroundtrip,0,1,4096,0.0000412\n";
//! let loaded = file::parse(text, "by-hand.csv")?;
//! assert_eq!(loaded.samples.count(), 1);
//! assert_eq!(file::to_text(&loaded.samples)?.lines().last(), Some("roundtrip,0,1,,,4096,0,,,,,0,0,0.0000412"));
//! # Ok::<(), orrery_base::file::FileError>(())
//! ```

mod frames;
mod header;
mod kernels;
mod layout;
mod reader;
#[cfg(feature = "applications")]
mod routines;
mod samples;
mod suspicious_rows;
pub mod table;
mod timings;
mod warning;
mod writer;

use std::path::Path;

pub use layout::WrittenTable;
pub use reader::{parse_table, read_table};
pub use suspicious_rows::{ImplausibleTimes, RepeatedRows};
pub use warning::Warning;
pub use writer::{TableWriter, to_text, write};

use super::{KernelTimings, Samples, Timings};
use frames::is_compressed;
use orrery_base::file::{self, FileError, FileKind};

/// The content of a file of measurements.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Loaded<T = Samples> {
    /// The readings with their provenance.
    pub samples: T,
    /// Defects that do not prevent the use of the file.
    pub warnings: Vec<Warning>,
}

/// The writer of a samples file.
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
pub type Writer = TableWriter<Samples>;
/// The writer of a kernel timings file.
pub type KernelsWriter = TableWriter<KernelTimings>;
/// The writer of a timings file, which the declarations of a scheme alone do not replace.
pub type TimingsWriter = TableWriter<Timings>;

/// Reads a samples file, compressed or not.
///
/// # Errors
///
/// As of [`read_table`].
pub fn read(path: impl AsRef<Path>) -> Result<Loaded, FileError> {
    read_table(path)
}

/// Reads the content of a samples file, compressed or not; `name` is its name in errors and
/// warnings.
///
/// # Errors
///
/// As of [`parse_table`].
pub fn parse(content: impl AsRef<[u8]>, name: impl AsRef<Path>) -> Result<Loaded, FileError> {
    parse_table(content, name)
}

/// The kind of a file by its content, compressed or not.
pub fn kind_of(content: &[u8]) -> Option<FileKind> {
    /// The number of bytes of a text that identify the format.
    const HEAD_BYTES: usize = 1 << 13;
    if is_compressed(content) {
        file::kind_of(&frames::beginning(content, HEAD_BYTES))
    } else {
        file::kind_of(content)
    }
}
