//! What others write about runs of applications, as [`Runs`](super::Runs).
//!
//! | format | word | what it is |
//! |---|---|---|
//! | [`ImportFormat::Hpl`] | `hpl` | output of High-Performance Linpack and its relatives (`HPL.out`, `hpccoutf.txt`, NVIDIA's HPL and HPL-MxP) |
//! | [`ImportFormat::Extrap`] | `extrap` | text input of Extra-P |
//! | [`ImportFormat::JsonLines`] | `jsonl` | JSON lines of Extra-P |
//! | [`ImportFormat::Json`] | `json` | JSON of Extra-P |
//! | [`ImportFormat::Csv`] | `csv` | a table with a line of column names, which a [`ColumnMapping`] explains |
//! | [`ImportFormat::Runs`] | `runs` | a runs file |
//!
//! The format is recognised by the content. What is left out, or should be known, is told as a [`Remark`].
//!
//! ```
//! use orrery::run::import::{Importer, ImportOptions};
//! let text = "matrix_size,time,cooling\n50000,5.01,good\n75000,15.96,good\n";
//! let mut importer = Importer::new(ImportOptions { map: "n=matrix_size,seconds=time".parse()?, ..ImportOptions::default() });
//! importer.add(text, "hpl.csv")?;
//! let runs = importer.finish()?.runs.runs;
//! assert_eq!(runs[1].variable("n"), Some(75000.0));
//! assert_eq!((&runs[1].origin[..], &runs[1].labels["cooling"][..]), ("hpl.csv:3", "good"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod error;
mod extrap;
mod format;
mod hpl;
mod importer;
mod lines;
mod mapping;
mod remark;
mod table;

pub use error::{Fault, ImportError};
pub use format::ImportFormat;
pub use importer::{ImportOptions, Imported, Importer};
pub use mapping::{ColumnMapping, ColumnMappingError};
pub use remark::{Remark, RemarkKind};

use super::{Run, variable};
use crate::json;

/// A fault and the byte of the text where it stands.
type Refused = crate::file::Located<Fault>;

type Result<T> = std::result::Result<T, Refused>;

impl From<crate::file::Located<json::Fault>> for Refused {
    fn from(refused: crate::file::Located<json::Fault>) -> Self {
        Self { byte: refused.byte, fault: refused.fault.into() }
    }
}

/// What a text says, each with the byte where it stands.
#[derive(Debug, Default)]
struct Read {
    runs: Vec<(usize, Run)>,
    remarks: Vec<(usize, RemarkKind)>,
}

/// A run in words: `WR11C2R4 of n = 9600, block = 64, p = 1, q = 4`; what is known of it.
fn in_words(run: &Run) -> String {
    let (size, others): (Vec<_>, Vec<_>) = run.variables.iter().partition(|(name, _)| *name == variable::PROBLEM_SIZE);
    let variables: Vec<_> = size.iter().chain(&others).map(|(name, value)| format!("{name} = {value}")).collect();
    let what = [run.labels.get("variant").map(String::as_str), Some(run.region.as_str())];
    let what: Vec<_> = what.into_iter().flatten().filter(|word| !word.is_empty()).collect();
    match (what.is_empty(), variables.is_empty()) {
        (false, false) => format!("{} of {}", what.join(" "), variables.join(", ")),
        (true, false) => format!("of {}", variables.join(", ")),
        _ => what.join(" "),
    }
}
