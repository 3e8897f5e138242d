//! The samples file: CSV with provenance in its first lines, appended to while a campaign runs.
//!
//! ```text
//! # format: orrery-samples 1
//! # machine: local:4
//! experiment,i,j,k,procs,size,reply,segment,count,delay,launch,rep,seconds
//! roundtrip,0,1,,,4096,4096,,,,0,0,0.0000412
//! ```
//!
//! [`read`] and [`parse`] take columns by name, in any order, and tolerate comments and columns that they do not know.
//! [`Writer`] writes one experiment at a time, so that a campaign that is killed loses nothing that it had measured.
//! A file whose name ends in `.zst` is compressed, one frame for each experiment.
//!
//! ```
//! use orrery::sample::file;
//! let text = "# format: orrery-samples 1\nexperiment,i,j,size,seconds\nroundtrip,0,1,4096,0.0000412\n";
//! let loaded = file::parse(text, "by-hand.csv")?;
//! assert_eq!(loaded.samples.count(), 1);
//! assert_eq!(file::to_text(&loaded.samples)?.lines().last(), Some("roundtrip,0,1,,,4096,0,,,,0,0,0.0000412"));
//! # Ok::<(), file::SamplesError>(())
//! ```

mod column;
mod comment;
mod error;
pub(crate) mod fields;
mod frames;
mod reader;
mod row;
pub mod timings;
mod warning;
mod writer;

use std::path::Path;

pub use error::{Fault, SamplesError};
pub use reader::{parse, read};
pub use warning::Warning;
pub use writer::Writer;

use super::Samples;
use column::{Column, Layout};

/// The first line of a samples file of this version, without its `# `.
const FORMAT: &str = "orrery-samples 1";

/// A samples file that was read.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Loaded {
    /// The readings with their provenance.
    pub samples: Samples,
    /// What the caller should be told.
    pub warnings: Vec<Warning>,
}

/// The text of a samples file: provenance, column names, and the readings series by series.
///
/// Rows of unknown experiments are not among [`Samples`]; they live on in the file that a [`Writer`] resumes.
///
/// # Errors
///
/// A provenance key or a reading that the format cannot hold, such as a time that is not finite.
pub fn to_text(samples: &Samples) -> Result<String, SamplesError> {
    let name = Path::new("samples");
    let mut text = head(&samples.provenance).map_err(|fault| SamplesError::whole(name, fault))?;
    let layout = Layout::own();
    for sample in samples.iter() {
        row::write(&mut text, &layout, &sample).map_err(|fault| SamplesError::whole(name, fault))?;
    }
    Ok(text)
}

/// The lines above the first reading.
fn head(provenance: &super::Provenance) -> Result<String, Fault> {
    let mut text = comment::write(provenance)?;
    text.push_str(&Column::ALL.map(Column::name).join(","));
    text.push('\n');
    Ok(text)
}
