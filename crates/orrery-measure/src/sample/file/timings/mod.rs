//! The timings file: readings of concurrent messages, as CSV in the style of the samples file.
//!
//! ```text
//! # format: orrery-timings 1
//! # machine: local:4
//! scheme,communication,source,destination,size,delay,kind,launch,rep,seconds
//! ,,0,1,20971520,,reference,0,0,0.0119
//! two,a,0,1,20971520,0,concurrent,,,
//! two,a,0,1,20971520,0,concurrent,0,0,0.0233
//! ```
//!
//! A row without `seconds` declares a message of a scheme, so that all messages of a scheme are
//! known before it is measured. Columns are found by name, in any order; comments and unknown
//! columns are ignored.
//!
//! ```
//! use orrery_measure::sample::file::timings;
//! let text = "# format: orrery-timings 1\nscheme,communication,source,destination,size,kind,seconds\n\
//!             ,,0,1,20971520,reference,0.17\ntwo,a,0,1,20971520,concurrent,0.26\n";
//! let loaded = timings::parse(text, "by-hand.csv")?;
//! assert_eq!((loaded.timings.count(), loaded.timings.schemes()[0].name.as_str()), (2, "two"));
//! # Ok::<(), orrery_base::file::FileError>(())
//! ```

mod read_write;
mod row;

pub use read_write::{TimingsWriter, parse, read, to_text, write};

use super::Warning;
use crate::sample::Timings;

/// The content of a timings file.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct LoadedTimings {
    /// The readings with their provenance.
    pub timings: Timings,
    /// Defects that do not prevent the use of the file.
    pub warnings: Vec<Warning>,
}
