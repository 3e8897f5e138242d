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
pub mod kernels;
mod reader;
#[cfg(feature = "applications")]
pub mod routines;
mod row;
mod suspicious_rows;
pub mod table;
mod table_file;
pub mod timings;
mod warning;
mod writer;

use std::path::Path;

pub use reader::{parse, read};
pub use suspicious_rows::{ImplausibleTimes, RepeatedRows};
pub use warning::Warning;
pub use writer::{Writer, write};

use super::Samples;
use frames::is_compressed;
use orrery_base::file::{self, FileError, FileKind};
use table::Layout;

/// The content of a samples file.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Loaded {
    /// The readings with their provenance.
    pub samples: Samples,
    /// Defects that do not prevent the use of the file.
    pub warnings: Vec<Warning>,
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

/// The text of a samples file: provenance, column names and the readings series by series.
///
/// Rows of unknown experiments are not part of [`Samples`]; a [`Writer`] that resumes their file
/// keeps them.
///
/// # Errors
///
/// Returns an error if a provenance key or a reading cannot be represented, such as a time that is
/// not finite.
pub fn to_text(samples: &Samples) -> Result<String, FileError> {
    let name = Path::new("samples");
    let mut text = table::head::<Samples>(&samples.provenance)
        .map_err(|fault| FileError::whole(name, fault))?;
    let layout = Layout::all();
    for sample in samples.iter() {
        row::write(&mut text, &layout, &sample).map_err(|fault| FileError::whole(name, fault))?;
    }
    Ok(text)
}
