//! Import of runs from files of other programs, as [`Runs`](super::Runs).
//!
//! | format | name | files |
//! |---|---|---|
//! | [`ImportFormat::Hpl`] | `hpl` | output of High-Performance Linpack and its relatives (`HPL.out`, `hpccoutf.txt`, NVIDIA's HPL and HPL-MxP) |
//! | [`ImportFormat::Extrap`] | `extrap` | text input of Extra-P |
//! | [`ImportFormat::JsonLines`] | `jsonl` | JSON lines of Extra-P or TaLPas |
//! | [`ImportFormat::Json`] | `json` | JSON of Extra-P |
//! | [`ImportFormat::ExtrapExperiment`] | `extra-p` | an experiment that Extra-P saves (`.extra-p`) |
//! | [`ImportFormat::Csv`] | `csv` | a table with column names (CSV, TSV, semicolons or blanks); a [`ColumnMapping`] assigns their meaning |
//! | [`ImportFormat::Cubex`] | `cubex` | a profile of Score-P or Scalasca (`.cubex`) |
//! | [`ImportFormat::Caliper`] | `caliper` | a profile of Caliper (`.cali`) |
//! | [`ImportFormat::Hatchet`] | `hatchet` | JSON of a graph frame of Hatchet or Thicket |
//! | [`ImportFormat::Runs`] | `runs` | a runs file |
//!
//! The format is recognised by the content. A [`Remark`] reports each run that is left out, and
//! assumptions about others.
//!
//! ```
//! use orrery_applications::run::import::{Importer, ImportOptions};
//! let text = "matrix_size,time,cooling\n50000,5.01,good\n75000,15.96,good\n";
//! let mut importer = Importer::new(ImportOptions { map: "n=matrix_size,seconds=time".parse()?, ..ImportOptions::default() });
//! importer.add(text, "hpl.csv")?;
//! let runs = importer.finish()?.runs.runs;
//! assert_eq!(runs[1].variable("n"), Some(75000.0));
//! assert_eq!((&runs[1].origin[..], &runs[1].labels["cooling"][..]), ("hpl.csv:3", "good"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod caliper;
mod cubex;
mod description;
mod error;
mod experiment;
mod extrap;
mod format;
mod hatchet;
mod hpl;
mod importer;
mod mapping;
mod name_pattern;
mod parsed;
mod profile_name;
mod regions;
mod table;
mod work;

pub use error::ImportError;
pub use format::ImportFormat;
pub use importer::{ImportOptions, Imported, Importer};
pub use mapping::ColumnMapping;
pub use name_pattern::{FileConfigurations, FileProperties, NamePattern};
pub use parsed::{Remark, RemarkKind};
