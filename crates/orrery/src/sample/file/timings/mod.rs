//! The timings file: readings of messages under way at once, CSV in the style of the samples file.
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
//! A row without `seconds` names a message of a scheme, so that a scheme is known whole before it is measured. Columns are
//! taken by name, in any order; comments, and columns that are not known, are passed over.
//!
//! ```
//! use orrery::sample::file::timings;
//! let text = "# format: orrery-timings 1\nscheme,communication,source,destination,size,kind,seconds\n\
//!             ,,0,1,20971520,reference,0.17\ntwo,a,0,1,20971520,concurrent,0.26\n";
//! let loaded = timings::parse(text, "by-hand.csv")?;
//! assert_eq!((loaded.timings.count(), loaded.timings.schemes()[0].name.as_str()), (2, "two"));
//! # Ok::<(), timings::TimingsError>(())
//! ```

mod column;
mod error;
mod reader;
mod row;
mod writer;

pub use error::{TimingsError, TimingsFault, TimingsWarning};
pub use reader::{parse, read};
pub use writer::TimingsWriter;

use super::{Fault, comment};
use crate::sample::{Provenance, Timings};
use column::{Column, Layout};

/// The first line of a timings file of this version, without its `# `.
const FORMAT: &str = "orrery-timings 1";

/// A timings file that was read.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct LoadedTimings {
    /// The readings with their provenance.
    pub timings: Timings,
    /// What the caller should be told.
    pub warnings: Vec<TimingsWarning>,
}

/// Whether content is that of a timings file: its format line or its column names say so.
pub fn are_timings(content: &[u8]) -> bool {
    let text = String::from_utf8_lossy(content);
    let mut lines = text.trim_start_matches('\u{feff}').lines();
    let is_format = |line: &str| line.trim_start_matches('#').trim().starts_with("format: orrery-timings");
    let head = lines.find(|line| !line.trim().is_empty() && (!line.starts_with('#') || is_format(line)));
    head.is_some_and(|line| line.starts_with('#') || line.split(',').any(|name| name.trim() == "communication"))
}

/// The text of a timings file.
///
/// # Errors
///
/// A provenance key, a name or a reading that the format cannot hold, such as a time that is not finite.
pub fn to_text(timings: &Timings) -> Result<String, TimingsError> {
    let name = std::path::Path::new("timings");
    let mut text = head(&timings.provenance).map_err(|fault| TimingsError::whole(name, fault.into()))?;
    for one in timings.rows() {
        row::write(&mut text, &Layout::own(), &one).map_err(|fault| TimingsError::whole(name, fault))?;
    }
    Ok(text)
}

/// The lines above the first row.
fn head(provenance: &Provenance) -> Result<String, Fault> {
    let entries = comment::write(provenance)?;
    let (_, entries) = entries.split_once('\n').unwrap_or_default();
    let columns = Column::ALL.map(Column::name).join(",");
    Ok(format!("# format: {FORMAT}\n{entries}{columns}\n"))
}
