//! The runs file: JSON with one run on each line.
//!
//! ```
//! use orrery_applications::run::file;
//! let text = r#"{"format": "orrery-runs", "version": 1, "runs": [
//!   {"origin": "HPL.out:57", "variables": {"n": 9600, "p": 1, "q": 4}, "configuration": {"athlon":
//!     {"elements": 2, "processes": 2}}, "seconds": 12.5, "labels": {"variant": "WR11C2R4"}}
//! ]}"#;
//! let runs = file::parse(text, "by-hand.json")?;
//! assert_eq!(runs.runs[0].processes(), Some(4.0));
//! assert_eq!(file::parse(file::to_text(&runs)?, "again")?, runs);
//!
//! let error = file::parse(text.replace("12.5", "-12.5"), "by-hand.json").unwrap_err().to_string();
//! assert!(error.starts_with("by-hand.json:3:50: runs[0].seconds: run HPL.out:57: its time is -12.5 s"), "{error}");
//! # Ok::<(), orrery_base::file::FileError>(())
//! ```

pub mod plan;
mod reader;
mod writer;

pub use reader::{parse, read};
pub use writer::{RunsWriter, to_text, write};

/// The name of such a file in messages.
const FILE: &str = "runs file";

/// The version of the format.
const VERSION: u64 = 1;
